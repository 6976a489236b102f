// The table of unique nodes: sharded, so that threads may build expressions at once; nodes live for ever.
#include <array>
#include <memory>
#include <mutex>
#include <numeric>

#include "expr/checked.h"
#include "expr/node.h"

namespace quince::detail {

namespace {

std::size_t mix(std::size_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

std::size_t hash_of(const NodeKey& key) {
  std::size_t h = mix(static_cast<std::size_t>(key.kind) + 1, static_cast<std::uint64_t>(key.value));
  for (Expr e : key.operands) h = mix(h, e.node()->hash);
  for (std::int64_t c : key.coefficients) h = mix(h, static_cast<std::uint64_t>(c));
  if (key.kind == ExprKind::dim) {
    for (char c : key.name) h = mix(h, static_cast<unsigned char>(c));
    h = mix(h, static_cast<std::uint64_t>(key.dim_range.lo));
    h = mix(h, static_cast<std::uint64_t>(key.dim_range.hi));
    h = mix(h, static_cast<std::uint64_t>(key.dim_multiple));
  }
  return h;
}

bool matches(const ExprNode& node, const NodeKey& key, std::size_t hash) {
  if (node.hash != hash || node.kind != key.kind || node.value != key.value ||
      node.operand_count != key.operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < key.operands.size(); ++i) {
    if (node.operands[i] != key.operands[i]) return false;
  }
  for (std::size_t i = 0; i < key.coefficients.size(); ++i) {
    if (node.coefficients[i] != key.coefficients[i]) return false;
  }
  return key.kind != ExprKind::dim ||
         (*node.name == key.name && node.dim_range == key.dim_range && node.dim_multiple == key.dim_multiple);
}

Range divide(Range a, Range b) {
  if (b.lo < 1) return {};
  const auto end = [](std::int64_t x, std::int64_t d, std::int64_t none) {
    return x == none ? none : d == kInf ? (x < 0 ? -1 : 0) : checked_floor_div(x, d);
  };
  return {end(a.lo, a.lo < 0 ? b.lo : b.hi, -kInf), end(a.hi, a.hi < 0 ? b.hi : b.lo, kInf)};
}

Range remainder(Range a, Range b) {
  if (b.lo < 1) {
    if (b.hi <= -1) return {b.lo == -kInf ? -kInf : b.lo + 1, 0};
    return {b.lo == -kInf ? -kInf : std::min<std::int64_t>(0, b.lo + 1),
            b.hi == kInf ? kInf : std::max<std::int64_t>(0, b.hi - 1)};
  }
  Range r{0, b.hi == kInf ? kInf : b.hi - 1};
  if (a.lo >= 0) r.hi = std::min(r.hi, a.hi);
  return r;
}

Range intersect_ends(Range r) {
  if (r.hi < r.lo) r.hi = r.lo;  // an empty box: no binding exists, any range will do
  return r;
}

Range range_of(const NodeKey& key) {
  const auto operand = [&](std::size_t i) { return key.operands[i].node()->range; };
  switch (key.kind) {
    case ExprKind::constant: {
      const std::int64_t v = end_of(key.value);
      return {v, v};
    }
    case ExprKind::dim: {
      const std::int64_t m = key.dim_multiple;
      Range r = key.dim_range;
      if (m > 1 && r.lo != -kInf) r.lo = end_of(-static_cast<__int128>(m) * checked_floor_div(-r.lo, m));
      if (m > 1 && r.hi != kInf) r.hi = mul_end(checked_floor_div(r.hi, m), m);
      return r;
    }
    case ExprKind::axis: return intersect_ends({0, add_hi(operand(0).hi, -1)});
    case ExprKind::slot: return intersect_ends({operand(0).lo, operand(1).hi});
    case ExprKind::sum: {
      Range r{end_of(key.value), end_of(key.value)};
      for (std::size_t i = 0; i < key.operands.size(); ++i) r = add(r, scale(operand(i), key.coefficients[i]));
      return r;
    }
    case ExprKind::product: {
      Range r = operand(0);
      for (std::size_t i = 1; i < key.operands.size(); ++i) {
        r = multiply(r, operand(i));
        if (key.operands[i] == key.operands[i - 1] && key.operands.size() == 2) r.lo = std::max<std::int64_t>(r.lo, 0);
      }
      return r;
    }
    case ExprKind::floor_div: return divide(operand(0), operand(1));
    case ExprKind::mod: return remainder(operand(0), operand(1));
    case ExprKind::min:
    case ExprKind::max: {
      Range r = operand(0);
      for (std::size_t i = 1; i < key.operands.size(); ++i) {
        const Range o = operand(i);
        r = key.kind == ExprKind::min ? Range{std::min(r.lo, o.lo), std::min(r.hi, o.hi)}
                                      : Range{std::max(r.lo, o.lo), std::max(r.hi, o.hi)};
      }
      return r;
    }
    case ExprKind::not_negative:
    case ExprKind::all:
    case ExprKind::any: return {0, 1};
  }
  return {};
}

std::int64_t magnitude(std::int64_t v) { return v == INT64_MIN ? 1 : v < 0 ? -v : v; }

std::int64_t multiply_or_first(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? a : r;
}

std::int64_t multiple_of(const NodeKey& key) {
  const auto operand = [&](std::size_t i) { return key.operands[i].node()->multiple; };
  switch (key.kind) {
    case ExprKind::constant: return key.value == INT64_MIN ? 2 : magnitude(key.value);
    case ExprKind::dim: return key.dim_multiple;
    case ExprKind::sum: {
      std::int64_t g = magnitude(key.value);
      for (std::size_t i = 0; i < key.operands.size(); ++i) {
        g = std::gcd(g, multiply_or_first(magnitude(key.coefficients[i]), operand(i)));
      }
      return g;
    }
    case ExprKind::product: {
      std::int64_t m = 1;
      for (std::size_t i = 0; i < key.operands.size(); ++i) m = multiply_or_first(m, operand(i));
      return m;
    }
    case ExprKind::floor_div: {
      const std::int64_t c = key.operands[1].is_constant() ? magnitude(key.operands[1].value()) : 0;
      return c > 0 && operand(0) % c == 0 ? operand(0) / c : 1;
    }
    case ExprKind::mod: return std::gcd(operand(0), operand(1));
    case ExprKind::min:
    case ExprKind::max: {
      std::int64_t g = 0;
      for (std::size_t i = 0; i < key.operands.size(); ++i) g = std::gcd(g, operand(i));
      return g;
    }
    default: return 1;
  }
}

/// Bump allocation of nodes and their arrays; never freed.
class Arena {
 public:
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > left_) {
      left_ = std::max<std::size_t>(bytes, std::size_t{1} << 16);
      blocks_.push_back(std::make_unique<std::max_align_t[]>(left_ / sizeof(std::max_align_t) + 1));
      next_ = reinterpret_cast<std::byte*>(blocks_.back().get());
    }
    void* p = next_;
    next_ += bytes;
    left_ -= bytes;
    return p;
  }

