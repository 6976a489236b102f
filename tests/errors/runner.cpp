// Runs tests/errors/*.case: command lines on right and wrong files, with the exact output and exit code they must give.
//
//   quince case 1
//   file x.gguf = tiny_llama.gguf      a copy of a model in tests/data/models; the edits below apply to it:
//   set KEY TYPE VALUE…                 drop KEY · drop-tensor NAME · shape NAME 2 3 · truncate 100 · bytes 4 "\x63"
//   text "…"                            the whole content instead
//   $ run x.gguf hi                     the arguments of quince, run where the files are
//   < "…"                               its standard input
//   exit 1 / 2> … / 1> …                its exit code, and each line on stderr and stdout
//   2*                                  stderr may say anything (it holds timings)
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "errors/edited_gguf.h"
#include "graph/text_cursor.h"

extern char** environ;

namespace quince::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void spill(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// Words of a line; one in quotes may hold spaces and \xNN.
std::vector<std::string> words_of(std::string_view line) {
  TextCursor c(line, 0);
  std::vector<std::string> words;
  while (!c.done()) {
    if (c.at_quote()) {
      words.push_back(c.quoted());
      continue;
    }
    std::string word;
    for (const std::size_t begin = c.column(); begin + word.size() < line.size() && line[begin + word.size()] != ' ';) {
      word += line[begin + word.size()];
    }
    c.take(word);
    words.push_back(word);
  }
  return words;
}

/// One command of a case, and what is expected of it.
struct Step {
  std::vector<std::string> arguments;
  std::string input;
  int exit_code = 0;
  std::string out;
  std::string err;
  bool any_err = false;
};

class Case {
 public:
  explicit Case(const fs::path& path) : folder_(fs::temp_directory_path() / ("quince-case-" + path.stem().string())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ifstream stream(path);
    std::string line;
    std::getline(stream, line);
    EXPECT_EQ(line, "quince case 1");
    while (std::getline(stream, line)) {
      if (!line.empty() && line[0] != '#') take(line);
    }
    finish_file();
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  ~Case() { fs::remove_all(folder_); }

  void run() const {
    ASSERT_FALSE(steps_.empty());
    for (const Step& step : steps_) run(step);
  }

 private:
  void take(const std::string& line) {
    if (line.starts_with("$ ")) {
      finish_file();
      steps_.push_back({.arguments = words_of(line.substr(2)), .input = {}, .out = {}, .err = {}});
    } else if (line.starts_with("1>")) {
      steps_.back().out += (line.size() > 3 ? line.substr(3) : "") + "\n";
    } else if (line.starts_with("2>")) {
      steps_.back().err += (line.size() > 3 ? line.substr(3) : "") + "\n";
    } else if (line == "2*") {
      steps_.back().any_err = true;
    } else if (line.starts_with("< ")) {
      steps_.back().input = words_of(line.substr(2)).at(0);
    } else if (line.starts_with("exit ")) {
      steps_.back().exit_code = std::stoi(line.substr(5));
    } else {
      edit(words_of(line));
    }
  }

  void edit(const std::vector<std::string>& words) {
    const std::string& what = words.at(0);
    if (what == "file") {
      finish_file();
      file_ = words.at(1);
      if (words.size() > 3) source_ = QUINCE_TEST_DATA "/models/" + words.at(3);
    } else if (what == "set") {
      edits_.set[words.at(1)] = {words.at(2), {words.begin() + 3, words.end()}};
    } else if (what == "drop") {
      edits_.drop.insert(words.at(1));
    } else if (what == "drop-tensor") {
      edits_.drop_tensors.insert(words.at(1));
    } else if (what == "shape") {
      for (std::size_t i = 2; i < words.size(); ++i) edits_.reshape[words.at(1)].push_back(std::stoll(words[i]));
    } else if (what == "truncate") {
      size_ = std::stoul(words.at(1));
    } else if (what == "bytes") {
      patches_.emplace_back(std::stoul(words.at(1)), words.at(2));
    } else if (what == "text") {
      content_ = words.at(1);
    } else {
      ADD_FAILURE() << "no directive " << what;
    }
  }

  void finish_file() {
    if (file_.empty()) return;
    std::string content = content_;
    if (!source_.empty()) {
      const std::vector<std::byte> bytes = edited_gguf(source_, edits_);
      content.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    for (const auto& [offset, patch] : patches_) content.replace(offset, patch.size(), patch);
    spill(folder_ / file_, std::string_view(content).substr(0, size_));
    file_.clear();
    source_.clear();
    content_.clear();
    edits_ = {};
    patches_.clear();
    size_ = std::string::npos;
  }

  void run(const Step& step) const {
    spill(folder_ / "stdin", step.input);
    std::vector<std::string> words{QUINCE_BINARY};
    words.insert(words.end(), step.arguments.begin(), step.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "stdin", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, QUINCE_BINARY, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    if (!step.any_err) {
      EXPECT_EQ(slurp(folder_ / "stderr"), step.err);
    }
    EXPECT_EQ(slurp(folder_ / "stdout"), step.out);
    EXPECT_EQ(WEXITSTATUS(status), step.exit_code);
  }

  fs::path folder_;
  std::vector<Step> steps_;
  std::string file_;
  std::string source_;
  std::string content_;
  GgufEdits edits_;
  std::vector<std::pair<std::size_t, std::string>> patches_;
  std::size_t size_ = std::string::npos;
};

class CaseTest : public testing::TestWithParam<fs::path> {};

TEST_P(CaseTest, GivesWhatItSays) { Case(GetParam()).run(); }

std::vector<fs::path> all_cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(QUINCE_TEST_DATA "/../errors")) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Files, CaseTest, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace quince::test
