//===- StateParts.h - A state, cut into parts for warps -------*- C++ -*-===//
//
// The positions that a thread holds of a state are cut into as many parts as a
// row has warps, where they divide, along the axes that the state varies over.
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_STATEPARTS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_STATEPARTS_H

#include "ThreadState.h"

namespace cascade {

/// The threads whose states are merged: the same lanes of consecutive warps of
/// some blocks, after lanes have merged theirs.
struct RowThreads {
  /// Lanes whose numbers differ in these bits hold the same state.
  unsigned sharedLanes = 0;
  int32_t warps = 1;
  int64_t blocks = 1;
};

/// Those lanes of a warp that differ in other bits than some: `number` of
/// `count`, and whether this is the first of them; null where each is.
struct LaneGroup {
  Int number;
  int64_t count = 1;
  mlir::Value isFirst;

  static LaneGroup create(mlir::OpBuilder &b, const KernelContext &context,
                          unsigned sharedLanes);
};

/// The part of this thread's warp. Reductions that do not vary over an axis
/// that is cut have the same state in several parts.
class StateParts {
public:
  StateParts(mlir::OpBuilder &b, const KernelContext &context,
             const ThreadState &states, const RowThreads &threads);

  /// An axis of which a warp takes part `number` of `count`, of `size`
  /// positions of a thread each.
  struct Cut {
    unsigned axis;
    int64_t count, size;
    Int number;
  };
  llvm::ArrayRef<Cut> getCuts() const { return cuts; }
  int64_t getCount() const { return count; }
  /// The number of this warp's part.
  Int getNumber() const { return number; }
  /// Whether no warp before has the same part; null if none.
  mlir::Value isFirstOwner() const { return firstOwner; }
  /// Whether this warp's part is the first along `axes` that are cut; null
  /// where none is.
  mlir::Value isFirstAlong(const AxisSet &axes, mlir::OpBuilder &b) const;

  /// This thread at the positions of its part.
  const KernelContext &getContext() const { return context; }
  const ThreadLayout &getLayout() const { return layout; }
  const ThreadState &getStates() const { return states; }

  /// Sets the results that threads store: of the warps of one part the first
  /// stores it, whatever warp and block that is.
  void placeStores(mlir::OpBuilder &b);

private:
  void choose(mlir::OpBuilder &b, const ThreadState &whole, int64_t warps);
  void cut(unsigned axis, int64_t atMost);
  void place(mlir::OpBuilder &b, const Cut &cut);

  KernelContext context;
  llvm::SmallVector<Cut> cuts;
  int64_t count = 1;
  Int number;
  mlir::Value firstOwner;
  ThreadLayout layout;
  ThreadState states;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_STATEPARTS_H
