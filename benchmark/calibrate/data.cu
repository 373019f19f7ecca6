//===- data.cu - Buffers of which every sum is known ----------------------===//

#include "data.h"

#include "ptx.h"
#include "timer.h"

using namespace calibrate;

/// n (n - 1) / 2 words' indices add up; the even factor is halved first, so
/// that the division is exact modulo 2^32.
uint32_t calibrate::sumOfWords(uint64_t words) {
  const uint64_t half = words % 2 == 0 ? words / 2 : words;
  const uint64_t other = words % 2 == 0 ? words - 1 : (words - 1) / 2;
  return uint32_t(half) * uint32_t(other) * scramble;
}

static __global__ void fillWords(uint4 *data, size_t count) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const uint32_t word = uint32_t(i) * 4 * scramble;
    data[i] = make_uint4(word, word + scramble, word + 2 * scramble,
                         word + 3 * scramble);
  }
}

void calibrate::fill(const Device &device, uint4 *data, size_t bytes) {
  launch(fillWords, {device.sms * readerBlocks, readerThreads}, data,
         bytes / sizeof(uint4));
}

uint32_t calibrate::total(const Buffer<uint32_t> &sums, size_t length) {
  uint32_t sum = 0;
  for (uint32_t value : sums.read(length))
    sum += value;
  return sum;
}

std::string calibrate::compareSums(uint32_t sum, uint32_t expected) {
  return sum == expected
             ? ""
             : "the sum of what was read is " + std::to_string(sum) +
                   " instead of " + std::to_string(expected);
}
