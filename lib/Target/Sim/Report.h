//===- Report.h - What the simulated device finds --------------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_REPORT_H
#define CASCADE_LIB_TARGET_SIM_REPORT_H

#include "Program.h"
#include "llvm/ADT/SmallVector.h"
#include <set>
#include <string>
#include <tuple>

namespace cascade::sim {

/// Another place that a report names.
struct Note {
  uint32_t op;
  std::string text;
};

/// Emits the reports of one launch as diagnostics, each pair of places once.
class Reporter {
public:
  Reporter(const Program &program, unsigned most)
      : program(program), most(most) {}

  /// `kind` is one word or two in front of the sentence: "data race".
  void report(const char *kind, uint32_t op, const llvm::Twine &text,
              llvm::ArrayRef<Note> notes = {});
  bool isFull() const { return count >= most; }
  bool hasAny() const { return count > 0; }
  std::string nameOf(uint32_t op) const;

private:
  const Program &program;
  unsigned most, count = 0;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> seen;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_REPORT_H
