//===- data.h - Buffers of which every sum is known -----------------------===//

#ifndef CALIBRATE_DATA_H
#define CALIBRATE_DATA_H

#include "common.h"

namespace calibrate {

/// Word i of such a buffer is i * scramble, modulo 2^32.
constexpr uint32_t scramble = 2654435761u;

/// The sum of the first `words` words, modulo 2^32.
uint32_t sumOfWords(uint64_t words);

/// Queues the kernel that fills `bytes` (a multiple of 16) at `data`.
void fill(const Device &device, uint4 *data, size_t bytes);

/// The sum modulo 2^32 of the first `length` values of `sums`.
uint32_t total(const Buffer<uint32_t> &sums, size_t length);

/// Empty if `sum` is `expected`, else a reason.
std::string compareSums(uint32_t sum, uint32_t expected);

} // namespace calibrate

#endif // CALIBRATE_DATA_H
