"""Writes index.json and values.bin beside itself: what the fifteen ops give, computed by NumPy and mpmath.

    python make.py        (needs numpy, mpmath; views.cpp in tests/ops builds the same views)

A case's name is op/dtype/view (Cast: from-to); in and out are arrays. Results are to be
equal bit for bit (any NaN for a NaN), but for Log2, Exp2 and Sin, which may be 1 ulp off the correctly rounded value.
docs/ops.md has the clauses: SumReduce's order is O5, narrow floats are computed in f32 (D4).
"""

import fractions
import math
import pathlib
import sys

import mpmath
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from arrays import Cases  # noqa: E402

mpmath.mp.prec = 200
rng = np.random.default_rng(15)
cases = Cases(HERE)

INTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
        "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
# exponent bits, mantissa bits, whether the top exponent holds inf and NaN
FLOATS = {"f8e4m3": (4, 3, False), "f8e5m2": (5, 2, True), "f16": (5, 10, True), "bf16": (8, 7, True), "f32": (8, 23, True),
          "f64": (11, 52, True)}
PACKED = {"u1": 1, "u2": 2, "u4": 4, "i4": 4, "f4e2m1": 4, "f8e8m0": 8}
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def encode(dtype, x):
    """The bits of a Python number in a float dtype, rounded once to nearest even."""
    exponent_bits, mantissa_bits, ieee = FLOATS[dtype]
    total = exponent_bits + mantissa_bits
    sign = (math.copysign(1, x) < 0 if isinstance(x, float) else x < 0) << total
    top = (2 ** exponent_bits - 1) << mantissa_bits
    if x != x:
        return (top | 1 << (mantissa_bits - 1)) if ieee else 0x7F
    if isinstance(x, float) and math.isinf(x):
        assert ieee
        return sign | top
    x = abs(fractions.Fraction(x))
    if x == 0:
        return sign
    bias = 2 ** (exponent_bits - 1) - 1
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if fractions.Fraction(2) ** e > x:
        e -= 1
    e = max(e, 1 - bias)
    units = x / fractions.Fraction(2) ** (e - mantissa_bits)  # in units of the last place
    n = units.numerator // units.denominator
    rest = units - n
    n += rest > fractions.Fraction(1, 2) or (rest == fractions.Fraction(1, 2) and n % 2 == 1)
    bits = n + ((e + bias - 1) << mantissa_bits)
    if ieee:
        bits = min(bits, top)
    else:
        assert bits < 0x7F, "f8e4m3 overflow"
    return sign | bits


def decode(dtype, bits):
    exponent_bits, mantissa_bits, ieee = FLOATS[dtype]
    bias = 2 ** (exponent_bits - 1) - 1
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    e = bits >> mantissa_bits & (2 ** exponent_bits - 1)
    m = bits & (2 ** mantissa_bits - 1)
    if ieee and e == 2 ** exponent_bits - 1:
        return sign * math.inf if m == 0 else math.nan
    if not ieee and e == 15 and m == 7:
        return math.nan
    if e == 0:
        return sign * math.ldexp(m, 1 - bias - mantissa_bits)
    return sign * math.ldexp(m + 2 ** mantissa_bits, e - bias - mantissa_bits)


def rounded(dtype, values):
    """Float64 values as the dtype holds them."""
    flat = [decode(dtype, encode(dtype, float(v))) for v in np.asarray(values, dtype=np.float64).reshape(-1)]
    return np.array(flat, dtype=np.float64).reshape(np.shape(values))


