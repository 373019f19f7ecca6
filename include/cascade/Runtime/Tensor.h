//===- Tensor.h - A dense tensor in host memory -----------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_TENSOR_H
#define CASCADE_RUNTIME_TENSOR_H

#include "cascade/Runtime/ElementType.h"
#include "cascade/Runtime/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cascade::runtime {

/// Extents, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// "4x8xf32", or "f32" for a scalar.
std::string formatShape(const Shape &shape, ElementType type);

/// "[3, 17]": the indices of element number `linear` of a row-major tensor.
std::string formatIndex(const Shape &shape, int64_t linear);

/// The number of elements; an error if an extent is negative or the size in
/// bytes does not fit in 63 bits.
Expected<int64_t> countElements(const Shape &shape, ElementType type);

/// A row-major tensor without padding.
class Tensor {
public:
  /// A tensor of no elements.
  Tensor() : extents{0} {}

  /// A tensor of zeros; an error if it does not fit in memory.
  static Expected<Tensor> create(ElementType type, Shape shape);

  ElementType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  int64_t size() const {
    return static_cast<int64_t>(storage.size() / byteSize(elementType));
  }
  size_t sizeInBytes() const { return storage.size(); }
  uint8_t *data() { return storage.data(); }
  const uint8_t *data() const { return storage.data(); }

  /// Element access by row-major number; `linear` is in [0, size()).
  double get(int64_t linear) const {
    return loadElement(elementType, at(linear));
  }
  void set(int64_t linear, double value) {
    storeElement(elementType, value, at(linear));
  }
  int64_t getInteger(int64_t linear) const {
    return loadInteger(elementType, at(linear));
  }
  void setInteger(int64_t linear, int64_t value) {
    storeInteger(elementType, value, at(linear));
  }

private:
  uint8_t *at(int64_t linear) {
    return storage.data() + linear * byteSize(elementType);
  }
  const uint8_t *at(int64_t linear) const {
    return storage.data() + linear * byteSize(elementType);
  }

  ElementType elementType = ElementType::F32;
  Shape extents;
  std::vector<uint8_t> storage;
};

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_TENSOR_H
