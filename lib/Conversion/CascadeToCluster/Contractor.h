//===- Contractor.h - Sums of products on the tensor cores ----*- C++ -*-===//
//
// Emits the contractions of one row (see Analysis/Contraction.h). Scores come
// out where other values of their axes are; what the weighted sums take of them
// is transposed by the warp. Numbers that are no 16-bit floats go in as several
// that add up to them, so that products are as exact as in f32.
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_CONTRACTOR_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_CONTRACTOR_H

#include "TileEvaluator.h"
#include "cascade/Analysis/Contraction.h"

namespace cascade {

class Contractor {
public:
  using State = llvm::SmallVector<mlir::Value>;

  /// Loads what is the same for all tiles of the row at `position` of the grid,
  /// which `context` is at.
  Contractor(mlir::OpBuilder &b, const KernelContext &context,
             const ThreadLayout &layout, Int position);

  llvm::ArrayRef<Contraction> of(mlir::Operation *reduce) const {
    return context.contractions->of(reduce);
  }
  bool isApart(mlir::Value value) const {
    return context.contractions->isApart(value);
  }
  /// What must be known of a tile before `contraction`, which is inside of it.
  mlir::Value neededBy(const Contraction &contraction) const;

  /// The elements of `contraction`, a sum inside of `tile`.
  State contractInner(mlir::OpBuilder &b, TileEvaluator &tile,
                      const Contraction &contraction) const;
  /// `accumulators`, of a reduction over the row with `sums`, with those
  /// elements of `tile` that are in its domain. `scope` sees the tile against
  /// the references.
  State contractRow(mlir::OpBuilder &b, TileEvaluator &tile,
                    TileEvaluator &scope, llvm::ArrayRef<Contraction> sums,
                    State accumulators) const;

  /// An evaluator of what is loaded apart of `tile`, in the scope of `row`.
  std::unique_ptr<TileEvaluator> evaluateApart(mlir::OpBuilder &b,
                                               TileEvaluator &row,
                                               const TileEvaluator &tile) const;
  const ThreadLayout &getApartLayout() const { return apartLayout; }

private:
  /// A factor as the instruction takes it: `numParts` 16-bit floats a number.
  struct Factor {
    mlir::Value value;
    unsigned numParts;
    bool isNarrow; ///< whether `value` is of 16 bits
  };
  static std::pair<Factor, Factor> factorsOf(const Contraction &contraction);
  State wordsOf(mlir::OpBuilder &b, const Factor &factor, mlir::Value low,
                mlir::Value high) const;
  llvm::SmallVector<State>
  wordsApart(mlir::OpBuilder &b, TileEvaluator &tile, const Factor &factor,
             llvm::ArrayRef<Position> rows,
             llvm::ArrayRef<mlir::Value> domains) const;
  State domainsOf(mlir::OpBuilder &b, TileEvaluator &tile, TileEvaluator &scope,
                  ReduceOp reduce) const;
  void clearExcluded(mlir::OpBuilder &b, llvm::ArrayRef<State> words,
                     llvm::ArrayRef<mlir::Value> domains,
                     llvm::MutableArrayRef<State> cleared) const;
  Position columnOf(llvm::ArrayRef<unsigned> tile, unsigned number) const;

  const KernelContext &context;
  const ThreadLayout &layout;
  Int columnLane, rowLane; ///< c and g

  KernelContext columnContext; ///< column g of each instruction
  ThreadLayout columnLayout;
  KernelContext apartContext; ///< rows of sums over the row
  ThreadLayout apartLayout;
  /// Positions of the first columns of instructions, as `columnLayout` counts.
  llvm::SmallVector<Position> columnTiles;
  /// Of each product inside the row, by column tile: words, two a step.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<State>> columnWords;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_CONTRACTOR_H
