//===- SplitAdd.cpp - (add, mul): products, and sums of products ----------===//

#include "SplitDetail.h"

namespace cascade::algebra::detail {

SplitResult SplitTester::splitAdd() {
  SplitResult result;
  Expr value = expandLogarithms(*this, problem.value, result.rangeChecks);
  value = recombineExponentials(*this, value, result.joined);
  Factorisation f = factorise(*this, value);
  if (!f.refusal && f.product.state != Product::SumOfProducts) {
    emitProduct(result, value, f);
    result.legality = Legality::Reassociating;
    return result;
  }
  Expansion expansion = expand(*this, value);
  if (expansion.refusal) {
    result.refusal = expansion.refusal;
    return result;
  }
  emitTerms(result, expansion);
  result.legality = Legality::Reassociating;
  return result;
}

} // namespace cascade::algebra::detail
