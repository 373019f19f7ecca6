//===- SplitTest.cpp - The order of questions, and refusals ---------------===//

#include "SplitDetail.h"

#include <algorithm>

namespace cascade::algebra {

std::string_view spelling(Class cls) {
  static const std::string_view names[] = {"independent", "separable",
                                           "payload", "refused"};
  return names[static_cast<unsigned>(cls)];
}

std::string_view spelling(Legality legality) {
  static const std::string_view names[] = {"bit-exact", "reassociating",
                                           "rounding-moving", "approximate"};
  return names[static_cast<unsigned>(legality)];
}

std::string_view spelling(Form form) {
  static const std::string_view names[] = {"deferred", "rescaled"};
  return names[static_cast<unsigned>(form)];
}

std::string_view spelling(ReferenceGuard guard) {
  static const std::string_view names[] = {"none", "exponent", "divisor",
                                           "centre"};
  return names[static_cast<unsigned>(guard)];
}

SplitResult splitTest(ExprContext &context, const SplitProblem &problem) {
  if (!problem.options.allowApproximate || !problem.value)
    return detail::SplitTester(context, problem).run();
  SplitProblem unrounded = problem;
  std::string cost;
  unrounded.value = detail::withoutRounding(context, problem, cost);
  SplitResult result = detail::SplitTester(context, unrounded).run();
  if (!cost.empty() && result.accepted()) {
    result.legality = Legality::Approximate;
    result.cost = cost;
  }
  return result;
}

namespace detail {

static SignFacts factsOf(const SplitProblem &problem) {
  SignFacts facts;
  facts.elements = problem.elements;
  facts.parameters = problem.parameters;
  for (const ResultInfo &result : problem.results)
    facts.results.push_back(result.sign);
  return facts;
}

SplitTester::SplitTester(ExprContext &context, const SplitProblem &problem)
    : context(context), problem(problem), dependence(problem.results),
      signs(factsOf(problem)) {}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

static constexpr const char kOwnPass[] =
    "run it in a pass of its own, after the reductions it uses";

Refusal SplitTester::refuse(std::string rule, Expr at, std::string reason,
                            std::string suggestion) {
  if (suggestion.empty())
    suggestion = kOwnPass;
  return {std::move(rule), std::move(reason), at, std::move(suggestion)};
}

Refusal SplitTester::refuseNode(Expr node) {
  for (Expr inner : postOrder(node)) {
    if (!dependence.mixed(inner))
      continue;
    if (inner->is(Kind::Cmp))
      return refuse("mixed-comparison", inner,
                    "it compares elements with an earlier result, a step "
                    "function of that result");
    if (auto refusal = refuseRounding(inner))
      return *refusal;
  }
  return refuse("not-separable", node,
                "it is applied to a value in which elements and earlier "
                "results are mixed, and does not pass a factor through");
}

//===----------------------------------------------------------------------===//
// The questions
//===----------------------------------------------------------------------===//

static SplitResult refused(Refusal refusal) {
  SplitResult result;
  result.refusal = std::move(refusal);
  return result;
}

SplitResult SplitTester::accept(Expr value) {
  SplitResult result;
  result.cls = info(problem.kind).payload ? Class::Payload : Class::Independent;
  if (value)
    result.cores = {value};
  if (value)
    result.finish = context.accumulator(0, accumulatorType(value->type));
  return result;
}

SplitResult SplitTester::run() {
  Expr value = problem.value, predicate = problem.predicate;
  if (predicate && dependence.onD(predicate))
    return refused(refuse("dependent-predicate", predicate,
                          "an earlier result decides which iterations take "
                          "part, a step function of that result"));
  for (Expr carried : problem.carried)
    if (dependence.onD(carried))
      return refused(refuse("not-separable", carried,
                            "the value carried with the key uses an earlier "
                            "result"));
  if (!value || !dependence.onD(value))
    return accept(value);

  if (!isSupported())
    return refused(refuse("unsupported-kind", value,
                          "no operation is known that carries an earlier "
                          "result through a reduction `" +
                              std::string(info(problem.kind).name) + "` on " +
                              spelling(value->type)));
  SplitResult result = value->type == Type::I1      ? splitBoolean()
                       : info(problem.kind).ordered ? splitOrder()
                                                    : splitAdd();
  if (!result.refusal)
    result.refusal = checkReferences(result);
  if (!result.refusal && !coreIsFree(result))
    return refused(refuse("not-separable", value,
                          "an earlier result is left in the element part"));
  if (result.refusal)
    return refused(*result.refusal);
  describeRounding(result);
  return result;
}

/// Whether anything acts on reductions of this kind and type.
bool SplitTester::isSupported() const {
  Type type = problem.value->type;
  if (info(problem.kind).ordered)
    return isFloat(type);
  for (const Distribution &entry : distributions())
    if (entry.reduction == problem.kind &&
        (entry.floatOnly ? isFloat(type) : type == Type::I1))
      return true;
  return false;
}

std::optional<Refusal> SplitTester::checkReferences(const SplitResult &result) {
  for (const Reference &reference : result.references)
    for (Expr node : postOrder(reference.value))
      if (node->is(Kind::Result) && node->id < problem.results.size() &&
          !problem.results[node->id].hasRunningValue)
        return refuse("not-separable", reference.value,
                      "it is known only when the pass is done, so nothing can "
                      "be held against it while the pass runs");
  return std::nullopt;
}

/// The cores may use same-pass results through its references only.
bool SplitTester::coreIsFree(const SplitResult &result) {
  std::unordered_map<Expr, Expr> replacement;
  for (unsigned i = 0; i < result.references.size(); ++i) {
    Expr value = result.references[i].value;
    replacement[value] = context.newRef(i, value->type);
  }
  return std::none_of(result.cores.begin(), result.cores.end(), [&](Expr core) {
    return dependence.onD(substitute(context, core, replacement));
  });
}

} // namespace detail
} // namespace cascade::algebra
