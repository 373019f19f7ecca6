//===- Arithmetic.h - Instructions that only compute -----------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_ARITHMETIC_H
#define CASCADE_LIB_TARGET_SIM_ARITHMETIC_H

#include "Program.h"
#include "Scalars.h"

namespace cascade::sim {

/// Calls `body(lane)` for every lane of `mask`.
template <typename Body>
inline void forLanes(uint32_t mask, Body body) {
  if (mask == ~0u) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      body(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    body(unsigned(__builtin_ctz(mask)));
}

/// The instruction of an operation on scalars of one type, by its name
/// ("arith.addf"); null for an unknown one.
struct ScalarOp {
  Instr::Compute compute = nullptr;
  Kind kind = Kind::Compute;
};
ScalarOp findFloatOp(llvm::StringRef name, ElementType type);
ScalarOp findIntegerOp(llvm::StringRef name, ElementType type);

/// Calls `visit` with the Int that stands for `type`; false for a float.
template <typename Visit>
bool withInteger(ElementType type, Visit visit) {
  switch (type) {
  case ElementType::I1:
    visit(Int<1>());
    return true;
  case ElementType::I8:
    visit(Int<8>());
    return true;
  case ElementType::I16:
    visit(Int<16>());
    return true;
  case ElementType::I32:
    visit(Int<32>());
    return true;
  case ElementType::I64:
  case ElementType::Index:
    visit(Int<64>());
    return true;
  default:
    return false;
  }
}

/// Comparison by the number of a predicate of arith.cmpi or arith.cmpf.
Instr::Compute findIntegerCompare(unsigned predicate, ElementType type);
Instr::Compute findFloatCompare(unsigned predicate, ElementType type);

/// Conversion by the name of an operation; the second is one of integers.
Instr::Compute findConversion(llvm::StringRef name, ElementType from,
                              ElementType to);

Instr::Compute findIntegerConversion(llvm::StringRef name, ElementType from,
                                     ElementType to);

/// c ? a : b and a copy, of lanes of 32 or 64 bits.
Instr::Compute selectOp(bool isWide);
Instr::Compute moveOp(bool isWide);
/// The bits [imm, imm + width of `to`) of a scalar; and a scalar shifted left
/// by imm bits and joined (or) with b, which may be Instr::none.
Instr::Compute extractBitsOp(bool isWide, ElementType to);
Instr::Compute insertBitsOp(bool fromWide, bool toWide);

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_ARITHMETIC_H
