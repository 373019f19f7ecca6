//===- ListReduction.h - A topk over the row in a kernel ------*- C++ -*-===//
//
// What a kernel keeps of a topk while its pass runs is the sorted list of the
// entries that its warp has seen, which the lanes of the row hold together.
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_LISTREDUCTION_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_LISTREDUCTION_H

#include "DistributedList.h"
#include "GridMerge.h"
#include "TileEvaluator.h"

namespace cascade {

/// Groups, or elements of a group, of which one word says which take part.
inline constexpr unsigned wordBits = 32;

/// Whether a ListReduction takes `reduce`: a topk with one state a thread and
/// consecutive lanes, whose keys are not held against references that move.
bool isListReduction(ReduceOp reduce, const ThreadLayout &layout);

class ListReduction {
public:
  using State = llvm::SmallVector<mlir::Value>;

  /// What does not depend on the elements is emitted at `b`.
  ListReduction(mlir::OpBuilder &b, TileEvaluator &row, ReduceOp reduce);

  ReduceOp getReduce() const { return reduce; }
  unsigned getNumValues() const { return list.getNumValues(); }
  /// The state of no iterations.
  State empty(mlir::OpBuilder &b) const;
  /// The state after the elements of `tile`.
  State step(mlir::OpBuilder &b, TileEvaluator &tile, State state) const;
  /// The state of all threads that share the row.
  State mergeThreads(mlir::OpBuilder &b, State state) const;
  /// Leaves the state, of all threads that share the row in a cluster, for the
  /// last cluster of the grid; and takes the state of all clusters together
  /// from what each has left as `part`.
  unsigned leave(mlir::OpBuilder &b, GridMerge &grid, const State &state) const;
  State take(mlir::OpBuilder &b, const GridMerge &grid, unsigned part) const;
  /// The values of each entry of this lane.
  llvm::SmallVector<State> finish(mlir::OpBuilder &b, const State &state) const;

private:
  mlir::Value constant(mlir::OpBuilder &b, int64_t value) const;
  mlir::Value any(mlir::OpBuilder &b, mlir::Value condition) const;
  State guarded(mlir::OpBuilder &b, mlir::Value condition, const State &state,
                llvm::function_ref<State(mlir::OpBuilder &)> body) const;
  /// The last entry that counts, in every lane.
  EntryFormat::Entry last(mlir::OpBuilder &b, const State &state) const {
    return list.get(b, state, getReduce().getNumEntries() - 1);
  }
  llvm::SmallVector<mlir::Value> keysOf(mlir::OpBuilder &b,
                                        TileEvaluator &tile) const;
  llvm::SmallVector<mlir::Value> bestOf(mlir::OpBuilder &b,
                                        TileEvaluator &tile) const;
  mlir::Value toKey(mlir::OpBuilder &b, mlir::Value best) const;
  State stepGroups(mlir::OpBuilder &b, TileEvaluator &tile,
                   llvm::ArrayRef<mlir::Value> best, unsigned firstGroup,
                   State state) const;
  State seed(mlir::OpBuilder &b, TileEvaluator &tile,
             llvm::ArrayRef<mlir::Value> best, unsigned firstGroup, State state,
             mlir::Value &position) const;
  State popGroups(mlir::OpBuilder &b, TileEvaluator &tile, mlir::Value groups,
                  llvm::ArrayRef<mlir::Value> seeds, unsigned firstGroup,
                  State state) const;
  State popElements(mlir::OpBuilder &b, TileEvaluator &group,
                    llvm::ArrayRef<mlir::Value> keys, mlir::Value elements,
                    State state) const;
  EntryFormat::Entry entryOf(mlir::OpBuilder &b, TileEvaluator &group,
                             llvm::ArrayRef<mlir::Value> keys,
                             mlir::Value place, mlir::Value position,
                             mlir::Value exists) const;
  mlir::Value offsetOf(mlir::OpBuilder &b, mlir::Value group,
                       unsigned firstGroup) const;
  State exchange(mlir::OpBuilder &b, const State &state, int64_t members,
                 mlir::Value firstPlace, mlir::Value member, int64_t places,
                 mlir::Value stores, bool overCluster) const;

  TileEvaluator &row;
  const KernelContext &context;
  ReduceOp reduce;
  EntryFormat format;
  DistributedList list;
  /// The context of a group of elements of unit stride, and of one element, at
  /// a place that is known when the kernel runs.
  KernelContext ofGroup, ofElement;
  ThreadLayout groupLayout, elementLayout;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_LISTREDUCTION_H