def to_bytes(dtype, values):
    flat = np.asarray(values).reshape(-1)
    if dtype == "bool":
        return flat.astype(np.uint8).tobytes()
    if dtype in INTS:
        return flat.astype(INTS[dtype]).tobytes()
    if dtype in PACKED:
        width = PACKED[dtype]
        if dtype == "f4e2m1":
            codes = [E2M1.index(abs(v)) | (8 if math.copysign(1, v) < 0 else 0) for v in flat.tolist()]
        elif dtype == "f8e8m0":
            codes = [255 if v != v else int(math.log2(v)) + 127 for v in flat.tolist()]
        else:
            codes = [int(v) & (2 ** width - 1) for v in flat.tolist()]
        whole = sum(code << (i * width) for i, code in enumerate(codes))
        return whole.to_bytes((len(codes) * width + 7) // 8, "little")
    size = (1 + FLOATS[dtype][0] + FLOATS[dtype][1]) // 8
    return b"".join(encode(dtype, float(v)).to_bytes(size, "little") for v in flat)


def place(dtype, values):
    return cases.place(dtype, np.shape(values), to_bytes(dtype, values))


def case(name, inputs, output):
    cases.add(name=name, **{"in": [place(*i) for i in inputs]}, out=[place(*output)])


# --- operands --------------------------------------------------------------------------------------------------------
def operand(dtype, salt):
    """4 × 6 values: edges and random ones, in another order for another salt."""
    n = 24
    if dtype == "bool":
        values = rng.integers(0, 2, n).astype(bool)
    elif dtype in INTS:
        info = np.iinfo(INTS[dtype])
        edge = [0, 1, 2, 5, info.min, info.min + 1, info.max, info.max - 1, 0, 3]
        values = np.array(edge + [int(v) for v in rng.integers(max(info.min, -90), 90, n - len(edge))], dtype=INTS[dtype])
    elif dtype in PACKED:
        pool = {"f4e2m1": [s * v for v in E2M1 for s in (1.0, -1.0)], "f8e8m0": [2.0 ** e for e in range(-127, 128, 11)] + [math.nan],
                "i4": range(-8, 8), "u4": range(16), "u2": range(4), "u1": range(2)}[dtype]
        values = np.array([pool[i] for i in rng.integers(0, len(pool), n)])
    else:
        exponent_bits, mantissa_bits, ieee = FLOATS[dtype]
        if dtype == "f8e4m3":
            values = np.concatenate([[0.0, -0.0, 1.0, -1.0, math.nan, 0.5, 2.0 ** -9, 2.0 ** -6], rng.normal(0, 3, n - 8)])
        else:
            bias = 2 ** (exponent_bits - 1) - 1
            largest = math.ldexp(2 - 2.0 ** -mantissa_bits, bias)
            edge = [0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, largest, math.ldexp(1, 1 - bias - mantissa_bits),
                    -math.ldexp(1, 1 - bias), 0.5, 2.5]
            values = np.concatenate([edge, rng.normal(0, 4, n - len(edge))])
        values = rounded(dtype, values)
    if salt:
        values = values[rng.permutation(n)]
    return values.reshape(4, 6)


def masked(x):
    i, j = np.indices(x.shape)
    x = np.where(i <= j, x, np.array(1).astype(x.dtype))       # inner mask
    return np.where((i + 2 * j) % 3 != 1, x, np.array(0).astype(x.dtype))  # outer mask


def padded(x):
    inner = np.pad(x, ((0, 0), (1, 2)), constant_values=1)
    return np.pad(inner, ((2, 0), (0, 0)), constant_values=0)


VIEWS = {
    "plain": lambda x: x,
    "permuted": lambda x: x.T,
    "expanded": lambda x: np.broadcast_to(x[:, None, 2:3], (4, 2, 3)),
    "sliced": lambda x: x[1:4, 0:6:2],
    "flipped": lambda x: x[:, ::-1],
    "padded": padded,
    "masked": masked,
    "reshaped": lambda x: x.reshape(3, 8),
    "split": lambda x: x.reshape(4, 2, 3),
    "window": lambda x: np.stack([x[:, 2 * w:2 * w + 3] for w in range(2)], 1),
    "merged": lambda x: x.T.reshape(24),
    "selected": lambda x: x[2],
    "diagonal": lambda x: x[np.arange(4), np.arange(4)],
    "chain": lambda x: np.pad(x[::2].T.reshape(2, 6)[:, ::-1], ((0, 0), (0, 1)), constant_values=1),
    "empty": lambda x: x[0:0],
}
NO_ZERO = ("masked", "padded")  # fills with a value that f8e8m0 lacks


# --- what ops compute ------------------------------------------------------------------------------------------------
def unary(op, dtype, values):
    def one(x):
        x = float(x)
        if x != x:
            return math.nan
        if op == "Recip":
            return math.copysign(math.inf, x) if x == 0 else 0.0 * math.copysign(1, x) if math.isinf(x) else fractions.Fraction(1) / fractions.Fraction(x)
        if op == "Sqrt":
            if x < 0:
                return math.nan
            return x if x == 0 or math.isinf(x) else mpmath.sqrt(x)
        if op == "Log2":
            if x == 0:
                return -math.inf
            return math.nan if x < 0 else x if math.isinf(x) else mpmath.log(x, 2)
        if op == "Exp2":
            if math.isinf(x):
                return math.inf if x > 0 else 0.0
            return mpmath.mpf(2) ** x if abs(x) < 5000 else (math.inf if x > 0 else 0.0)
        return math.nan if math.isinf(x) else x if x == 0 else mpmath.sin(mpmath.mpf(x))

    def exact(v):
        """To something encode takes, without rounding."""
        if isinstance(v, mpmath.mpf):
            man, exp = int(v.man), int(v.exp)
            man = -man if v < 0 and man > 0 else man
            return fractions.Fraction(man) * fractions.Fraction(2) ** exp
        return v

    compute = dtype if dtype in ("f32", "f64") else "f32"
    flat = []
    for x in values.reshape(-1):
        v = exact(one(x))
        if isinstance(v, fractions.Fraction) and v == 0:
            v = 0.0
        in_compute = decode(compute, encode(compute, v))
        flat.append(decode(dtype, encode(dtype, in_compute)))
    return np.array(flat, dtype=np.float64).reshape(values.shape)


def binary(op, dtype, a, b):
    with np.errstate(all="ignore"):
        if op == "LessThan":
            return (~a & b) if dtype == "bool" else a < b
        if dtype == "bool":
            return a | b if op == "Add" else a & b
        f = {"Add": np.add, "Mul": np.multiply, "Mod": np.mod}[op]
        if dtype in INTS:
            return f(a, b)
        compute = np.float64 if dtype == "f64" else np.float32
        return rounded(dtype, f(a.astype(compute), b.astype(compute)).astype(np.float64))


def sum_last(dtype, x):
    """Sixteen interleaved partial sums, then a tree."""
    if dtype in INTS:
        with np.errstate(all="ignore"):
            return x.sum(-1, dtype=INTS[dtype])
    t = np.float64 if dtype == "f64" else np.float32
    partial = np.zeros(x.shape[:-1] + (16,), t)
    with np.errstate(all="ignore"):
        for i in range(x.shape[-1]):
            partial[..., i % 16] += x[..., i].astype(t)
        for step in (8, 4, 2, 1):
            partial[..., :step] += partial[..., step:2 * step]
    return rounded(dtype, partial[..., 0].astype(np.float64))


def max_last(dtype, x):
    if dtype == "bool":
        return x.any(-1)
    if dtype in INTS:
        return x.max(-1, initial=np.iinfo(INTS[dtype]).min)

    def one(row):
        if any(v != v for v in row):
            return math.nan
        return max(row, key=lambda v: (v, math.copysign(1, v)), default=-448.0 if dtype == "f8e4m3" else -math.inf)

    rows = x.reshape(-1, x.shape[-1]) if x.size else np.zeros((int(np.prod(x.shape[:-1])), 0))
    return np.array([one(row.tolist()) for row in rows], dtype=np.float64).reshape(x.shape[:-1])


def cast(source, target, x):
    flat = []
    for v in x.reshape(-1).tolist():
        if target == "bool":
            flat.append(v != 0)
        elif target in INTS or target in ("u1", "u2", "u4", "i4"):
            lo, hi, width = limits(target)
            if source in INTS or source == "bool" or source in ("u1", "u2", "u4", "i4"):
                wrapped = int(v) & (2 ** width - 1)
                flat.append(wrapped - 2 ** width if wrapped > hi else wrapped)
            else:
                flat.append(0 if v != v else lo if v < lo else hi if v > hi else int(v))
        else:
            flat.append(decode(target, encode(target, v if isinstance(v, float) else int(v))))
    if target in INTS:
        return np.array(flat, dtype=INTS[target]).reshape(x.shape)
    return np.array(flat, dtype=bool if target == "bool" else None).reshape(x.shape)


def limits(dtype):
    if dtype in INTS:
        info = np.iinfo(INTS[dtype])
        return int(info.min), int(info.max), info.bits
    width = PACKED[dtype]
    return (-8, 7, 4) if dtype == "i4" else (0, 2 ** width - 1, width)


# --- the cases -------------------------------------------------------------------------------------------------------
COMPUTED = ["bool", *INTS, *FLOATS]
X = {t: operand(t, 0) for t in COMPUTED + list(PACKED)}
Y = {t: operand(t, 1) for t in COMPUTED}

for view, f in VIEWS.items():
    for dtype in FLOATS:
        for op in ("Log2", "Exp2", "Sin", "Sqrt", "Recip"):
            x = X[dtype]
            if dtype == "f8e4m3":  # what overflows is not in the clauses
                x = np.where(np.abs(x) < (8 if op == "Exp2" else 2.0 ** -7), 1.0, x) if op == "Recip" else np.minimum(x, 8)
                x = rounded(dtype, x)
                if op == "Log2":
                    x = np.abs(x) + 0.5 * (x == 0)
                    x = rounded(dtype, x)
                if op == "Recip" and view in NO_ZERO:
                    continue
                if op == "Log2" and view in NO_ZERO:
                    continue
            case(f"{op}/{dtype}/{view}", [(dtype, x)], (dtype, unary(op, dtype, f(x))))
    for dtype in COMPUTED:
        x, y = X[dtype], Y[dtype]
        for op in ("Add", "Mul", "Mod", "LessThan"):
            if op == "Mod" and dtype == "bool":
                continue
            out = binary(op, dtype, f(x), f(y))
            case(f"{op}/{dtype}/{view}", [(dtype, x), (dtype, y)], ("bool" if op == "LessThan" else dtype, out))
        if dtype != "bool":
            case(f"SumReduce/{dtype}/{view}", [(dtype, x)], (dtype, sum_last(dtype, f(x))))
        case(f"MaxReduce/{dtype}/{view}", [(dtype, x)], (dtype, max_last(dtype, f(x))))
    for source in PACKED:
        target = "f32" if source[0] == "f" else "i32"
        if source != "f8e8m0" or view not in NO_ZERO:
            case(f"Cast/{source}-{target}/{view}", [(source, X[source])], (target, cast(source, target, f(X[source]))))
    for source, target in (("f32", "i8"), ("f64", "bf16"), ("i64", "u8"), ("bool", "f16"), ("f16", "f32"), ("bf16", "bool")):
        case(f"Cast/{source}-{target}/{view}", [(source, X[source])], (target, cast(source, target, f(X[source]))))

for source in COMPUTED:
    for target in COMPUTED:
        if target == "f8e4m3":
            x = np.array([0, 1, 3, 17, 100, 25], dtype=X[source].dtype)
            if source == "bool":
                x = X[source]
        else:
            x = X[source]
        case(f"Cast/{source}-{target}/all", [(source, x)], (target, cast(source, target, x)))
halves = np.array([1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -40, 65519.0, 65520.0, 2.0 ** -25, 2.0 ** -25 + 2.0 ** -60,
                   1 + 2.0 ** -8, 1 + 2.0 ** -8 + 2.0 ** -50, 3e38, 3.4e38, 1e-40])
for target in ("f16", "bf16", "f32"):
    case(f"Cast/f64-{target}/ties", [("f64", halves)], (target, cast("f64", target, halves)))
wide = np.array([2 ** 53 + 1, 2 ** 24 + 1, 2 ** 24 + 3, 2 ** 63 - 1, -2 ** 63, 2 ** 60 + 2 ** 36 + 1, 65519, 65521], dtype=np.int64)
for target in ("f16", "bf16", "f32", "f64"):
    case(f"Cast/i64-{target}/ties", [("i64", wide)], (target, cast("i64", target, wide)))
edges = np.array([0.9, -0.9, 127.9, 128.0, -128.9, -129.0, 255.5, 256.0, 1e10, -1e10, 2.0 ** 31, 2.0 ** 32, 2.0 ** 63, 2.0 ** 64, -1e30, math.nan])
for target in INTS:
    case(f"Cast/f64-{target}/edges", [("f64", edges)], (target, cast("f64", target, edges)))
integers = np.arange(-10, 20, dtype=np.int32)
for target in ("u1", "u2", "u4", "i4"):
    case(f"Cast/i32-{target}/wraps", [("i32", integers)], (target, cast("i32", target, integers)))

for n in (1, 2, 15, 16, 17, 37, 1000):  # the order of a sum
    for dtype in ("f32", "f64", "f16", "bf16"):
        x = rounded(dtype, rng.normal(0, 10, (1, n)))
        if n <= 37 or dtype in ("f32", "bf16"):
            case(f"SumReduce/{dtype}/row{n}", [(dtype, x)], (dtype, sum_last(dtype, x)))
x = rounded("f32", rng.normal(0, 10, (3, 5, 7)))
case("SumReduce/f32/axes02", [("f32", x)], ("f32", sum_last("f32", x.transpose(1, 0, 2).reshape(5, 21))))
case("MaxReduce/f32/axes02", [("f32", x)], ("f32", max_last("f32", x.transpose(1, 0, 2).reshape(5, 21))))
zeros = np.array([[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]])
for dtype in ("f16", "bf16", "f32", "f64"):
    case(f"MaxReduce/{dtype}/zeros", [(dtype, zeros)], (dtype, max_last(dtype, zeros)))
    case(f"SumReduce/{dtype}/zeros", [(dtype, zeros)], (dtype, sum_last(dtype, zeros)))

index = np.array([[3, 0], [1, 1], [2, 3]])
for dtype in COMPUTED + ["u4", "i4"]:
    for view in ("plain", "flipped", "masked", "permuted", "expanded"):
        x = VIEWS[view](X[dtype])
        case(f"Gather/{dtype}/{view}", [(dtype, X[dtype]), ("i32", index)], (dtype, x[index]))
for dtype in INTS:
    case(f"Gather/f32/index_{dtype}", [("f32", X["f32"]), (dtype, index)], ("f32", X["f32"][index]))
pick = np.array([True, False, True])
case("Gather/f32/index_bool", [("f32", X["f32"]), ("bool", pick)], ("f32", X["f32"][pick.astype(int)]))
columns = np.array([[5, 0], [2, 4], [1, 3]])
case("Gather/f32/two_slots", [("f32", X["f32"]), ("i32", index), ("i32", columns)], ("f32", X["f32"][index, columns]))

rows = np.array([2, 0, 2, 3])
for dtype in COMPUTED:
    for view in ("plain", "permuted", "flipped", "masked", "expanded"):
        dest = VIEWS[view](X[dtype]).copy()
        src = VIEWS[view](Y[dtype])[:4] if view == "permuted" else VIEWS[view](Y[dtype])
        for i, row in enumerate(rows):  # row 2 twice: the later one stays
            dest[row] = src[i]
        case(f"Scatter/{dtype}/{view}", [(dtype, X[dtype]), (dtype, Y[dtype]), ("i32", rows)], (dtype, dest))
outside = np.array([-1, 1, 4, 2 ** 40])
dest = X["f32"].copy()
dest[1] = Y["f32"][1]
case("Scatter/f32/outside", [("f32", X["f32"]), ("f32", Y["f32"]), ("i64", outside)], ("f32", dest))

for dtype in INTS:
    i, j = np.indices((4, 6))
    value = (40 * i - 7 * j).astype(INTS[dtype])
    case(f"Iota/{dtype}/plain", [], (dtype, value))

cases.write(f"Expected values of numpy {np.__version__} and mpmath {mpmath.__version__}, written by make.py.")
