//===- TuningChoiceTest.cpp - The fastest of made-up times ----------------===//

#include "cascade/Runtime/TuningChoice.h"

#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

using Times = std::vector<std::optional<double>>;

/// Candidates "m0", "m1"... of `chain` with these times.
TunedCase tunedCase(const std::string &chain, int64_t length,
                    const Times &times) {
  TunedCase result;
  result.key = {chain, "l=?", "f32 -> f32", "h200"};
  result.function = "f";
  result.device = "NVIDIA H200";
  result.dims = {{"l", length}};
  for (size_t i = 0; i < times.size(); ++i)
    result.candidates.push_back(
        {int64_t(i), "m" + std::to_string(i), times[i]});
  return result;
}

/// The entries, or the first error.
Expected<std::vector<TuningEntry>> choose(const std::vector<TunedCase> &cases) {
  TuningChoice choice = chooseEntries(cases);
  if (!choice.errors.empty())
    return choice.errors.front();
  return choice.entries;
}

TEST(TuningChoice, TakesTheFastest) {
  auto entries = choose(
      {tunedCase("a", 8, {3.0, 2.0, 2.5}), tunedCase("b", 8, {1.0, 2.0, 2.5})});
  ASSERT_TRUE(bool(entries)) << entries.error().message();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].mapping, "m1");
  EXPECT_EQ((*entries)[0].measured[0].microseconds, 2.0);
  EXPECT_EQ((*entries)[0].measured[0].modelTime, 3.0);
  EXPECT_EQ((*entries)[1].mapping, "m0");
}

TEST(TuningChoice, WeighsSizesOfOneKeyByRatio) {
  // m1 gains a factor of 3 where times are short and loses one of 1.25 where
  // they are long.
  auto entries = choose(
      {tunedCase("a", 8, {3.0, 1.0}), tunedCase("a", 9, {100.0, 125.0})});
  ASSERT_TRUE(bool(entries)) << entries.error().message();
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].mapping, "m1");
  ASSERT_EQ((*entries)[0].measured.size(), 2u);
  EXPECT_EQ((*entries)[0].measured[1].microseconds, 125.0);
  EXPECT_EQ((*entries)[0].text(),
            "1 us at l=8, 125 us at l=9 measured on NVIDIA H200");
}

TEST(TuningChoice, LeavesOutWhatDidNotRunEverywhere) {
  auto entries = choose({tunedCase("a", 8, {3.0, 1.0, std::nullopt}),
                         tunedCase("a", 9, {3.0, std::nullopt, 1.0})});
  ASSERT_TRUE(bool(entries)) << entries.error().message();
  EXPECT_EQ((*entries)[0].mapping, "m0");
}

TEST(TuningChoice, GoesOnWithoutTheModelsChoice) {
  auto entries = choose({tunedCase("a", 8, {std::nullopt, 1.0})});
  ASSERT_TRUE(bool(entries)) << entries.error().message();
  EXPECT_EQ((*entries)[0].mapping, "m1");
  EXPECT_FALSE((*entries)[0].measured[0].modelTime);
}

TEST(TuningChoice, NeedsOneThatRan) {
  auto entries = choose({tunedCase("a", 8, {std::nullopt, 1.0}),
                         tunedCase("a", 9, {1.0, std::nullopt})});
  ASSERT_FALSE(bool(entries));
  EXPECT_EQ(entries.error().message().find("function 'f': no mapping ran"), 0u)
      << entries.error().message();
}

TEST(TuningChoice, KeepsTheOtherKeys) {
  TuningChoice choice = chooseEntries(
      {tunedCase("a", 8, {std::nullopt}), tunedCase("b", 8, {1.0})});
  EXPECT_EQ(choice.errors.size(), 1u);
  ASSERT_EQ(choice.entries.size(), 1u);
  EXPECT_EQ(choice.entries[0].key.chain, "b");
}

TEST(TuningChoice, KnowsDevicesByTheirNames) {
  EXPECT_TRUE(isDevice("h200", "NVIDIA H200"));
  EXPECT_TRUE(isDevice("h100", "NVIDIA H100 80GB HBM3"));
  EXPECT_FALSE(isDevice("h200", "NVIDIA GH200 480GB"));
  EXPECT_FALSE(isDevice("h200", "NVIDIA H100 PCIe"));
  EXPECT_FALSE(isDevice("", "NVIDIA H200"));
}

} // namespace
