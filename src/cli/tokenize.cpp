// `quince tokenize`: text to token ids and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/ids.h"
#include "cli/model_source.h"
#include "quince/error.h"
#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"

namespace quince::cli {
namespace {

struct TokenizeOptions {
  std::string model;
  std::optional<std::string> text;
  std::optional<std::string> file;
  std::string folder{kModelsFolder};
  bool decode = false;
  bool jsonl = false;
  bool json = false;
};

constexpr EncodeOptions kEncode{.parse_special = true, .add_bos = false, .add_eos = false};
constexpr DecodeOptions kDecode{.show_control = true};

std::string line_out(const Tokenizer& tokenizer, std::string_view line, bool decode) {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  if (!decode) {
    if (!value.is_string()) throw Error(ErrorCode::parse, "expected a JSON string");
    return nlohmann::json(tokenizer.encode(value.get_ref<const std::string&>(), kEncode)).dump() + "\n";
  }
  std::vector<std::int32_t> ids;
  const auto is_id = [](const nlohmann::json& item) {
    return item.is_number_integer() && item >= INT32_MIN && item <= INT32_MAX;
  };
  if (!value.is_array() || !std::ranges::all_of(value, is_id)) {
    throw Error(ErrorCode::parse, "expected a JSON array of token ids");
  }
  for (const nlohmann::json& item : value) ids.push_back(item.get<std::int32_t>());
  return nlohmann::json(tokenizer.decode(ids, kDecode)).dump(-1, ' ', false, kReplace) + "\n";
}

/// One JSON value a line in, one out at once: strings to arrays of ids, or back.
void each_line(const Tokenizer& tokenizer, std::istream& in, bool decode) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    throw_if_interrupted();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      write_out(line_out(tokenizer, line, decode));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::io) throw;
      throw error.within(fmt::format("line {}", number));
    }
  }
  throw_if_interrupted();
}

void each_line(const Tokenizer& tokenizer, const TokenizeOptions& options) {
  if (options.text) throw UsageError{"--jsonl reads standard input or -f FILE"};
  if (options.json) throw UsageError{"give --json or --jsonl, not both"};
  if (!options.file || *options.file == "-") return each_line(tokenizer, std::cin, options.decode);
  std::ifstream file(*options.file);
  if (!file) throw Error(ErrorCode::io, fmt::format("{}: {}", *options.file, std::strerror(errno)));
  each_line(tokenizer, file, options.decode);
}

void tokenize(const TokenizeOptions& options) {
  const Tokenizer tokenizer = load_tokenizer(GgufFile::open(model_path(options.model, options.folder)));
  if (options.jsonl) return each_line(tokenizer, options);
  const std::string text = text_argument(options.text, options.file, options.decode ? "token ids" : "the text");
  if (options.decode) {
    const std::string decoded = tokenizer.decode(parse_ids(text), kDecode);
    options.json ? write_json({{"text", decoded}}) : write_out(decoded + "\n");
    return;
  }
  const std::vector<std::int32_t> ids = tokenizer.encode(text, kEncode);
  if (!options.json) return write_out(fmt::format("{}\n", fmt::join(ids, " ")));
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (std::int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  write_json({{"ids", ids}, {"pieces", pieces}});
}

}  // namespace

void add_tokenize(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = app.add_subcommand("tokenize", "Turn text into token ids, or back");
  command->add_option("model", options->model, "GGUF file, or a known model's name")->required();
  command->add_option("text", options->text, "The text (or ids, with --decode); else -f or standard input");
  command->add_option("-f,--file", options->file, "Read the text from a file ('-': standard input)");
  command->add_flag("--decode", options->decode, "Ids in, text out");
  command->add_flag("--jsonl", options->jsonl, "One JSON string a line in, one JSON array of ids a line out");
  command->add_option("--models", options->folder, "Folder of models")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] { tokenize(*options); });
}

}  // namespace quince::cli
