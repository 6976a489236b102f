// Splitting a text into the words that BPE merges within.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "io/pretokenizer.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "quince/error.h"
#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"

namespace quince {
namespace {

// Patterns are written with <L> letter, <N> number, <S> white space inside brackets. The `tokenizers` library knows
// Unicode 16 (its digit splitter 17), PCRE2 10.42 knows 14, and PCRE2's \s differs from Unicode's White_Space, so the
// classes are spelled out.
constexpr std::string_view kLetters =
    R"(\p{L}\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65}\x{10D6F}-\x{10D85})"
    R"(\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B}\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1})"
    R"(\x{113D3}\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F}\x{13441}-\x{13446})"
    R"(\x{13460}-\x{143FA}\x{16100}-\x{1611D}\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A})"
    R"(\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
constexpr std::string_view kNumbers =
    R"(\p{N}\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59}\x{16130}-\x{16139})"
    R"(\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})";
constexpr std::string_view kNumbersSince17 = R"(\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6})";
constexpr std::string_view kSpaces =
    R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

struct Pattern {
  std::string_view name;
  std::string_view source;
};

constexpr std::array kPatterns{
    Pattern{"gpt-2", R"('s|'t|'re|'ve|'m|'ll|'d| ?[<L>]+| ?[<N>]+| ?[^<S><L><N>]+|[<S>]+(?![^<S>])|[<S>]+)"},
    // Numbers are cut out one by one first and gpt-2's pattern splits what lies between; in one pattern, a number
    // therefore ends a run of white space as the end of the text does.
    Pattern{"smollm",
            R"([<N><17>]|'s|'t|'re|'ve|'m|'ll|'d| ?[<L>]+| ?[^<S><L><N><17>]+|[<S>]+(?![^<S><N><17>])|[<S>]+)"},
    Pattern{"llama-bpe",
            R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n<L><N>]?[<L>]+|[<N>]{1,3}| ?[^<S><L><N>]+[\r\n]*|[<S>]*[\r\n]+)"
            R"(|[<S>]+(?![^<S>])|[<S>]+)"},
    Pattern{"qwen2", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n<L><N>]?[<L>]+|[<N>]| ?[^<S><L><N>]+[\r\n]*|[<S>]*[\r\n]+)"
                     R"(|[<S>]+(?![^<S>])|[<S>]+)"},
};

constexpr std::array kSpecs{
    PretokenizerSpec{"gpt-2", "gpt-2", false},
    PretokenizerSpec{"phi-2", "gpt-2", false},
    PretokenizerSpec{"smollm", "smollm", false},
    PretokenizerSpec{"qwen2", "qwen2", false},
    PretokenizerSpec{"deepseek-r1-qwen", "qwen2", false},
    PretokenizerSpec{"llama-bpe", "llama-bpe", true},
    PretokenizerSpec{"llama3", "llama-bpe", true},
    PretokenizerSpec{"llama-v3", "llama-bpe", true},
};

std::string expanded(std::string_view name) {
  auto pattern = std::find_if(kPatterns.begin(), kPatterns.end(), [&](const Pattern& p) { return p.name == name; });
  std::string source(pattern->source);
  for (auto [from, to] : {std::pair{"<L>", kLetters}, {"<N>", kNumbers}, {"<S>", kSpaces}, {"<17>", kNumbersSince17}}) {
    std::string_view placeholder = from;
    for (auto at = source.find(placeholder); at != source.npos; at = source.find(placeholder, at + to.size())) {
      source.replace(at, placeholder.size(), to);
    }
  }
  return source;
}

/// A backstop: one match of these patterns takes at most a few steps for each byte.
std::uint32_t match_limit(std::size_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(0xFFFFFFFF, 64 * bytes + 1'000'000));
}
constexpr std::size_t kJitStackLimit = std::size_t{1} << 20;

}  // namespace

const PretokenizerSpec* find_pretokenizer(std::string_view name) {
  auto found = std::find_if(kSpecs.begin(), kSpecs.end(), [&](const PretokenizerSpec& s) { return s.name == name; });
  return found == kSpecs.end() ? nullptr : &*found;
}

const PretokenizerSpec& pretokenizer_spec(std::string_view name) {
  if (const PretokenizerSpec* spec = find_pretokenizer(name)) return *spec;
  throw Error(ErrorCode::unsupported, fmt::format("pre-tokenizer \"{}\" is not supported; supported: {}",
                                                  printable(name), fmt::join(pretokenizer_names(), ", ")));
}

std::vector<std::string_view> pretokenizer_names() {
  std::vector<std::string_view> names;
  for (const PretokenizerSpec& spec : kSpecs) names.push_back(spec.name);
  return names;
}

struct Pretokenizer::Code {
  pcre2_code* code = nullptr;
  bool jit = false;

  explicit Code(const std::string& source) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(source.data()), source.size(), PCRE2_UTF | PCRE2_ANCHORED, &error,
                         &offset, nullptr);
    if (!code) throw Error(ErrorCode::internal, fmt::format("PCRE2 rejects a pattern at offset {}", offset));
    jit = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;  // may be missing or forbidden; the interpreter then runs
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }
};

Pretokenizer::Pretokenizer(std::string_view name)
    : code_(std::make_shared<Code>(expanded(pretokenizer_spec(name).pattern))) {}

struct Pretokenizer::Run::State {
  std::shared_ptr<const Code> code;
  pcre2_match_context* context = nullptr;
  pcre2_jit_stack* stack = nullptr;
  pcre2_match_data* match = nullptr;

  explicit State(std::shared_ptr<const Code> compiled)
      : code(std::move(compiled)),
        context(pcre2_match_context_create(nullptr)),
        stack(pcre2_jit_stack_create(std::size_t{1} << 15, kJitStackLimit, nullptr)),
        match(pcre2_match_data_create_from_pattern(code->code, nullptr)) {
    if (!context || !stack || !match) throw Error(ErrorCode::resource, "no memory for the pre-tokenizer");
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    pcre2_match_data_free(match);
    pcre2_jit_stack_free(stack);
    pcre2_match_context_free(context);
  }
};

Pretokenizer::Run::Run(const Pretokenizer& pretokenizer) : state_(std::make_shared<State>(pretokenizer.code_)) {}

void Pretokenizer::Run::split(std::string_view segment, std::vector<std::size_t>& ends) {
  auto subject = reinterpret_cast<PCRE2_SPTR>(segment.data());
  pcre2_set_match_limit(state_->context, match_limit(segment.size()));
  const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(state_->match);
  for (std::size_t at = 0; at < segment.size(); at = offsets[1]) {
    int found = state_->code->jit ? pcre2_jit_match(state_->code->code, subject, segment.size(), at, PCRE2_NO_UTF_CHECK,
                                                    state_->match, state_->context)
                                  : pcre2_match(state_->code->code, subject, segment.size(), at, PCRE2_NO_UTF_CHECK,
                                                state_->match, state_->context);
    if (found < 1 || offsets[1] <= at) {
      throw Error(ErrorCode::resource, fmt::format("the pre-tokenizer gave up at byte {} of {} (PCRE2 error {})", at,
                                                   segment.size(), found));
    }
    ends.push_back(offsets[1]);
  }
}

}  // namespace quince
