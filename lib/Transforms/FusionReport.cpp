//===- FusionReport.cpp - What was decided, for people and programs -------===//

#include "cascade/Transforms/FuseCascades.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace cascade;

/// The line of a location in its file; 0 where it has none.
static unsigned lineOf(Location loc) {
  if (auto fileLoc = loc->findInstanceOf<FileLineColLoc>())
    return fileLoc.getLine();
  return 0;
}

static llvm::json::Object describe(const ReductionReport &entry) {
  llvm::json::Object object{
      {"index", entry.index},
      {"kind", entry.kind},
      {"over", llvm::json::Array(entry.over)},
      {"class", entry.verdict},
      {"pass", entry.pass},
      {"F", entry.value},
      {"line", lineOf(entry.loc)},
  };
  if (entry.verdict == "refused") {
    object["rule"] = entry.rule;
    object["reason"] = entry.reason;
    if (!entry.at.empty())
      object["at"] = entry.at;
    if (!entry.suggestion.empty())
      object["suggestion"] = entry.suggestion;
    return object;
  }
  object["accumulators"] = entry.accumulators;
  object["legality"] = entry.legality;
  if (!entry.cost.empty())
    object["cost"] = entry.cost;
  object["refs"] = llvm::json::Array(entry.refs);
  if (entry.verdict == "separable") {
    object["rank"] = entry.rank;
    llvm::json::Array terms;
    for (const ReductionReport::Term &term : entry.terms)
      terms.push_back(llvm::json::Object{{"G", term.g},
                                         {"H", term.h},
                                         {"combine", term.combine},
                                         {"form", term.form},
                                         {"why", term.why}});
    object["terms"] = std::move(terms);
  }
  return object;
}

std::string cascade::toJSON(const ChainReport &report) {
  llvm::json::Object passes;
  for (const auto &[axes, count] : report.passes)
    passes[axes] = count;
  llvm::json::Array reductions;
  for (const ReductionReport &entry : report.reductions)
    reductions.push_back(describe(entry));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(
      llvm::json::Object{{"axes", llvm::json::Array(report.axes)},
                         {"passes", std::move(passes)},
                         {"reductions", std::move(reductions)}});
  return text;
}

std::string cascade::toText(const ChainReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "chain over (" << llvm::join(report.axes, ", ") << ")\n";
  for (const auto &[axes, count] : report.passes)
    os << "  axes " << axes << ": " << count
       << (count == 1 ? " pass\n" : " passes\n");
  for (const ReductionReport &entry : report.reductions) {
    os << "  reduction " << entry.index << ": " << entry.kind << " over ("
       << llvm::join(entry.over, ", ") << ") of " << entry.value << "\n    "
       << entry.verdict << ", pass " << entry.pass;
    if (entry.verdict == "refused") {
      os << "\n    " << entry.rule << ": " << entry.reason;
      if (!entry.at.empty())
        os << "\n    at " << entry.at;
      if (!entry.suggestion.empty())
        os << "\n    to change: " << entry.suggestion;
      os << "\n";
      continue;
    }
    os << ", " << entry.legality << "\n";
    if (!entry.cost.empty())
      os << "    it costs: " << entry.cost << "\n";
    for (const ReductionReport::Term &term : entry.terms)
      os << "    G = " << term.g << ", H = " << term.h << " (" << term.combine
         << ", " << term.form << ": " << term.why << ")\n";
    if (!entry.refs.empty())
      os << "    references " << llvm::join(entry.refs, ", ") << "\n";
  }
  return text;
}
