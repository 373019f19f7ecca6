//===- ManifestProgram.h - Parses the launches of a function ----*- C++ -*-===//

#ifndef CASCADE_LIB_RUNTIME_MANIFESTPROGRAM_H
#define CASCADE_LIB_RUNTIME_MANIFESTPROGRAM_H

#include "JsonReader.h"
#include "cascade/Runtime/Manifest.h"

#include <set>

namespace cascade::runtime {

/// Parses the launches of one function.
class ProgramParser {
public:
  explicit ProgramParser(const std::vector<Argument> &arguments);

  std::vector<Launch> launches(const JsonReader &json) const;
  Workspace workspace(const JsonReader &json) const;

private:
  DimExpr expr(const JsonReader &json, bool allowResident) const;
  unsigned argumentNumber(const JsonReader &json) const;
  Guard guard(const JsonReader &json) const;
  Parameter parameter(const JsonReader &json) const;
  Launch launch(const JsonReader &json) const;

  const std::vector<Argument> &arguments;
  std::set<std::string> dims;
};

/// The element type that `json` names.
ElementType parseType(const JsonReader &json);
/// A power of two that the launcher can keep.
int64_t parseAlignment(const JsonReader &json);

} // namespace cascade::runtime

#endif // CASCADE_LIB_RUNTIME_MANIFESTPROGRAM_H
