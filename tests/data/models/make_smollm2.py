"""Writes smollm2.json: `python make_smollm2.py SmolLM2-135M-Instruct.Q4_1.gguf`."""

import pathlib
import sys

import gguf
from tokenizers import pre_tokenizers

import greedy
from prompts import prompts

path = pathlib.Path(sys.argv[1])
reader = gguf.GGUFReader(path)
# SmolLM2's own pipeline; transformers' conversion of the file leaves out the split into single digits.
tokenizer = greedy.byte_level_tokenizer(reader, [pre_tokenizers.Digits(individual_digits=True),
                                                 pre_tokenizers.ByteLevel(add_prefix_space=False)])
model = greedy.load(path)
greedy.check_facts(model, [504, 3575, 282, 4649, 314], [(7042, 17.371), (260, 14.889), (4528, 13.245)])
assert tokenizer.encode("The capital of France is", add_special_tokens=False).ids == [504, 3575, 282, 4649, 314]
greedy.write("smollm2.json", path, model, tokenizer,
             prompts("You are a helpful AI assistant named SmolLM, trained by Hugging Face"))
