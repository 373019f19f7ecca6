//===- Expr.cpp - A hash-consed DAG of scalar expressions -----------------===//

#include "cascade/Algebra/Expr.h"

#include <cstring>

using namespace cascade::algebra;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
struct TypeInfo {
  const char *name;
  unsigned bits;
};
} // namespace

/// In the order of Type.
static constexpr TypeInfo typeTable[] = {
    {"i1", 1},   {"i8", 8},     {"i16", 16},     {"i32", 32},
    {"i64", 64}, {"index", 64}, {"f8E4M3FN", 8}, {"f8E5M2", 8},
    {"f16", 16}, {"bf16", 16},  {"f32", 32},     {"f64", 64}};

static const TypeInfo &infoOf(Type type) {
  return typeTable[static_cast<unsigned>(type)];
}

const char *cascade::algebra::spelling(Type type) { return infoOf(type).name; }

Type cascade::algebra::accumulatorType(Type type) {
  return isFloat(type) && infoOf(type).bits < 32 ? Type::F32 : type;
}

//===----------------------------------------------------------------------===//
// Hash-consing
//===----------------------------------------------------------------------===//

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

size_t ExprContext::Hash::operator()(Expr e) const {
  uint64_t hash = 0;
  auto mix = [&](uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdull;
    hash ^= hash >> 33;
  };
  mix(static_cast<unsigned>(e->kind));
  mix(static_cast<unsigned>(e->type));
  mix(static_cast<unsigned>(e->predicate));
  mix(e->id);
  mix(bitsOf(e->number));
  mix(static_cast<uint64_t>(e->integer));
  if (!e->name.empty())
    mix(std::hash<std::string>()(e->name));
  // Serial numbers, not addresses: the order of a table never leaks, but equal
  // runs should also take equal time.
  for (Expr operand : e->operands)
    mix(operand->serial);
  return hash;
}

bool ExprContext::Equal::operator()(Expr a, Expr b) const {
  return a->kind == b->kind && a->type == b->type &&
         a->predicate == b->predicate && a->id == b->id &&
         bitsOf(a->number) == bitsOf(b->number) && a->integer == b->integer &&
         a->operands == b->operands && a->name == b->name;
}

ExprContext::ExprContext() = default;
ExprContext::~ExprContext() = default;

Expr ExprContext::intern(ExprNode &&node) {
  if (auto it = table.find(&node); it != table.end())
    return *it;
  if (node.kind <= Kind::Accumulator)
    node.symbols = static_cast<uint8_t>(1u << static_cast<unsigned>(node.kind));
  for (Expr operand : node.operands)
    node.symbols |= operand->symbols;
  node.serial = static_cast<uint32_t>(nodes.size());
  nodes.push_back(std::make_unique<ExprNode>(std::move(node)));
  table.insert(nodes.back().get());
  return nodes.back().get();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static ExprNode makeNode(Kind kind, Type type,
                         std::vector<Expr> operands = {}) {
  ExprNode node;
  node.kind = kind;
  node.type = type;
  node.operands = std::move(operands);
  return node;
}

Expr ExprContext::symbol(Kind kind, unsigned id, Type type) {
  ExprNode node = makeNode(kind, type);
  node.id = id;
  return intern(std::move(node));
}

Expr ExprContext::constant(double value, Type type) {
  ExprNode node = makeNode(Kind::FloatConstant, type);
  node.number = value;
  return intern(std::move(node));
}

Expr ExprContext::integer(int64_t value, Type type) {
  ExprNode node = makeNode(Kind::IntConstant, type);
  node.integer = value;
  return intern(std::move(node));
}

Expr ExprContext::unary(Kind kind, Expr a) {
  return intern(makeNode(kind, a->type, {a}));
}

Expr ExprContext::binary(Kind kind, Expr a, Expr b) {
  return intern(makeNode(kind, a->type, {a, b}));
}

Expr ExprContext::cmp(Predicate predicate, Expr a, Expr b) {
  ExprNode node = makeNode(Kind::Cmp, Type::I1, {a, b});
  node.predicate = predicate;
  return intern(std::move(node));
}

Expr ExprContext::select(Expr condition, Expr ifTrue, Expr ifFalse) {
  return intern(
      makeNode(Kind::Select, ifTrue->type, {condition, ifTrue, ifFalse}));
}

Expr ExprContext::widen(Expr a, Type type) {
  return intern(makeNode(Kind::Widen, type, {a}));
}

Expr ExprContext::narrow(Expr a, Type type) {
  return intern(makeNode(Kind::Narrow, type, {a}));
}

Expr ExprContext::convert(std::string_view name, Expr a, Type type) {
  ExprNode node = makeNode(Kind::Convert, type, {a});
  node.name = name;
  return intern(std::move(node));
}

Expr ExprContext::opaque(std::string_view name, std::vector<Expr> operands,
                         Type type) {
  ExprNode node = makeNode(Kind::Opaque, type, std::move(operands));
  node.name = name;
  return intern(std::move(node));
}

Expr ExprContext::castFloat(Expr a, Type type) {
  if (a->type == type)
    return a;
  unsigned from = infoOf(a->type).bits, to = infoOf(type).bits;
  if (from == to) // f16 and bf16, or the fp8s: neither holds the other.
    return narrow(widen(a, Type::F32), type);
  return from < to ? widen(a, type) : narrow(a, type);
}

Expr ExprContext::mulNonUnit(Expr a, Expr b) {
  if (!a || !b)
    return a ? a : b;
  return mul(a, b);
}

Expr ExprContext::withOperands(Expr node, std::vector<Expr> operands) {
  if (operands == node->operands)
    return node;
  ExprNode copy = *node;
  copy.symbols = 0;
  copy.operands = std::move(operands);
  return intern(std::move(copy));
}
