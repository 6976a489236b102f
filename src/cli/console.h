// What every subcommand shares at its edges: streams, progress, JSON, interruption, input text.
#pragma once

#include <atomic>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace quince::cli {

/// Command lines that parse but make no sense: exit code 2.
struct UsageError {
  std::string message;
};

/// Set by Ctrl-C; a second Ctrl-C ends the process at once.
const std::atomic<bool>& interrupt_flag();
/// Ctrl-C as above, unless the parent ignores it; a mapped file that shrinks ends the process with an error line.
void install_signal_handlers();
void throw_if_interrupted();

/// Results go to stdout. Error(io) where it cannot be written.
void write_out(std::string_view text);
/// One line; bytes that are not UTF-8 become U+FFFD.
void write_json(const nlohmann::ordered_json& value);
/// Everything that is no result goes to stderr, as one line.
void note(std::string_view line);

/// A line on stderr that is redrawn in place; silent unless stderr is a terminal and the work takes a while.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::size_t done, std::size_t total);

 private:
  std::string label_;
  bool shown_ = false;
  bool terminal_;
  double started_;
  double drawn_ = 0;
};

/// Seconds on a steady clock.
double now();

/// A whole file, or standard input where the path is "-". Error(io), (not_found) name it.
std::string read_text(const std::string& path);
/// The text of a command: the argument, else the file, else standard input (a usage error where that is a terminal).
std::string text_argument(const std::optional<std::string>& argument, const std::optional<std::string>& file,
                          std::string_view what);

}  // namespace quince::cli
