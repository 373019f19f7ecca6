//===- Shrink.h - The smallest chain that still fails -----------*- C++ -*-===//

#ifndef CASCADE_TEST_LIB_CASCADEORACLE_SHRINK_H
#define CASCADE_TEST_LIB_CASCADEORACLE_SHRINK_H

#include "Chain.h"

#include <functional>
#include <string>

namespace cascade::algebra {

/// Tries operands, constants and elements in the place of every node, and
/// shorter chains, for as long as `fails` holds.
Chain shrink(const Chain &chain, const std::function<bool(Chain &)> &fails);

/// The chain, and what is emitted for its last stage.
std::string describe(Chain &chain);

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CASCADEORACLE_SHRINK_H
