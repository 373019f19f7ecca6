//===- ElementTypeTest.cpp - Conversions ----------------------------------===//

#include "cascade/Runtime/ElementType.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace cascade::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

uint64_t bitsOf(ElementType type, double value) {
  uint64_t bits = 0;
  storeElement(type, value, &bits);
  return bits;
}

double valueOf(ElementType type, uint64_t bits) {
  return loadElement(type, &bits);
}

TEST(ElementType, NamesRoundTrip) {
  for (unsigned i = 0; i <= unsigned(ElementType::Index); ++i) {
    const ElementType type = ElementType(i);
    EXPECT_EQ(infoOf(type).type, type);
    EXPECT_EQ(parseElementType(nameOf(type)), type);
  }
  EXPECT_FALSE(parseElementType("f31"));
  EXPECT_FALSE(parseElementType(""));
}

TEST(ElementType, EveryNarrowCodeRoundTrips) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F8E4M3FN, ElementType::F8E5M2}) {
    for (uint64_t bits = 0; bits < uint64_t(1) << (8 * byteSize(type));
         ++bits) {
      const double value = valueOf(type, bits);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(valueOf(type, bitsOf(type, value))));
      else
        ASSERT_EQ(bitsOf(type, value), bits) << nameOf(type);
    }
  }
}

TEST(ElementType, F32RoundsAsTheMachineDoes) {
  for (double value : {1.0 / 3, 1e-40, 1.4e-45, 7e-46, 7.1e-46, 3.4028235e38,
                       3.4028236e38, 1e300, -0.0, 0x1.000001p0, 0x1.000003p0}) {
    const float expected = float(value);
    uint32_t bits;
    std::memcpy(&bits, &expected, sizeof(bits));
    EXPECT_EQ(bitsOf(ElementType::F32, value), bits) << value;
  }
}

/// Around every value of a narrow type: halfway to the next one and a bit to
/// either side.
TEST(ElementType, NarrowTypesRoundToNearestEven) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F8E4M3FN, ElementType::F8E5M2}) {
    const uint64_t sign = uint64_t(1) << (8 * byteSize(type) - 1);
    for (uint64_t bits = 0; valueOf(type, bits) < infoOf(type).largest;
         ++bits) {
      const double low = valueOf(type, bits), high = valueOf(type, bits + 1);
      const double half = (low + high) / 2;
      ASSERT_EQ(bitsOf(type, half), bits + (bits & 1)) << nameOf(type);
      ASSERT_EQ(bitsOf(type, std::nextafter(half, 0)), bits) << nameOf(type);
      ASSERT_EQ(bitsOf(type, std::nextafter(half, 1e300)), bits + 1);
      ASSERT_EQ(bitsOf(type, -half), sign | (bits + (bits & 1)));
    }
    EXPECT_EQ(bitsOf(type, 4e-324), 0u);
  }
}

TEST(ElementType, TiesGoToEven) {
  EXPECT_EQ(bitsOf(ElementType::BF16, 1 + 0x1p-8), 0x3f80u);
  EXPECT_EQ(bitsOf(ElementType::BF16, 1 + 3 * 0x1p-8), 0x3f82u);
  EXPECT_EQ(bitsOf(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
  EXPECT_EQ(bitsOf(ElementType::F16, 0x1p-25), 0u);
  EXPECT_EQ(bitsOf(ElementType::F16, 3 * 0x1p-25), 2u);
  EXPECT_EQ(bitsOf(ElementType::F16, 65519.99), 0x7bffu);
  EXPECT_EQ(bitsOf(ElementType::F16, 65520), 0x7c00u);
}

TEST(ElementType, Fp8Saturates) {
  EXPECT_EQ(valueOf(ElementType::F8E4M3FN, 0x7e), 448);
  EXPECT_EQ(bitsOf(ElementType::F8E4M3FN, 1e6), 0x7eu);
  EXPECT_EQ(bitsOf(ElementType::F8E4M3FN, -infinity), 0xfeu);
  EXPECT_EQ(bitsOf(ElementType::F8E5M2, 1e6), 0x7bu);
  EXPECT_EQ(bitsOf(ElementType::F8E5M2, infinity), 0x7cu);
}

TEST(ElementType, NaNStaysNaN) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::F8E4M3FN, ElementType::F8E5M2})
    EXPECT_TRUE(std::isnan(valueOf(type, bitsOf(type, notANumber))));
}

TEST(ElementType, SmallestSubnormals) {
  EXPECT_EQ(smallestSubnormal(ElementType::F32), 0x1p-149);
  EXPECT_EQ(smallestSubnormal(ElementType::F16), 0x1p-24);
  EXPECT_EQ(smallestSubnormal(ElementType::F8E4M3FN), 0x1p-9);
  EXPECT_EQ(smallestSubnormal(ElementType::F64), 4.9406564584124654e-324);
}

TEST(ElementType, IntegersSaturateFromDoubles) {
  EXPECT_EQ(valueOf(ElementType::I8, bitsOf(ElementType::I8, 200)), 127);
  EXPECT_EQ(valueOf(ElementType::I8, bitsOf(ElementType::I8, -200)), -128);
  EXPECT_EQ(valueOf(ElementType::I8, bitsOf(ElementType::I8, -1.9)), -1);
  EXPECT_EQ(bitsOf(ElementType::I64, infinity), uint64_t(INT64_MAX));
  EXPECT_EQ(bitsOf(ElementType::I64, -1e30), uint64_t(INT64_MIN));
  EXPECT_EQ(bitsOf(ElementType::I32, notANumber), 0u);
  EXPECT_EQ(bitsOf(ElementType::I1, 0.25), 1u);
  EXPECT_TRUE(holdsInteger(ElementType::I16, -32768));
  EXPECT_FALSE(holdsInteger(ElementType::I16, 32768));
  EXPECT_FALSE(holdsInteger(ElementType::I1, -1));
}

} // namespace
