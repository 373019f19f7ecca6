//===- FuseCascades.cpp - From a chain to its fused form ------------------===//
//
// Every reduction is put to the split test in program order. One that is
// accepted gets its core as value, references and a correction where the core
// still depends on earlier results, and its deferred factors as arithmetic
// after the reduction. The body as written stays beside it as the source.
//
//===----------------------------------------------------------------------===//

#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Algebra/SplitTest.h"
#include "cascade/Analysis/ExprBridge.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

namespace {

/// A deferred factor is out of range, and its row replayed, outside of
/// 2^-64 .. 2^64: there the accumulator may have lost what the factor restores.
constexpr int deferredRangeExponent = 64;

class ChainFuser {
public:
  ChainFuser(ChainOp chain, ChainReport &report)
      : chain(chain), report(report), axes(chain, chain.getBody()) {}
  LogicalResult run();

private:
  struct Member {
    ReduceOp reduce;
    unsigned pass = 0; ///< among the passes over its axes
    alg::Expr value = nullptr;
    alg::Sign sign;
    bool accumulatesPlainly = true;
    Value predicate; ///< as written; null: everywhere
  };
  /// The reductions over one set of axes and their translation.
  struct Group {
    AxisSet over;
    DenseMap<Operation *, unsigned> results;
    std::unique_ptr<ExprBridge> bridge;
    unsigned passes = 0;
  };

  LogicalResult fuse(unsigned index);
  Group &groupOf(ReduceOp reduce);
  alg::SplitProblem problemOf(Member &member, Group &group,
                              alg::Expr predicate);
  void rewrite(Member &member, Group &group, const alg::SplitResult &split);
  void buildCorrection(ReduceOp reduce, Group &group,
                       const alg::SplitResult &split);
  void watch(Group &group, ReduceOp reduce, const alg::SplitResult &split);
  void describe(ReductionReport &entry, const alg::SplitResult &split);
  void shareReciprocals();
  Value buildReplay(OpBuilder &b);

  ChainOp chain;
  ChainReport &report;
  AxisAnalysis axes;
  alg::ExprContext exprs;
  SmallVector<Member> members;
  SmallVector<std::unique_ptr<Group>> groups;
  /// What takes the place of the results of the reductions as written.
  SmallVector<std::pair<Value, Value>> replacements;
  /// Values whose being non-finite, and factors whose being out of range, make
  /// a row be replayed.
  llvm::SmallVector<Value> finiteWatch, rangeWatch;
  /// Values whose being negative does.
  llvm::SmallVector<Value> signWatch;
};

} // namespace

/// One value a reduction: elementwise reductions of several values are split.
static void splitTuples(ChainOp chain) {
  for (auto reduce :
       llvm::make_early_inc_range(chain.getBodyBlock()->getOps<ReduceOp>())) {
    if (reduce.getNumResults() == 1 || !reduce.getCombiner().empty() ||
        reduce.getKind() >= ReductionKind::Argmax)
      continue;
    OpBuilder b(reduce);
    for (auto [value, result] :
         llvm::zip_equal(reduce.getValues(), reduce.getResults())) {
      auto single = ReduceOp::create(
          b, reduce.getLoc(), TypeRange{value.getType()}, reduce.getKind(),
          ValueRange{value}, reduce.getPredicate(), ValueRange(), ValueRange(),
          reduce.getOver(), reduce.getIntoAttr(), nullptr);
      result.replaceAllUsesWith(single.getResult(0));
    }
    reduce.erase();
  }
}

ChainFuser::Group &ChainFuser::groupOf(ReduceOp reduce) {
  AxisSet over = axes.reducedBy(reduce);
  for (auto &group : groups)
    if (group->over == over)
      return *group;
  auto group = std::make_unique<Group>();
  group->over = over;
  for (auto [index, member] : llvm::enumerate(members))
    if (axes.reducedBy(member.reduce) == over)
      group->results[member.reduce] = index;
  group->bridge =
      std::make_unique<ExprBridge>(exprs, axes, over, group->results);
  groups.push_back(std::move(group));
  return *groups.back();
}

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

alg::SplitProblem ChainFuser::problemOf(Member &member, Group &group,
                                        alg::Expr predicate) {
  alg::SplitProblem problem;
  problem.kind = static_cast<alg::MonoidKind>(member.reduce.getKind());
  problem.value = member.value;
  problem.predicate = predicate;
  problem.options.allowApproximate = chain.allows("approximate");
  problem.options.allowMoveRounding = chain.allows("move_rounding");
  for (Member &other : members) {
    alg::ResultInfo info;
    info.kind = static_cast<alg::MonoidKind>(other.reduce.getKind());
    info.sign = other.sign;
    info.accumulatesPlainly = other.accumulatesPlainly;
    info.coversDomain = !other.predicate || other.predicate == member.predicate;
    info.samePass =
        group.results.contains(other.reduce) && other.pass == member.pass;
    problem.results.push_back(info);
  }
  return problem;
}

