//===- Spec.cpp - Parses tensors written on a command line ----------------===//

#include "cascade/Runtime/Spec.h"
#include "cascade/Runtime/Npy.h"

#include <charconv>

using namespace cascade::runtime;

/// MLIR's own limit is far higher; nothing has more dimensions than this.
static constexpr size_t maxRank = 32;

static std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

Expected<std::pair<Shape, ElementType>>
cascade::runtime::parseShapeAndType(std::string_view text) {
  const std::string whole(text);
  auto wrong = [&](const std::string &why) {
    return Error::input("'" + whole + "' is no shape and type: " + why);
  };
  // An extent starts with a digit, a type does not ("index" contains an x).
  Shape shape;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    size_t x = text.find('x');
    if (x == std::string_view::npos)
      return wrong("write the element type last, as in 4x8xf32");
    std::optional<int64_t> extent = parseInteger(text.substr(0, x));
    if (!extent)
      return wrong("'" + std::string(text.substr(0, x)) +
                   "' is no extent; write a number of 0 to 2^63 - 1");
    shape.push_back(*extent);
    if (shape.size() > maxRank)
      return wrong("it has more than " + std::to_string(maxRank) +
                   " dimensions; use fewer");
    text.remove_prefix(x + 1);
  }
  std::optional<ElementType> type = parseElementType(text);
  if (!type)
    return wrong("unknown element type '" + std::string(text) +
                 "'; write one of " + listElementTypes());
  if (Expected<int64_t> count = countElements(shape, *type); !count)
    return count.error();
  return std::make_pair(shape, *type);
}

static Error parseValues(std::string_view text, Spec &spec) {
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find_first_of(" ,\t\n", at);
    if (end == std::string_view::npos)
      end = text.size();
    if (end > at)
      spec.values.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (spec.values.empty() && !spec.shape)
    return Error::input("the spec '" + spec.text +
                        "' is empty; write values, @file.npy, rand, uniform, "
                        "randint:N, iota or special");
  return Error::success();
}

Expected<Spec> cascade::runtime::parseSpec(std::string_view text) {
  Spec spec;
  spec.text = text;
  std::string_view values = text;
  // A path may contain '='.
  size_t equals = text.find('=');
  if (equals != std::string_view::npos && text[0] != '@') {
    values = text.substr(equals + 1);
    if (equals != 0) {
      auto shapeAndType = parseShapeAndType(text.substr(0, equals));
      if (!shapeAndType)
        return shapeAndType.error().in("spec '" + spec.text + "'");
      spec.shape = shapeAndType->first;
      spec.type = shapeAndType->second;
    }
  }

  static constexpr std::string_view randInt = "randint:";
  if (values == "rand") {
    spec.kind = SpecKind::Rand;
  } else if (values == "uniform") {
    spec.kind = SpecKind::Uniform;
  } else if (values == "iota") {
    spec.kind = SpecKind::Iota;
  } else if (values == "special") {
    spec.kind = SpecKind::Special;
  } else if (!values.empty() && values[0] == '@') {
    spec.kind = SpecKind::File;
    spec.path = values.substr(1);
    if (spec.path.empty())
      return Error::input("the spec '" + spec.text +
                          "' names no file; write @file.npy");
  } else if (values.substr(0, randInt.size()) == randInt) {
    spec.kind = SpecKind::RandInt;
    std::optional<int64_t> bound = parseInteger(values.substr(randInt.size()));
    if (!bound || *bound <= 0)
      return Error::input("the spec '" + spec.text +
                          "' needs a bound of 1 or more, as in randint:100");
    spec.bound = *bound;
  } else if (Error error = parseValues(values, spec)) {
    return error;
  }
  return spec;
}

Expected<NamedSpec> cascade::runtime::parseNamedSpec(std::string_view text) {
  NamedSpec named;
  const size_t equals = text.find('=');
  if (equals != std::string_view::npos && equals != 0 && text[0] != '@') {
    const std::string_view head = text.substr(0, equals);
    const bool isDigit = head[0] >= '0' && head[0] <= '9';
    if (!isDigit && !parseElementType(head)) {
      named.name = head;
      text.remove_prefix(equals + 1);
    }
  }
  Expected<Spec> spec = parseSpec(text);
  if (!spec)
    return named.name.empty() ? spec.error()
                              : spec.error().in("'" + named.name + "'");
  named.spec = std::move(*spec);
  return named;
}

Expected<std::optional<Shape>> cascade::runtime::shapeOf(const Spec &spec) {
  if (spec.shape || spec.kind != SpecKind::File)
    return spec.shape;
  Expected<NpyHeader> header = readNpyHeader(spec.path);
  if (!header)
    return header.error();
  return std::optional<Shape>(header->shape);
}
