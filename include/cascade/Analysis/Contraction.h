//===- Contraction.h - Sums of products on the tensor cores ---*- C++ -*-===//
//
// A sum of products of a value that varies over (rows, depth) and one that
// varies over (depth, columns) is a product of matrices. Where the mapping says
// so (`contract = [n: mma.m16n8k16]`), a warp computes it with the instruction
// of that name. Lane 4 g + c of the warp has
//
// * of the columns (heads, queries: parallel axes) two positions at place c;
// * of the axis that the kernel streams, positions at place g;
// * of an axis that is summed over inside the row, positions at place c;
// * of the rows of a sum over the streamed axis, positions at place g.
//
// So the lanes of a warp meet in products: a score sums over c what a key has
// at g and a query at c; and a weighted sum adds up over g. One operand of each
// contraction is in registers as the instruction takes it; the other, which no
// other value meets, is loaded at places of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_CONTRACTION_H
#define CASCADE_ANALYSIS_CONTRACTION_H

#include "cascade/Analysis/MappingPlan.h"
#include "llvm/ADT/DenseSet.h"

namespace cascade {

/// Lanes c are those of bits 0 and 1, g those of the others.
inline constexpr unsigned columnLanes = 3, rowLanes = 28;

/// A sum of products, rows x depth by depth x columns: one of the sums of a
/// reduction.
struct Contraction {
  ReduceOp reduce;
  unsigned number; ///< of the sum
  mlir::Operation *product;
  mlir::Value a; ///< varies over the rows
  mlir::Value b; ///< varies over the columns
  bool isOverRow;

  /// Of a sum over the row a is loaded apart, of one inside the row b.
  mlir::Value apart() const { return isOverRow ? a : b; }
  mlir::Value result() const { return ReduceOp(reduce).getResult(number); }
};

/// The sums of `reduce`, all of them of products in f32; none where one is
/// something else, or where an operand is computed from reductions inside of
/// the sum.
llvm::SmallVector<Contraction>
matchContractions(ReduceOp reduce, const AxisAnalysis &axes, unsigned rowAxis);

/// The 16-bit floats that `value`, of type f32, is the exact sum of: itself
/// before it was widened, or up to three of type bf16.
struct NarrowForm {
  mlir::Value source; ///< the value of type f16 or bf16; null for parts
  unsigned numParts;  ///< of type bf16
};
NarrowForm narrowFormOf(mlir::Value value);

/// The contractions of a mapped chain.
class Contractions {
public:
  /// Those that the mapping names; fails with a diagnostic where one cannot be
  /// computed so.
  static mlir::FailureOr<Contractions>
  get(ChainOp chain, const MappingPlan &plan, unsigned rowAxis);

  bool empty() const { return all.empty(); }
  llvm::ArrayRef<Contraction> getAll() const { return all; }
  /// Those of `reduce`: of all of its sums, or none.
  llvm::ArrayRef<Contraction> of(mlir::Operation *reduce) const;
  bool isProduct(mlir::Operation *op) const;
  /// Whether any is a sum over the row.
  bool areOverRow() const;
  /// Parallel axes that the columns of the instruction are positions on.
  const AxisSet &getColumns() const { return columns; }
  /// That of them of which a thread has two neighbours in one instruction.
  unsigned getPairAxis() const { return pairAxis; }
  /// Whether `value` is used in operands that are loaded apart, and nowhere
  /// else: it has no place among the other values.
  bool isApart(mlir::Value value) const { return apart.contains(value); }
  /// Whether `value` is used in factors alone: it varies over columns at no
  /// lane, or is loaded apart.
  bool isFactor(mlir::Value value) const { return factors.contains(value); }
  /// Reductions over the row that sums over it are relative to. As the
  /// instruction adds up over lanes, these have the same state of them.
  bool isShared(mlir::Operation *reduce) const {
    return shared.contains(reduce);
  }

  /// `plan` for a kernel without contractions, at the same places of the grid,
  /// the cluster and the block: what lanes have of the columns is in registers.
  MappingPlan withoutContractions(const MappingPlan &plan) const;

private:
  friend class ContractionChecker;
  llvm::SmallVector<Contraction> all;
  AxisSet columns, rows;
  unsigned pairAxis = 0;
  llvm::DenseSet<mlir::Value> apart, factors;
  llvm::DenseSet<mlir::Operation *> shared;
};

} // namespace cascade

#endif // CASCADE_ANALYSIS_CONTRACTION_H
