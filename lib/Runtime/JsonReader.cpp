//===- JsonReader.cpp - JSON values that know where they are --------------===//

#include "JsonReader.h"

#include <cmath>
#include <limits>

using namespace cascade::runtime;

/// Deeper expressions are a mistake, and recursion has an end.
static constexpr unsigned maxExprDepth = 64;

void JsonReader::fail(const std::string &why) const {
  if (!status.error)
    status.error = (path.empty() ? "" : path + ": ") + why;
}

void JsonReader::expectKeys(std::initializer_list<const char *> keys) const {
  if (!value)
    return;
  if (!value->is_object())
    return fail("expected an object");
  std::string known;
  for (const char *key : keys)
    known += (known.empty() ? "" : ", ") + std::string(key);
  for (auto it = value->begin(); it != value->end(); ++it) {
    bool found = false;
    for (const char *key : keys)
      found |= it.key() == key;
    if (!found)
      return fail("unknown key '" + it.key() + "'; known are " + known);
  }
}

bool JsonReader::has(const char *key) const {
  return value && value->is_object() && value->contains(key);
}

std::optional<JsonReader> JsonReader::find(const char *key) const {
  if (!has(key))
    return std::nullopt;
  return JsonReader(status, &(*value)[key],
                    path.empty() ? key : path + "." + key);
}

JsonReader JsonReader::at(const char *key) const {
  if (std::optional<JsonReader> member = find(key))
    return *member;
  if (value)
    fail(value->is_object() ? "missing key '" + std::string(key) + "'"
                            : "expected an object");
  return JsonReader(status, nullptr, path);
}

std::vector<JsonReader>
JsonReader::elements(const char *what, std::optional<size_t> count) const {
  std::vector<JsonReader> list;
  if (!value)
    return list;
  if (!value->is_array() || (count && value->size() != *count)) {
    fail("expected " + (count ? std::to_string(*count) : "a list of") + " " +
         what);
    return list;
  }
  for (size_t i = 0; i < value->size(); ++i)
    list.emplace_back(status, &(*value)[i],
                      path + "[" + std::to_string(i) + "]");
  return list;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> list;
  if (value && !value->is_object())
    fail("expected an object");
  if (value && value->is_object())
    for (auto it = value->begin(); it != value->end(); ++it)
      list.emplace_back(it.key(),
                        JsonReader(status, &*it, path + "." + it.key()));
  return list;
}

std::string JsonReader::string() const {
  if (!value)
    return "";
  if (!value->is_string()) {
    fail("expected a string");
    return "";
  }
  return value->get<std::string>();
}

std::string JsonReader::name() const {
  std::string text = string();
  if (isString() && text.empty())
    fail("expected a name, not an empty string");
  return text;
}

bool JsonReader::boolean() const {
  if (value && !value->is_boolean())
    fail("expected true or false");
  return value && value->is_boolean() && value->get<bool>();
}

int64_t JsonReader::integer(int64_t low, int64_t high) const {
  if (!value)
    return low;
  const bool fits =
      value->is_number_integer() &&
      !(value->is_number_unsigned() &&
        value->get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()));
  const int64_t number = fits ? value->get<int64_t>() : low;
  if (!fits || number < low || number > high) {
    fail("expected a whole number from " + std::to_string(low) + " to " +
         std::to_string(high));
    return low;
  }
  return number;
}

double JsonReader::positive() const {
  if (!value)
    return 1;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (number > 0 && std::isfinite(number))
    return number;
  fail("expected a finite number above 0");
  return 1;
}

static std::optional<ExprKind> parseExprKind(const std::string &name) {
  for (ExprKind kind :
       {ExprKind::Add, ExprKind::Sub, ExprKind::Mul, ExprKind::CeilDiv,
        ExprKind::FloorDiv, ExprKind::Mod, ExprKind::Min, ExprKind::Max})
    if (name == nameOf(kind))
      return kind;
  return std::nullopt;
}

DimExpr JsonReader::expr(unsigned depth) const {
  if (!value)
    return DimExpr();
  if (value->is_string())
    return DimExpr::dim(name());
  if (value->is_number())
    return DimExpr::constant(integer(std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int64_t>::max()));
  if (!value->is_array() || value->empty() || !(*value)[0].is_string() ||
      depth == maxExprDepth) {
    fail(depth == maxExprDepth
             ? "expression is nested too deeply"
             : "expected an expression: a number, the name of a dim, "
               "[\"resident\"] or [\"add\", a, b]");
    return DimExpr();
  }
  const std::string head = (*value)[0].get<std::string>();
  if (head == "resident" && value->size() == 1)
    return DimExpr::resident();
  std::optional<ExprKind> kind = parseExprKind(head);
  if (!kind || value->size() != 3) {
    fail(kind ? "'" + head + "' takes two operands"
              : "unknown expression '" + head +
                    "'; known are resident, add, sub, mul, ceildiv, floordiv, "
                    "mod, min, max");
    return DimExpr();
  }
  std::vector<JsonReader> list = elements("operands");
  return DimExpr::binary(*kind, list[1].expr(depth + 1),
                         list[2].expr(depth + 1));
}