/// What is known of the sign of a reduction from that of its values.
static alg::Sign signOfReduction(alg::MonoidKind kind, alg::Sign value) {
  alg::Sign sign;
  switch (kind) {
  case alg::MonoidKind::Add:
  case alg::MonoidKind::Max:
  case alg::MonoidKind::Min:
  case alg::MonoidKind::MaxNum:
  case alg::MonoidKind::MinNum:
  case alg::MonoidKind::Mul:
    sign.nonNegative = value.nonNegative;
    break;
  default:
    break;
  }
  return sign;
}

//===----------------------------------------------------------------------===//
// The rewriting
//===----------------------------------------------------------------------===//

static ReferenceGuard guardOf(alg::ReferenceGuard guard) {
  switch (guard) {
  case alg::ReferenceGuard::Exponent:
    return ReferenceGuard::Exponent;
  case alg::ReferenceGuard::Divisor:
    return ReferenceGuard::Divisor;
  case alg::ReferenceGuard::None:
    return ReferenceGuard::None;
  }
  return ReferenceGuard::None;
}

void ChainFuser::rewrite(Member &member, Group &group,
                         const alg::SplitResult &split) {
  ReduceOp old = member.reduce;
  OpBuilder b(old);
  Location loc = old.getLoc();
  Value core = group.bridge->materialise(b, loc, split.core);
  SmallVector<Value> refs;
  SmallVector<int32_t> guards;
  for (const alg::Reference &ref : split.references) {
    refs.push_back(group.bridge->materialise(b, loc, ref.value));
    guards.push_back(static_cast<int32_t>(guardOf(ref.guard)));
  }
  auto reduce = ReduceOp::create(
      b, loc, TypeRange{core.getType()}, old.getKind(), ValueRange{core},
      old.getPredicate(), ValueRange(), refs, old.getOver(), old.getIntoAttr(),
      guards.empty() ? nullptr : b.getDenseI32ArrayAttr(guards));
  if (split.correction)
    buildCorrection(reduce, group, split);

  // The deferred factors, in the source's own operations.
  ExprBridge finishBridge = *group.bridge;
  finishBridge.define(
      exprs.accumulator(0, alg::accumulatorType(member.value->type)),
      reduce.getResult(0));
  Value finish = finishBridge.materialise(b, loc, split.finish);
  replacements.emplace_back(old.getResult(0), finish);
  watch(group, reduce, split);
}

void ChainFuser::buildCorrection(ReduceOp reduce, Group &group,
                                 const alg::SplitResult &split) {
  OpBuilder b(reduce.getContext());
  Location loc = reduce.getLoc();
  Block *block = b.createBlock(&reduce.getCorrection());
  ExprBridge bridge = *group.bridge; // Its values stay in this block.
  Value accumulator = block->addArgument(reduce.getResult(0).getType(), loc);
  bridge.define(exprs.accumulator(0, *toAlgebra(accumulator.getType())),
                accumulator);
  for (bool isNew : {false, true})
    for (auto [k, ref] : llvm::enumerate(reduce.getRefs())) {
      alg::Type type = *toAlgebra(ref.getType());
      bridge.define(isNew ? exprs.newRef(k, type) : exprs.oldRef(k, type),
                    block->addArgument(ref.getType(), loc));
    }
  Value corrected = bridge.materialise(b, loc, split.correction);
  YieldOp::create(b, loc, ValueRange{corrected});
}

/// Notes what must be finite, or in range, for the fused row to stand.
void ChainFuser::watch(Group &group, ReduceOp reduce,
                       const alg::SplitResult &split) {
  OpBuilder b(reduce->getBlock(), std::next(reduce->getIterator()));
  finiteWatch.push_back(reduce.getResult(0));
  llvm::append_range(finiteWatch, reduce.getRefs());
  if (split.deferred && split.deferredCombine == "mul")
    rangeWatch.push_back(
        group.bridge->materialise(b, reduce.getLoc(), split.deferred));
  else if (split.deferred)
    finiteWatch.push_back(
        group.bridge->materialise(b, reduce.getLoc(), split.deferred));
  for (alg::Expr factor : split.joined)
    rangeWatch.push_back(group.bridge->materialise(b, reduce.getLoc(), factor));
  for (alg::Expr value : split.nonNegative)
    signWatch.push_back(group.bridge->materialise(b, reduce.getLoc(), value));
}

