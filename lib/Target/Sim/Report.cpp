//===- Report.cpp - What the simulated device finds -----------------------===//

#include "Report.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace cascade::sim;

/// `op` without its regions, on one line.
static std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().skipRegions().useLocalScope());
  constexpr size_t mostShown = 160;
  if (text.size() > mostShown)
    text = text.substr(0, mostShown) + "...";
  return text;
}

std::string Reporter::nameOf(uint32_t op) const {
  return "'" + program.ops[op]->getName().getStringRef().str() + "'";
}

void Reporter::report(const char *kind, uint32_t op, const Twine &text,
                      ArrayRef<Note> notes) {
  if (isFull())
    return;
  uint32_t other = notes.empty() ? op : notes.front().op;
  // The order of a pair is that of the run, not of the bug.
  if (!seen.insert({kind, std::min(op, other), std::max(op, other)}).second)
    return;
  ++count;
  // Operations of one source location are told apart by their text.
  Operation *place = program.ops[op];
  InFlightDiagnostic diag = mlir::emitError(place->getLoc());
  diag << kind << ": " << text;
  diag.attachNote(place->getLoc()) << "in " << textOf(place);
  for (const Note &note : notes) {
    Operation *noted = program.ops[note.op];
    diag.attachNote(noted->getLoc()) << note.text << ": " << textOf(noted);
  }
}
