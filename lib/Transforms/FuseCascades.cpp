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
#include "cascade/Transforms/ReplayCondition.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

namespace {

class ChainFuser {
public:
  ChainFuser(ChainOp chain, ChainReport &report)
      : chain(chain), report(report), axes(chain, chain.getBody()),
        replay(chain) {}
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
    /// The number of iterations of the axes, once asked for.
    llvm::SmallDenseMap<unsigned, alg::Expr> extents; ///< by type
  };
  /// The number of iterations in the domain of a pass's reductions: a reduction
  /// that is made when a fused form refers to it. Its result symbol has the
  /// number of members plus its own as its id.
  struct Count {
    Group *group;
    unsigned pass;
    Value predicate;
    alg::Type type;
    bool made = false;
  };

  LogicalResult fuse(unsigned index);
  Group &groupOf(ReduceOp reduce);
  alg::SplitProblem problemOf(Member &member, Group &group,
                              alg::Expr predicate);
  alg::Expr countOf(Group &group, unsigned pass, Value predicate,
                    alg::Type type);
  alg::Expr extentOf(Group &group, alg::Type type);
  void makeSymbols(OpBuilder &b, Location loc, Group &group,
                   const alg::SplitResult &split);
  void rewrite(Member &member, Group &group, const alg::SplitResult &split);
  void buildCorrection(ReduceOp reduce, Group &group,
                       const alg::SplitResult &split);
  void watch(OpBuilder &b, Group &group, Member &member,
             const alg::SplitResult &split);
  void watchRanges(OpBuilder &b, Group &group, Member &member,
                   const alg::SplitResult &split);
  void describe(ReductionReport &entry, const alg::SplitResult &split);
  void shareReciprocals();

