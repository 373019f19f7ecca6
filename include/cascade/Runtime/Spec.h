//===- Spec.h - Tensors written on a command line ---------------*- C++ -*-===//
//
//   spec   ::= (shape-and-type? `=`)? values
//   shape-and-type ::= (extent `x`)* element-type            4x8xf32, f32
//   values ::= number ((` ` | `,`) number)*    row-major; one number is a splat
//            | `@` path        a .npy file; bf16 and fp8 as raw bit patterns
//            | `rand`          standard normal; of integers, from -8 to 8
//            | `uniform`       uniform in [0, 1); of integers, 0 or 1
//            | `randint:` N    integers, uniform in [0, N)
//            | `iota`          0, 1, 2...
//            | `special`       adversarial rows, below
//   number ::= decimal | `nan` | `inf` | `-inf` | `true` | `false`
//
// `special` fills row r (rows run along the last axis) with pattern
// (r + seed) mod 19:
//    0 standard normal                     10 all zeros
//    1 ascending from -4 to 4              11 zero but for the last
//    2 descending from 4 to -4             12 huge: +- largest / 8
//    3 normal, last element 30 larger      13 tiny: subnormals of the type
//    4 first half -inf                     14 negative only
//    5 all -inf                            15 mean 10000, deviation 1
//    6 normal, a NaN at the end            16 large, of alternating sign
//    7 normal, a NaN at the start          17 first 3/4 -inf, then about -200
//    8 normal, +inf in the middle          18 inf and -inf among normals
//    9 all equal
// rounded to the element type (f8E4M3FN has no infinity and takes its largest
// value); integers are small random numbers in every row.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_SPEC_H
#define CASCADE_RUNTIME_SPEC_H

#include "cascade/Runtime/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cascade::runtime {

enum class SpecKind { Values, File, Rand, Uniform, RandInt, Iota, Special };

/// The number of patterns of `special`.
inline constexpr int64_t numSpecialPatterns = 19;

/// A parsed spec. Its numbers stay text until the element type is known.
struct Spec {
  std::string text;                ///< As written.
  std::optional<ElementType> type; ///< Absent: given by the user of the spec.
  std::optional<Shape> shape;      ///< Absent exactly when `type` is.
  SpecKind kind = SpecKind::Values;
  std::vector<std::string> values; ///< Values.
  std::string path;                ///< File.
  int64_t bound = 0;               ///< RandInt.
};

/// Parses `text`; reads no file.
Expected<Spec> parseSpec(std::string_view text);

/// A spec for the argument of a function called `name`, or, if that is empty,
/// for the next one.
struct NamedSpec {
  std::string name;
  Spec spec;
};

/// Parses `x=SPEC` or `SPEC`. What can be a shape and type is one: an argument
/// called "f32" has no name here.
Expected<NamedSpec> parseNamedSpec(std::string_view text);

/// Parses "4x8xf32" or "f32" to a shape and a type.
Expected<std::pair<Shape, ElementType>>
parseShapeAndType(std::string_view text);

/// The shape that the spec itself fixes: the written one or that of its .npy
/// file; nothing if neither.
Expected<std::optional<Shape>> shapeOf(const Spec &spec);

/// Builds the tensor of `spec`. `type` and `shape` are what the argument needs;
/// a spec that says otherwise is an error. `argument` numbers the inputs from 0
/// and makes their random numbers differ.
Expected<Tensor> makeTensor(const Spec &spec, ElementType type,
                            const Shape &shape, uint64_t seed,
                            uint64_t argument);

/// The same for a spec that writes its own shape and type.
Expected<Tensor> makeTensor(const Spec &spec, uint64_t seed, uint64_t argument);

/// Fills `tensor` as `special` does.
void fillSpecial(Tensor &tensor, uint64_t seed, uint64_t argument);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_SPEC_H
