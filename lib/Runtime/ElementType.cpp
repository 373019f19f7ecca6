//===- ElementType.cpp - Element types and their numbers ------------------===//

#include "cascade/Runtime/ElementType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace cascade::runtime;

static const ElementTypeInfo table[] = {
    {ElementType::F64, "f64", 8, 11, 52, 0x1.fffffffffffffp1023},
    {ElementType::F32, "f32", 4, 8, 23, 0x1.fffffep127},
    {ElementType::F16, "f16", 2, 5, 10, 65504},
    {ElementType::BF16, "bf16", 2, 8, 7, 0x1.fep127},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, 4, 3, 448},
    {ElementType::F8E5M2, "f8E5M2", 1, 5, 2, 57344},
    {ElementType::I64, "i64", 8, 0, 0, 0x1p63},
    {ElementType::I32, "i32", 4, 0, 0, 2147483647},
    {ElementType::I16, "i16", 2, 0, 0, 32767},
    {ElementType::I8, "i8", 1, 0, 0, 127},
    {ElementType::I1, "i1", 1, 0, 0, 1},
    {ElementType::Index, "index", 8, 0, 0, 0x1p63}};

const ElementTypeInfo &cascade::runtime::infoOf(ElementType type) {
  return table[static_cast<unsigned>(type)];
}

std::optional<ElementType>
cascade::runtime::parseElementType(std::string_view name) {
  for (const ElementTypeInfo &info : table)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

std::string cascade::runtime::listElementTypes() {
  std::string text;
  for (const ElementTypeInfo &info : table)
    text += (text.empty() ? "" : ", ") + std::string(info.name);
  return text;
}

template <typename T>
static T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
static void writeAs(T value, void *to) {
  std::memcpy(to, &value, sizeof(T));
}

static int biasOf(const ElementTypeInfo &info) {
  return (1 << (info.exponentBits - 1)) - 1;
}

/// f8E4M3FN gives the codes of infinities to numbers; only S.1111.111 is NaN.
static bool hasInfinity(const ElementTypeInfo &info) {
  return info.type != ElementType::F8E4M3FN;
}

static bool saturates(const ElementTypeInfo &info) { return info.bytes == 1; }

double cascade::runtime::smallestSubnormal(ElementType type) {
  const ElementTypeInfo &info = infoOf(type);
  return std::ldexp(1.0, 1 - biasOf(info) - int(info.mantissaBits));
}

//===----------------------------------------------------------------------===//
// Floats of at most 32 bits
//===----------------------------------------------------------------------===//

static double decodeFloat(const ElementTypeInfo &info, uint32_t bits) {
  const unsigned mantissaBits = info.mantissaBits;
  const uint32_t exponentMask = (1u << info.exponentBits) - 1;
  const uint32_t mantissaMask = (1u << mantissaBits) - 1;
  const bool negative = bits >> (info.exponentBits + mantissaBits) & 1;
  const uint32_t exponent = bits >> mantissaBits & exponentMask;
  const uint32_t mantissa = bits & mantissaMask;

  // Of a normal number, as a double.
  const uint64_t wide = uint64_t(int(exponent) - biasOf(info) + 1023) << 52 |
                        uint64_t(mantissa) << (52 - mantissaBits);
  double value;
  if (exponent == exponentMask && hasInfinity(info))
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == exponentMask && mantissa == mantissaMask)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - biasOf(info) - int(mantissaBits));
  else
    value = readAs<double>(&wide);
  return negative ? -value : value;
}

