//===- Scalars.h - Scalar types in the lanes of a register -----*- C++ -*-===//
//
// A lane holds a scalar of up to 32 bits in 32 bits, and others in 64. Integers
// are zero-extended; f16, bf16 and 8-bit floats are their bits, zero-extended.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TARGET_SIM_SCALARS_H
#define CASCADE_LIB_TARGET_SIM_SCALARS_H

#include "cascade/Runtime/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include <optional>
#include <type_traits>

namespace cascade::sim {

using runtime::ElementType;

/// Integers of `Width` bits.
template <unsigned Width>
struct Int {
  using Lane = std::conditional_t<(Width > 32), uint64_t, uint32_t>;
  using Signed = std::make_signed_t<Lane>;
  static constexpr unsigned width = Width;
  static constexpr unsigned laneBits = 8 * sizeof(Lane);

  static Lane put(Lane value) {
    if constexpr (Width == laneBits)
      return value;
    else
      return value & ((Lane(1) << Width) - 1);
  }
  static Signed sign(Lane value) {
    if constexpr (Width == laneBits)
      return Signed(value);
    else
      return Signed(value << (laneBits - Width)) >> (laneBits - Width);
  }
};

struct F32 {
  using Lane = float;
  using Number = float;
  static float get(float lane) { return lane; }
  static float put(float number) { return number; }
  static float round(double number) { return float(number); }
};

struct F64 {
  using Lane = double;
  using Number = double;
  static double get(double lane) { return lane; }
  static double put(double number) { return number; }
  static double round(double number) { return number; }
};

/// Floats below 32 bits are computed with in f32 and rounded: f32 has more than
/// twice their bits, so that one operation rounds once.
struct BF16 {
  using Lane = uint32_t;
  using Number = float;
  static float get(uint32_t lane) { return llvm::bit_cast<float>(lane << 16); }
  static uint32_t put(float number) {
    uint32_t bits = llvm::bit_cast<uint32_t>(number);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
      return (bits >> 16 & 0x8000) | 0x7FFF;
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  }
  static uint32_t round(double number) {
    uint16_t bits;
    runtime::storeElement(ElementType::BF16, number, &bits);
    return bits;
  }
};

/// The value of every bit pattern of a float type of at most 16 bits.
const float *tableOf(ElementType type);

template <ElementType Type, typename Bits>
struct NarrowFloat {
  using Lane = uint32_t;
  using Number = float;
  static float get(uint32_t lane) {
    static const float *table = tableOf(Type);
    return table[Bits(lane)];
  }
  static uint32_t put(float number) { return round(number); }
  static uint32_t round(double number) {
    Bits bits;
    runtime::storeElement(Type, number, &bits);
    return bits;
  }
};
using F16 = NarrowFloat<ElementType::F16, uint16_t>;
using F8E4M3FN = NarrowFloat<ElementType::F8E4M3FN, uint8_t>;
using F8E5M2 = NarrowFloat<ElementType::F8E5M2, uint8_t>;

/// The scalar type of `type`, a scalar or the element of a vector; none for
/// what a kernel does not compute with. Pointers and index are I64.
std::optional<ElementType> scalarTypeOf(mlir::Type type);

inline bool isWide(ElementType type) { return runtime::byteSize(type) == 8; }

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_SCALARS_H
