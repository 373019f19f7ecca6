//===- ChainCheck.cpp - Fused against unfused, in doubles -----------------===//

#include "ChainCheck.h"

#include <algorithm>
#include <random>

namespace cascade::algebra {

SplitResult CheckedChain::last() {
  fuse();
  return stages().back().verdict;
}

SplitProblem CheckedChain::lastProblem() {
  fuse();
  return problem(stages().size() - 1);
}

unsigned CheckedChain::numElements() const {
  unsigned count = 0;
  for (const Stage &stage : stages())
    for (unsigned id : symbolsOf(stage.value, Kind::Element))
      count = std::max(count, id + 1);
  return count;
}

std::string CheckedChain::compare(Comparer &comparer, const ChainData &data,
                                  unsigned segments) {
  Comparison result =
      comparer.compare(data, evenSegments(data.rows.size(), segments));
  if (result.agreement == Agreement::Replayed)
    return "";
  ++compared;
  if (result.agreement == Agreement::Same)
    return "";
  return "stage " + std::to_string(result.stage) + " of " +
         std::to_string(data.rows.size()) + " rows in " +
         std::to_string(segments) + " segments: " + std::to_string(result.got) +
         " instead of " + std::to_string(result.want);
}

std::string CheckedChain::check() {
  fuse();
  for (unsigned i = 0; i < stages().size(); ++i) {
    const SplitResult &v = stages()[i].verdict;
    if (!v.accepted())
      return "stage " + std::to_string(i) + " refused: " + v.refusal->rule;
    if (v.cls == Class::Separable &&
        refutedBySampling(problem(i), 200, 1, v.rank))
      return "stage " + std::to_string(i) + " accepted but refuted";
  }
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Comparer comparer(*this);
  ChainData data;
  data.parameters = parameters;
  unsigned width = numElements();
  compared = 0;
  for (double spread : {1.0, 30.0})
    for (double shift : {0.0, 50.0, -50.0, 1e4})
      for (int order : {0, 1, -1})
        for (unsigned n : {1u, 2u, 37u}) {
          data.rows.assign(n, Row(width));
          for (Row &row : data.rows)
            for (double &value : row)
              value = shift + spread * normal(random);
          if (order)
            std::sort(
                data.rows.begin(), data.rows.end(),
                [&](auto &a, auto &b) { return order > 0 ? a < b : b < a; });
          for (unsigned segments : {1u, 2u, 3u, 8u})
            if (std::string text = compare(comparer, data, segments);
                !text.empty())
              return text;
        }
  return compared > 20 ? "" : "almost all rows are replayed";
}

} // namespace cascade::algebra
