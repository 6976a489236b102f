"""Writes index.json and values.bin beside itself: what PyTorch on the CPU gives for the functions of quince::nn.

    python make.py        (needs torch, float32 denormals on; one thread)

A case: name, fn, args (numbers; null: no value), in, out (arrays), compare: "bits" (equal, zero signs
included, any NaN for a NaN), "value" (equal, +0 is -0) or, where it is left out, torch.testing.assert_close's for the
dtype.
"""

import itertools
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from arrays import Cases  # noqa: E402

torch.set_num_threads(1)
torch.manual_seed(15)
NAMES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.bool: "bool",
         torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8"}
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
cases = Cases(HERE)


def place(t):
    t = t.contiguous()
    return cases.place(NAMES[t.dtype], t.shape, t.reshape(-1).view(torch.uint8).numpy().tobytes())


def case(fn, label, inputs, outputs, compare="close", args=()):
    outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    row = {"name": f"{fn}/{label}", "fn": fn, "in": [place(t) for t in inputs], "out": [place(t) for t in outputs]}
    if args:
        row["args"] = [None if isinstance(a, float) and math.isnan(a) else a for a in args]
    if compare != "close":
        row["compare"] = compare
    cases.add(**row)


def via_f32(f, x, *args):
    """PyTorch's own 16-bit log_softmax is off by more than its tolerance."""
    return f(x if x.dtype == torch.float64 else x.float(), *args).to(x.dtype)


def edges(dtype):
    info = torch.finfo(dtype)
    tiny = info.smallest_normal
    whole = 1 / info.eps
    values = [0.0, 1.0, 0.5, 1.5, 2.5, 3.5, 0.3, 1 + info.eps, 1 - info.eps / 2, math.pi, 10.0, 20.5, 88.0, 100.0, whole,
              whole / 2 - 0.5, whole / 2 + 0.5, info.max, tiny, tiny * info.eps, tiny * 0.75, math.inf]
    return torch.tensor([s * v for v in values for s in (1.0, -1.0)] + [math.nan], dtype=torch.float64).to(dtype)


def spread(dtype, n=48):
    normal = torch.randn(n, dtype=torch.float64) * 3
    logs = torch.exp(torch.rand(n // 2, dtype=torch.float64) * 12 - 8) * torch.sign(torch.randn(n // 2, dtype=torch.float64))
    return torch.cat([normal, logs]).to(dtype)


SAMPLES = {t: torch.cat([edges(t), spread(t)]) for t in FLOATS}
INT_SAMPLES = {t: torch.cat([torch.tensor([0, 1, 2, 7, torch.iinfo(t).min, torch.iinfo(t).min + 1, torch.iinfo(t).max,
                                           torch.iinfo(t).max - 1], dtype=torch.int64),
                             torch.randint(max(-100, torch.iinfo(t).min), 100, (4,))]).to(t) for t in INTS}


def grid(values):
    """All ordered pairs."""
    pairs = list(itertools.product(range(len(values)), repeat=2))
    return values[[i for i, _ in pairs]], values[[j for _, j in pairs]]


def pairs(dtype):
    """All pairs of 12 edges, and random ones."""
    info = torch.finfo(dtype)
    few = torch.tensor([0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 2.5, info.max, -info.smallest_normal / 2, math.inf, -math.inf,
                        math.nan], dtype=torch.float64).to(dtype)
    a, b = grid(few)
    return torch.cat([a, spread(dtype, 16)]), torch.cat([b, spread(dtype, 16)])


# --- one operand -----------------------------------------------------------------------------------------------------
UNARY = {  # function: (PyTorch's, comparison, what is left out)
    "neg": (torch.neg, "bits", None), "abs": (torch.abs, "bits", None), "sign": (torch.sign, "bits", None),
    "floor": (torch.floor, "bits", None), "ceil": (torch.ceil, "bits", None), "trunc": (torch.trunc, "bits", None),
    "round": (torch.round, "bits", None), "relu": (F.relu, "value", None), "isfinite": (torch.isfinite, "bits", None),
    "isnan": (torch.isnan, "bits", None), "isinf": (torch.isinf, "bits", None),
    "signbit": (torch.signbit, "bits", lambda x: ~x.isnan()),
    "exp": (torch.exp, "close", None), "log": (torch.log, "close", None), "log10": (torch.log10, "close", None),
    "log1p": (torch.log1p, "close", None), "expm1": (torch.expm1, "close", None), "rsqrt": (torch.rsqrt, "close", None),
    "sigmoid": (torch.sigmoid, "close", None), "tanh": (torch.tanh, "close", None), "silu": (F.silu, "close", None),
    "softplus": (F.softplus, "close", None), "cos": (torch.cos, "close", None), "tan": (torch.tan, "close", None),
    "erf": (torch.erf, "close", None),
    "gelu": (F.gelu, "close", lambda x: ~(x > 1e38)),  # PyTorch doubles x: inf for the largest, NaN for inf
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), "close", lambda x: x.isfinite()),
}
for fn, (reference, compare, keep) in UNARY.items():
    for dtype in FLOATS:
        x = SAMPLES[dtype]
        if keep is not None:
            x = x[keep(x)]
        if fn == "log1p" and dtype == torch.float64:
            x = x[(x > 0).logical_or(x < -1e-9)]
        case(fn, NAMES[dtype], [x], reference(x), compare)
    for shape in [(), (0,), (1,), (3, 5)]:
        x = torch.randn(shape)
        case(fn, "shape" + "x".join(map(str, shape)), [x], reference(x), compare)
