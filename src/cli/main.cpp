// The `quince` command: parses the command line, runs one subcommand, and turns errors into exit codes.
#include <fmt/format.h>

#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/console.h"
#include "quince/error.h"
#include "quince/io/gguf.h"
#include "quince_version.h"

namespace {

/// Exit codes, as docs/architecture.md lists them.
constexpr int kUserError = 1;
constexpr int kUsage = 2;
constexpr int kBug = 3;
constexpr int kInterrupted = 130;

/// Messages quote files and arguments, which may hold anything.
std::string one_line(std::string_view message) { return quince::printable(message, 600); }

int usage(std::string_view message) {
  quince::cli::note(fmt::format("quince: {}\nRun 'quince --help' for the options.", one_line(message)));
  return kUsage;
}

int report(const quince::Error& error) {
  if (error.code() == quince::ErrorCode::interrupted) return kInterrupted;
  const bool bug = error.code() == quince::ErrorCode::internal;
  quince::cli::note(fmt::format("quince: {}{}", bug ? "internal error: " : "", one_line(error.what())));
  return bug ? kBug : kUserError;
}

int run(int argc, char** argv) {
  CLI::App app{"An ahead-of-time inference compiler on fifteen ops", "quince"};
  app.set_version_flag("--version", fmt::format("quince {} ({})", quince::kVersion, quince::kRevision));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  quince::cli::add_run(app);
  quince::cli::add_show(app);
  quince::cli::add_tokenize(app);
  quince::cli::add_pull(app);
  const std::string_view command = argc > 1 ? argv[1] : "-";
  if (!command.starts_with('-') &&
      app.get_subcommands([&](const CLI::App* known) { return known->get_name() == command; }).empty()) {
    throw quince::cli::UsageError{fmt::format("there is no command '{}'", command)};
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return usage(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  quince::cli::install_signal_handlers();
  try {
    return run(argc, argv);
  } catch (const quince::cli::UsageError& error) {
    return usage(error.message);
  } catch (const quince::Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    quince::cli::note("quince: out of memory");
    return kUserError;
  } catch (const std::exception& error) {
    quince::cli::note(fmt::format("quince: internal error: {}", error.what()));
    return kBug;
  }
}
