// What every subcommand shares at its edges: streams, progress, JSON, interruption, input text.
#include "cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "quince/error.h"

namespace quince::cli {
namespace {

std::atomic<bool> interrupted{false};

/// Reading a mapped file that another process has cut short.
void on_bus_error(int) {
  constexpr std::string_view text = "quince: a model file was cut short while it was in use\n";
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(1);
}

void on_interrupt(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);
}

[[noreturn]] void system_error(ErrorCode code, const std::string& path) {
  throw Error(code, fmt::format("{}: {}", path, std::strerror(errno)));
}

std::string read_all(int descriptor, const std::string& path) {
  std::string text;
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n == 0) return text;
    if (n > 0) {
      text.append(buffer, 0, static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      system_error(ErrorCode::io, path);
    }
    throw_if_interrupted();
  }
}

}  // namespace

const std::atomic<bool>& interrupt_flag() { return interrupted; }

void install_signal_handlers() {
  struct sigaction action{};
  action.sa_handler = on_bus_error;
  ::sigaction(SIGBUS, &action, nullptr);
  struct sigaction before{};
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // a background job of a script
  action.sa_handler = on_interrupt;          // without SA_RESTART, so that a blocking call returns
  ::sigaction(SIGINT, &action, nullptr);
}

void throw_if_interrupted() {
  if (interrupted.load()) throw Error(ErrorCode::interrupted, "interrupted");
}

void write_out(std::string_view text) {
  while (!text.empty()) {
    throw_if_interrupted();
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) system_error(ErrorCode::io, "standard output");
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

void write_json(const nlohmann::ordered_json& value) {
  write_out(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void note(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Progress::Progress(std::string label)
    : label_(std::move(label)), terminal_(::isatty(STDERR_FILENO) == 1), started_(now()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::size_t done, std::size_t total) {
  throw_if_interrupted();
  const double at = now();
  if (!terminal_ || at - started_ < 0.3 || at - drawn_ < 0.1) return;
  drawn_ = at;
  shown_ = true;
  const std::string line =
      fmt::format("\r{} {}/{} ({} %)\x1b[K", label_, done, total, total == 0 ? 100 : 100 * done / total);
  std::fputs(line.c_str(), stderr);
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) system_error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, path);
  const auto close_it = [](const int* d) { ::close(*d); };
  const std::unique_ptr<const int, decltype(close_it)> closer(&descriptor, close_it);
  return read_all(descriptor, path);
}

std::string text_argument(const std::optional<std::string>& argument, const std::optional<std::string>& file,
                          std::string_view what) {
  if (argument && file) throw UsageError{fmt::format("give {} as an argument or by -f, not both", what)};
  if (argument) return *argument;
  if (file) return read_text(*file);
  if (::isatty(STDIN_FILENO) == 1) {
    throw UsageError{fmt::format("give {} as an argument, by -f FILE, or on standard input", what)};
  }
  return read_text("-");
}

}  // namespace quince::cli
