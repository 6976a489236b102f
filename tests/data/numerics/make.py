"""Writes index.json and values.bin beside itself: what each op gives on edge values, by NumPy, PyTorch and mpmath.

    python make.py        (needs numpy, torch, mpmath)

Cases by name: cast/FROM/TO, OP/DTYPE (Add Mul Mod LessThan MaxReduce on every pair of edges, Sqrt, Recip), and
near/OP/DTYPE (Exp2 Log2 Sin), whose results are the true values rounded to nearest.
"""

import math
import pathlib
import struct
import sys
from fractions import Fraction

import mpmath
import numpy as np
import torch
from mpmath import mpf

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from arrays import Cases  # noqa: E402

mpmath.mp.prec = 1300
np.seterr(all="ignore")
torch.set_num_threads(1)
cases = Cases(HERE)

INT_BITS = {"u1": 1, "u2": 2, "u4": 4, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32,
            "u64": 64}
# exponent bits, mantissa bits, largest finite code, canonical NaN, whether it has infinity
FLOATS = {"f16": (5, 10, 0x7BFF, 0x7E00, True), "bf16": (8, 7, 0x7F7F, 0x7FC0, True), "f8e5m2": (5, 2, 0x7B, 0x7F, True),
          "f8e4m3": (4, 3, 0x7E, 0x7F, False), "f4e2m1": (2, 1, 0x7, 0x7, False),
          "f32": (8, 23, 0x7F7FFFFF, 0x7FC00000, True), "f64": (11, 52, 0x7FEFFFFFFFFFFFFF, 0x7FF8000000000000, True)}
BITS = {"bool": 8, "f8e8m0": 8, **INT_BITS, **{t: 1 + e + m for t, (e, m, *_) in FLOATS.items()}}
INF, NAN = math.inf, math.nan