  ChainOp chain;
  ChainReport &report;
  AxisAnalysis axes;
  alg::ExprContext exprs;
  SmallVector<Member> members;
  SmallVector<std::unique_ptr<Group>> groups;
  /// What takes the place of the results of the reductions as written.
  SmallVector<std::pair<Value, Value>> replacements;
  SmallVector<Count> counts;
  ReplayCondition replay;
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

alg::Expr ChainFuser::countOf(Group &group, unsigned pass, Value predicate,
                              alg::Type type) {
  auto it = llvm::find_if(counts, [&](const Count &count) {
    return count.group == &group && count.pass == pass &&
           count.predicate == predicate && count.type == type;
  });
  unsigned number = it - counts.begin();
  if (it == counts.end())
    counts.push_back({&group, pass, predicate, type});
  return exprs.result(members.size() + number, type);
}

alg::Expr ChainFuser::extentOf(Group &group, alg::Type type) {
  alg::Expr &symbol = group.extents[static_cast<unsigned>(type)];
  if (!symbol)
    symbol = exprs.parameter(
        alg::kFirstMadeParameter + static_cast<unsigned>(type), type);
  return symbol;
}

alg::SplitProblem ChainFuser::problemOf(Member &member, Group &group,
                                        alg::Expr predicate) {
  alg::SplitProblem problem;
  problem.kind = static_cast<alg::MonoidKind>(member.reduce.getKind());
  problem.value = member.value;
  problem.predicate = predicate;
  problem.options.allowApproximate = chain.allows("approximate");
  problem.options.allowMoveRounding = chain.allows("move_rounding");
  alg::Type type = alg::accumulatorType(member.value->type);
  bool isFloat = alg::isFloat(type);
  if (isFloat) {
    problem.extent = extentOf(group, type);
    countOf(group, member.pass, member.predicate, type);
  }
  for (Member &other : members) {
    alg::ResultInfo info;
    info.kind = static_cast<alg::MonoidKind>(other.reduce.getKind());
    info.sign = other.sign;
    info.accumulatesPlainly = other.accumulatesPlainly;
    info.coversDomain = !other.predicate || other.predicate == member.predicate;
    info.sameDomain = other.predicate == member.predicate;
    info.samePass =
        group.results.contains(other.reduce) && other.pass == member.pass;
    if (&other != &member)
      info.value = other.value;
    if (isFloat && info.samePass && info.value &&
        info.kind == alg::MonoidKind::Add && alg::isFloat(other.value->type))
      info.count = countOf(group, other.pass, other.predicate, type);
    problem.results.push_back(info);
  }
  for (const Count &count : counts) {
    alg::ResultInfo info;
    info.sign.nonNegative = true;
    info.coversDomain = !count.predicate || count.predicate == member.predicate;
    info.sameDomain = count.predicate == member.predicate;
    info.samePass = count.group == &group && count.pass == member.pass;
    info.value = exprs.constant(1, count.type);
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
  case alg::ReferenceGuard::Centre:
    return ReferenceGuard::Centre;
  case alg::ReferenceGuard::None:
    return ReferenceGuard::None;
  }
  return ReferenceGuard::None;
}

/// Makes the counts and extents that `split` refers to.
void ChainFuser::makeSymbols(OpBuilder &b, Location loc, Group &group,
                             const alg::SplitResult &split) {
  llvm::DenseSet<unsigned> results, parameters;
  auto look = [&](alg::Expr expr) {
    if (!expr)
      return;
    for (unsigned id : alg::symbolsOf(expr, alg::Kind::Result))
      results.insert(id);
    for (unsigned id : alg::symbolsOf(expr, alg::Kind::Parameter))
      parameters.insert(id);
  };
  for (alg::Expr core : split.cores)
    look(core);
  for (const alg::Reference &ref : split.references)
    look(ref.value);
  for (alg::Expr scale : split.scales)
    look(scale);
  look(split.finish);
  for (unsigned id : results)
    if (group.bridge->reductionOf(id) < members.size())
      group.bridge->translate(
          members[group.bridge->reductionOf(id)].reduce.getResult(0));
  SmallVector<Attribute> over;
  for (unsigned axis : group.over.set_bits())
    over.push_back(b.getStringAttr(chain.getAxisName(axis)));
  for (auto [number, count] : llvm::enumerate(counts)) {
    unsigned id = members.size() + number;
    if (count.made || count.group != &group || !results.contains(id))
      continue;
    count.made = true;
    Type type = fromAlgebra(count.type, b.getContext());
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1));
    auto reduce =
        ReduceOp::create(b, loc, TypeRange{type}, ReductionKind::Add,
                         ValueRange{one}, count.predicate, ValueRange(),
                         ValueRange(), b.getArrayAttr(over), nullptr, nullptr);
    group.bridge->define(exprs.result(id, count.type), reduce.getResult(0));
  }
  for (auto &[key, symbol] : group.extents) {
    if (!parameters.contains(symbol->id) || group.bridge->knows(symbol))
      continue;
    // At the beginning, as every reduction of the group may use it.
    OpBuilder top = OpBuilder::atBlockBegin(chain.getBodyBlock());
    Value extent;
    for (unsigned axis : group.over.set_bits()) {
      Value one = ExtentOp::create(top, loc, top.getIndexType(),
                                   chain.getAxisName(axis));
      extent =
          extent ? Value(arith::MulIOp::create(top, loc, extent, one)) : one;
    }
    Value number =
        arith::IndexCastOp::create(top, loc, top.getI64Type(), extent);
    group.bridge->define(
        symbol,
        arith::SIToFPOp::create(
            top, loc, fromAlgebra(symbol->type, b.getContext()), number));
  }
}

void ChainFuser::rewrite(Member &member, Group &group,
                         const alg::SplitResult &split) {
  ReduceOp old = member.reduce;
  OpBuilder b(old);
  Location loc = old.getLoc();
  makeSymbols(b, loc, group, split);
  SmallVector<Value> accumulators;
  if (!split.cores.empty()) {
    SmallVector<Value> cores, refs;
    SmallVector<int32_t> guards;
    for (alg::Expr core : split.cores)
      cores.push_back(group.bridge->materialise(b, loc, core));
    for (const alg::Reference &ref : split.references) {
      refs.push_back(group.bridge->materialise(b, loc, ref.value));
      guards.push_back(static_cast<int32_t>(guardOf(ref.guard)));
    }
    auto reduce = ReduceOp::create(
        b, loc, ValueRange(cores).getTypes(), old.getKind(), cores,
        old.getPredicate(), ValueRange(), refs, old.getOver(),
        old.getIntoAttr(),
        guards.empty() ? nullptr : b.getDenseI32ArrayAttr(guards));
    if (!split.corrections.empty())
      buildCorrection(reduce, group, split);
    accumulators = reduce.getResults();
    for (Value value : llvm::concat<Value>(accumulators, refs))
      replay.requireFinite(value);
  }
  // The deferred factors, in the source's own operations.
  ExprBridge finishBridge = *group.bridge;
  for (auto [number, value] : llvm::enumerate(accumulators))
    finishBridge.define(exprs.accumulator(number, *toAlgebra(value.getType())),
                        value);
  Value finish = finishBridge.materialise(b, loc, split.finish);
  replacements.emplace_back(old.getResult(0), finish);
  watch(b, group, member, split);
}

