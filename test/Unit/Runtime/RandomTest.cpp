//===- RandomTest.cpp - The same numbers everywhere -----------------------===//

#include "cascade/Runtime/Random.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

// From an independent program in another language: see the formulas in
// Random.h. A change of these numbers changes every seeded test.
TEST(Random, PinnedBits) {
  RandomStream random(0, 0);
  EXPECT_EQ(random.bits(0), 0x2130748aaac80268);
  EXPECT_EQ(random.bits(1), 0x97693bfc00425025);
  EXPECT_EQ(random.bits(0, 1), 0xcc78fb979ce5090);
  EXPECT_EQ(RandomStream(7, 3).bits(123456789), 0x8b28a74e72b7ac27);
}

TEST(Random, PinnedNormals) {
  RandomStream random(0, 0);
  EXPECT_EQ(random.normal(0), 0x1.1788afbb5532fp+0);
  EXPECT_EQ(random.normal(1), 0x1.6f47c30e555aap-1);
  EXPECT_EQ(RandomStream(7, 3).normal(123456789), 0x1.77a39b4c41989p-2);
}

TEST(Random, LogIsWithinTwoUlps) {
  for (double x = 0x1p-100; x < 0x1p100; x *= 1.00731) {
    const double expected = std::log(x);
    EXPECT_NEAR(portableLog(x), expected,
                2 * std::fabs(expected) * 0x1p-52 + 0x1p-1000)
        << x;
  }
  EXPECT_EQ(portableLog(1), 0);
}

TEST(Random, Moments) {
  RandomStream random(1, 0);
  const int n = 1 << 18;
  double sum = 0, squares = 0, cubes = 0, fourths = 0, uniform = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal(uint64_t(i));
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
    const double u = random.uniform(uint64_t(i), 8);
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.015);
  EXPECT_NEAR(cubes / n, 0, 0.04);
  EXPECT_NEAR(fourths / n, 3, 0.1);
  EXPECT_NEAR(uniform / n, 0.5, 0.005);
}

TEST(Random, IntegersStayInRange) {
  RandomStream random(2, 0);
  bool seen[7] = {};
  for (uint64_t i = 0; i < 1000; ++i) {
    const int64_t value = random.integer(i, 7);
    ASSERT_TRUE(value >= 0 && value < 7);
    seen[value] = true;
  }
  for (bool one : seen)
    EXPECT_TRUE(one);
  EXPECT_EQ(random.integer(0, 1), 0);
  EXPECT_GE(random.integer(5, INT64_MAX), 0);
}

TEST(Random, SeedsAndArgumentsDiffer) {
  EXPECT_NE(RandomStream(0, 0).bits(0), RandomStream(0, 1).bits(0));
  EXPECT_NE(RandomStream(0, 1).bits(0), RandomStream(1, 0).bits(0));
}

} // namespace
