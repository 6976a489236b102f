"""Writes the expectations of tests/tokenizer. Needs the packages `tokenizers` and `gguf`.

    python make.py MODELS      # the folder with the two .gguf files named below

strings.json    the texts: a string, or {"hex": bytes, "text": Python's decoding with errors="replace"}
splits.json     pre-tokenizer -> for each text the byte length of each word
tiny.json       a vocabulary of a few hundred merges; tiny_ids.json: pre-tokenizer -> ids of each text;
                tiny_literal_ids.json: ids of each text for qwen2 with special tokens read as text
smollm2.json, qwen2.5.json   ids of each text under the vocabularies of the real models
"""
import json
import pathlib
import sys

from gguf import GGUFReader
from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers, trainers

import corpus

HERE = pathlib.Path(__file__).parent
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def pre_tokenizer(name):
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=name in ("gpt-2", "smollm"))
    first = {"gpt-2": [], "smollm": [pre_tokenizers.Digits(individual_digits=True)],
             "qwen2": [pre_tokenizers.Split(Regex(QWEN2), "isolated")],
             "llama-bpe": [pre_tokenizers.Split(Regex(LLAMA3), "isolated")]}[name]
    return pre_tokenizers.Sequence(first + [byte_level])


PRES = ["gpt-2", "smollm", "qwen2", "llama-bpe"]


def build(pre, tokens, types, merges):
    model = models.BPE({t: i for i, t in enumerate(tokens)}, [tuple(m.split(" ")) for m in merges], ignore_merges=pre == "llama-bpe")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer(pre)
    for token, kind in zip(tokens, types):
        if kind in (3, 4):
            tokenizer.add_tokens([AddedToken(token, special=kind == 3, normalized=False)])
    return tokenizer


def ids(tokenizer, texts):
    return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


def train(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer("qwen2")
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=256 + 450, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False, min_frequency=1))
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [" ".join(m) for m in model["merges"]]
    # Tokens that no merge makes: a word of llama-bpe that is a token is taken whole all the same.
    tokens += ["quick", "Ġbrown"]
    types = [1] * len(tokens)
    for token, kind in [("<|im_start|>", 3), ("<|im_end|>", 3), ("<|endoftext|>", 3), ("<tag>", 3), ("<tag><tag", 3), ("<tool_call>", 4)]:
        tokens.append(token)
        types.append(kind)
    return tokens, types, merges


def text(value):
    """JSON with one text's row a line."""
    if isinstance(value, dict):
        return "{" + ",\n".join(f'"{key}":{text(rows)}' for key, rows in value.items()) + "}"
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in value) + "\n]"


def write(name, value):
    (HERE / name).write_text(text(value) + "\n")


def main(folder):
    strings = corpus.strings()
    texts = [s if isinstance(s, str) else s.decode("utf-8", "replace") for s in strings]
    write("strings.json", [s if isinstance(s, str) else {"hex": s.hex(), "text": t} for s, t in zip(strings, texts)])
    write("splits.json", {pre: [[len(word) for word, _ in pre_tokenizer(pre).pre_tokenize_str(t)] for t in texts] for pre in PRES})
    tokens, types, merges = train(texts)
    write("tiny.json", {"tokens": tokens, "types": types, "merges": merges})
    write("tiny_ids.json", {pre: ids(build(pre, tokens, types, merges), texts) for pre in PRES})
    write("tiny_literal_ids.json", ids(build("qwen2", tokens, [1] * len(tokens), merges), texts))
    for name, pre, file in [("smollm2.json", "smollm", "SmolLM2-135M-Instruct.Q4_1.gguf"),
                            ("qwen2.5.json", "qwen2", "qwen2.5-coder-0.5b-instruct.gguf")]:
        fields = GGUFReader(folder / file).fields
        tokens, types, merges = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges"))
        write(name, ids(build(pre, tokens, types, merges), texts))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
