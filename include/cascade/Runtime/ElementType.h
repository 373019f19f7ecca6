//===- ElementType.h - Element types and their numbers ----------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_ELEMENTTYPE_H
#define CASCADE_RUNTIME_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cascade::runtime {

enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  I1,
  Index
};

/// What a type is made of. Floats are 1 + exponentBits + mantissaBits wide.
struct ElementTypeInfo {
  ElementType type;
  const char *name;      ///< MLIR's spelling.
  unsigned bytes;        ///< Size in memory; i1 takes one byte, index eight.
  unsigned exponentBits; ///< 0 for integers.
  unsigned mantissaBits; ///< Stored bits; 0 for integers.
  double largest;        ///< Largest finite value; of integers, as a double.
};

/// The table of all types, one entry each, in the order of the enumeration.
const ElementTypeInfo &infoOf(ElementType type);

inline const char *nameOf(ElementType type) { return infoOf(type).name; }
inline unsigned byteSize(ElementType type) { return infoOf(type).bytes; }
inline bool isFloat(ElementType type) { return infoOf(type).exponentBits != 0; }

/// The type that MLIR spells `name`, if there is one.
std::optional<ElementType> parseElementType(std::string_view name);

/// "f64, f32, ...", for messages.
std::string listElementTypes();

/// Reads the element at `from` as a double. Exact for every float type; an
/// integer beyond 2^53 is rounded.
double loadElement(ElementType type, const void *from);

/// Writes `value` to `to`: one rounding to nearest, ties to even, subnormals
/// included. NaN stays NaN. A finite value out of range becomes infinity in
/// f64, f32, f16 and bf16, and the largest finite value in the fp8 types, as
/// PTX's cvt.satfinite does. f8E4M3FN has no infinity, so +-inf becomes its
/// largest value too; f8E5M2 keeps it. Integers truncate and saturate; NaN
/// becomes 0; i1 is `value != 0`.
void storeElement(ElementType type, double value, void *to);

/// The same for integer types, without a detour through double. The store
/// keeps the low bits.
int64_t loadInteger(ElementType type, const void *from);
void storeInteger(ElementType type, int64_t value, void *to);

/// True if an integer type holds `value`. i1 holds 0 and 1; the others are
/// read as signed.
bool holdsInteger(ElementType type, int64_t value);

/// The smallest positive subnormal of a float type.
double smallestSubnormal(ElementType type);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_ELEMENTTYPE_H
