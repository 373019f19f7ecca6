//===- Compare.h - Is this output right? ------------------------*- C++ -*-===//
//
// An element passes if it agrees with any one reference r: NaN with NaN, an
// infinity with the same one, and finite a with finite r if
//   |a - r| <= rtol |r| + atol.
// Signs of zero are free. Integers agree if they are equal. The default atol is
// rtol times the typical size of the reference: the root mean square of its
// finite values, so an output of zeros or with two tiles exchanged fails.
// Values more than 2^10 times the median are left out of it, or one row near
// overflow would excuse every other row.
//
// The order in which a reduction combines its values is free. So where one
// reference overflows and another does not, any value that is not finite
// passes; so it does where the references do not overflow but would for inputs
// 16 times as large, or do but would not for inputs 2^-80 times as large
// (`larger`, `smaller`). And where terms cancel, an element may be as far off
// as the reference moves when its inputs move by one unit in the last place
// (`moved`), times eight; or as the references lie apart, times eight, up to a
// quarter of it.
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
  /// The largest |a - r| / max(|r|, typical size) over elements with a finite a
  /// and a finite r, against the reference nearest to a.
  double maxRelativeError = 0;
  /// "worst relative error 1.2e-07 at [3, 17]", or
  /// "[3, 17] is 0.1, expected 0.2 (12 of 4096 differ)".
  std::string text;
};

/// The relative tolerance of an output of this type when none is given: f64
/// 1e-10, f32 3e-5, f16 2e-3, bf16 1.6e-2, fp8 0.13, integers 0.
double defaultRelativeTolerance(ElementType type);

/// The root mean square of the finite values whose binary exponent is at most
/// 10 above the median exponent of the nonzero ones; 0 if there are none.
double typicalSize(const Tensor &tensor);

/// Compares `actual` with one or more references of the same shape and either
/// the same type or any float type for a float output. An error if types or
/// shapes do not match, or a tolerance is negative or not finite.
/// What references give for other inputs, to tell rounding and overflow, which
/// depend on the order of combining, from errors. Missing ones excuse nothing.
struct Probes {
  std::vector<const Tensor *> moved; ///< the last reference, of moveByOneUlp
  const Tensor *larger = nullptr;    ///< the first reference, of scale(16)
  const Tensor *smaller = nullptr;   ///< the last reference, of scale(2^-80)
};

Expected<Comparison> compare(const Tensor &actual,
                             const std::vector<const Tensor *> &references,
                             std::optional<double> rtol = std::nullopt,
                             std::optional<double> atol = std::nullopt,
                             const Probes &probes = {});

/// `tensors` with their floats multiplied by `factor`.
std::vector<Tensor> scale(std::vector<Tensor> tensors, double factor);

/// `tensors` with their f16, bf16 and fp8 elements moved by one unit in the
/// last place: what rounding to f32 does, 2^(23 - m) times as large, for m
/// mantissa bits. Nothing where no tensor is of such a type; else m of the
/// widest one.
std::optional<unsigned> moveNarrowByOneUlp(std::vector<Tensor> &tensors,
                                           int kind);

/// `tensors` with their f32 and f64 elements moved by one unit in the last
/// place, up or down in a pattern of `kind` (0, 1, ...); f64 elements by that
/// of f32 if `asF32`.
std::vector<Tensor> moveByOneUlp(std::vector<Tensor> tensors, int kind,
                                 bool asF32 = false);

/// `tensors` with their f32 and f64 elements rounded to the float `type`, as if
/// they came in it.
std::vector<Tensor> roundTo(std::vector<Tensor> tensors, ElementType type);

/// How far results are from a reference, without a tolerance.
struct RelativeError {
  /// The largest |a - r| / |r| over elements with a finite a and a finite r
  /// that is not 0.
  double worst = 0;
  /// Elements of which a or r alone is NaN or infinite; integers that differ.
  int64_t differ = 0;

  void add(const RelativeError &other);
  std::string text() const; ///< "0", "1.2e-07", "1.2e-07 + 3 differ"
};

/// Of tensors of the same shape, both of floats or both of integers.
RelativeError relativeError(const Tensor &actual, const Tensor &reference);

/// Compares the bits of two runs; text is "same bits" or
/// "[3, 17] is 0.1, then 0.2 (12 of 4096 differ)".
Expected<Comparison> compareBits(const Tensor &first, const Tensor &second);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_COMPARE_H
