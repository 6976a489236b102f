// Every nn function: the compositions of the fifteen ops that models are written in.
//
// They record nodes and compute nothing. Unless said otherwise a function takes any shape, symbolic dims included, and
// operands of one dtype that broadcast as NumPy's do. A docstring gives the number of ops recorded for f32 as `n`
// (constants are not counted), and the error against PyTorch on the CPU: `=` bit-equal; `t` the worst fraction of the
// f32 tolerance of torch.testing.assert_close; `u` ulp against the true value. "via f32" means that float dtypes
// narrower than 32 bits are cast to f32 and the result back; "one step wider" that f32 is computed in f64, and
// narrower dtypes in f32. Dtype and shape mistakes throw Error naming the function and the operands.
#pragma once

#include "quince/nn/activation.h"
#include "quince/nn/attention.h"
#include "quince/nn/elementwise.h"
#include "quince/nn/indexing.h"
#include "quince/nn/layers.h"
#include "quince/nn/math.h"
#include "quince/nn/reduce.h"
#include "quince/nn/rounding.h"
