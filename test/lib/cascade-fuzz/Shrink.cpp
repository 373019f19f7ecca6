//===- Shrink.cpp - The smallest chain that still fails -------------------===//

#include "Shrink.h"

using namespace cascade::test;

namespace {

class Shrinker {
public:
  Shrinker(Chain start, llvm::function_ref<bool(const Chain &)> fails)
      : chain(std::move(start)), fails(fails) {}

  Chain run() {
    while (keepOneOutput() || dropAnOutput() || dropAPredicate() ||
           bypassANode() || simplifyAnInput())
      ;
    return chain;
  }

private:
  bool attempt(Chain candidate) {
    candidate.removeUnused();
    if (!fails(candidate))
      return false;
    chain = std::move(candidate);
    return true;
  }
  bool keepOneOutput();
  bool dropAnOutput();
  bool dropAPredicate();
  bool bypassANode();
  bool simplifyAnInput();

  Chain chain;
  llvm::function_ref<bool(const Chain &)> fails;
};

} // namespace

bool Shrinker::keepOneOutput() {
  if (chain.outputs.size() < 2)
    return false;
  for (int output : std::vector<int>(chain.outputs)) {
    Chain candidate = chain;
    candidate.outputs = {output};
    if (attempt(candidate))
      return true;
  }
  return false;
}

bool Shrinker::dropAnOutput() {
  for (size_t k = 0; k < chain.outputs.size() && chain.outputs.size() > 1;
       ++k) {
    Chain candidate = chain;
    candidate.outputs.erase(candidate.outputs.begin() + k);
    if (attempt(candidate))
      return true;
  }
  return false;
}

bool Shrinker::dropAPredicate() {
  for (size_t n = 0; n < chain.nodes.size(); ++n) {
    if (chain.nodes[n].kind != Node::Reduce ||
        chain.nodes[n].operands.size() < 2)
      continue;
    Chain candidate = chain;
    candidate.nodes[n].operands.pop_back();
    if (attempt(candidate))
      return true;
  }
  return false;
}

/// Uses an operand of an operation, or 1, in place of its result.
bool Shrinker::bypassANode() {
  for (size_t n = chain.nodes.size(); n-- > 0;) {
    const Node node = chain.nodes[n];
    for (int operand : node.operands) {
      if (chain.nodes[operand].type != node.type || node.isReduction())
        continue;
      Chain candidate = chain;
      candidate.replaceUses(int(n), operand);
      if (attempt(candidate))
        return true;
    }
    bool isFloat = node.type[0] != 'i' && node.type != "bf16";
    if (!isFloat || node.kind == Node::Constant ||
        (node.kind == Node::Reduce &&
         llvm::is_contained(chain.outputs, int(n))))
      continue;
    Chain candidate = chain;
    candidate.nodes[n] = {Node::Constant, node.type, "", {}, 1, 0};
    if (attempt(candidate))
      return true;
  }
  return false;
}

/// Gives an input the type its element is converted to, or every axis.
bool Shrinker::simplifyAnInput() {
  for (size_t n = 0; n < chain.nodes.size(); ++n) {
    const Node node = chain.nodes[n];
    if (node.kind == Node::Convert &&
        chain.nodes[node.operands[0]].kind == Node::Element) {
      Chain candidate = chain;
      Node &element = candidate.nodes[node.operands[0]];
      element.type = node.type;
      candidate.inputs[element.input].type = node.type;
      candidate.replaceUses(int(n), node.operands[0]);
      if (attempt(candidate))
        return true;
    }
    if (node.kind != Node::Element || node.input == 0)
      continue;
    for (size_t other = 0; other < n; ++other)
      if (chain.nodes[other].kind == Node::Element &&
          chain.nodes[other].type == node.type) {
        Chain candidate = chain;
        candidate.replaceUses(int(n), int(other));
        if (attempt(candidate))
          return true;
      }
    if (chain.inputs[node.input].map != "i, l") {
      Chain candidate = chain;
      candidate.inputs[node.input].map = "i, l";
      if (attempt(candidate))
        return true;
    }
  }
  return false;
}

Chain cascade::test::shrink(Chain chain,
                            llvm::function_ref<bool(const Chain &)> fails) {
  return Shrinker(std::move(chain), fails).run();
}