for dtype in FLOATS:
    for alpha in (0.01, 1.5):
        x = SAMPLES[dtype]
        case("leaky_relu", f"{NAMES[dtype]}_{alpha}", [x], F.leaky_relu(x, alpha), "value", [alpha])
    for exponent in (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 0.3, -3.0):
        x = SAMPLES[dtype]
        if dtype == torch.bfloat16:
            x = x[x.abs() > 1e-15]
        if dtype == torch.float16:  # where PyTorch's f32 agrees with Sqrt, its f16 follows C's pow
            x = x[~(torch.signbit(x) & ((x == 0) | x.isinf()))]
        if exponent == -3.0:  # PyTorch's own f32 and f16 products round three times
            x = x[(x.abs() > 1e-3).logical_or(x == 0)]
        case("pow_scalar", f"{NAMES[dtype]}_{exponent}", [x], torch.pow(x, exponent), "close", [exponent])
    for lo, hi in ((-1.5, 2.0), (None, 0.5), (0.25, None), (3.0, 1.0)):
        x = SAMPLES[dtype]
        nan = float("nan")
        case("clamp", f"{NAMES[dtype]}_{lo}_{hi}", [x], torch.clamp(x, lo, hi), "value",
             [nan if lo is None else lo, nan if hi is None else hi])
for dtype in INTS:
    x = INT_SAMPLES[dtype]
    n = NAMES[dtype]
    case("neg", n, [x], torch.neg(x), "bits")
    case("abs", n, [x], torch.abs(x), "bits")
    case("sign", n, [x], torch.sign(x), "bits")
    case("relu", n, [x], F.relu(x), "bits")
    case("floor", n, [x], torch.floor(x), "bits")
    case("round", n, [x], torch.round(x), "bits")
    case("clamp", n, [x], torch.clamp(x, 3, 50), "bits", [3, 50])

# --- two operands ----------------------------------------------------------------------------------------------------
BINARY = {"sub": (torch.sub, "bits"), "maximum": (torch.maximum, "value"), "minimum": (torch.minimum, "value"),
          "le": (torch.le, "bits"), "lt": (torch.lt, "bits"), "ge": (torch.ge, "bits"), "gt": (torch.gt, "bits"),
          "eq": (torch.eq, "bits"), "ne": (torch.ne, "bits")}
for fn, (reference, compare) in BINARY.items():
    for dtype in FLOATS:
        a, b = pairs(dtype)
        case(fn, NAMES[dtype], [a, b], reference(a, b), compare)
    for dtype in INTS:
        a, b = grid(INT_SAMPLES[dtype])
        case(fn, NAMES[dtype], [a, b], reference(a, b), "bits")
    a, b = torch.randn(3, 1, 5), torch.randn(4, 1)
    case(fn, "broadcast", [a, b], reference(a, b), compare)
    case(fn, "empty", [a[:0], b], reference(a[:0], b), compare)
for dtype in FLOATS:
    a, b = pairs(dtype)
    keep = ~((b.abs() < 1e-305) & (b != 0))
    if dtype == torch.float64:  # its log₂ has no bits to spare next to overflow
        keep &= ~((a.abs() == torch.finfo(dtype).max) & (b.abs() == 1))
    case("pow", NAMES[dtype], [a[keep], b[keep]], torch.pow(a[keep], b[keep]))
    ok = b.to(torch.float64).abs() >= torch.finfo(dtype).smallest_normal
    ok |= b == 0
    a, b = a[ok], b[ok]
    case("div", NAMES[dtype], [a, b], a / b)
    # f64's exact quotient is out of reach; PyTorch's own 16-bit division rounds once from f32
    case("div_exact", NAMES[dtype], [a, b], a / b, "close" if dtype == torch.float64 else "bits")
