"""Writes tiny random members of the Llama family as GGUF files, and tiny.json with transformers' f32 logits for them.

Needs torch, transformers, numpy and gguf. Each file covers what the real models do not: see VARIANTS.
"""

import json
import math
import pathlib

import gguf
import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

HERE = pathlib.Path(__file__).parent
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or"]
TEMPLATE = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
            "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


def byte_alphabet():
    """The printable stand-in of every byte (GPT-2's byte-level BPE)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(b) if b in printable else chr(next(other)) for b in range(256)]


VOCABULARY = SPECIAL + byte_alphabet() + [m.replace(" ", "") for m in MERGES]
COMMON = dict(vocab_size=len(VOCABULARY), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
              max_position_embeddings=64, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, attn_implementation="eager")
LLAMA3 = dict(rope_type="llama3", rope_theta=1e4, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)

VARIANTS = {
    # grouped queries, tied output, head dims apart from width / heads
    "tiny_llama": LlamaConfig(**COMMON, num_key_value_heads=2, head_dim=12, tie_word_embeddings=True),
    # Llama 3's frequency factors, own output, one key-value head
    "tiny_llama3": LlamaConfig(**COMMON, num_key_value_heads=1, tie_word_embeddings=False, rope_parameters=LLAMA3),
    # positions scaled linearly
    "tiny_linear": LlamaConfig(**COMMON, num_key_value_heads=4, tie_word_embeddings=True,
                                rope_parameters=dict(rope_type="linear", rope_theta=5e3, factor=4.0)),
    # half-split rope and biases
    "tiny_qwen2": Qwen2Config(**COMMON, num_key_value_heads=2, tie_word_embeddings=False,
                               rope_parameters=dict(rope_type="default", rope_theta=1e6)),
}
PROMPTS = [[1], [5, 100, 7, 7, 200, 31, 64, 3], [40 + 3 * i for i in range(33)]]
NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}


def interleaved(weight, heads):
    """Reorders the rows of a half-split projection so that dims 2i and 2i + 1 rotate together."""
    d = weight.shape[0] // heads
    return weight.reshape(heads, 2, d // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def gguf_name(name):
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    if name == "lm_head.weight":
        return "output.weight"
    _, _, layer, *rest = name.split(".")
    return f"blk.{layer}.{NAMES['.'.join(rest[:-1])]}.{rest[-1]}"


def llama3_factors(config):
    p = config.rope_parameters
    d = config.head_dim
    freqs = p["rope_theta"] ** (-np.arange(0, d, 2) / d)
    factors = []
    for f in freqs:
        wavelength = 2 * math.pi / f
        low, high = (p["original_max_position_embeddings"] / p[k] for k in ("low_freq_factor", "high_freq_factor"))
        if wavelength < high:
            factors.append(1.0)
        elif wavelength > low:
            factors.append(p["factor"])
        else:
            smooth = (p["original_max_position_embeddings"] / wavelength - p["low_freq_factor"]) / (
                p["high_freq_factor"] - p["low_freq_factor"])
            factors.append(1 / ((1 - smooth) / p["factor"] + smooth))
    return np.array(factors, np.float32)


def write(name, config, model):
    arch = "qwen2" if isinstance(config, Qwen2Config) else "llama"
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    w = gguf.GGUFWriter(HERE / f"{name}.gguf", arch)
    w.add_name(name)
    w.add_block_count(config.num_hidden_layers)
    w.add_context_length(config.max_position_embeddings)
    w.add_embedding_length(config.hidden_size)
    w.add_feed_forward_length(config.intermediate_size)
    w.add_head_count(config.num_attention_heads)
    w.add_head_count_kv(config.num_key_value_heads)
    w.add_key_length(head_dim)
    w.add_value_length(head_dim)
    w.add_rope_dimension_count(head_dim)
    w.add_layer_norm_rms_eps(config.rms_norm_eps)
    w.add_rope_freq_base(config.rope_parameters["rope_theta"])
    kind = config.rope_parameters["rope_type"]
    if kind == "linear":
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        w.add_rope_scaling_factor(config.rope_parameters["factor"])
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("smollm")
    w.add_token_list(VOCABULARY)
    w.add_token_types([3] * len(SPECIAL) + [1] * (len(VOCABULARY) - len(SPECIAL)))
    w.add_token_merges(MERGES)
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_add_bos_token(False)
    w.add_chat_template(TEMPLATE)
    if kind == "llama3":
        w.add_tensor("rope_freqs.weight", llama3_factors(config))
    for key, value in model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        value = value.numpy().astype(np.float32)
        if arch == "llama" and ".q_proj" in key:
            value = interleaved(value, config.num_attention_heads)
        if arch == "llama" and ".k_proj" in key:
            value = interleaved(value, config.num_key_value_heads)
        w.add_tensor(gguf_name(key), value)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    expected = {}
    for name, config in VARIANTS.items():
        torch.manual_seed(len(expected))
        model = (Qwen2ForCausalLM if isinstance(config, Qwen2Config) else LlamaForCausalLM)(config).float().eval()
        with torch.no_grad():
            for key, p in model.named_parameters():
                scale = 0.3 if "norm" in key or "bias" in key else 0.25
                p.copy_(torch.randn_like(p) * scale + (1 if "norm" in key else 0))
            write(name, config, model)
            expected[name] = [
                {"ids": ids, "logits": [round(x, 5) for x in model(torch.tensor([ids])).logits[0, -1].tolist()]}
                for ids in PROMPTS]
    (HERE / "tiny.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
