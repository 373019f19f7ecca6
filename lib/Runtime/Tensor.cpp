//===- Tensor.cpp - A dense tensor in host memory -------------------------===//

#include "cascade/Runtime/Tensor.h"

#include <new>
#include <stdexcept>
#include <unistd.h>

using namespace cascade::runtime;

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

/// Memory of this machine in bytes. More than that is not worth a try: Linux
/// would grant it and end the process when it is written.
static int64_t physicalMemory() {
  int64_t pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGESIZE);
  int64_t bytes;
  if (pages <= 0 || pageSize <= 0 ||
      __builtin_mul_overflow(pages, pageSize, &bytes))
    return INT64_MAX;
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
                        " bytes, more than this machine has; use smaller "
                        "extents");
  };
  if (bytes > physicalMemory())
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
