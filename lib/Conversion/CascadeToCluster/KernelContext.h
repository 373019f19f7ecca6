//===- KernelContext.h - What a kernel knows of its position --*- C++ -*-===//
//
// The start of every kernel of a row chain: its arguments, the extents of the
// axes, which row this thread works on and where it stands in the row. Private
// to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H

#include "cascade/Analysis/MappingPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace cascade {

/// An i32 that may be known at compile time; folds what it can.
struct Int {
  mlir::Value value;               ///< null when `constant` holds
  std::optional<int64_t> constant; ///< the number, if known
};

/// Emits integer arithmetic on 32-bit values and folds constants.
class IntBuilder {
public:
  IntBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  Int constant(int64_t value) const { return {{}, value}; }
  Int wrap(mlir::Value value) const { return {value, std::nullopt}; }
  mlir::Value materialise(Int x) const;
  Int add(Int x, Int y) const;
  Int sub(Int x, Int y) const;
  Int mul(Int x, Int y) const;
  Int divUI(Int x, Int y) const;
  Int remUI(Int x, Int y) const;
  Int minSI(Int x, Int y) const;
  Int maxSI(Int x, Int y) const;
  Int ceilDiv(Int x, Int y) const {
    return divUI(add(x, sub(y, constant(1))), y);
  }
  mlir::Value lessThan(Int x, Int y) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// One argument of the kernel that stands for a tensor.
struct BufferArgument {
  mlir::Value pointer;          ///< !llvm.ptr<1>
  mlir::Type elementType;       ///< as in the chain
  llvm::SmallVector<Int> shape; ///< extents of the dimensions
  mlir::AffineMap map;          ///< axes to dimensions
};

/// The ids of a thread at the levels of the machine.
struct ThreadIds {
  Int lane, warp, rank;
  Int cluster; ///< number of the cluster in the grid

  /// The id at `level`; 0 at a level without one.
  Int at(Level level) const;
  /// The position of this thread on `digit`.
  Int positionOn(const IntBuilder &ints, const DigitPlan &digit) const;
};

/// The position of this thread and everything it may address.
struct KernelContext {
  KernelContext(ChainOp chain, const MappingPlan &plan, unsigned rowAxis)
      : chain(chain), plan(plan), rowAxis(rowAxis), loc(chain.getLoc()) {}

  ChainOp chain;
  const MappingPlan &plan;
  unsigned rowAxis;
  mlir::Location loc;

  llvm::SmallVector<mlir::Value> scalars; ///< by input; null for tensors
  llvm::SmallVector<BufferArgument> inputs, outputs;
  llvm::SmallVector<Int> extents; ///< by axis
  ThreadIds ids;

  // What `placeRow` sets.

  /// Index on each parallel axis, inside its extent; the row axis and the axes
  /// of lists have none.
  llvm::SmallVector<Int> rowIndex;
  /// Whether the row exists; null when it always does.
  mlir::Value rowValid;
  /// Whether this thread is the one that stores results of the row; null where
  /// every thread is.
  mlir::Value isLeader;

  /// Index on the row axis of this thread's first element in tile 0.
  Int threadBase;
  /// Index on the row axis of the first element of the block in tile 0, and of
  /// the warp.
  Int blockBase, warpBase;
  /// Whether this thread is the first of those that share a row; null where it
  /// has one alone.
  mlir::Value isFirst;
  Int numTiles;         ///< trips of the loop digit
  Int tileStep;         ///< index distance of two tiles
  int64_t tileSpan = 1; ///< elements of the block's tile
  /// Whether a block's tile is one contiguous range.
  bool tileIsContiguous = true;

  /// The number of elements a thread holds of a tile, and their offsets from
  /// its base; consecutive runs of `vectorSize` have unit stride.
  llvm::SmallVector<int64_t> elementOffsets;
  int64_t vectorSize = 1;
  /// Whether the elements of the row are read once, and none are stored.
  bool streams = false;

  /// The shared memory that holds the elements of kept and staged inputs:
  /// accesses of 16 bytes, those of one input after those of another, in each
  /// the accesses of a tile after those of the tile before. Null where none are
  /// kept.
  mlir::Value kept;
  llvm::SmallVector<unsigned> keptInputs;
  int64_t accessesOfBlock = 0; ///< of one kept input

  /// Inputs that bulk copies load (StagedLoads), into the accesses of `kept`
  /// from `firstStaged` on; `accessesOfWarp` are a warp's of a tile.
  StagedInputs staged;
  int64_t firstStaged = 0, accessesOfWarp = 0;

  const AxisPlan &row() const { return plan.axes[rowAxis]; }
  bool isListAxis(unsigned axis) const { return plan.axes[axis].isList; }

  /// Emits the prologue of the kernel: all that is the same for every row.
  static KernelContext create(mlir::OpBuilder &b, ChainOp chain,
                              const MappingPlan &plan, unsigned rowAxis,
                              mlir::gpu::GPUFuncOp kernel);

  /// Sets the row to that of position `position` of the grid: the grid digits
  /// of the parallel axes, in order, are its mixed-radix number.
  void placeRow(mlir::OpBuilder &b, Int position);
};

/// The rows of this cluster: number k of `count` is at position
/// `first` + k `step` of the grid. One, or in a resident grid at least one.
struct RowRange {
  Int first, step, count;

  static RowRange create(mlir::OpBuilder &b, const KernelContext &context);
  Int positionOf(const IntBuilder &ints, Int number) const;
  /// Emits `body` for every row, a loop in a resident grid.
  void
  forEach(mlir::OpBuilder &b, mlir::Location loc,
          llvm::function_ref<void(mlir::OpBuilder &, Int position, Int number)>
              body) const;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H
