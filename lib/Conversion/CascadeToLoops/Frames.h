//===- Frames.h - The open loops of a lowering ----------------*- C++ -*-===//
//
// While a chain is lowered, the loops and conditionals that are open form a
// stack of frames. A value is emitted in the outermost frame in which it is
// known: the frame of the innermost loop that binds one of its axes. Its place
// is before the operation that is open there, so what is emitted late still
// dominates everything inside.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_CONVERSION_CASCADETOLOOPS_FRAMES_H
#define CASCADE_LIB_CONVERSION_CASCADETOLOOPS_FRAMES_H

#include "cascade/Dialect/Cascade/IR/Axes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <memory>
#include <optional>

namespace cascade {

/// One open level.
struct Frame {
  enum class Kind {
    Root,     ///< the block of the function
    Loop,     ///< binds `axes`, which may be none (a loop over segments)
    If,       ///< what is emitted here runs only where a condition holds
    Override, ///< replaces references by their running values; no own block
  };
  Kind kind;
  AxisSet axes;
  /// The index of each axis that this frame binds, by axis number.
  llvm::SmallDenseMap<unsigned, mlir::Value> indices;
  /// What must be evaluated anew below an override.
  llvm::DenseSet<mlir::Value> tainted;
  /// Chain value -> emitted value.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  /// Result of a topk -> the buffer of its entries.
  llvm::DenseMap<mlir::Value, mlir::Value> lists;
  std::shared_ptr<mlir::OpBuilder> cursor;
};

class FrameStack {
public:
  /// `axesOf` answers for the values of the chain's regions.
  FrameStack(mlir::OpBuilder builder, unsigned numAxes,
             std::function<AxisSet(mlir::Value)> axesOf);

  /// Where the innermost frame inserts.
  mlir::OpBuilder &builder() { return *frames.back().cursor; }
  mlir::OpBuilder &builderAt(unsigned frame) { return *frames[frame].cursor; }
  void map(unsigned frame, mlir::Value from, mlir::Value to) {
    frames[frame].values[from] = to;
  }
  void mapList(unsigned frame, mlir::Value from, mlir::Value buffer) {
    frames[frame].lists[from] = buffer;
  }
  unsigned top() const { return frames.size() - 1; }

  struct Found {
    mlir::Value value;
    unsigned frame;
  };
  /// The emitted form of `value` that is valid here.
  std::optional<Found> lookup(mlir::Value value) const;
  /// The buffer of the entries of a topk's result that is valid here, or null;
  /// a list varies over `axes`, which do not hold the one over its entries.
  mlir::Value lookupList(mlir::Value value, const AxisSet &axes) const;
  /// The frame to emit `value` in. What is not `speculatable` stays inside
  /// every conditional below the frame that fixes it; everything else stays
  /// inside the conditionals directly in that frame, so that what lies outside
  /// of a domain is not computed, and leaves those of inner loops.
  unsigned placementOf(mlir::Value value, bool speculatable) const;
  /// The frame to emit a pass in that gives `value`, of which a loop over each
  /// of `axes` needs another one.
  unsigned placementOfPass(mlir::Value value, const AxisSet &axes) const;
  /// The index of `axis` in the innermost loop that binds it; null if none
  /// does.
  mlir::Value indexOf(unsigned axis) const;
  AxisSet boundAxes() const;

  void openLoop(mlir::scf::ForOp loop);
  /// Names the index of `axis` in the innermost frame, a loop.
  void bind(unsigned axis, mlir::Value index);
  void openIf(mlir::scf::IfOp op, mlir::Block *block);
  void openOverride(Frame frame);
  Frame close();

  /// Takes off the frames above `frame`, to emit something there.
  llvm::SmallVector<Frame, 0> detachAbove(unsigned frame);
  void attach(llvm::SmallVector<Frame, 0> detached);

private:
  bool isBarrier(const Frame &frame, mlir::Value value,
                 const AxisSet &axes) const;
  unsigned placementOf(mlir::Value value, const AxisSet &axes,
                       bool speculatable) const;
  void open(Frame::Kind kind, mlir::Operation *op, mlir::Block *block);

  unsigned numAxes;
  std::function<AxisSet(mlir::Value)> axesOf;
  llvm::SmallVector<Frame, 0> frames;
};

} // namespace cascade

#endif // CASCADE_LIB_CONVERSION_CASCADETOLOOPS_FRAMES_H