 private:
  std::vector<std::unique_ptr<std::max_align_t[]>> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

const ExprNode* make(const NodeKey& key, std::size_t hash, Arena& arena) {
  ExprNode draft;
  std::uint64_t size = 1;
  std::uint32_t depth = 0;
  const bool leaf = key.kind == ExprKind::axis || key.kind == ExprKind::slot;
  for (Expr e : key.operands) {
    const ExprNode& o = *e.node();
    size += o.size;
    depth = std::max<std::uint32_t>(depth, o.depth);
    if (!leaf) draft.axes |= o.axes;
    if (!leaf) draft.slots |= o.slots;
    draft.has_dim |= o.has_dim;
    if (key.kind == ExprKind::sum || key.kind == ExprKind::product) {
      draft.has_mod |= o.has_mod;
      draft.has_exact_div |= o.has_exact_div;
    }
  }
  if (depth + 1 > kMaxDepth || size > kMaxSize) {
    throw Error(ErrorCode::resource, "an index expression is too large or too deeply nested");
  }
  void* place = arena.allocate(sizeof(ExprNode));
  auto* node = new (place) ExprNode;
  node->kind = key.kind;
  node->depth = static_cast<std::uint16_t>(depth + 1);
  node->size = static_cast<std::uint32_t>(size);
  node->value = key.value;
  node->hash = hash;
  node->range = range_of(key);
  node->multiple = multiple_of(key);
  node->axes = key.kind == ExprKind::axis ? leaf_bit(key.value) : draft.axes;
  node->slots = key.kind == ExprKind::slot ? leaf_bit(key.value) : draft.slots;
  node->has_dim = key.kind == ExprKind::dim || draft.has_dim;
  node->has_mod = key.kind == ExprKind::mod || draft.has_mod;
  node->has_exact_div = draft.has_exact_div || (key.kind == ExprKind::floor_div && key.operands[1].is_constant() &&
                                                key.operands[1].value() > 0 &&
                                                key.operands[0].node()->multiple % key.operands[1].value() == 0);
  if (!key.operands.empty()) {
    auto* operands = static_cast<Expr*>(arena.allocate(key.operands.size() * sizeof(Expr)));
    std::uninitialized_copy(key.operands.begin(), key.operands.end(), operands);
    node->operands = operands;
    node->operand_count = static_cast<std::uint32_t>(key.operands.size());
  }
  if (!key.coefficients.empty()) {
    auto* coefficients = static_cast<std::int64_t*>(arena.allocate(key.coefficients.size() * sizeof(std::int64_t)));
    std::uninitialized_copy(key.coefficients.begin(), key.coefficients.end(), coefficients);
    node->coefficients = coefficients;
  }
  if (key.kind == ExprKind::dim) {
    node->name = new (arena.allocate(sizeof(std::string))) std::string(key.name);
    node->dim_range = key.dim_range;
    node->dim_multiple = key.dim_multiple;
  }
  node->quotient = key.quotient.node();
  return node;
}

/// Open addressing over the nodes of one shard.
struct Shard {
  std::mutex mutex;
  std::vector<const ExprNode*> table = std::vector<const ExprNode*>(64, nullptr);
  std::size_t count = 0;
  Arena arena;

