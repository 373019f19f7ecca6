//===- Timing.h - How long the split test takes -----------------*- C++ -*-===//

#ifndef CASCADE_TEST_LIB_CASCADEORACLE_TIMING_H
#define CASCADE_TEST_LIB_CASCADEORACLE_TIMING_H

namespace cascade::algebra {

/// Prints a table: chains of several lengths, and large expressions.
void timeSplits();

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CASCADEORACLE_TIMING_H
