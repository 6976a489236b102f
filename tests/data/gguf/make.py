"""Writes formats.gguf with the `gguf` and `numpy` packages: a tensor of every supported type beside its values.

Tensor "<type>" holds random blocks with edge scales, "<type>.expected" its f32 values as gguf.dequantize gives them;
metadata of every value type is named for it. fuzz/corpus/gguf/small.gguf, of under 2 KB, is for the fuzzer to start
from. Run: python make.py
"""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import GGUFValueType, GGUFWriter, dequantize
from gguf.constants import GGML_QUANT_SIZES

ROWS, K = 3, 512
SCALES = {  # byte offsets of the f16 scales in a block
    T.Q4_0: [0],
    T.Q4_1: [0, 2],
    T.Q5_0: [0],
    T.Q5_1: [0, 2],
    T.Q8_0: [0],
    T.Q4_K: [0, 2],
    T.Q5_K: [0, 2],
    T.Q6_K: [208],
}
EDGES = np.array([0.0, -0.0, 6e-8, -6e-8, 6.1e-5, -6e-5, 1.0, -1.0, 65504, -65504, 1 / 3, np.inf], np.float16)
PLAIN = {T.F32: np.float32, T.F16: np.float16, T.F64: np.float64}
INTEGERS = {T.I8: np.int8, T.I16: np.int16, T.I32: np.int32, T.I64: np.int64}


def scale_values(rng, count):
    """Half edges, half random finite values of any magnitude."""
    bits = rng.integers(0, 1 << 16, count, dtype=np.uint16)
    bits[(bits & 0x7C00) == 0x7C00] ^= 0x4000
    values = bits.view(np.float16)
    edge = rng.random(count) < 0.5
    values[edge] = rng.choice(EDGES, edge.sum())
    return values


def random_blocks(rng, kind):
    elements, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (ROWS * K // elements, size), dtype=np.uint8)
    for at in SCALES[kind]:
        blocks[:, at : at + 2] = scale_values(rng, len(blocks)).view(np.uint8).reshape(-1, 2)
    return blocks.reshape(ROWS, -1)


def random_plain(rng, dtype):
    width = np.dtype(dtype).itemsize
    return rng.integers(0, 256, (ROWS, K * width), dtype=np.uint8).view(dtype)


def add_metadata(writer):
    writer.add_uint8("t.u8", 200)
    writer.add_int8("t.i8", -100)
    writer.add_uint16("t.u16", 60000)
    writer.add_int16("t.i16", -30000)
    writer.add_uint32("t.u32", 4000000000)
    writer.add_int32("t.i32", -2000000000)
    writer.add_float32("t.f32", 0.1)
    writer.add_bool("t.bool", True)
    writer.add_string("t.string", "a \"line\"\nand über")
    writer.add_uint64("t.u64", 2**64 - 1)
    writer.add_int64("t.i64", -(2**63))
    writer.add_float64("t.f64", 0.1)
    writer.add_array("t.strings", ["", "one", "two\x00", "Grüße"])
    writer.add_array("t.i32s", [1, -2, 3])
    writer.add_array("t.f32s", [0.5, -1.5])
    writer.add_array("t.bools", [True, False])
    writer.add_key_value("t.u64s", [1, 2**64 - 1], GGUFValueType.ARRAY, GGUFValueType.UINT64)
    writer.add_array("t.nested", [[1, 2], [3]])


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_formats(rng, path):
    writer = GGUFWriter(path, "quince-test")
    add_metadata(writer)
    for kind in SCALES:
        blocks = random_blocks(rng, kind)
        writer.add_tensor(kind.name, blocks, raw_dtype=kind)
        with np.errstate(all="ignore"):
            writer.add_tensor(kind.name + ".expected", dequantize(blocks, kind))
    for kind, dtype in (PLAIN | INTEGERS).items():
        values = random_plain(rng, dtype)
        writer.add_tensor(kind.name, values)
        with np.errstate(all="ignore"):
            writer.add_tensor(kind.name + ".expected", values.astype(np.float32))
    halves = random_plain(rng, np.uint16).view(np.uint8)
    writer.add_tensor("BF16", halves, raw_dtype=T.BF16)
    writer.add_tensor("BF16.expected", dequantize(halves, T.BF16))
    write(writer)


def write_seed(rng, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, "quince-test")
    add_metadata(writer)
    for kind in (T.Q5_0, T.Q4_K, T.Q6_K):
        blocks = random_blocks(rng, kind)
        writer.add_tensor(kind.name, blocks.reshape(-1, GGML_QUANT_SIZES[kind][1])[:1], raw_dtype=kind)
    writer.add_tensor("F32", np.zeros((2, 1, 2), np.float32))
    write(writer)


def main():
    here = Path(__file__).parent
    rng = np.random.default_rng(15)
    write_formats(rng, here / "formats.gguf")
    write_seed(rng, here.parents[2] / "fuzz" / "corpus" / "gguf" / "small.gguf")


if __name__ == "__main__":
    main()
