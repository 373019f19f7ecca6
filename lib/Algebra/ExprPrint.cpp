//===- ExprPrint.cpp - Expressions as text --------------------------------===//

#include "cascade/Algebra/Expr.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace cascade::algebra {

namespace {

/// Binding strength, weakest first.
enum Precedence { Comparison, Sum, Factor, Negation, Atom };

/// One piece of output still to be written: text, or an expression that needs
/// parentheses if it binds less than `least`.
struct Piece {
  Expr e = nullptr;
  int least = Comparison;
  std::string text;
  Piece(Expr e, int least) : e(e), least(least) {}
  Piece(std::string text) : text(std::move(text)) {}
};

} // namespace

static std::string numberText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

static const char *operatorText(Expr e) {
  switch (e->kind) {
  case Kind::Add:
    return " + ";
  case Kind::Sub:
    return " - ";
  case Kind::Mul:
    return " * ";
  case Kind::Div:
    return " / ";
  default:
    break;
  }
  static const char *const predicates[] = {
      " == ",  " > ",   " >= ",  " < ",   " <= ",  " != ",  " ord ", " ueq ",
      " ugt ", " uge ", " ult ", " ule ", " une ", " uno ", " == ",  " != ",
      " < ",   " <= ",  " > ",   " >= ",  " ult ", " ule ", " ugt ", " uge "};
  return predicates[static_cast<unsigned>(e->predicate)];
}

static std::string functionName(Expr e) {
  static const char *const names[] = {
      "max",  "min",   "maxnum", "minnum", "pow", "neg",   "abs",
      "sqrt", "rsqrt", "exp",    "exp2",   "log", "log2",  "tanh",
      "and",  "or",    "xor",    "not",    "cmp", "select"};
  if (e->is(Kind::Narrow))
    return spelling(e->type);
  if (e->is(Kind::Convert) || e->is(Kind::Opaque))
    return e->name;
  return names[static_cast<unsigned>(e->kind) -
               static_cast<unsigned>(Kind::Max)];
}

static std::string leafText(Expr e) {
  switch (e->kind) {
  case Kind::Element:
    return "x" + std::to_string(e->id);
  case Kind::Result:
    return "r" + std::to_string(e->id);
  case Kind::Parameter:
    if (e->id >= kFirstMadeParameter)
      return "N";
    return "p" + std::to_string(e->id);
  case Kind::OldRef:
    return "old" + std::to_string(e->id);
  case Kind::NewRef:
    return "new" + std::to_string(e->id);
  case Kind::Accumulator:
    return "acc" + std::to_string(e->id);
  case Kind::FloatConstant:
    return numberText(e->number);
  default:
    if (e->type == Type::I1)
      return e->integer ? "true" : "false";
    return std::to_string(e->integer);
  }
}

static int precedenceOf(Expr e) {
  switch (e->kind) {
  case Kind::Cmp:
    return Comparison;
  case Kind::Add:
  case Kind::Sub:
    return Sum;
  case Kind::Mul:
  case Kind::Div:
    return Factor;
  case Kind::Neg:
    return Negation;
  case Kind::FloatConstant:
    return std::signbit(e->number) ? Negation : Atom;
  case Kind::IntConstant:
    return e->integer < 0 ? Negation : Atom;
  default:
    return Atom;
  }
}

/// The pieces of `e` in reading order.
static std::vector<Piece> expand(Expr e) {
  int own = precedenceOf(e);
  if (e->kind <= Kind::IntConstant)
    return {Piece(leafText(e))};
  if (e->is(Kind::Neg))
    return {Piece("-"), Piece(e->operand(0), Atom)};
  if (own == Sum || own == Factor || own == Comparison)
    return {Piece(e->operand(0), own == Comparison ? Sum : own),
            Piece(operatorText(e)), Piece(e->operand(1), own + 1)};
  std::vector<Piece> pieces{Piece(functionName(e) + "(")};
  for (size_t i = 0; i < e->operands.size(); ++i) {
    if (i)
      pieces.emplace_back(", ");
    pieces.emplace_back(e->operand(i), Comparison);
  }
  pieces.emplace_back(")");
  return pieces;
}

std::string print(Expr e, size_t limit) {
  std::string out;
  std::vector<Piece> pending{Piece(e, Comparison)};
  while (!pending.empty()) {
    if (out.size() > limit) {
      out.resize(limit);
      return out + "...";
    }
    Piece piece = std::move(pending.back());
    pending.pop_back();
    if (!piece.e) {
      out += piece.text;
      continue;
    }
    Expr node = skipWidening(piece.e);
    std::vector<Piece> parts = expand(node);
    if (precedenceOf(node) < piece.least) {
      parts.insert(parts.begin(), Piece("("));
      parts.emplace_back(")");
    }
    for (size_t i = parts.size(); i-- > 0;)
      pending.push_back(std::move(parts[i]));
  }
  return out;
}

} // namespace cascade::algebra
