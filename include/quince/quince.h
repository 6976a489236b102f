// All of quince: every public header.
#pragma once

#include "quince/error.h"
#include "quince/expr/expr.h"
#include "quince/expr/map.h"
#include "quince/graph/array.h"
#include "quince/graph/dtype.h"
#include "quince/graph/graph.h"
#include "quince/graph/tensor.h"
#include "quince/graph/text.h"
#include "quince/io/block_format.h"
#include "quince/io/chat_template.h"
#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"
#include "quince/models/language_model.h"
#include "quince/nn/nn.h"
#include "quince/runtime/decoder.h"
#include "quince/runtime/program.h"
