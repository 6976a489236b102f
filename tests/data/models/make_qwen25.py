"""Writes qwen25.json: `python make_qwen25.py qwen2.5-coder-0.5b-instruct.gguf`."""

import pathlib
import sys

import gguf
import tokenizers
from tokenizers import pre_tokenizers

import greedy
from prompts import prompts

SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

path = pathlib.Path(sys.argv[1])
reader = gguf.GGUFReader(path)
tokenizer = greedy.byte_level_tokenizer(
    reader, [pre_tokenizers.Split(tokenizers.Regex(SPLIT), "isolated"),
             pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
model = greedy.load(path)
greedy.check_facts(model, [750, 75698, 1445, 1648], [(198, 17.589), (715, 16.528)])
assert tokenizer.encode("def fibonacci(n):", add_special_tokens=False).ids == [750, 75698, 1445, 1648]
greedy.write("qwen25.json", path, model, tokenizer,
             prompts("You are Qwen, created by Alibaba Cloud. You are a helpful assistant."))
