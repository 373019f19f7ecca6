//===- Manifest.h - The launch manifest -------------------------*- C++ -*-===//
//
// NAME.json describes the kernels of NAME.ptx. Paths are relative to the
// manifest's folder. EXPR is the grammar of DimExpr.h; keys in [] are optional,
// and an unknown key is an error.
//
//   {"version": 1, "name": "softmax",
//    ["target": {"chip": "sm_90", "gpu": "h200"},]
//    "module": "softmax.ptx", ["reference": "softmax.ref.ptx",]
//    "functions": [{
//      "name": "softmax",
//      "arguments": [ARGUMENT...],
//      ["workspace": WORKSPACE,]
//      "launches": [LAUNCH...],
//      ["reference": {"U": [LAUNCH...], "R": [LAUNCH...],
//                     ["workspace": WORKSPACE]},]
//      ["legality": ["reassociating"],]
//      ["candidate": {"of": "softmax", "index": 0, "mapping": "...",
//                     ["estimate_us": 5.4,] "chain": "5f0c...",
//                     "shape": "i=257..512 l=131072",
//                     "types": "bf16 -> bf16"},]   of --tune-space
//      ["passes": anything]}]}           for readers; not looked at
//   ARGUMENT  ::= {"name": "x", "role": "input" | "output" | "scalar",
//                  "type": "bf16", "shape": [512, "l"],
//                  ["align": 16, "noalias": true]}
//   WORKSPACE ::= {"bytes": EXPR, ["init": "zero" | "none"]}
//   LAUNCH    ::= {"kernel": "softmax", ["group": 0,] ["when": [GUARD...],]
//                  "grid": [EXPR, EXPR, EXPR], "block": [256, 1, 1],
//                  ["cluster": [8, 1, 1], "nonportable": false, "shared": 0,]
//                  "args": [PARAMETER...]}
//   GUARD     ::= {"aligned": [argument number, bytes]}
//               | {"divisible": [EXPR, n]}
//               | {"atleast": [EXPR, n]} | {"atmost": [EXPR, n]}
//   PARAMETER ::= {"arg": argument number} | {"workspace": EXPR}   offset,
//   bytes
//               | {"dim": EXPR, "type": "i32" | "i64" | "index"}
//
// Launches of one group are variants of the same step: the first whose guards
// all hold runs. Groups run in ascending order; a group of which none holds is
// an error. Without "group" every launch of a list is a group of its own, in
// order; a list gives it for all launches or for none. A launch with an empty
// grid is skipped. An argument whose "align" the caller cannot keep needs no
// guard: it is refused. `resident` may stand in a grid and in workspace sizes
// and offsets; the size of a workspace takes the largest over its launches.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_MANIFEST_H
#define CASCADE_RUNTIME_MANIFEST_H

#include "cascade/Runtime/DimExpr.h"
#include "cascade/Runtime/ElementType.h"
#include "cascade/Runtime/Error.h"
#include "cascade/Runtime/TuningFile.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cascade::runtime {

enum class Role { Input, Output, Scalar };

/// One extent of an argument: a number or the name of a dim.
struct Extent {
  int64_t value = 0; ///< If `dim` is empty.
  std::string dim;
};

struct Argument {
  std::string name;
  Role role = Role::Input;
  ElementType type = ElementType::F32;
  std::vector<Extent> shape;
  int64_t align = 1; ///< Of the address, in bytes.
  bool noalias = false;
};

struct Guard {
  enum class Kind { Aligned, Divisible, AtLeast, AtMost };
  Kind kind = Kind::Aligned;
  unsigned argument = 0; ///< Aligned.
  DimExpr expr;          ///< The others.
  int64_t bound = 1;
};

struct Parameter {
  enum class Kind { Argument, Dim, Workspace };
  Kind kind = Kind::Argument;
  unsigned argument = 0;               ///< Argument.
  DimExpr expr;                        ///< Dim: the value; Workspace: offset.
  ElementType type = ElementType::I64; ///< Dim.
};

struct Launch {
  std::string kernel;
  int64_t group = 0;
  std::vector<Guard> when;
  std::array<DimExpr, 3> grid;
  std::array<unsigned, 3> block = {1, 1, 1};
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool hasCluster = false;
  bool nonportable = false;
  unsigned shared = 0; ///< Dynamic shared memory, in bytes.
  std::vector<Parameter> parameters;
};

struct Workspace {
  DimExpr bytes;
  bool zero = false;
};

/// A list of launches and the scratch memory they share.
struct Program {
  std::vector<Launch> launches;
  Workspace workspace;
};

/// Of a function that is one of several mappings of the same chain.
struct Candidate {
  std::string of;                 ///< The name of the function in the source.
  int64_t index = 0;              ///< In the ranking of the cost model.
  std::string mapping;            ///< The text of the attribute.
  std::optional<double> estimate; ///< Of the cost model, in microseconds.
  TuningKey key;
};

struct Function {
  std::string name;
  std::optional<Candidate> candidate;
  std::vector<Argument> arguments;
  Program kernels;
  /// The unfused evaluation; both lists are empty if there is none.
  Program referenceU, referenceR;
  std::vector<std::string> legality;

  /// Whether `--entry=word` means this one.
  bool isCalled(std::string_view word) const {
    return name == word || (candidate && candidate->of == word);
  }
  bool hasReference() const {
    return !referenceU.launches.empty() || !referenceR.launches.empty();
  }
};

struct Manifest {
  std::string path; ///< Of the file, for messages.
  std::string name, chip, gpu;
  std::string module;    ///< Path of the module.
  std::string reference; ///< Path of the reference module, or empty.
  std::vector<Function> functions;

  const Function *lookup(std::string_view name) const;
};

/// Parses and checks the text of a manifest. `path` locates the modules and
/// stands in front of every message:
///   softmax.json: functions[0].launches[0].grid: expected 3 expressions
Expected<Manifest> parseManifest(std::string_view json,
                                 const std::string &path);

/// Reads and parses a file.
Expected<Manifest> readManifest(const std::string &path);

const char *nameOf(Role role);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_MANIFEST_H