  std::size_t place_of(const NodeKey& key, std::size_t hash) const {
    std::size_t i = hash & (table.size() - 1);
    while (table[i] != nullptr && !matches(*table[i], key, hash)) i = (i + 1) & (table.size() - 1);
    return i;
  }

  void grow() {
    std::vector<const ExprNode*> bigger(table.size() * 2, nullptr);
    for (const ExprNode* node : table) {
      if (node == nullptr) continue;
      std::size_t i = node->hash & (bigger.size() - 1);
      while (bigger[i] != nullptr) i = (i + 1) & (bigger.size() - 1);
      bigger[i] = node;
    }
    table.swap(bigger);
  }
};

constexpr std::size_t kShards = 64;

Shard& shard_of(std::size_t hash) {
  // Kept for ever: expressions in static storage may outlive any destructor that runs at exit.
  static auto* const shards = new std::array<Shard, kShards>;
  return (*shards)[hash >> 58];
}

}  // namespace

Expr find_interned(const NodeKey& key) {
  const std::size_t hash = hash_of(key);
  Shard& shard = shard_of(hash);
  const std::lock_guard lock(shard.mutex);
  return Expr(shard.table[shard.place_of(key, hash)]);
}

Expr intern(const NodeKey& key) {
  const std::size_t hash = hash_of(key);
  Shard& shard = shard_of(hash);
  const std::lock_guard lock(shard.mutex);
  std::size_t place = shard.place_of(key, hash);
  if (shard.table[place] != nullptr) return Expr(shard.table[place]);
  const ExprNode* node = make(key, hash, shard.arena);
  if (2 * ++shard.count > shard.table.size()) {
    shard.grow();
    place = shard.place_of(key, hash);
  }
  shard.table[place] = node;
  return Expr(node);
}

}  // namespace quince::detail
