// `quince tokenize`: text to token ids and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

[[noreturn]] void bad_line(std::size_t number, std::string_view wanted) {
  throw Error(ErrorCode::parse, fmt::format("line {}: expected {}", number, wanted));
}

/// One JSON value a line in, one out: strings to arrays of ids, or back.
void each_line(const Tokenizer& tokenizer, std::string_view text, bool decode) {
  std::string out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    throw_if_interrupted();
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    if (decode) {
      std::vector<std::int32_t> ids;
      if (!value.is_array()) bad_line(number, "a JSON array of token ids");
      for (const nlohmann::json& item : value) {
        if (!item.is_number_integer() || item > INT32_MAX || item < INT32_MIN)
          bad_line(number, "a JSON array of token ids");
        ids.push_back(item.get<std::int32_t>());
      }
      out +=
          nlohmann::json(tokenizer.decode(ids, kDecode)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    } else {
      if (!value.is_string()) bad_line(number, "a JSON string");
      out += nlohmann::json(tokenizer.encode(value.get_ref<const std::string&>(), kEncode)).dump();
    }
    out += '\n';
    if (out.size() > (1 << 16)) {
      write_out(out);
      out.clear();
    }
  }
  write_out(out);
}

void tokenize(const TokenizeOptions& options) {
  const Tokenizer tokenizer = load_tokenizer(GgufFile::open(model_path(options.model, options.folder)));
  if (options.jsonl && options.text) throw UsageError{"--jsonl reads standard input or -f FILE"};
  const std::string text = text_argument(options.text, options.file, options.decode ? "token ids" : "the text");
  if (options.jsonl) return each_line(tokenizer, text, options.decode);
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
