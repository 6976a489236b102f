"""Greedy continuations by transformers in float32, over the dequantised weights of a GGUF file.

Used by make_smollm2.py and make_qwen25.py, which write <model>.json beside them. Needs torch, transformers, gguf and
tokenizers. Each step runs the whole sequence anew, so no cache takes part. Continuations do not stop at an
end-of-sequence token.
"""

import hashlib
import json
import pathlib

import gguf
import tokenizers
import torch
import transformers

STEPS = 24
HERE = pathlib.Path(__file__).parent


def byte_level_tokenizer(reader, pre_tokenizers):
    """The file's vocabulary and merges behind the given pre-tokenizers and ByteLevel."""
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    types = reader.fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in reader.fields["tokenizer.ggml.merges"].contents()]
    ids = {token: i for i, token in enumerate(tokens)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=merges))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(pre_tokenizers)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    special = [tokenizers.AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind in (3, 4)]
    tokenizer.add_special_tokens(special)
    assert all(tokenizer.token_to_id(t.content) == ids[t.content] for t in special)
    return tokenizer


def load(path):
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager")
    assert all(p.dtype == torch.float32 for p in model.parameters())
    return model.eval()


def logits_after(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False).logits[0, -1]


def check_facts(model, ids, facts):
    """The top logits must be the known ones: wrong rope layouts and wrong dtypes show here."""
    top = logits_after(model, ids).topk(len(facts))
    for (token, logit), got_token, got_logit in zip(facts, top.indices.tolist(), top.values.tolist()):
        assert token == got_token and abs(logit - got_logit) < 1e-3, (token, logit, got_token, got_logit)


def continuation(model, tokenizer, name, text):
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    tokens, margins, first = [], [], None
    for _ in range(STEPS):
        top = logits_after(model, ids + tokens).topk(5)
        if first is None:
            first = [[i, round(v, 5)] for i, v in zip(top.indices.tolist(), top.values.tolist())]
        margins.append(round((top.values[0] - top.values[1]).item(), 5))
        tokens.append(top.indices[0].item())
    return {"name": name, "text": text, "ids": ids, "first_top": first, "tokens": tokens, "margins": margins,
            "continuation": tokenizer.decode(tokens, skip_special_tokens=False)}


def write(out, path, model, tokenizer, prompts):
    torch.set_num_threads(2)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    rows = []
    for name, text in prompts:
        rows.append(continuation(model, tokenizer, name, text))
        print(name, len(rows[-1]["ids"]), repr(rows[-1]["continuation"]), min(rows[-1]["margins"]), flush=True)
    about = ("Greedy continuations by transformers in float32 over the dequantised weights. Where a margin (between the two "
             "largest logits of a step) is below 4e-3 a different token is allowed and the comparison of that prompt "
             "stops. First-step logits agree within 2e-3. End-of-sequence tokens do not stop a continuation.")
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    head = json.dumps({"about": about, "file": path.name, "sha256": digest, "steps": STEPS}, ensure_ascii=False)
    (HERE / out).write_text(head[:-1] + ', "prompts": [\n' + lines + "\n]}\n", encoding="utf-8")
