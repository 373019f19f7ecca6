//===- Tensor.cpp - A dense tensor in host memory -------------------------===//

#include "cascade/Runtime/Tensor.h"

#include <algorithm>
#include <fstream>
#include <new>
#include <stdexcept>

using namespace cascade::runtime;

/// Sizes in bytes up to which nobody asks how much memory is free.
static constexpr int64_t alwaysGranted = int64_t(64) << 20;

std::string cascade::runtime::formatShape(const Shape &shape,
                                          ElementType type) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + nameOf(type);
}

std::string cascade::runtime::formatIndex(const Shape &shape, int64_t linear) {
  std::string text;
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] <= 0)
      return "[]";
    text =
        std::to_string(linear % shape[dim]) + (text.empty() ? "" : ", ") + text;
    linear /= shape[dim];
  }
  return "[" + text + "]";
}

Expected<int64_t> cascade::runtime::countElements(const Shape &shape,
                                                  ElementType type) {
  // A zero extent does not excuse the others: strides would overflow.
  int64_t bytes = byteSize(type);
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return Error::input("shape " + formatShape(shape, type) +
                          " has a negative extent; extents are 0 or more");
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      return Error::input("shape " + formatShape(shape, type) +
                          " takes more than 2^63 bytes; use smaller extents");
  }
  return empty ? 0 : bytes / int64_t(byteSize(type));
}

/// The first number behind `key` in a file of numbers, or the largest there is.
static int64_t readNumber(const char *path, const char *key) {
  std::ifstream file(path);
  std::string word;
  int64_t value;
  while (*key && file >> word && word != key)
    ;
  return file >> value ? value : INT64_MAX;
}

/// Memory that is free, in bytes, as far as Linux says; less than there is is
/// no harm. Linux would grant more and end the process when it is written.
static int64_t availableMemory() {
  const int64_t kibibytes = readNumber("/proc/meminfo", "MemAvailable:");
  int64_t bytes = kibibytes > INT64_MAX / 1024 ? INT64_MAX : kibibytes * 1024;
  // The limit of a container, version 2 and version 1.
  const char *const limits[][2] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
       "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  for (const auto &[limitPath, usagePath] : limits) {
    const int64_t limit = readNumber(limitPath, "");
    const int64_t usage = readNumber(usagePath, "");
    if (limit != INT64_MAX && usage != INT64_MAX)
      bytes = std::min(bytes, std::max<int64_t>(limit - usage, 0));
  }
  return bytes;
}

Expected<Tensor> Tensor::create(ElementType type, Shape shape) {
  Expected<int64_t> count = countElements(shape, type);
  if (!count)
    return count.error();
  const int64_t bytes = *count * int64_t(byteSize(type));
  auto tooLarge = [&] {
    return Error::input("shape " + formatShape(shape, type) + " takes " +
                        std::to_string(bytes) +
                        " bytes, more than this machine has free; use "
                        "smaller extents");
  };
  if (bytes > alwaysGranted && bytes > availableMemory())
    return tooLarge();
  Tensor tensor;
  try {
    tensor.storage.resize(size_t(bytes));
  } catch (const std::bad_alloc &) {
    return tooLarge();
  } catch (const std::length_error &) {
    return tooLarge();
  }
  tensor.elementType = type;
  tensor.extents = std::move(shape);
  return tensor;
}
