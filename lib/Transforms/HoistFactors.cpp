//===- HoistFactors.cpp - Scales out of sums of products ------------------===//
//
// The sum of a (k c) over an axis that c does not vary over is the sum of a k,
// times c; and w (v c) is (w c) v. So narrow numbers with a scale meet in
// products without it, once the scale has been applied to fewer values, and the
// tensor cores take these as they are in memory. What is lost beside the source
// is range: rows in which it matters are replayed.
//
//===----------------------------------------------------------------------===//

#include "ChainFuser.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace cascade;

/// The bits of the number that `value` was before it was widened; 0 where it
/// was not.
static unsigned narrowBitsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return 0;
  return op->getOperand(0).getType().getIntOrFloatBitWidth();
}

static void collectFactors(Value value, SmallVectorImpl<Value> &factors) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return factors.push_back(value);
  collectFactors(product.getLhs(), factors);
  collectFactors(product.getRhs(), factors);
}

static Value multiplyAll(OpBuilder &b, Location loc, ArrayRef<Value> factors) {
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = arith::MulFOp::create(b, loc, product, factor);
  return product;
}

/// Finds the results of reductions, those that do not vary over `reduced`, that
/// are NaN where `value` is; false where it goes somewhere else, too.
static bool findSpread(Value value, const AxisAnalysis &axes,
                       const AxisSet &reduced, llvm::DenseSet<Value> &sums) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto reduce = dyn_cast<ReduceOp>(user)) {
      unsigned number = use.getOperandNumber();
      bool isSpread = llvm::is_contained(
          {ReductionKind::Add, ReductionKind::Max, ReductionKind::Min},
          reduce.getKind());
      if (!isSpread || number >= reduce.getValues().size() ||
          reduce.getValues()[number] != value)
        return false;
      Value result = reduce.getResult(number);
      if (!axes.of(result).anyCommon(reduced))
        sums.insert(result);
      else if (!findSpread(result, axes, reduced, sums))
        return false;
      continue;
    }
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::ExtFOp,
             arith::TruncFOp, math::ExpOp, math::Exp2Op, math::TanhOp,
             math::LogOp, math::Log2Op, math::SqrtOp, math::AbsFOp>(user) ||
        !findSpread(user->getResult(0), axes, reduced, sums))
      return false;
  }
  return true;
}

/// What `reduce`, a sum of two narrow numbers and of factors that do not vary
/// over its axes, is without these, times these: NaN where that may be
/// something else. Null where it is no such sum.
static Value hoistOutOfSum(ReduceOp reduce, const AxisAnalysis &axes) {
  AxisSet over = axes.reducedBy(reduce);
  SmallVector<Value> factors, inside, outside;
  collectFactors(reduce.getValues()[0], factors);
  for (Value factor : factors)
    (axes.of(factor).anyCommon(over) ? inside : outside).push_back(factor);
  if (outside.empty() || inside.size() != 2 ||
      !llvm::all_of(inside, [](Value factor) {
        unsigned bits = narrowBitsOf(factor);
        return bits > 0 && bits <= 16;
      }))
    return {};
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  Type type = reduce.getValues()[0].getType();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  auto sum = ReduceOp::create(b, loc, TypeRange{type}, ReductionKind::Add,
                              ValueRange{multiplyAll(b, loc, inside)},
                              reduce.getPredicate(), ValueRange(), ValueRange(),
                              reduce.getOver(), nullptr, nullptr);
  Value scale = multiplyAll(b, loc, outside);
  Value size = math::AbsFOp::create(b, loc, scale);
  auto is = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, size, constant(bound));
  };
  // Beyond, digits of the sum may be lost that the scale restores.
  Value moderate = arith::AndIOp::create(
      b, loc, is(arith::CmpFPredicate::OGE, std::exp2(-64)),
      is(arith::CmpFPredicate::OLE, std::exp2(64)));
  scale = arith::SelectOp::create(
      b, loc, moderate, scale,
      constant(std::numeric_limits<double>::quiet_NaN()));
  // NaN where the sum is infinite: the scaled terms may not be.
  Value own = sum.getResult(0);
  Value none = arith::SubFOp::create(b, loc, own, own);
  Value product = arith::MulFOp::create(b, loc, own, scale);
  return arith::AddFOp::create(b, loc, product, none);
}

/// Whether `value` of a sum is a product of a number of 8 bits, which alone
/// varies over some axis, and of others; if so, makes it (others) * number.
/// Such a number is below 2^16, and not below 2^-16: what becomes too small
/// without it is as small with it.
static bool regroup(ReduceOp reduce, unsigned number,
                    const AxisAnalysis &axes) {
  SmallVector<Value> factors;
  collectFactors(reduce.getValues()[number], factors);
  auto *narrow = llvm::find_if(
      factors, [](Value factor) { return narrowBitsOf(factor) == 8; });
  if (narrow == factors.end() || factors.size() < 3)
    return false;
  Value last = *narrow;
  factors.erase(narrow);
  AxisSet own = axes.of(last);
  for (Value factor : factors)
    own.reset(axes.of(factor));
  if (own.none())
    return false;
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  reduce->setOperand(number, arith::MulFOp::create(
                                 b, loc, multiplyAll(b, loc, factors), last));
  return true;
}

llvm::DenseSet<Operation *>
cascade::hoistFactors(ChainOp chain, const AxisSet &reduced,
                      const llvm::DenseSet<Operation *> &replaced,
                      ReplayCondition &replay) {
  AxisAnalysis axes(chain, chain.getBody());
  llvm::DenseSet<Operation *> changed;
  for (auto reduce :
       llvm::make_early_inc_range(chain.getBodyBlock()->getOps<ReduceOp>())) {
    if (reduce.getKind() != ReductionKind::Add || replaced.contains(reduce))
      continue;
    bool isInside = axes.of(reduce.getResult(0)).anyCommon(reduced);
    if (!isInside) {
      for (unsigned number = 0; number < reduce.getNumResults(); ++number)
        if (regroup(reduce, number, axes)) {
          replay.requireFinite(reduce.getResult(number));
          changed.insert(reduce);
        }
      continue;
    }
    llvm::DenseSet<Value> sums;
    if (reduce.getNumResults() != 1 || !reduce.getRefs().empty() ||
        !findSpread(reduce.getResult(0), axes, reduced, sums))
      continue;
    if (Value hoisted = hoistOutOfSum(reduce, axes)) {
      reduce.getResult(0).replaceAllUsesWith(hoisted);
      for (Value sum : sums)
        if (!replaced.contains(sum.getDefiningOp()))
          replay.requireFinite(sum);
      changed.insert(reduce);
    }
  }
  return changed;
}
