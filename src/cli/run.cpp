// `quince run`: a language model continues a prompt.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/ids.h"
#include "cli/model_source.h"
#include "cli/stop_text.h"
#include "io/tokenizer_utf8.h"
#include "quince/error.h"
#include "quince/io/chat_template.h"
#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"
#include "quince/models/language_model.h"
#include "quince/runtime/decoder.h"

namespace quince::cli {
namespace {

struct RunOptions {
  std::string model;
  std::optional<std::string> prompt;
  std::optional<std::string> file;
  std::optional<std::string> ids;
  std::string folder{kModelsFolder};
  std::int64_t count = 256;
  std::optional<std::int64_t> context;
  SamplingOptions sampling;
  std::vector<std::string> stops;
  int threads = 0;
  bool raw = false;
  bool ignore_end = false;
  bool json = false;
};

/// The context that is reserved where none is asked for; memory is used only as it fills.
constexpr std::int64_t kDefaultContext = 8192;
constexpr int kMostThreads = 1024;

/// Ids in, text out, and how long it took.
struct Answer {
  Tokens prompt;
  Tokens tokens;
  std::string text;
  std::string stopped;  ///< end, length, stop or context
  std::vector<std::pair<std::int32_t, float>> top;
  double prefill_seconds = 0;
  double decode_seconds = 0;

  double prefill_rate() const { return static_cast<double>(prompt.size()) / prefill_seconds; }
  /// Of the tokens that took a step of their own: all but the first.
  double decode_rate() const { return tokens.size() > 1 ? static_cast<double>(tokens.size() - 1) / decode_seconds : 0; }
};

Tokens prompt_tokens(const RunOptions& options, const Tokenizer& tokenizer) {
  if (options.ids) {
    if (options.prompt || options.file) throw UsageError{"give a prompt or --ids, not both"};
    Tokens ids = parse_ids(*options.ids);
    if (ids.empty()) throw Error(ErrorCode::invalid_argument, "the prompt is empty");
    return ids;
  }
  const std::string text = text_argument(options.prompt, options.file, "the prompt");
  if (text.empty()) throw Error(ErrorCode::invalid_argument, "the prompt is empty");
  if (const std::size_t valid = valid_utf8_prefix(text); valid != text.size()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the prompt is not valid UTF-8 at byte {}", valid));
  }
  const std::string& source = tokenizer.data().chat_template;
  if (options.raw || source.empty()) return tokenizer.encode(text);
  const auto piece = [&](std::optional<std::int32_t> id) { return id ? tokenizer.piece(*id) : std::string(); };
  const ChatMessage message{"user", text};
  return tokenizer.encode(
      apply_chat_template(source, std::span(&message, 1),
                          {.bos_token = piece(tokenizer.bos()), .eos_token = piece(tokenizer.eos())}),
      {.parse_special = true, .add_bos = false, .add_eos = false});
}

std::int64_t context_size(const RunOptions& options, const LanguageModelInfo& info, std::size_t prompt) {
  const std::int64_t context = options.context.value_or(std::min(info.context, kDefaultContext));
  if (context > info.context) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("a context of {} is longer than the model's {}", context, info.context));
  }
  if (static_cast<std::int64_t>(prompt) > context) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("the prompt has {} tokens, more than the context of {}", prompt, context));
  }
  return context;
}

Sampler sampler_of(const SamplingOptions& options) {
  try {
    return Sampler(options);
  } catch (const Error& error) {
    throw UsageError{error.what()};
  }
}

/// Samples until an end token, a stop string, the count or the context is reached; `emit` gets the text as it comes.
template <class Emit>
void generate(const RunOptions& options, const Tokenizer& tokenizer, Sampler& sampler, Decoder& decoder, Answer& answer,
              Emit emit) {
  TextStream stream(tokenizer);
  StopText stop(options.stops);
  Tokens seen = answer.prompt;
  const double start = now();
  Array logits = decoder.feed(answer.prompt);
  const double first = now();
  answer.prefill_seconds = first - start;
  answer.top = top_logits(logits.data<float>(), 5);
  const auto let_out = [&](const std::string& text) {
    answer.text += text;
    emit(text);
  };
  answer.stopped = "length";
  while (static_cast<std::int64_t>(answer.tokens.size()) < options.count) {
    throw_if_interrupted();
    const std::int32_t token = sampler.sample(logits.data<float>(), seen);
    answer.tokens.push_back(token);
    seen.push_back(token);
    answer.decode_seconds = now() - first;
    if (tokenizer.is_end(token) && !options.ignore_end) {
      answer.stopped = "end";
      break;
    }
    let_out(stop.push(stream.push(token)));
    if (stop.stopped()) {
      answer.stopped = "stop";
      break;
    }
    if (static_cast<std::int64_t>(answer.tokens.size()) == options.count) break;
    if (decoder.position(0) == decoder.context()) {
      answer.stopped = "context";
      break;
    }
    logits = decoder.feed(Tokens{token});
  }
  let_out(stop.push(stream.finish()));
  let_out(stop.finish());
}

