//===- MappingPlan.h - Where each axis of a mapped chain runs -*- C++ -*-===//
//
// The mapping attribute, resolved: the positions of every axis at every level
// of the machine, checked against the limits of a Hopper block and cluster.
// Code generation and the launch manifest read this, and nothing else, of a
// mapping.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_MAPPINGPLAN_H
#define CASCADE_ANALYSIS_MAPPINGPLAN_H

#include "cascade/Dialect/Cascade/IR/Axes.h"

namespace cascade {

/// One digit of an axis.
struct DigitPlan {
  Level level;
  /// Number of positions; 0 for the one digit that takes what is left.
  int64_t size = 0;
  /// Distance of two positions in the id of the level (thread lanes, warps,
  /// blocks of the cluster).
  int64_t idStride = 1;
  /// Product of the sizes of the digits inside this one, without the unsized.
  int64_t indexStride = 1;
  /// Whether the unsized digit of the axis is inside this one, so that the
  /// index stride is `indexStride` times its number of positions.
  bool strideIsDynamic = false;
  /// Of a grid: as many clusters as fit on the machine at once.
  bool isResident = false;
};

struct AxisPlan {
  unsigned axis;
  int64_t extent; ///< static extent or ShapedType::kDynamic
  llvm::SmallVector<DigitPlan> digits; ///< outermost first
  bool reduced;
  /// Whether a topk introduces the axis: the lanes of a row hold its positions
  /// together.
  bool isList;

  /// The first digit at `level`, or null.
  const DigitPlan *at(Level level) const;
  int64_t sizeAt(Level level) const;
  /// Product of all sized digits.
  int64_t sizedProduct() const;
  /// The blocks that share a position of the other axes: of a cluster, and of
  /// the clusters that a grid digit with a size makes.
  int64_t sharingBlocks() const {
    return sizeAt(Level::Grid) * sizeAt(Level::Cluster);
  }
  /// Elements of a static extent that one of these blocks covers, with what
  /// overhangs the end.
  int64_t elementsOfBlock() const;
  /// Tiles of a static extent that one block covers.
  int64_t tilesOfBlock() const;
};

/// A checked mapping of one chain.
struct MappingPlan {
  llvm::SmallVector<AxisPlan> axes; ///< by axis number
  int64_t warps = 1;                ///< a block
  int64_t blocks = 1;               ///< a cluster
  /// Whether clusters stay on the machine and go from row to row.
  bool isResident = false;
  /// Whether elements are loaded where they are used, one by one, whatever the
  /// policies of the mapping say: on the cold path of a replay.
  bool isCold = false;

  int64_t threads() const { return warps * warpSize; }
  static constexpr int64_t warpSize = 32;
  static constexpr int64_t maxThreads = 1024;
  static constexpr int64_t maxPortableCluster = 8;
  /// Bytes of the shared memory of a block that are left to collectives where
  /// the rest is kept.
  static constexpr int64_t collectiveBytes = 3 * 1024;
  /// Bytes that a block may keep in shared memory, of 227 KiB.
  static constexpr int64_t maxSharedBytes = 227 * 1024 - collectiveBytes;
  /// Bytes of the widest access, and of every access of what is kept.
  static constexpr int64_t accessBytes = 16;
  /// Indices of one axis have 32 bits; a tile may overhang the end.
  static constexpr int64_t maxRowLength = (int64_t(1) << 31) - (1 << 20);

  /// Resolves the mapping of `chain`. Fails with a diagnostic that names the
  /// axis and the limit that is passed.
  static mlir::FailureOr<MappingPlan> get(ChainOp chain);