/// Whether some reduction is computed from `value`.
static bool feedsReduction(Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (Operation *user : next.getUsers()) {
      if (isa<ReduceOp>(user))
        return true;
      llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

/// Whether `value` is computed from some reduction.
static bool comesFromReduction(Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(next).second)
      continue;
    if (isa<ReduceOp>(op))
      return true;
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// Results that divide every element of a row by one number of the row multiply
/// by its reciprocal instead: x * (1 / d) is within 1.5 units in the last place
/// of x / d while 1 / d is a normal number, which the range watch sees to.
void ChainFuser::shareReciprocals() {
  AxisSet reduced(chain.getNumAxes());
  for (auto &group : groups)
    reduced |= group->over;
  for (auto divide : llvm::make_early_inc_range(
           chain.getBodyBlock()->getOps<arith::DivFOp>())) {
    Value divisor = divide.getRhs();
    if (!axes.of(divide).anyCommon(reduced) ||
        axes.of(divisor).anyCommon(reduced) || feedsReduction(divide) ||
        !comesFromReduction(divisor))
      continue;
    OpBuilder b(divide);
    Location loc = divide.getLoc();
    Value one = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(divisor.getType(), 1.0));
    Value reciprocal = arith::DivFOp::create(b, loc, one, divisor);
    Value product = arith::MulFOp::create(b, loc, divide.getLhs(), reciprocal);
    divide.replaceAllUsesWith(product);
    divide.erase();
    rangeWatch.push_back(divisor);
  }
}

/// The condition under which a row is replayed: a watched value is not finite,
/// a watched factor is not in 2^-64 .. 2^64, or a reference that is divided by
/// is 0. Null where nothing is watched.
Value ChainFuser::buildReplay(OpBuilder &b) {
  Location loc = chain.getLoc();
  Value fine;
  llvm::DenseSet<Value> seen;
  auto constant = [&](FloatType type, APFloat value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  auto require = [&](Value value, bool inRange) {
    auto type = dyn_cast<FloatType>(value.getType());
    if (!type || !seen.insert(value).second)
      return;
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    Value magnitude = math::AbsFOp::create(b, loc, value);
    auto atLeast = [&](arith::CmpFPredicate predicate, APFloat bound) {
      Value ok = arith::CmpFOp::create(b, loc, predicate, magnitude,
                                       constant(type, bound));
      fine = fine ? Value(arith::AndIOp::create(b, loc, fine, ok)) : ok;
    };
    if (!inRange) {
      atLeast(arith::CmpFPredicate::OLT, APFloat::getInf(semantics));
      return;
    }
    APFloat one = APFloat::getOne(semantics);
    auto mode = APFloat::rmNearestTiesToEven;
    atLeast(arith::CmpFPredicate::OLE,
            scalbn(one, deferredRangeExponent, mode));
    atLeast(arith::CmpFPredicate::OGE,
            scalbn(one, -deferredRangeExponent, mode));
  };
  for (Value value : rangeWatch)
    require(value, /*inRange=*/true);
  for (Value value : finiteWatch)
    require(value, /*inRange=*/false);
  for (Value value : signWatch) {
    auto type = cast<FloatType>(value.getType());
    Value ok = arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::OGE, value,
        constant(type, APFloat::getZero(type.getFloatSemantics())));
    fine = fine ? Value(arith::AndIOp::create(b, loc, fine, ok)) : ok;
  }
  // A divisor of 0 was taken as 1 while the pass ran.
  llvm::DenseSet<Value> divisors;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    for (auto [index, ref] : llvm::enumerate(reduce.getRefs())) {
      auto type = dyn_cast<FloatType>(ref.getType());
      if (reduce.getGuard(index) != ReferenceGuard::Divisor || !type ||
          !divisors.insert(ref).second)
        continue;
      Value ok = arith::CmpFOp::create(
          b, loc, arith::CmpFPredicate::UNE, ref,
          constant(type, APFloat::getZero(type.getFloatSemantics())));
      fine = fine ? Value(arith::AndIOp::create(b, loc, fine, ok)) : ok;
    }
  if (!fine)
    return {};
  Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, fine, one);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

void ChainFuser::describe(ReductionReport &entry,
                          const alg::SplitResult &split) {
  entry.verdict = alg::spelling(split.cls);
  entry.legality = alg::spelling(split.legality);
  entry.rank = split.rank;
  for (const alg::Term &term : split.terms)
    entry.terms.push_back({alg::print(term.G), alg::print(term.H), term.combine,
                           std::string(alg::spelling(term.form)), term.why});
  for (const alg::Reference &ref : split.references)
    entry.refs.push_back(alg::print(ref.value));
  if (!split.refusal)
    return;
  entry.rule = split.refusal->rule;
  entry.reason = split.refusal->reason;
  entry.suggestion = split.refusal->suggestion;
  if (split.refusal->at)
    entry.at = alg::print(split.refusal->at);
}

//===----------------------------------------------------------------------===//
// One reduction, one chain
//===----------------------------------------------------------------------===//

LogicalResult ChainFuser::fuse(unsigned index) {
  Member &member = members[index];
  ReduceOp reduce = member.reduce;
  Group &group = groupOf(reduce);
  ReductionReport &entry = report.reductions.emplace_back(reduce.getLoc());
  entry.index = index;
  entry.kind = stringifyReductionKind(reduce.getKind());
  for (auto axis : reduce.getOver().getAsRange<StringAttr>())
    entry.over.push_back(axis.getValue().str());
  entry.accumulators = reduce.getNumResults();

  // The latest pass among the results it needs, as a first guess.
  member.value = group.bridge->translate(reduce.getValues()[0]);
  alg::Expr predicate = reduce.getPredicate()
                            ? group.bridge->translate(reduce.getPredicate())
                            : nullptr;
  if (!member.value || (reduce.getPredicate() && !predicate))
    return reduce.emitOpError()
           << "uses a value of a type that the split test does not know; use "
              "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index or i1 to i64";
  std::vector<alg::Expr> roots{member.value};
  if (predicate)
    roots.push_back(predicate);
  for (Value extra : reduce.getValues().drop_front())
    if (alg::Expr expr = group.bridge->translate(extra))
      roots.push_back(expr);
  for (alg::Expr root : roots)
    for (unsigned used : alg::symbolsOf(root, alg::Kind::Result))
      member.pass = std::max(member.pass, members[used].pass);

  entry.value = alg::print(member.value);
  alg::SplitProblem problem = problemOf(member, group, predicate);
  alg::SignFacts facts;
  for (const alg::ResultInfo &info : problem.results)
    facts.results.push_back(info.sign);
  member.sign =
      signOfReduction(problem.kind, alg::SignAnalysis(facts).of(member.value));
  alg::SplitResult split = alg::splitTest(exprs, problem);
  describe(entry, split);
  if (split.cls == alg::Class::Refused)
    ++member.pass;
  else if (split.cls == alg::Class::Separable)
    rewrite(member, group, split);
  member.accumulatesPlainly = split.cls != alg::Class::Separable;
  entry.pass = member.pass;
  group.passes = std::max(group.passes, member.pass + 1);
  return success();
}

LogicalResult ChainFuser::run() {
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>()) {
    Member &member = members.emplace_back();
    member.reduce = reduce;
    member.predicate = reduce.getPredicate();
  }
  for (unsigned index = 0; index < members.size(); ++index)
    if (failed(fuse(index)))
      return failure();

  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    report.axes.push_back(chain.getAxisName(axis).str());
  for (auto &group : groups) {
    SmallVector<StringRef> names;
    for (unsigned axis : group->over.set_bits())
      names.push_back(chain.getAxisName(axis));
    report.passes.emplace_back(llvm::join(names, ","), group->passes);
  }
  shareReciprocals();
  if (replacements.empty() && rangeWatch.empty())
    return success();

  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  OpBuilder b(yield);
  if (Value replay = buildReplay(b))
    yield.getReplayMutable().assign(replay);
  for (auto [old, replacement] : replacements)
    old.replaceAllUsesWith(replacement);
  for (auto [old, replacement] : replacements)
    old.getDefiningOp()->erase();
  return success();
}

/// Removes operations of the body that nothing uses any more.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

LogicalResult cascade::fuseChain(ChainOp chain, ChainReport &report) {
  if (chain.isFused())
    return success();
  promoteAccumulators(chain);
  splitTuples(chain);
  IRMapping mapping;
  Region source;
  chain.getBody().cloneInto(&source, mapping);
  if (failed(ChainFuser(chain, report).run()))
    return failure();
  // A lone reduction is its own fused form.
  bool replays = static_cast<bool>(
      cast<YieldOp>(chain.getBodyBlock()->getTerminator()).getReplay());
  if (report.reductions.size() < 2 && !replays)
    return success();
  eraseDeadOps(*chain.getBodyBlock());
  chain.getSource().takeBody(source);
  return success();
}