for dtype in INTS:
    a, b = grid(INT_SAMPLES[dtype])
    case("div_exact", NAMES[dtype], [a, b], a / b, "bits")
    if dtype != torch.int64:
        keep = (b != 0) & ~((a == torch.iinfo(dtype).min) & (b.to(torch.int64) == -1))
        case("floor_divide", NAMES[dtype], [a[keep], b[keep]], torch.div(a[keep], b[keep], rounding_mode="floor"), "bits")
        case("remainder", NAMES[dtype], [a[keep], b[keep]], torch.remainder(a[keep], b[keep]), "bits")
p, q = grid(torch.tensor([False, True]))
for fn in ("logical_and", "logical_or", "logical_xor"):
    case(fn, "bool", [p, q], getattr(torch, fn)(p, q), "bits")
for fn in ("eq", "ne", "le", "lt"):
    case(fn, "bool", [p, q], getattr(torch, fn)(p, q), "bits")
case("logical_not", "bool", [p], torch.logical_not(p), "bits")
for dtype in FLOATS + INTS + [torch.bool]:
    if dtype in FLOATS:
        a, b = pairs(dtype)
    elif dtype == torch.bool:
        a, b = p, q
    else:
        a, b = grid(INT_SAMPLES[dtype])
    c = torch.rand(a.shape) < 0.5
    case("where", NAMES[dtype], [c, a, b], torch.where(c, a, b), "bits")
    if dtype != torch.bool:
        case("masked_fill", NAMES[dtype], [a, c], a.masked_fill(c, 7), "bits", [7])
        case("where_else", NAMES[dtype], [c, a], a.masked_fill(~c, 7), "bits", [7])
c = torch.tensor([[True], [False], [True]])
a, b = torch.randn(2, 1, 4), torch.randn(4)
case("where", "broadcast", [c, a, b], torch.where(c, a, b), "bits")
lo, hi = torch.randn(5), torch.randn(4, 1)
x = torch.randn(3, 4, 5)
case("clamp_tensor", "broadcast", [x, lo, hi], torch.clamp(x, lo, hi), "value")

# --- reductions ------------------------------------------------------------------------------------------------------
for dtype in FLOATS:
    n = NAMES[dtype]
    for shape, axes in (((17,), [0]), ((3, 17, 2), [1]), ((3, 17, 2), [0, 2]), ((4, 1), [1]), ((0, 3), [1]), ((2, 33), [-1])):
        x = (torch.randn(shape, dtype=torch.float64) * 2).to(dtype)
        label = n + "_" + "x".join(map(str, shape)) + "_" + ",".join(map(str, axes))
        for keep in ((False, True) if dtype == torch.float32 else (False,)):
            more = label + ("_keep" if keep else "")
            args = [int(keep), *axes]
            case("mean", more, [x], x.mean(axes, keepdim=keep), args=args)
            case("amax", more, [x], x.amax(axes, keepdim=keep), "bits", args)
            case("amin", more, [x], x.amin(axes, keepdim=keep), "bits", args)
            if 0 not in shape and shape[axes[0]] > 1:
                case("var", more, [x], x.var(axes, keepdim=keep), args=[1, *args])
                case("var", more + "_0", [x], x.var(axes, correction=0, keepdim=keep), args=[0, *args])
            if len(axes) == 1:
                axis = axes[0]
                case("argmax", more, [x], x.argmax(axis, keepdim=keep), "bits", args)
                case("logsumexp", more, [x], torch.logsumexp(x, axis, keepdim=keep), args=args)
                if dtype in (torch.float32, torch.float64):
                    case("prod", more, [x], x.prod(axis, keepdim=keep), args=args)
        if len(axes) == 1:
            axis = axes[0]
            for fn, reference in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax), ("cumsum", torch.cumsum)):
                case(fn, label, [x], via_f32(reference, x, axis), args=[axis])
    edge = torch.tensor([[1.0, math.inf, 2.0], [math.nan, 1.0, 2.0], [-math.inf] * 3, [-math.inf, 0.0, 3.0], [60.0, -60.0, 59.0]],
                        dtype=dtype)
    case("softmax", n + "_edges", [edge], torch.softmax(edge, 1), args=[1])
    case("log_softmax", n + "_edges", [edge], via_f32(torch.log_softmax, edge, 1), args=[1])
    case("logsumexp", n + "_edges", [edge], torch.logsumexp(edge, 1), args=[0, 1])
    case("amax", n + "_edges", [edge], edge.amax(1), "bits", [0, 1])
    case("amin", n + "_edges", [edge], edge.amin(1), "bits", [0, 1])
