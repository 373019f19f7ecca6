//===- Chain.h - A row chain as a list of nodes ---------------*- C++ -*-===//
//
// Random chains are made, changed and printed in this form: over axes i and l,
// where every reduction is over l.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TEST_CHAIN_H
#define CASCADE_TEST_CHAIN_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace cascade::test {

/// An element type by its spelling, as "f32".
using TypeName = std::string;

struct Input {
  TypeName type;
  std::string map; ///< "i, l", "l" or "i"
};

/// One operation of the body. Operands are numbers of earlier nodes.
struct Node {
  enum Kind {
    Element,  ///< of input `input`
    Constant, ///< `value`
    Index,    ///< of l
    Extent,   ///< of l
    Apply,    ///< `op` of operands of the type of the result
    Convert,  ///< `op` of an operand of another type
    Compare,  ///< `op`, with its predicate, of two operands
    Select,   ///< of a condition and two values
    Reduce,   ///< `op` (a kind) over l, where operand 1 if there is one
    ArgReduce ///< `op` of operand 0 and the index; the key
  };
  Kind kind = Element;
  TypeName type;
  std::string op;
  llvm::SmallVector<int, 3> operands;
  double value = 0;
  int input = 0;

  bool isReduction() const { return kind == Reduce || kind == ArgReduce; }
};

/// What a node varies over.
struct Axes {
  bool i = false, l = false;
};

class Chain {
public:
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<int> outputs; ///< numbers of nodes

  int add(Node node) {
    nodes.push_back(std::move(node));
    return int(nodes.size()) - 1;
  }

  std::vector<Axes> axes() const;
  unsigned numReductions() const;
  /// Removes nodes and inputs that no output needs; input 0 stays, as it fixes
  /// the axes.
  void removeUnused();
  /// Makes every use of node `from` one of `to`.
  void replaceUses(int from, int to);
  /// The function @chain.
  std::string print() const;
};

} // namespace cascade::test

#endif // CASCADE_TEST_CHAIN_H