  /// The same threads at work on `axis` one element at a time: its reg, vector
  /// and loop digits become one loop of what is left. Where the grid is split
  /// over the axis, one block alone is at work.
  MappingPlan withoutRegisters(unsigned axis) const;
};

/// Whether the positions of a digit at `level` of the row axis are those of
/// whole tiles: of the grid, of the blocks of a cluster, of a loop.
inline bool isOutsideBlock(Level level) {
  return level == Level::Grid || level == Level::Cluster ||
         level == Level::Loop;
}

/// Whether `map`, of a tensor, names `axis` in its last dimension and nowhere
/// else: neighbours along the axis are neighbours in memory.
bool isUnitStride(mlir::AffineMap map, unsigned axis);

/// The inputs of a chain that its mapping loads by bulk copies (`load = [n:
/// bulk(stages)]`), and the number of stages of each.
struct StagedInputs {
  llvm::SmallVector<unsigned> inputs;
  int64_t stages = 0;
};
StagedInputs getStagedInputs(ChainOp chain);

/// The axis along which neighbours of `map`, of a tensor, are neighbours in
/// memory (`isUnitStride`), if there is one.
std::optional<unsigned> getUnitAxis(mlir::AffineMap map);

/// Accesses of 16 bytes in what a warp has of `input`, a staged one, in a tile:
/// its elements of the row axis, and where neighbours in memory are along
/// another axis, all of that for each of them.
int64_t getStagedAccesses(ChainOp chain, const MappingPlan &plan,
                          unsigned rowAxis, unsigned input);

/// Whether `expr` is the same at all positions that a thread holds of `axis`:
/// they lie in one aligned run of the length by which `expr` divides.
bool isSameInThread(mlir::AffineExpr expr, const AxisPlan &axis);

/// Whether `input` is a row in memory that `plan` reads 16 bytes at a time, and
/// a thread has elements of one such row alone.
bool isWholeAccess(ChainOp chain, const MappingPlan &plan, unsigned rowAxis,
                   unsigned input);

/// The inputs of `chain`, by number, whose elements its mapping keeps in shared
/// memory (`keep = [n: shared]`) from their first use to the last. Those that
/// are staged are not among them: they stay in their stages.
llvm::SmallVector<unsigned> getInputsKeptShared(ChainOp chain);

/// The inputs of `chain`, by number, whose elements its mapping keeps in the L2
/// cache (`keep = [n: l2]`) from their first use to the last.
llvm::SmallVector<unsigned> getInputsKeptInCache(ChainOp chain);

/// Whether several rows over `rowAxis` have the same elements of `input`: some
/// parallel axis is not in its map.
bool isSharedByRows(ChainOp chain, const MappingPlan &plan, unsigned rowAxis,
                    unsigned input);

/// Whether the mapping loads input `number` of `chain` a tile ahead of its use
/// (`load = [n: ahead(1)]`).
bool isLoadedAhead(ChainOp chain, unsigned number);

/// The inputs that vary over `rowAxis` alone and that the mapping keeps in
/// `residency` ("regs" or "shared"): a resident grid loads them once.
llvm::SmallVector<unsigned> getInvariantInputs(ChainOp chain, unsigned rowAxis,
                                               llvm::StringRef residency);

/// Bytes of the shared memory of a block that these take, in a row chain over
/// `rowAxis` that `plan` is a mapping of.
int64_t getKeptBytes(ChainOp chain, const MappingPlan &plan, unsigned rowAxis);

/// The same with the stages of staged inputs behind them.
int64_t getSharedBytes(ChainOp chain, const MappingPlan &plan,
                       unsigned rowAxis);

/// The axes that the topks of `chain` introduce, in its body or its source.
AxisSet getListAxes(ChainOp chain);

/// The axis that a kernel of `chain` streams: the reduced axis that no other
/// reduced axis is outside of, and of several that are reduced together the
/// longest. The others are inside a tile, as the axes of topks are. Fails, with
/// a diagnostic at what stands in the way, where two reductions have no such
/// axis in common.
mlir::FailureOr<unsigned> getRowAxis(ChainOp chain);

} // namespace cascade

#endif // CASCADE_ANALYSIS_MAPPINGPLAN_H
