//===- Shrink.h - The smallest chain that still fails ---------*- C++ -*-===//

#ifndef CASCADE_TEST_SHRINK_H
#define CASCADE_TEST_SHRINK_H

#include "Chain.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cascade::test {

/// Makes `chain` simpler, one change at a time, while `fails` holds: fewer
/// outputs, no predicates, operands instead of operations, simpler inputs.
Chain shrink(Chain chain, llvm::function_ref<bool(const Chain &)> fails);

} // namespace cascade::test

#endif // CASCADE_TEST_SHRINK_H