void run(const RunOptions& options) {
  if (options.count < 0) throw UsageError{"-n is 0 or more"};
  if (options.context && *options.context < 1) throw UsageError{"--ctx is 1 or more"};
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw UsageError{fmt::format("--threads is in 0..{}", kMostThreads)};
  }
  if (std::ranges::any_of(options.stops, &std::string::empty)) throw UsageError{"--stop is empty"};
  Sampler sampler = sampler_of(options.sampling);

  const GgufFile file = GgufFile::open(model_path(options.model, options.folder));
  const LanguageModelInfo info = language_model_info(file);
  const Tokenizer tokenizer = load_tokenizer(file);
  Answer answer;
  answer.prompt = prompt_tokens(options, tokenizer);
  throw_if_interrupted();
  if (answer.prompt.empty()) throw Error(ErrorCode::invalid_argument, "the prompt gives no tokens", file.doing());
  check_ids(answer.prompt, info.vocabulary);
  const std::int64_t context = context_size(options, info, answer.prompt.size());

  const auto program = Program::compile(*load_graph(file), {.device = Device::reference, .threads = options.threads});
  Decoder decoder(program, 1, context);
  decoder.session().cancel_on(&interrupt_flag());
  generate(options, tokenizer, sampler, decoder, answer, [&](const std::string& text) {
    if (!options.json && !text.empty()) write_out(text);
  });

  if (options.json) {
    nlohmann::ordered_json top = nlohmann::ordered_json::array();
    for (const auto& [id, logit] : answer.top) top.push_back({id, logit});
    write_json({{"ids", answer.prompt},
                {"tokens", answer.tokens},
                {"text", answer.text},
                {"top", top},
                {"stopped", answer.stopped},
                {"prefill_tok_s", answer.prefill_rate()},
                {"decode_tok_s", answer.decode_rate()}});
    return;
  }
  write_out("\n");
  note(fmt::format("prompt {} tokens, {:.1f} tokens/s; answer {} tokens, {:.1f} tokens/s{}", answer.prompt.size(),
                   answer.prefill_rate(), answer.tokens.size(), answer.decode_rate(),
                   answer.stopped == "context" ? "; the context is full" : ""));
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Let a language model answer a prompt");
  command->add_option("model", options->model, "GGUF file, or a known model's name")->required();
  command->add_option("prompt", options->prompt, "The prompt; else -f, --ids or standard input");
  command->add_option("-f,--file", options->file, "Read the prompt from a file ('-': standard input)");
  command->add_option("--ids", options->ids, "The prompt as exact token ids: 504,3575,282");
  command->add_flag("--raw", options->raw, "Take the prompt as it is, without the model's chat template");
  command->add_option("-n,--tokens", options->count, "Most tokens to generate")->capture_default_str();
  command->add_option("--ctx", options->context, "Tokens of context to reserve (default: the model's, at most 8192)");
  command->add_option("--temp", options->sampling.temperature, "Temperature; 0 takes the most likely token")
      ->capture_default_str();
  command->add_option("--top-k", options->sampling.top_k, "Keep the k most likely tokens; 0 keeps all")
      ->capture_default_str();
  command->add_option("--top-p", options->sampling.top_p, "Keep the likeliest tokens that reach probability p")
      ->capture_default_str();
  command->add_option("--min-p", options->sampling.min_p, "Drop tokens less likely than p times the likeliest")
      ->capture_default_str();
  command
      ->add_option("--repeat-penalty", options->sampling.repeat_penalty, "Make tokens already seen less likely; 1: off")
      ->capture_default_str();
  command->add_option("--seed", options->sampling.seed, "Seed of the random choice")->capture_default_str();
  command->add_option("--stop", options->stops, "End the answer before this text (may be repeated)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--ignore-end", options->ignore_end, "Go on after the model ends its answer");
  command->add_option("--threads", options->threads, "Threads; 0: one per core")->capture_default_str();
  command->add_option("--models", options->folder, "Folder of models")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] { run(*options); });
}

}  // namespace quince::cli