def pack(dtype, codes):
    """The bytes of a row of codes."""
    width = BITS[dtype]
    whole = 0
    for i, code in enumerate(codes):
        whole |= (int(code) & ((1 << width) - 1)) << (i * width)
    return whole.to_bytes((len(codes) * width + 7) // 8, "little")


def place(dtype, codes, shape=None):
    return cases.place(dtype, shape or [len(codes)], pack(dtype, codes))


# Values are ints, Fractions (finite floats), ±0.0, ±inf or nan.


def decode(dtype, code):
    if dtype == "bool":
        return int(code != 0)
    if dtype in INT_BITS:
        width = INT_BITS[dtype]
        return code - (1 << width) if dtype[0] == "i" and code >> (width - 1) else code
    if dtype == "f8e8m0":
        return NAN if code == 255 else Fraction(2) ** (code - 127)
    e, m, top, _, has_inf = FLOATS[dtype]
    sign, magnitude = code >> (e + m), code & ((1 << (e + m)) - 1)
    if magnitude == 0:
        return -0.0 if sign else 0.0
    if magnitude > top:
        return (-INF if sign else INF) if has_inf and magnitude == top + 1 else NAN
    exponent, mantissa = magnitude >> m, magnitude & ((1 << m) - 1)
    bias = (1 << (e - 1)) - 1
    value = Fraction(mantissa + (1 << m if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - bias - m)
    return -value if sign else value


def encode(dtype, x):
    """The nearest code, ties to the even one."""
    if dtype == "f8e8m0":
        if not isinstance(x, (int, Fraction)) and not math.isfinite(x):
            return 255
        x = abs(Fraction(x))
        if x < Fraction(2) ** -126:  # PyTorch: whatever exceeds the smallest goes up
            return 1 if x > Fraction(2) ** -127 else 0
        k = -126
        while Fraction(2) ** (k + 1) <= x:
            k += 1
        code = k + 127 + (x >= Fraction(3, 2) * Fraction(2) ** k)
        return code if code <= 254 else 255
    e, m, top, nan, has_inf = FLOATS[dtype]
    if isinstance(x, float):
        if math.isnan(x):
            return nan
        sign = math.copysign(1, x) < 0
        magnitude = 0 if x == 0 else top + 1
    else:
        sign, x = x < 0, abs(Fraction(x))
        low, high = 0, top + 1  # by bisection over the codes, whose values rise
        after = 2 * decode(dtype, top) - decode(dtype, top - 1)
        value = lambda c: after if c > top else Fraction(decode(dtype, c))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if value(middle) <= x else (low, middle)
        below, above = value(low), value(high)
        tie = x - below == above - x
        magnitude = high if x - below > above - x or (tie and high % 2 == 0) else low
    if magnitude > top:
        magnitude = top + 1 if has_inf else top
    return sign << (e + m) | magnitude


def cast(x, to):
    nonfinite = isinstance(x, float) and not math.isfinite(x)
    if to == "bool":
        return int(x != 0)
    if to not in INT_BITS:
        return encode(to, x)
    width = INT_BITS[to]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if to[0] == "i" else (0, (1 << width) - 1)
    if isinstance(x, int):
        return x  # pack wraps
    if nonfinite:
        return 0 if math.isnan(x) else high if x > 0 else low
    return min(max(math.trunc(x), low), high)


def float_edges(dtype):
    e, m, top, nan, has_inf = FLOATS[dtype]
    one = ((1 << (e - 1)) - 1) << m
    codes = {0, 1, 2, (1 << m) - 1, 1 << m, (1 << m) + 1, one - 1, one, one + 1, one + (1 << (m - 1)), top - 1, top}
    for value in (2, 2.5, 3, 127.5, 448, 464, 256, 65504, 65520, 2.0**31, 2.0**63, 2.0**64, 1e-7, 2.0**-127):
        code = encode(dtype, Fraction(value))
        codes |= {code} if code <= top else set()
    codes |= {top + 1} if has_inf else set()
    codes |= {c | 1 << (e + m) for c in codes}
    return sorted(codes) + ([nan] if nan != top else [])


def int_edges(dtype):
    width = INT_BITS[dtype]
    values = {0, 1, 2, 3, 7, 10, -1, -2, -3, -10, (1 << (width - 1)) - 1, 1 << (width - 1), (1 << (width - 1)) + 1}
    # The last ones lie just beyond a tie of bf16, by less than f32 can tell.
    values |= {v for v in (257, 2049, 4097, 65520, 16777217, (1 << 31) + 128, (1 << 53) + 1, 0x7FFFFFC000000000,
                           0x8080000000000000 >> 8, (0x8080000000000000 >> 8) + 1, -(0x8080000000000000 >> 8) - 1)
               if abs(v) < 1 << (width - 1)}
    return sorted({v % (1 << width) for v in values})


def edges(dtype):
    if dtype == "bool":
        return [0, 1]
    if dtype == "f8e8m0":
        return [0, 1, 2, 126, 127, 128, 253, 254, 255]
    return int_edges(dtype) if dtype in INT_BITS else float_edges(dtype)


def casts():
    for source in BITS:
        codes = edges(source)
        values = [decode(source, c) for c in codes]
        for target in BITS:
            if source == target:
                continue
            cases.add(name=f"cast/{source}/{target}", **{"in": [place(source, codes)]},
                      out=[place(target, [cast(v, target) for v in values])])


def check_torch():
    """The model above against PyTorch's own casts from f32, where both define the result."""
    codes = np.array(float_edges("f32") + [int(v) for v in np.random.default_rng(3).integers(0, 1 << 32, 3000)], dtype=np.uint32)
    x = torch.from_numpy(codes.view(np.float32).copy())
    for dtype, torch_dtype, view in (("f16", torch.float16, torch.int16), ("bf16", torch.bfloat16, torch.int16),
                                     ("f8e4m3", torch.float8_e4m3fn, torch.uint8), ("f8e5m2", torch.float8_e5m2, torch.uint8),
                                     ("f8e8m0", torch.float8_e8m0fnu, torch.uint8)):
        got = x.to(torch_dtype).view(view).tolist()
        for code, theirs in zip(codes, got):
            value = decode("f32", int(code))
            if isinstance(value, float) and math.isnan(value):
                continue
            assert encode(dtype, value) == theirs & ((1 << BITS[dtype]) - 1), (dtype, hex(code), theirs)


NUMPY = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_}


def numpy_values(dtype, codes):
    raw = np.frombuffer(pack(dtype, codes), dtype=np.uint8)
    if dtype in NUMPY:
        return raw.view(NUMPY[dtype]).copy()
    values = [decode(dtype, c) for c in codes]  # narrow floats, held as f32
    return np.array([float(v) for v in values], dtype=np.float32)


def codes_of(dtype, values):
    if dtype in NUMPY:
        width = BITS[dtype] // 8
        data = values.astype(NUMPY[dtype]).tobytes()
        codes = [int.from_bytes(data[i:i + width], "little") for i in range(0, len(data), width)]
        nan = FLOATS[dtype][3] if dtype in FLOATS else None
        return [nan if nan is not None and v != v else c for v, c in zip(values, codes)]
    return [encode(dtype, float(v) if v != v or v == 0 or np.isinf(v) else Fraction(float(v))) for v in values]


def maximum(x, y):
    r = np.maximum(x, y)
    if x.dtype.kind == "f":
        r = np.where((x == 0) & (y == 0), np.where(np.signbit(x) & np.signbit(y), x, np.zeros_like(x)), r)
    return r


def modulo(x, y):
    if x.dtype.kind == "f":
        return np.remainder(x, y)
    return np.where(y == 0, np.zeros_like(x), np.remainder(x, np.where(y == 0, np.ones_like(y), y)))


OPS = {"Add": lambda x, y: x + y, "Mul": lambda x, y: x * y, "Mod": modulo, "LessThan": lambda x, y: x < y,
       "MaxReduce": maximum}


def few_edges(dtype):
    if dtype == "bool" or dtype in INT_BITS:
        return edges(dtype)
    e, m, top, nan, has_inf = FLOATS[dtype]
    codes = [encode(dtype, Fraction(v)) for v in ("1/2", "1", "3/2", "3", "7", "100", "1/3")] + [0, 1, top]
    codes += [top + 1] if has_inf else []
    return codes + [c | 1 << (e + m) for c in codes] + [nan]


def binary_ops():
    for dtype in ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64"):
        codes = few_edges(dtype)
        pairs = [(a, b) for a in codes for b in codes]
        a, b = place(dtype, [p[0] for p in pairs]), place(dtype, [p[1] for p in pairs])
        x, y = (numpy_values(dtype, [p[i] for p in pairs]) for i in (0, 1))
        for op, f in OPS.items():
            if dtype == "bool" and op == "Mod":
                continue
            if dtype == "bool" and op == "LessThan":
                r = ~x & y
            else:
                r = f(x, y)
            out = place("bool", codes_of("bool", r)) if op == "LessThan" else place(dtype, codes_of(dtype, r))
            cases.add(name=f"{op}/{dtype}", **{"in": [a, b]}, out=[out])


def unary_ops():
    for dtype in FLOATS:
        if dtype == "f4e2m1":
            continue
        codes = float_edges(dtype)
        x = numpy_values(dtype, codes)
        for op, f in (("Sqrt", np.sqrt), ("Recip", lambda v: v.dtype.type(1) / v)):
            cases.add(name=f"{op}/{dtype}", **{"in": [place(dtype, codes)]}, out=[place(dtype, codes_of(dtype, f(x)))])


def near_multiples():
    """f64 values very near a multiple of π/2, from the continued fractions of 2^e·2/π."""
    found = []
    for e in range(-30, 972, 7):
        rest, p = mpmath.ldexp(2 / mpmath.pi, e), (0, 1)
        while True:
            whole = int(mpmath.floor(rest))
            p = (p[1], whole * p[1] + p[0]) if whole or p != (0, 1) else (1, 0)
            if p[1] >= 2**53:
                break
            if p[1].bit_length() > 50:
                found.append(math.ldexp(p[1], e))
            rest = 1 / (rest - whole)
    return found


def nearest(dtype, value):
    if value == 0:
        return encode(dtype, 0.0)
    man, exp = abs(value).man_exp
    return encode(dtype, Fraction(man if value > 0 else -man) * Fraction(2) ** exp)


def elementary():
    random = np.random.default_rng(15)
    double = lambda values: [struct.unpack("<Q", struct.pack("<d", float(v)))[0] for v in values]
    single = lambda values: [struct.unpack("<I", struct.pack("<f", np.float32(v)))[0] for v in values]
    n = 120
    spread = [s * 2.0**e for e in range(-1074, 1024, 41) for s in (1, 1.25, -1, -1.75)]
    inputs = {
        "Exp2": [*random.uniform(-1, 1, n), *random.uniform(-1080, 1025, n), -1074.5, -1075, -1022.5, 1023.999, *spread],
        "Log2": [*random.uniform(0.5, 2, n), *(1 + random.uniform(-1, 1, n) * 2.0 ** random.integers(-52, -1, n)),
                 *np.abs(spread), 1 - 2.0**-53, 1 + 2.0**-52, math.sqrt(0.5), math.sqrt(2)],
        "Sin": [*random.uniform(-7, 7, n), *random.uniform(-2e6, 2e6, n), *near_multiples(), *spread,
                *(float(mpmath.pi * k / 2) for k in range(1, 40))],
    }
    true = {"Exp2": lambda v: mpf(2) ** v, "Log2": lambda v: mpmath.log(v, 2), "Sin": mpmath.sin}
    for op, values in inputs.items():
        for dtype, codes in (("f64", double(values)), ("f32", single(v for v in values if 1e-45 < abs(v) < 3e38))):
            out = []
            for code in codes:
                x = decode(dtype, code)
                v = mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpf(x)
                tiny = op == "Exp2" and abs(v) > 2000
                out.append(encode(dtype, INF if v > 0 else 0.0) if tiny else nearest(dtype, true[op](v)))
            cases.add(name=f"near/{op}/{dtype}", **{"in": [place(dtype, codes)]}, out=[place(dtype, out)])


check_torch()
casts()
binary_ops()
unary_ops()
elementary()
cases.write("see make.py")
