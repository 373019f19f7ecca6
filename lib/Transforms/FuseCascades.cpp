//===- FuseCascades.cpp - From a chain to its fused form ------------------===//
//
// Every reduction is put to the split test in program order; one that is
// accepted is rewritten (FusedForm.cpp). The body as written stays beside it as
// the source.
//
//===----------------------------------------------------------------------===//

#include "ChainFuser.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

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

/// A key, and any single result, has the number of its reduction as its id.
void ChainFuser::numberResults() {
  for (unsigned index = 0; index < members.size(); ++index)
    symbols.push_back({index, 0});
  for (auto [index, member] : llvm::enumerate(members))
    for (unsigned k = 1; k < member.reduce.getNumResults(); ++k)
      symbols.push_back({static_cast<unsigned>(index), k});
}

Value ChainFuser::resultOf(const Symbol &symbol) {
  return members[symbol.member].reduce.getResult(symbol.position);
}

ChainFuser::Group &ChainFuser::groupOf(ReduceOp reduce) {
  AxisSet over = axes.reducedBy(reduce);
  for (auto &group : groups)
    if (group->over == over)
      return *group;
  auto group = std::make_unique<Group>();
  group->over = over;
  for (auto [id, symbol] : llvm::enumerate(symbols))
    if (axes.reducedBy(members[symbol.member].reduce) == over)
      group->symbols[resultOf(symbol)] = id;
  group->bridge =
      std::make_unique<ExprBridge>(exprs, axes, over, group->symbols);
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
  return exprs.result(symbols.size() + number, type);
}

alg::Expr ChainFuser::extentOf(Group &group, alg::Type type) {
  alg::Expr &symbol = group.extents[static_cast<unsigned>(type)];
  if (!symbol)
    symbol = exprs.parameter(
        alg::kFirstMadeParameter + static_cast<unsigned>(type), type);
  return symbol;
}

alg::ResultInfo ChainFuser::infoOf(const Symbol &symbol, const Member &asking,
                                   Group &group) {
  const Member &member = members[symbol.member];
  alg::ResultInfo info;
  info.coversDomain = !member.predicate || member.predicate == asking.predicate;
  info.sameDomain = member.predicate == asking.predicate;
  info.samePass =
      group.symbols.contains(resultOf(symbol)) && member.pass == asking.pass;
  info.accumulatesPlainly = member.accumulatesPlainly && symbol.position == 0;
  ReductionKind kind = ReduceOp(member.reduce).getKind();
  // A list is sorted at the end; what goes with a key follows no order.
  info.hasRunningValue = symbol.position == 0 && kind < ReductionKind::Topk;
  info.kind = symbol.position == 0 ? static_cast<alg::MonoidKind>(kind)
                                   : alg::MonoidKind::Combiner;
  if (symbol.position > 0)
    return info;
  info.sign = member.sign;
  if (&member != &asking)
    info.value = member.value;
  if (asking.value && alg::isFloat(asking.value->type) && info.samePass &&
      info.value && info.kind == alg::MonoidKind::Add &&
      alg::isFloat(member.value->type))
    info.count = countOf(group, member.pass, member.predicate,
                         alg::accumulatorType(asking.value->type));
  return info;
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
  problem.carried.assign(member.carried.begin(), member.carried.end());
  for (const Symbol &symbol : symbols)
    problem.results.push_back(infoOf(symbol, member, group));
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
// The report
//===----------------------------------------------------------------------===//

void ChainFuser::describe(ReductionReport &entry, const Member &member,
                          const alg::SplitResult &split) {
  entry.verdict = alg::spelling(split.cls);
  entry.legality = alg::spelling(split.legality);
  entry.cost = split.cost;
  entry.rank = split.rank;
  // With a key come its index and payload.
  entry.accumulators = split.cls == alg::Class::Separable
                           ? split.rank + member.carried.size()
                           : 1 + member.carried.size();
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

/// The expressions of a reduction, and the latest pass among the results that
/// they use, as a first guess at its own.
LogicalResult ChainFuser::translate(Member &member, Group &group,
                                    alg::Expr &predicate) {
  ReduceOp reduce = member.reduce;
  SmallVector<Value> values(reduce.getValues());
  if (reduce.getPredicate())
    values.push_back(reduce.getPredicate());
  SmallVector<alg::Expr> roots;
  for (Value value : values) {
    alg::Expr root = group.bridge->translate(value);
    if (!root)
      return reduce.emitOpError()
             << "uses a value of a type that the split test does not know; use "
                "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index or i1 to i64";
    roots.push_back(root);
    for (unsigned used : alg::symbolsOf(root, alg::Kind::Result))
      member.pass = std::max(member.pass, members[symbols[used].member].pass);
  }
  if (reduce.getPredicate())
    predicate = roots.pop_back_val();
  member.value = roots.front();
  member.carried.append(roots.begin() + 1, roots.end());
  return success();
}

LogicalResult ChainFuser::fuse(unsigned index) {
  Member &member = members[index];
  ReduceOp reduce = member.reduce;
  Group &group = groupOf(reduce);
  ReductionReport &entry = report.reductions.emplace_back(reduce.getLoc());
  entry.index = index;
  entry.kind = stringifyReductionKind(reduce.getKind());
  for (auto axis : reduce.getOver().getAsRange<StringAttr>())
    entry.over.push_back(axis.getValue().str());

  alg::Expr predicate = nullptr;
  if (failed(translate(member, group, predicate)))
    return failure();
  entry.value = alg::print(member.value);
  alg::SplitProblem problem = problemOf(member, group, predicate);
  alg::SignFacts facts;
  for (const alg::ResultInfo &info : problem.results)
    facts.results.push_back(info.sign);
  member.sign =
      signOfReduction(problem.kind, alg::SignAnalysis(facts).of(member.value));
  alg::SplitResult split = alg::splitTest(exprs, problem);
  describe(entry, member, split);
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
  numberResults();
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
  AxisSet reduced(chain.getNumAxes());
  for (auto &group : groups)
    reduced |= group->over;
  shareReciprocals(chain, axes, reduced, replay);
  llvm::DenseSet<Operation *> replaced;
  for (auto &[before, after] : replacements)
    replaced.insert(before.getDefiningOp());
  llvm::DenseSet<Operation *> changed =
      hoistFactors(chain, reduced, replaced, replay);
  for (auto [member, entry] : llvm::zip_equal(members, report.reductions))
    if (changed.contains(member.reduce) &&
        entry.legality == alg::spelling(alg::Legality::BitExact))
      entry.legality = alg::spelling(alg::Legality::Reassociating);
  if (!replacements.empty() || !replay.empty())
    finish();
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