large = torch.randn(2, 19) * 3 + 1000
case("var", "offset", [large], large.var(1), args=[1, 0, 1])
case("mean", "f16_overflowing_sum", [torch.full((2, 40), 30000.0, dtype=torch.float16)],
     torch.full((2,), 30000.0, dtype=torch.float16), args=[0, 1])
for dtype in INTS:
    x = torch.stack([INT_SAMPLES[dtype], INT_SAMPLES[dtype].flip(0)])
    n = NAMES[dtype]
    for axis in (0, 1):
        case("amax", f"{n}_{axis}", [x], x.amax(axis), "bits", [0, axis])
        case("amin", f"{n}_{axis}", [x], x.amin(axis), "bits", [0, axis])
        ties = torch.randint(0, 3, (4, 11)).to(dtype)
        case("argmax", f"{n}_{axis}", [ties], (ties == ties.amax(axis, keepdim=True)).to(torch.int8).argmax(axis), "bits",
             [0, axis])
        case("prod", f"{n}_{axis}", [x], x.prod(axis, dtype=dtype), "bits", [0, axis])
        case("cumsum", f"{n}_{axis}", [x], x.cumsum(axis, dtype=dtype), "bits", [axis])
b = torch.tensor([[True, False, True], [False] * 3, [True] * 3])
for fn in ("any", "all"):
    for axis in (0, 1):
        case(fn, f"bool_{axis}", [b], getattr(torch, fn)(b, axis), "bits", [0, axis])
    case(fn, "empty", [b[:, :0]], getattr(torch, fn)(b[:, :0], 1), "bits", [0, 1])
for dtype in FLOATS + [torch.int32]:
    x = torch.stack([torch.randperm(13) for _ in range(4)]).to(dtype)
    for axis in (0, 1):
        values, indices = torch.topk(x, 3, axis)
        if axis == 0:  # equal values: the first wins here
            x0 = x + torch.arange(4).reshape(4, 1).to(dtype) * 16
            values, indices = torch.topk(x0, 3, axis)
            case("topk", f"{NAMES[dtype]}_0", [x0], [values, indices], "bits", [3, axis])
        else:
            case("topk", f"{NAMES[dtype]}_1", [x], [values, indices], "bits", [3, axis])

# --- joining, indexing -----------------------------------------------------------------------------------------------
for dtype in FLOATS + INTS + [torch.bool]:
    n = NAMES[dtype]
    if dtype in FLOATS:
        a = SAMPLES[dtype][:24]
    elif dtype == torch.bool:
        a = torch.rand(24) < 0.5
    else:
        a = INT_SAMPLES[dtype][torch.arange(24) % 12]
    x = a.reshape(2, 3, 4)
    for axis in (0, 1, 2):
        y = x.narrow(axis, 0, 1)
        case("concat", f"{n}_{axis}", [x, y, x.narrow(axis, 0, 0), x], torch.cat([x, y, x.narrow(axis, 0, 0), x], axis), "bits",
             [axis])
        case("stack", f"{n}_{axis}", [x, x.flip(0)], torch.stack([x, x.flip(0)], axis), "bits", [axis])
    case("stack", f"{n}_last", [x, x.flip(0)], torch.stack([x, x.flip(0)], -1), "bits", [-1])
    index = torch.tensor([2, 0, 0, 1, 2])
    case("index_select", n, [x, index], x.index_select(1, index), "bits", [1])
    along = torch.tensor([[[3, 0], [1, 1], [2, 0]], [[0, 0], [3, 2], [1, 3]]])
    case("gather_along", n, [x, along.to(torch.int32)], x.gather(2, along), "bits", [2])
    if dtype in FLOATS:
        table = a.reshape(6, 4)
        ids = torch.tensor([[5, 0, 3], [1, 1, 2]])
        case("embedding", n, [ids, table], F.embedding(ids, table), "bits")
ids = torch.tensor([[0, 4, 2], [1, 1, 3]])
case("one_hot", "i64", [ids], F.one_hot(ids, 5), "bits", [5])

