//===- Frames.cpp - The open loops of a lowering --------------------------===//

#include "Frames.h"

using namespace mlir;
using namespace cascade;

FrameStack::FrameStack(OpBuilder builder, unsigned numAxes,
                       std::function<AxisSet(Value)> axesOf)
    : numAxes(numAxes), axesOf(std::move(axesOf)) {
  Frame &root = frames.emplace_back();
  root.kind = Frame::Kind::Root;
  root.axes = AxisSet(numAxes);
  root.cursor = std::make_shared<OpBuilder>(builder);
}

/// Whether forms of `value`, which varies over `axes`, from outside of `frame`
/// are stale inside.
bool FrameStack::isBarrier(const Frame &frame, Value value,
                           const AxisSet &axes) const {
  switch (frame.kind) {
  case Frame::Kind::Root:
    return true;
  case Frame::Kind::Loop:
    return frame.axes.any() && frame.axes.anyCommon(axes);
  case Frame::Kind::If:
    return false;
  case Frame::Kind::Override:
    return frame.tainted.contains(value);
  }
  return true;
}

std::optional<FrameStack::Found> FrameStack::lookup(Value value) const {
  for (unsigned i = frames.size(); i-- > 0;) {
    auto it = frames[i].values.find(value);
    if (it != frames[i].values.end())
      return Found{it->second, i};
    if (isBarrier(frames[i], value, axesOf(value)))
      return std::nullopt;
  }
  return std::nullopt;
}

Value FrameStack::lookupList(Value value, const AxisSet &axes) const {
  for (const Frame &frame : llvm::reverse(frames)) {
    if (Value buffer = frame.lists.lookup(value))
      return buffer;
    if (isBarrier(frame, value, axes))
      return nullptr;
  }
  return nullptr;
}

unsigned FrameStack::placementOf(Value value, const AxisSet &axes,
                                 bool speculatable) const {
  unsigned place = top();
  while (!isBarrier(frames[place], value, axes))
    --place;
  for (unsigned i = place + 1; i <= top(); ++i) {
    if (frames[i].kind == Frame::Kind::If)
      place = i;
    else if (frames[i].kind == Frame::Kind::Loop && speculatable)
      break;
  }
  return place;
}

unsigned FrameStack::placementOf(Value value, bool speculatable) const {
  return placementOf(value, axesOf(value), speculatable);
}

unsigned FrameStack::placementOfPass(Value value, const AxisSet &axes) const {
  return placementOf(value, axes, /*speculatable=*/true);
}

Value FrameStack::indexOf(unsigned axis) const {
  for (const Frame &frame : llvm::reverse(frames))
    if (Value index = frame.indices.lookup(axis))
      return index;
  return nullptr;
}

AxisSet FrameStack::boundAxes() const {
  AxisSet bound(numAxes);
  for (const Frame &frame : frames)
    bound |= frame.axes;
  return bound;
}

/// Opens a frame for `block` of `op`, which stands where the innermost frame
/// inserts; from now on that frame inserts before `op`.
void FrameStack::open(Frame::Kind kind, Operation *op, Block *block) {
  builder().setInsertionPoint(op);
  OpBuilder inner(op->getContext());
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    inner.setInsertionPoint(&block->back());
  else
    inner.setInsertionPointToEnd(block);
  Frame frame;
  frame.kind = kind;
  frame.axes = AxisSet(numAxes);
  frame.cursor = std::make_shared<OpBuilder>(inner);
  frames.push_back(std::move(frame));
}

void FrameStack::openLoop(scf::ForOp loop) {
  open(Frame::Kind::Loop, loop, loop.getBody());
}

void FrameStack::bind(unsigned axis, Value index) {
  frames.back().axes.set(axis);
  frames.back().indices[axis] = index;
}

void FrameStack::openIf(scf::IfOp op, Block *block) {
  open(Frame::Kind::If, op, block);
}

void FrameStack::openOverride(Frame frame) {
  frame.kind = Frame::Kind::Override;
  frame.axes = AxisSet(numAxes);
  frame.cursor = frames.back().cursor;
  frames.push_back(std::move(frame));
}

Frame FrameStack::close() {
  Frame closed = frames.pop_back_val();
  if (closed.kind != Frame::Kind::Override)
    builder().setInsertionPointAfter(
        closed.cursor->getInsertionBlock()->getParentOp());
  return closed;
}

SmallVector<Frame, 0> FrameStack::detachAbove(unsigned frame) {
  SmallVector<Frame, 0> detached;
  for (unsigned i = frame + 1; i < frames.size(); ++i)
    detached.push_back(std::move(frames[i]));
  frames.truncate(frame + 1);
  return detached;
}

void FrameStack::attach(SmallVector<Frame, 0> detached) {
  for (Frame &frame : detached)
    frames.push_back(std::move(frame));
}
