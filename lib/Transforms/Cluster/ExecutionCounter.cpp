//===- ExecutionCounter.cpp - How often an operation has executed ---------===//
//
// The count is carried through the loops and branches around the operation as
// one more i32 value: no memory, and the same in all threads that take the same
// control flow.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace cascade::cluster;

bool cascade::cluster::isInLoop(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<gpu::GPUFuncOp>(parent);
       parent = parent->getParentOp())
    if (!isa<scf::IfOp>(parent))
      return true;
  return false;
}

namespace {
/// Threads the count through the operations of a path, outermost first, down
/// to `op`.
class CountThreader {
public:
  explicit CountThreader(Operation *op) : op(op), rewriter(op->getContext()) {}

  /// `in` is the count on entry of path.front(); returns the count after it.
  Value thread(ArrayRef<Operation *> path, Value in);

  Value count; // at `op`

private:
  Value threadFor(scf::ForOp loop, ArrayRef<Operation *> inner, Value in);
  Value threadIf(scf::IfOp branch, ArrayRef<Operation *> inner, Value in);
  Value threadWhile(scf::WhileOp loop, ArrayRef<Operation *> inner, Value in);

  static void append(Operation *terminator, Value value) {
    terminator->insertOperands(terminator->getNumOperands(), value);
  }

  Operation *op;
  IRRewriter rewriter;
};
} // namespace

Value CountThreader::thread(ArrayRef<Operation *> path, Value in) {
  Operation *first = path.front();
  if (first == op) {
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    count = in;
    Value one =
        arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(1));
    return arith::AddIOp::create(rewriter, loc, in, one);
  }
  ArrayRef<Operation *> inner = path.drop_front();
  if (auto loop = dyn_cast<scf::ForOp>(first))
    return threadFor(loop, inner, in);
  if (auto branch = dyn_cast<scf::IfOp>(first))
    return threadIf(branch, inner, in);
  return threadWhile(cast<scf::WhileOp>(first), inner, in);
}

Value CountThreader::threadFor(scf::ForOp loop, ArrayRef<Operation *> inner,
                               Value in) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(in);
  auto counted = scf::ForOp::create(
      rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  counted.getRegion().takeBody(loop.getRegion());
  Block *body = counted.getBody();
  Value arg = body->addArgument(in.getType(), loop.getLoc());
  append(body->getTerminator(), thread(inner, arg));
  rewriter.replaceOp(loop, counted.getResults().drop_back());
  return counted.getResults().back();
}

Value CountThreader::threadIf(scf::IfOp branch, ArrayRef<Operation *> inner,
                              Value in) {
  rewriter.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(in.getType());
  auto counted =
      scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                        /*withElseRegion=*/false);
  counted->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  counted.getThenRegion().takeBody(branch.getThenRegion());
  counted.getElseRegion().takeBody(branch.getElseRegion());
  if (counted.getElseRegion().empty()) {
    rewriter.createBlock(&counted.getElseRegion());
    scf::YieldOp::create(rewriter, branch.getLoc());
  }
  bool inThen =
      counted.getThenRegion().isAncestor(inner.front()->getParentRegion());
  Block *taken = inThen ? counted.thenBlock() : counted.elseBlock();
  Block *other = inThen ? counted.elseBlock() : counted.thenBlock();
  append(taken->getTerminator(), thread(inner, in));
  append(other->getTerminator(), in);
  rewriter.replaceOp(branch, counted.getResults().drop_back());
  return counted.getResults().back();
}

Value CountThreader::threadWhile(scf::WhileOp loop, ArrayRef<Operation *> inner,
                                 Value in) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(in.getType());
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(in);
  auto counted = scf::WhileOp::create(rewriter, loop.getLoc(), types, inits);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  counted.getBefore().takeBody(loop.getBefore());
  counted.getAfter().takeBody(loop.getAfter());
  Value before =
      counted.getBeforeBody()->addArgument(in.getType(), loop.getLoc());
  Value after =
      counted.getAfterBody()->addArgument(in.getType(), loop.getLoc());
  if (counted.getBefore().isAncestor(inner.front()->getParentRegion()))
    before = thread(inner, before);
  else
    after = thread(inner, after);
  append(counted.getConditionOp(), before);
  append(counted.getYieldOp(), after);
  rewriter.replaceOp(loop, counted.getResults().drop_back());
  return counted.getResults().back();
}

Value cascade::cluster::countExecutions(Operation *op) {
  SmallVector<Operation *> path{op};
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  for (Operation *parent = op->getParentOp(); parent != func;
       parent = parent->getParentOp()) {
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent)) {
      InFlightDiagnostic diag =
          op->emitOpError("can be expanded only within scf.for, scf.if and "
                          "scf.while: lower the operation around it first");
      diag.attachNote(parent->getLoc()) << "which is this";
      return {};
    }
    path.push_back(parent);
  }
  std::reverse(path.begin(), path.end());
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  Value zero = arith::ConstantOp::create(builder, op->getLoc(),
                                         builder.getI32IntegerAttr(0));
  CountThreader threader(op);
  threader.thread(path, zero);
  return threader.count;
}
