//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Versions 1 and 2, little endian, C order. Element types map to
//   f64 <f8   f32 <f4   f16 <f2   bf16 <u2   f8E4M3FN, f8E5M2 |u1
//   i64, index <i8   i32 <i4   i16 <i2   i8 |i1   i1 |b1
// and a reader takes <uN for iN, |u1 for i1, and raw voids (|V2, |V1) for bf16
// and fp8.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_NPY_H
#define CASCADE_RUNTIME_NPY_H

#include "cascade/Runtime/Tensor.h"

#include <string>

namespace cascade::runtime {

/// What the header of a .npy file says.
struct NpyHeader {
  std::string descr;     ///< For instance "<f4".
  Shape shape;           ///< Not yet checked against the file's length.
  size_t dataOffset = 0; ///< In bytes from the start of the file.
};

/// Reads and checks the header of `path`.
Expected<NpyHeader> readNpyHeader(const std::string &path);

/// Reads `path` as a tensor of `type`. The file must hold exactly the bytes
/// that its header promises.
Expected<Tensor> readNpy(const std::string &path, ElementType type);

/// Writes `tensor` to `path`, in version 1.
Error writeNpy(const std::string &path, const Tensor &tensor);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_NPY_H
