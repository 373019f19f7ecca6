//===- CompareTest.cpp - Which outputs pass -------------------------------===//

#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Spec.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

Tensor tensor(const std::string &text) {
  return *makeTensor(*parseSpec(text), 0, 0);
}

Comparison compareTexts(const std::string &actual,
                        const std::vector<std::string> &references) {
  std::vector<Tensor> values;
  for (const std::string &text : references)
    values.push_back(tensor(text));
  std::vector<const Tensor *> pointers;
  for (const Tensor &value : values)
    pointers.push_back(&value);
  return *compare(tensor(actual), pointers);
}

TEST(Compare, ClassesOfValues) {
  EXPECT_TRUE(
      compareTexts("4xf32=nan inf -inf 0", {"4xf32=nan inf -inf -0"}).passed);
  for (const char *actual :
       {"2xf32=1 nan", "2xf32=nan inf", "2xf32=1 -inf", "2xf32=1 3e38"})
    EXPECT_FALSE(compareTexts(actual, {"2xf32=1 inf"}).passed) << actual;
  EXPECT_FALSE(compareTexts("2xf32=1 inf", {"2xf32=1 3e38"}).passed);
  EXPECT_FALSE(compareTexts("2xf32=1 nan", {"2xf32=1 0"}).passed);
  EXPECT_FALSE(compareTexts("2xf32=1 0", {"2xf32=1 nan"}).passed);
}

TEST(Compare, AllZeroOutputFails) {
  Tensor expected = tensor("64x64xf32=rand");
  Tensor zeros = tensor("64x64xf32=0");
  Comparison result = *compare(zeros, {&expected});
  EXPECT_FALSE(result.passed);
  EXPECT_GT(result.failed, 4000);
  // Also where the values are tiny.
  expected = tensor("64x64xf32=1e-30");
  EXPECT_FALSE(compare(zeros, {&expected})->passed);
}

TEST(Compare, SwappedTileFails) {
  Tensor expected = tensor("4x256xbf16=rand");
  Tensor swapped = expected;
  std::swap_ranges(swapped.data(), swapped.data() + 32, swapped.data() + 32);
  Comparison result = *compare(swapped, {&expected});
  EXPECT_FALSE(result.passed);
  EXPECT_LE(result.failed, 32);
  EXPECT_GE(result.failed, 24);
}

TEST(Compare, HugeRowsExcuseNoOther) {
  // Row 12 is near overflow; zeros in every other row must not pass.
  for (const char *type : {"f32", "bf16"}) {
    Tensor expected = tensor(std::string("38x64x") + type + "=special");
    Tensor actual = expected;
    int64_t changed = 0;
    for (int64_t i = 0; i < actual.size(); ++i) {
      const int64_t pattern = i / 64 % numSpecialPatterns;
      const double value = actual.get(i);
      if (pattern != 12 && std::fabs(value) > 0.5 && std::isfinite(value)) {
        actual.set(i, 0);
        ++changed;
      }
    }
    EXPECT_EQ(compare(actual, {&expected})->failed, changed) << type;
  }
}

TEST(Compare, TypicalSize) {
  EXPECT_EQ(typicalSize(tensor("4xf64=3 -3 3 3")), 3);
  EXPECT_EQ(typicalSize(tensor("4xf64=1 0 nan -inf")), std::sqrt(0.5));
  EXPECT_EQ(typicalSize(tensor("3xf64=1 1 1e300")), 1);
  EXPECT_EQ(typicalSize(tensor("2xf64=1e300 1e300")), 1e300);
  EXPECT_EQ(typicalSize(tensor("1xf64=4e-324")), 4.9406564584124654e-324);
  EXPECT_EQ(typicalSize(tensor("2xf64=0 nan")), 0);
  EXPECT_EQ(typicalSize(tensor("0xf64=")), 0);
}

TEST(Compare, AnyReferenceWillDoElementByElement) {
  EXPECT_TRUE(
      compareTexts("3xf32=1 2 nan", {"3xf32=1 9 nan", "3xf32=7 2 5"}).passed);
  EXPECT_FALSE(
      compareTexts("3xf32=1 3 nan", {"3xf32=1 9 nan", "3xf32=7 2 5"}).passed);
}

TEST(Compare, ReportsTheWorst) {
  Comparison result =
      compareTexts("2x3xf32=1 2 3 4 9 6.5", {"2x3xf32=1 2 3 4 5 6"});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.worstIndex, 4);
  EXPECT_EQ(result.failed, 2);
  EXPECT_EQ(result.text, "[1, 1] is 9, expected 5 (2 of 6 differ)");
  EXPECT_EQ(compareTexts("2x1xf64=1 1.000000000001", {"2x1xf64=1 1"}).text,
            "worst relative error 1e-12 at [1, 0]");
  EXPECT_NEAR(compareTexts("2xf32=1 1.00001", {"2xf32=1 1"}).maxRelativeError,
              1e-5, 1e-7);
  EXPECT_EQ(compareTexts("f32=1", {"f32=2"}).text,
            "[] is 1, expected 2 (1 of 1 differ)");
}

