//===- StagedLoads.h - Tiles that are loaded ahead of their use -*- C++ -*-===//
//
// `load = [n: bulk(S)]`: S stages in shared memory hold the tiles of input n,
// one after another through all rows of the cluster, and bulk copies fill them.
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_STAGEDLOADS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_STAGEDLOADS_H

#include "TileRange.h"

namespace cascade {

/// The stages of one kernel. Every warp has its own part of each, with an
/// mbarrier: its elements of a tile are one range of memory for each input,
/// which one of its lanes asks for and all of its lanes wait for. Such a range
/// is a part of the row, or where neighbours in memory are along another axis,
/// all of that for each element of a part of the row. So warps wait for no
/// other warp, and a stage is free again when the lanes of one warp have read
/// it.
///
/// Tile t of row k (of this cluster) is number q = k T + t and is held by stage
/// q mod S, in its phase q div S. A row that is read in several runs stays in
/// its T stages from the first to the last of them.
class StagedLoads {
public:
  /// Initialises the mbarriers and asks for the first S tiles. Of tiles that
  /// `onlyUse`, if there is one, does not visit, nothing is loaded.
  StagedLoads(mlir::OpBuilder &b, const KernelContext &context,
              const AxisAnalysis &axes, const RowRange &rows,
              mlir::gpu::GPUFuncOp kernel, const ReductionPass *onlyUse);

  /// The number of the row that follows.
  void beginRow(Int number) { row = number; }
  /// Enters the elements of the staged inputs into `tile`, tile `number` of the
  /// row. The first run over the row waits for them, the last gives the stage
  /// to the tile that is S further on.
  void enterTile(mlir::OpBuilder &b, TileEvaluator &tile, Int number,
                 bool isFirst, bool isLast);
  /// What enterTile does for tiles whose elements no one needs, from number
  /// `begin` to `end`.
  void passOver(mlir::OpBuilder &b, Int begin, Int end, bool isFirst,
                bool isLast);
  /// The tiles of this block that begin inside the row.
  Int getTilesOfRow() const { return tilesOfRow; }
  /// Gives up the stages of a row whose last run does not take place.
  void releaseRow(mlir::OpBuilder &b);

private:
  Int numberOf(const IntBuilder &ints, Int tile) const {
    return ints.add(ints.mul(row, tilesOfRow), tile);
  }
  Int stageOf(const IntBuilder &ints, Int number) const;
  mlir::Value mbarrierOf(mlir::OpBuilder &b, Int stage) const;
  /// The first access of this warp's part of a stage of `input`.
  struct Input;
  Int placeOf(const IntBuilder &ints, Int stage, const Input &input) const;
  void enterInput(mlir::OpBuilder &b, TileEvaluator &tile, Int stage,
                  const Input &input);
  void wait(mlir::OpBuilder &b, Int number, Int stage);
  void release(mlir::OpBuilder &b, Int number, Int stage);
  void ask(mlir::OpBuilder &b, Int number, Int stage);

  /// A staged input, in the order of `StagedInputs`.
  struct Input {
    unsigned number;
    unsigned unitAxis;  ///< along which neighbours are neighbours in memory
    int64_t ofElement;  ///< bytes of an element of the row axis
    int64_t firstPlace; ///< in a warp's part of a stage, in accesses
  };

  const KernelContext &context;
  const AxisAnalysis &axes;
  const RowRange &rows;
  llvm::SmallVector<Input> inputs;
  int64_t rowsOfWarp = 1;     ///< elements of the row axis in a tile of a warp
  int64_t accessesOfWarp = 0; ///< of a stage
  const ReductionPass *onlyUse;
  mlir::Value mbarriers;
  mlir::Value isFirstLane;
  Int tilesOfRow; ///< T, of this block
  Int total;      ///< tiles of all rows of this block
  bool isExact;   ///< whether no tile overhangs the row
  Int row;
};

/// Whether kernels can follow the `load` policies of the mapping of `chain`.
/// Fails with a diagnostic that says what they ask for.
mlir::LogicalResult checkStagedLoads(ChainOp chain, const MappingPlan &plan,
                                     unsigned rowAxis);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_STAGEDLOADS_H
