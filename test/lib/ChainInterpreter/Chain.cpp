//===- Chain.cpp - A chain of reductions over one axis --------------------===//

#include "Chain.h"

#include <algorithm>

namespace cascade::algebra {

Expr Chain::reduce(MonoidKind kind, Expr value, Expr predicate) {
  list.push_back({kind, value, predicate});
  return context.result(list.size() - 1, accumulatorType(value->type));
}

Expr Chain::countOf(unsigned pass, Expr predicate, Type type) const {
  unsigned number = 0;
  while (number < countList.size() &&
         (countList[number].pass != pass ||
          countList[number].predicate != predicate ||
          countList[number].type != type))
    ++number;
  if (number == countList.size())
    countList.push_back({pass, predicate, type});
  return context.result(firstCount + number, type);
}

SplitProblem Chain::problem(unsigned index) const {
  const Stage &stage = list[index];
  SplitProblem problem;
  problem.kind = stage.kind;
  problem.value = stage.value;
  problem.predicate = stage.predicate;
  problem.options = options;
  problem.parameters = parameterFacts;
  Type type = accumulatorType(stage.value->type);
  bool withCounts = isFloat(type);
  // The latest pass among the results it needs, as a first guess.
  unsigned pass = 0;
  std::vector<Expr> roots{stage.value};
  if (stage.predicate)
    roots.push_back(stage.predicate);
  for (Expr root : roots)
    for (unsigned used : symbolsOf(root, Kind::Result))
      if (used < index)
        pass = std::max(pass, list[used].pass);
  if (withCounts) {
    problem.extent = extent(type);
    countOf(pass, stage.predicate, type);
  }
  for (unsigned i = 0; i < index; ++i) {
    const Stage &other = list[i];
    ResultInfo info;
    info.kind = other.kind;
    info.sign = other.sign;
    info.accumulatesPlainly = other.verdict.cls != Class::Separable;
    info.coversDomain = !other.predicate || other.predicate == stage.predicate;
    info.sameDomain = other.predicate == stage.predicate;
    info.samePass = other.pass == pass;
    info.value = other.value;
    if (withCounts && info.samePass && info.kind == MonoidKind::Add)
      info.count = countOf(other.pass, other.predicate, type);
    problem.results.push_back(info);
  }
  ResultInfo none;
  none.samePass = none.sameDomain = none.coversDomain = false;
  problem.results.resize(firstCount, none);
  for (const Count &count : countList) {
    ResultInfo info;
    info.sign.nonNegative = true;
    info.coversDomain = !count.predicate || count.predicate == stage.predicate;
    info.sameDomain = count.predicate == stage.predicate;
    info.samePass = count.pass == pass;
    info.value = context.constant(1, count.type);
    problem.results.push_back(info);
  }
  return problem;
}

void Chain::fuse() {
  for (; fused < list.size(); ++fused) {
    Stage &stage = list[fused];
    SplitProblem problem = this->problem(fused);
    stage.pass = 0;
    for (unsigned used : symbolsOf(stage.value, Kind::Result))
      stage.pass = std::max(stage.pass, list[used].pass);
    if (stage.predicate)
      for (unsigned used : symbolsOf(stage.predicate, Kind::Result))
        stage.pass = std::max(stage.pass, list[used].pass);
    SignFacts facts;
    facts.parameters = parameterFacts;
    for (const ResultInfo &info : problem.results)
      facts.results.push_back(info.sign);
    // A sum or an extremum of values of one sign has it, too.
    stage.sign.nonNegative =
        SignAnalysis(std::move(facts)).of(stage.value).nonNegative;
    stage.verdict = splitTest(context, problem);
    if (!stage.verdict.accepted())
      ++stage.pass;
  }
}

} // namespace cascade::algebra
