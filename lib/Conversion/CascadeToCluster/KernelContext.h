//===- KernelContext.h - What a kernel knows of its position --*- C++ -*-===//
//
// The start of every kernel: its arguments, the extents of the axes, and where
// this thread stands on each. One axis, the row axis, is streamed: the others
// are at one place in a thread from the start of the kernel to its end. Private
// to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H

#include "cascade/Analysis/Contraction.h"
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
  /// x and y, where null is true.
  mlir::Value both(mlir::Value x, mlir::Value y) const;

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

/// Where a thread stands on one axis.
struct AxisPlace {
  Int base; ///< index of the first position; of the row axis, see TileEvaluator
  /// Distances from there of the positions that the thread holds.
  llvm::SmallVector<int64_t> offsets{0};
  /// Whether each of them is inside the extent; empty where all are. Of the row
  /// axis, see TileEvaluator.
  llvm::SmallVector<mlir::Value> validity;
};

/// The ids of a thread at the levels of the machine.
struct ThreadIds {
  Int lane, warp, rank;
  Int cluster; ///< number in the grid; its parts of a row are consecutive

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
  /// What the tensor cores compute of the body; null where nothing.
  const Contractions *contractions = nullptr;

  llvm::SmallVector<mlir::Value> scalars; ///< by input; null for tensors
  llvm::SmallVector<BufferArgument> inputs, outputs;
  llvm::SmallVector<Int> extents; ///< by axis
  ThreadIds ids;

  /// By axis. Of the parallel axes, `placeRow` sets the base and the validity.
  llvm::SmallVector<AxisPlace> axes;
  /// Whether the thread's place on the axes of which it holds one position
  /// exists; null when it always does. Where it does not, the thread works on
  /// the last position without storing, so that it still takes part in
  /// collectives. Set by `placeRow`.
  mlir::Value rowValid;
  /// Whether this thread is, for each result, the first of those of its cluster
  /// that have the same elements of it; null where each is.
  llvm::SmallVector<mlir::Value> firsts;
  /// Whether its row exists and is, for each result, the first of those that
  /// have the same elements of it; null where each is. Set by `placeRow`.
  llvm::SmallVector<mlir::Value> firstRows;

  /// Index on the row axis of this thread's first element in tile 0.
  Int threadBase;
  /// Index on the row axis of the first element of the block in tile 0, and of
  /// the warp.
  Int blockBase, warpBase;
  Int numTiles;         ///< trips of the loop digit
  Int tileStep;         ///< index distance of two tiles
  int64_t tileSpan = 1; ///< elements of the block's tile
  /// Whether a block's tile is one contiguous range.
  bool tileIsContiguous = true;

  /// Consecutive runs of so many offsets on the row axis have unit stride.
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

  /// The inputs that the L2 cache keeps from their first use to the last, and
  /// what accesses tell it: to let other lines leave first, or to let these
  /// leave first, as they are not used again. Null where none are kept.
  llvm::SmallVector<unsigned> cachedInputs;
  mlir::Value keepInCache, releaseFromCache;

  /// Inputs that bulk copies load (StagedLoads), into the accesses of `kept`
  /// from `firstStaged` on.
  StagedInputs staged;
  int64_t firstStaged = 0;

  const AxisPlan &row() const { return plan.axes[rowAxis]; }
  /// The number of the first of the clusters that the grid splits a row over.
  Int firstClusterOfRow(mlir::OpBuilder &b) const;
  /// Whether `axis` is one that reductions inside the row loop over, a tile of
  /// it at a time.
  bool isLooped(unsigned axis) const;
  /// The offsets of the thread's elements of a tile from its base.
  llvm::ArrayRef<int64_t> elementOffsets() const {
    return axes[rowAxis].offsets;
  }

  /// `firsts`, of threads at position 0 of what a result does not vary over,
  /// where the warps and blocks of `axesInParts` have different elements.
  llvm::SmallVector<mlir::Value> firstsBut(mlir::OpBuilder &b,
                                           const AxisSet &axesInParts) const;

  /// Emits the prologue of the kernel: all that is the same for every row.
  static KernelContext create(mlir::OpBuilder &b, ChainOp chain,
                              const MappingPlan &plan, unsigned rowAxis,
                              mlir::gpu::GPUFuncOp kernel);

  /// Sets the row to that of position `position` of the grid: the grid digits
  /// of the parallel axes, in order, are its mixed-radix number.
  void placeRow(mlir::OpBuilder &b, Int position);

  /// Moves to tile `tile` of `axis`, which is looped over.
  void placeTile(mlir::OpBuilder &b, unsigned axis, Int tile);
  /// Keeps, of the positions that the thread holds of parallel axis `axis`,
  /// that of number `number`.
  void placeOne(mlir::OpBuilder &b, unsigned axis, Int number);
  /// The number of its tiles.
  Int tilesOf(mlir::OpBuilder &b, unsigned axis) const;

private:
  void placeOn(const IntBuilder &ints, const AxisPlan &axis);
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

/// The kernel that `b` inserts into.
mlir::gpu::GPUFuncOp getKernel(mlir::OpBuilder &b);

/// A new buffer of `count` elements of `type` in the shared memory of the block
/// of the kernel that `b` inserts into.
mlir::Value addSharedBuffer(mlir::OpBuilder &b, mlir::Location loc,
                            int64_t count, mlir::Type type);

/// Tells the placement of barriers that all threads of the block come to where
/// `b` inserts together.
void markUniform(mlir::OpBuilder &b);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELCONTEXT_H
