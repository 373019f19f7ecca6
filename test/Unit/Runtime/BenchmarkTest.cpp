//===- BenchmarkTest.cpp - What needs no device ---------------------------===//

#include "cascade/Runtime/Benchmark.h"

#include <gtest/gtest.h>

using namespace cascade::runtime;

TEST(Benchmark, QuantilesAreNearestRanks) {
  const TimeSummary summary = summarise({9, 1, 8, 2, 7, 3, 6, 4, 5, 10});
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.p10, 1);
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.p90, 9);
}

TEST(Benchmark, OneTimeIsEveryQuantile) {
  const TimeSummary summary = summarise({3});
  EXPECT_EQ(summary.p10, 3);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.p90, 3);
}

TEST(Benchmark, RunsTakeSetsInTurnOnlyWithAFlushedCache) {
  BenchmarkOptions options;
  EXPECT_EQ(options.sets(1 << 20), 1u);
  options.flushL2 = true;
  EXPECT_EQ(options.sets(1 << 20), 3u);
  EXPECT_EQ(options.sets(int64_t(1) << 40), 1u);
}