# --- networks --------------------------------------------------------------------------------------------------------
for dtype in FLOATS:
    n = NAMES[dtype]

    def rand(*shape):
        return torch.randn(*shape, dtype=torch.float64).to(dtype)

    for a, b in (((3, 17), (17, 5)), ((2, 1, 3, 8), (4, 8, 5)), ((7,), (7,)), ((2, 3, 7), (7,)), ((7,), (2, 7, 3)), ((0, 4), (4, 2)),
                 ((3, 0), (0, 2)), ((1, 33), (33, 1))):
        x, y = rand(*a), rand(*b)
        case("matmul", f"{n}_{a}_{b}".replace(" ", ""), [x, y], torch.matmul(x, y))
    x, w, b = rand(2, 3, 17), rand(5, 17), rand(5)
    case("linear", n, [x, w], F.linear(x, w))
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    case("linear", n + "_bias", [x, w, b], F.linear(x.to(wide), w.to(wide), b.to(wide)).to(dtype))
    w, b = rand(17), rand(17)
    case("layer_norm", n, [x, w, b], F.layer_norm(x, (17,), w, b, 1e-5), args=[1e-5])
    case("rms_norm", n, [x, w], F.rms_norm(x.to(wide), (17,), w.to(wide), 1e-6).to(dtype), args=[1e-6])

    for layout in (0, 1):
        for width, dims in ((8, 8), (8, 6)):
            q = rand(2, 5, 3, width)
            angle = (torch.arange(10).reshape(2, 5, 1) * 1000.0 ** (-torch.arange(dims // 2) / (dims // 2))).to(wide)
            c, s = angle.cos(), angle.sin()
            spread_ = (lambda t: t.repeat_interleave(2, -1)) if layout == 0 else (lambda t: torch.cat([t, t], -1))
            c, s = spread_(c).unsqueeze(2), spread_(s).unsqueeze(2)
            head = q[..., :dims].to(wide)
            if layout == 0:
                other = torch.stack([-head[..., 1::2], head[..., 0::2]], -1).flatten(-2)
            else:
                other = torch.cat([-head[..., dims // 2:], head[..., :dims // 2]], -1)
            out = torch.cat([head * c + other * s, q[..., dims:].to(wide)], -1).to(dtype)
            first = torch.arange(dims) % 2 == 0 if layout == 0 else torch.arange(dims) < dims // 2
            case("rope", f"{n}_{layout}_{width}_{dims}", [q, c.to(dtype), torch.where(first, -s, s).to(dtype)],
                 out if dtype in (torch.float32, torch.float64) else
                 torch.cat([head * c.to(dtype).to(wide) + other * s.to(dtype).to(wide), q[..., dims:].to(wide)], -1).to(dtype),
                 args=[layout])

    for heads, groups, context in ((4, 2, 7), (3, 1, 5), (2, 2, 1)):
        q, k, v = rand(2, 3, heads, 8), rand(2, context, groups, 8), rand(2, context, groups, 6)
        start = torch.tensor([0, max(context - 3, 0)])
        valid = torch.arange(context) <= (start[:, None] + torch.arange(3))[..., None]
        many = [t.to(wide).transpose(1, 2) for t in (q, k.repeat_interleave(heads // groups, 2), v.repeat_interleave(heads // groups, 2))]
        scale = 8 ** -0.5
        out = F.scaled_dot_product_attention(*many, attn_mask=valid[:, None], scale=scale).transpose(1, 2).to(dtype)
        case("attention", f"{n}_{heads}_{groups}_{context}", [q, k, v, valid], out, args=[scale])
        out = F.scaled_dot_product_attention(*many, scale=scale).transpose(1, 2).to(dtype)
        case("attention", f"{n}_{heads}_{groups}_{context}_open", [q, k, v], out, args=[scale])
for dtype in (torch.int8, torch.uint8, torch.int32, torch.int64):
    a, b = torch.randint(-100 if dtype != torch.uint8 else 0, 100, (3, 17)).to(dtype), torch.randint(0, 100, (17, 4)).to(dtype)
    wide = torch.int32 if dtype in (torch.int8, torch.uint8) else dtype
    case("matmul", NAMES[dtype], [a, b], torch.matmul(a.to(torch.int64), b.to(torch.int64)).to(wide), "bits")
positions = torch.tensor([[0, 1, 6], [3, 4, 5]], dtype=torch.int32)
case("causal_mask", "i32", [positions], torch.arange(7) <= positions[..., None], "bits", [7])
for layout in (0, 1):
    f = 10000.0 ** (-torch.arange(4) / 4.0)
    angle = positions[..., None].to(torch.float32) * f.to(torch.float32)
    c, s = angle.cos(), angle.sin()
    if layout == 0:
        c, s = c.repeat_interleave(2, -1), torch.stack([-s, s], -1).flatten(-2)
    else:
        c, s = torch.cat([c, c], -1), torch.cat([-s, s], -1)
    case("rope_tables", f"i32_{layout}", [positions], [c, s], args=[layout, *f.tolist()])

cases.write(f"Expected values of torch {torch.__version__}, written by make.py.")