static uint32_t encodeFloat(const ElementTypeInfo &info, double value) {
  const unsigned mantissaBits = info.mantissaBits;
  const uint32_t exponentMask = (1u << info.exponentBits) - 1;
  const uint32_t sign = uint32_t(std::signbit(value))
                        << (info.exponentBits + mantissaBits);
  const uint32_t infinity = exponentMask << mantissaBits;
  // All mantissa bits set is a NaN in every type.
  if (std::isnan(value))
    return sign | infinity | ((1u << mantissaBits) - 1);

  const double magnitude = std::fabs(value);
  const uint32_t largest =
      hasInfinity(info) ? infinity - 1 : infinity | ((1u << mantissaBits) - 2);
  if (std::isinf(value))
    return sign | (hasInfinity(info) ? infinity : largest);
  if (magnitude == 0)
    return sign;

  // magnitude = significand 2^(doubleExponent - 52). A double below its normals
  // is far below half of the smallest subnormal here, so that its missing
  // hidden bit does not matter.
  const uint64_t bits = readAs<uint64_t>(&magnitude);
  const int doubleExponent = int(bits >> 52) - 1023;
  const uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1)
                                                                        << 52;
  // The unit in the last place is 2^(exponent - mantissaBits), fixed below the
  // normals; what is below it is rounded off to nearest, ties to even.
  const int exponent = std::max(doubleExponent, 1 - biasOf(info));
  const int dropped = 52 - int(mantissaBits) + exponent - doubleExponent;
  if (dropped > 53)
    return sign;
  uint64_t steps = significand >> dropped;
  const uint64_t rest = significand - (steps << dropped);
  const uint64_t half = uint64_t(1) << (dropped - 1);
  steps += rest > half || (rest == half && (steps & 1));
  // Counted in units, codes are consecutive: a carry moves to the next
  // exponent, and a subnormal has the exponent field 0 and no hidden bit.
  const uint64_t code =
      steps + (uint64_t(exponent - (1 - biasOf(info))) << mantissaBits);
  if (code > largest)
    return sign | (saturates(info) ? largest : infinity);
  return sign | uint32_t(code);
}

double cascade::runtime::loadElement(ElementType type, const void *from) {
  const ElementTypeInfo &info = infoOf(type);
  if (!isFloat(type))
    return double(loadInteger(type, from));
  switch (info.bytes) {
  case 8:
    return readAs<double>(from);
  case 4:
    return readAs<float>(from);
  case 2:
    return decodeFloat(info, readAs<uint16_t>(from));
  default:
    return decodeFloat(info, readAs<uint8_t>(from));
  }
}

static void storeRounded(const ElementTypeInfo &info, double value, void *to) {
  // 2^63 itself is out of range, though no double lies between.
  const double limit = info.bytes == 8 ? 0x1p63 : info.largest + 1;
  int64_t integer;
  if (info.type == ElementType::I1)
    integer = !(value == 0 || std::isnan(value));
  else if (std::isnan(value))
    integer = 0;
  else if (value >= limit)
    integer = info.bytes == 8 ? std::numeric_limits<int64_t>::max()
                              : int64_t(info.largest);
  else if (value <= -limit)
    integer = info.bytes == 8 ? std::numeric_limits<int64_t>::min()
                              : -int64_t(info.largest) - 1;
  else
    integer = int64_t(value);
  storeInteger(info.type, integer, to);
}

void cascade::runtime::storeElement(ElementType type, double value, void *to) {
  const ElementTypeInfo &info = infoOf(type);
  if (!isFloat(type))
    return storeRounded(info, value, to);
  switch (info.bytes) {
  case 8:
    return writeAs(value, to);
  case 4:
    return writeAs(encodeFloat(info, value), to);
  case 2:
    return writeAs(uint16_t(encodeFloat(info, value)), to);
  default:
    return writeAs(uint8_t(encodeFloat(info, value)), to);
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

int64_t cascade::runtime::loadInteger(ElementType type, const void *from) {
  if (type == ElementType::I1)
    return readAs<uint8_t>(from) & 1;
  switch (byteSize(type)) {
  case 8:
    return readAs<int64_t>(from);
  case 4:
    return readAs<int32_t>(from);
  case 2:
    return readAs<int16_t>(from);
  default:
    return readAs<int8_t>(from);
  }
}

void cascade::runtime::storeInteger(ElementType type, int64_t value, void *to) {
  if (type == ElementType::I1)
    return writeAs(uint8_t(value & 1), to);
  switch (byteSize(type)) {
  case 8:
    return writeAs(value, to);
  case 4:
    return writeAs(int32_t(value), to);
  case 2:
    return writeAs(int16_t(value), to);
  default:
    return writeAs(int8_t(value), to);
  }
}

bool cascade::runtime::holdsInteger(ElementType type, int64_t value) {
  if (type == ElementType::I1)
    return value == 0 || value == 1;
  const unsigned bits = 8 * byteSize(type);
  if (bits == 64)
    return true;
  const int64_t limit = int64_t(1) << (bits - 1);
  return value >= -limit && value < limit;
}
