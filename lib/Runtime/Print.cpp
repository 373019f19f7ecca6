//===- Print.cpp - Tensors as text ----------------------------------------===//

#include "cascade/Runtime/Print.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace cascade::runtime;

/// Digits that tell all values of a type of at most 16 bits apart.
static constexpr int maxNarrowDigits = 6;

/// True if `text` reads back as the bits at `element`.
static bool readsBack(ElementType type, const char *begin, const char *end,
                      const unsigned char *element) {
  double value = 0;
  std::from_chars(begin, end, value);
  unsigned char again[8];
  storeElement(type, value, again);
  return std::memcmp(again, element, byteSize(type)) == 0;
}

std::string cascade::runtime::formatValue(ElementType type, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  char buffer[64];
  char *const last = buffer + sizeof(buffer);
  if (type == ElementType::F64)
    return std::string(buffer, std::to_chars(buffer, last, value).ptr);
  if (type == ElementType::F32)
    return std::string(buffer, std::to_chars(buffer, last, float(value)).ptr);
  if (!isFloat(type))
    return std::to_string(int64_t(value));
  unsigned char element[8];
  storeElement(type, value, element);
  for (int digits = 1;; ++digits) {
    char *end =
        std::to_chars(buffer, last, value, std::chars_format::general, digits)
            .ptr;
    if (digits == maxNarrowDigits || readsBack(type, buffer, end, element))
      return std::string(buffer, end);
  }
}

std::string cascade::runtime::formatElement(const Tensor &tensor,
                                            int64_t linear) {
  if (isFloat(tensor.type()))
    return formatValue(tensor.type(), tensor.get(linear));
  return std::to_string(tensor.getInteger(linear));
}

std::string cascade::runtime::formatSpec(const Tensor &tensor) {
  std::string text = formatShape(tensor.shape(), tensor.type()) + "=";
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    if (i != 0)
      text += ' ';
    text += formatElement(tensor, i);
  }
  return text;
}

std::string cascade::runtime::formatOutput(const std::string &name,
                                           const Tensor &tensor) {
  return name + ": " + formatSpec(tensor);
}