void ChainFuser::buildCorrection(ReduceOp reduce, Group &group,
                                 const alg::SplitResult &split) {
  OpBuilder b(reduce.getContext());
  Location loc = reduce.getLoc();
  Block *block = b.createBlock(&reduce.getCorrection());
  ExprBridge bridge = *group.bridge; // Its values stay in this block.
  for (auto [number, result] : llvm::enumerate(reduce.getResults())) {
    alg::Type type = *toAlgebra(result.getType());
    bridge.define(exprs.accumulator(number, type),
                  block->addArgument(result.getType(), loc));
  }
  for (bool isNew : {false, true})
    for (auto [k, ref] : llvm::enumerate(reduce.getRefs())) {
      alg::Type type = *toAlgebra(ref.getType());
      bridge.define(isNew ? exprs.newRef(k, type) : exprs.oldRef(k, type),
                    block->addArgument(ref.getType(), loc));
    }
  SmallVector<Value> corrected;
  for (alg::Expr correction : split.corrections)
    corrected.push_back(bridge.materialise(b, loc, correction));
  YieldOp::create(b, loc, corrected);
}

/// Notes what must be finite, or in range, for the fused row to stand.
void ChainFuser::watch(OpBuilder &b, Group &group, Member &member,
                       const alg::SplitResult &split) {
  Location loc = member.reduce.getLoc();
  auto value = [&](alg::Expr expr) {
    return group.bridge->materialise(b, loc, expr);
  };
  if (split.deferred && split.deferredCombine == "mul")
    replay.requireModerate(value(split.deferred));
  else if (split.deferred)
    replay.requireFinite(value(split.deferred));
  for (alg::Expr factor : split.joined)
    replay.requireModerate(value(factor));
  for (alg::Expr scale : split.scales)
    replay.requireNotLarge(value(scale));
  for (alg::Expr sign : split.nonNegative)
    replay.requireBetween(value(sign), 0,
                          std::numeric_limits<double>::infinity());
  watchRanges(b, group, member, split);
}

/// Finds the extremes of what a range check is about by reductions of their
/// own.
void ChainFuser::watchRanges(OpBuilder &b, Group &group, Member &member,
                             const alg::SplitResult &split) {
  Location loc = member.reduce.getLoc();
  for (const alg::RangeCheck &check : split.rangeChecks) {
    Value g = group.bridge->materialise(b, loc, check.g);
    for (bool isLow : {true, false}) {
      double bound = isLow ? check.low : check.high;
      if (std::isinf(bound))
        continue;
      auto extreme = ReduceOp::create(
          b, loc, TypeRange{g.getType()},
          isLow ? ReductionKind::Min : ReductionKind::Max, ValueRange{g},
          member.reduce.getPredicate(), ValueRange(), ValueRange(),
          member.reduce.getOver(), nullptr, nullptr);
      Value value = extreme.getResult(0);
      if (check.h)
        value = arith::AddFOp::create(
            b, loc, value,
            group.bridge->materialise(b, loc,
                                      exprs.castFloat(check.h, check.g->type)));
      double none = std::numeric_limits<double>::infinity();
      replay.requireBetween(value, isLow ? bound : -none, isLow ? none : bound);
    }
  }
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
    replay.requireModerate(divisor);
  }
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

void ChainFuser::describe(ReductionReport &entry,
                          const alg::SplitResult &split) {
  entry.verdict = alg::spelling(split.cls);
  entry.legality = alg::spelling(split.legality);
  entry.rank = split.rank;
  if (split.cls == alg::Class::Separable)
    entry.accumulators = split.rank;
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
      member.pass =
          std::max(member.pass, members[group.bridge->reductionOf(used)].pass);

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
  if (replacements.empty() && replay.empty())
    return success();

  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  OpBuilder b(yield);
  if (Value condition = replay.build(b))
    yield.getReplayMutable().assign(condition);
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
