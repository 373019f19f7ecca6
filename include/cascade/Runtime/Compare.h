//===- Compare.h - Is this output right? ------------------------*- C++ -*-===//
//
// An element passes if it agrees with any one reference r: NaN with NaN, an
// infinity with the same one, and finite a with finite r if
//   |a - r| <= rtol |r| + atol.
// Signs of zero are free. Integers agree if they are equal. The default atol is
// rtol times the root mean square of the finite values of the reference, so an
// output of zeros or with two tiles exchanged fails.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_COMPARE_H
#define CASCADE_RUNTIME_COMPARE_H

#include "cascade/Runtime/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace cascade::runtime {

struct Comparison {
  bool passed = false;
  int64_t count = 0;  ///< Elements compared.
  int64_t failed = 0; ///< Elements that agree with no reference.
  /// The element furthest outside its tolerance, or -1.
  int64_t worstIndex = -1;
  double worstActual = 0, worstExpected = 0;
  /// The largest |a - r| / max(|r|, rms r) over elements with a finite a and a
  /// finite r, against the reference nearest to a.
  double maxRelativeError = 0;
  /// "worst relative error 1.2e-07", or
  /// "[3, 17] is 0.1, expected 0.2 (12 of 4096 differ)".
  std::string text;
};

/// The relative tolerance of an output of this type when none is given: f64
/// 1e-10, f32 3e-5, f16 2e-3, bf16 1.6e-2, fp8 0.13, integers 0.
double defaultRelativeTolerance(ElementType type);

/// Compares `actual` with one or more references of the same shape and either
/// the same type or any float type for a float output. An error if types or
/// shapes do not match, or a tolerance is negative or not finite.
Expected<Comparison> compare(const Tensor &actual,
                             const std::vector<const Tensor *> &references,
                             std::optional<double> rtol = std::nullopt,
                             std::optional<double> atol = std::nullopt);

/// Compares the bits of two runs; text is "same bits" or
/// "[3, 17] is 0.1, then 0.2 (12 of 4096 differ)".
Expected<Comparison> compareBits(const Tensor &first, const Tensor &second);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_COMPARE_H
