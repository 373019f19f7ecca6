//===- RowCost.h - How long a mapping of a row chain takes ------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_ROWCOST_H
#define CASCADE_LIB_TRANSFORMS_ROWCOST_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade {

/// What the time of a row chain depends on, whatever its mapping.
struct RowShape {
  unsigned rowAxis;
  int64_t length; ///< static extent or kDynamic
  int64_t rows;   ///< product of the parallel extents or kDynamic
  int64_t vector; ///< elements of one access
  bool reuses;    ///< whether elements are used after the first pass
  /// The most elements of a thread at once.
  int64_t mostElements;
  /// The inputs that shared memory may keep from the first pass to the last, by
  /// number; none where it cannot keep all that are used again.
  llvm::SmallVector<unsigned> keepable;
  /// The inputs that the L2 cache may keep from one pass to a later one, by
  /// number.
  llvm::SmallVector<unsigned> cacheable;
  /// The inputs that vary over the row axis alone, read 16 bytes at a time,
  /// which a resident grid may keep in shared memory from row to row.
  llvm::SmallVector<unsigned> invariants;
  double bytesRead;    ///< an element of the row, each tensor once
  double bytesWritten; ///< likewise
  double registers;    ///< a thread takes for each element
  double sharedWords;  ///< an element, of inputs that are the same for all rows
  double firstPass;    ///< instructions an element
  double laterPasses;  ///< likewise, of all later passes and the results
  double state;        ///< words of the state that threads exchange
  int64_t listed;      ///< entries of all lists over the row
  bool splits;         ///< whether several clusters of the grid may share a row
};

RowShape describeRow(ChainOp chain, unsigned rowAxis, bool vectorise);

/// One way to map the rows to threads: `rowsOfBlock` rows of a warp or less
/// each, or one row to `cluster` blocks of `warps` warps.
struct RowMapping {
  int64_t rowsOfBlock = 1;
  int64_t cluster = 1;
  int64_t split = 1; ///< clusters of the grid that share a row
  int64_t warps = 1; ///< a row and block
  int64_t lanes = 32;
  int64_t accesses = 1; ///< of a thread at once
  bool loops = false;   ///< over the row; else a thread holds its part of it
  /// Whether the row stays in shared memory from its first loop to the last.
  bool keeps = false;
  /// Whether it stays in the L2 cache meanwhile.
  bool caches = false;
  /// Stages that bulk copies load the row into, one tile each, in a resident
  /// grid; 0 for blocks that load their only row themselves.
  int64_t stages = 0;

  /// Blocks that share a row.
  int64_t blocksOfRow() const { return cluster * split; }
};

/// Bytes of shared memory that a block of a resident grid takes for stages and
/// for inputs that it keeps from row to row.
int64_t getStagedBytes(const RowShape &shape, const RowMapping &mapping);

/// The estimated time in microseconds on `target`, infinite where the mapping
/// does not fit. Dynamic extents are taken as some common ones.
double estimateRow(const RowShape &shape, const RowMapping &mapping,
                   cluster::TargetAttr target);

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_ROWCOST_H