TEST(Compare, IntegersAreExact) {
  EXPECT_TRUE(compareTexts("2xi64=9223372036854775807 0",
                           {"2xi64=9223372036854775807 0"})
                  .passed);
  Comparison result = compareTexts("2xi64=9223372036854775807 0",
                                   {"2xi64=9223372036854775806 0"});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.text, "[0] is 9223372036854775807, expected "
                         "9223372036854775806 (1 of 2 differ)");
}

TEST(Compare, TolerancesGiven) {
  Tensor actual = tensor("2xf32=1 0.2"), expected = tensor("2xf32=1 0");
  EXPECT_FALSE(compare(actual, {&expected}, 0.0, 0.1)->passed);
  EXPECT_TRUE(compare(actual, {&expected}, 0.0, 0.25)->passed);
  EXPECT_FALSE(bool(compare(actual, {&expected}, -1.0)));
  EXPECT_FALSE(bool(compare(actual, {&expected}, 0.0, 1.0 / 0.0)));
}

TEST(Compare, EmptyAndMismatched) {
  EXPECT_TRUE(compareTexts("0xf32=", {"0xf32="}).passed);
  Tensor a = tensor("2xf32=1"), b = tensor("3xf32=1"), c = tensor("2xi32=1");
  EXPECT_FALSE(bool(compare(a, {&b})));
  EXPECT_FALSE(bool(compare(a, {&c})));
  EXPECT_FALSE(bool(compare(a, {})));
  Tensor wide = tensor("2xf64=1");
  EXPECT_TRUE(compare(a, {&wide})->passed);
}

TEST(Compare, Bits) {
  Tensor a = tensor("2xf32=0 nan"), b = tensor("2xf32=-0 nan");
  EXPECT_TRUE(compareBits(a, a)->passed);
  Comparison result = *compareBits(a, b);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.text, "[0] is 0, then -0 (1 of 2 differ)");
}

/// Where the references lie apart, values near them agree; 0 never does.
TEST(Compare, ReferencesApart) {
  Tensor f32 = tensor("2xf32=1 4"), f64 = tensor("2xf32=1.5 4");
  Probes probes;
  probes.moved = {&f64};
  auto passes = [&](const char *actual) {
    return compare(tensor(actual), {&f32, &f64}, 1e-5, std::nullopt, probes)
        ->passed;
  };
  EXPECT_TRUE(passes("2xf32=1.8 4"));
  EXPECT_FALSE(passes("2xf32=0 4"));
  EXPECT_FALSE(passes("2xf32=1 4.1"));
}

TEST(Compare, RelativeErrors) {
  Tensor r = tensor("5xf32=4 0 nan inf -2");
  EXPECT_EQ(relativeError(r, r).text(), "0");
  // A reference of 0 has no relative error.
  RelativeError error = relativeError(tensor("5xf32=5 1 nan inf -2"), r);
  EXPECT_EQ(error.worst, 0.25);
  EXPECT_EQ(error.differ, 0);
  error.add(relativeError(tensor("5xf32=4 0 1 -inf -2"), r));
  EXPECT_EQ(error.text(), "2.5e-01 + 2 differ");
  EXPECT_EQ(relativeError(tensor("2xi32=3 4"), tensor("2xi32=3 5")).differ, 1);
}

TEST(Compare, RoundedAndMovedInputs) {
  std::vector<Tensor> rounded =
      roundTo({tensor("2xf32=1.001 -3"), tensor("1xi32=7")}, ElementType::BF16);
  EXPECT_EQ(rounded[0].get(0), 1);
  EXPECT_EQ(rounded[0].get(1), -3);
  EXPECT_EQ(rounded[1].getInteger(0), 7);

  std::vector<Tensor> moved = {tensor("2xbf16=1 1"), tensor("2xf32=1 1")};
  EXPECT_EQ(moveNarrowByOneUlp(moved, 0), 7u);
  EXPECT_EQ(moved[0].get(0), 1 - 0x1p-7);
  EXPECT_EQ(moved[0].get(1), 1 + 0x1p-7);
  EXPECT_EQ(moved[1].get(0), 1);
  std::vector<Tensor> wide = {tensor("2xf32=1 1")};
  EXPECT_EQ(moveNarrowByOneUlp(wide, 0), std::nullopt);
}

} // namespace
