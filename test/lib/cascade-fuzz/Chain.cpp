//===- Chain.cpp - A row chain as a list of nodes -------------------------===//

#include "Chain.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cascade::test;

std::vector<Axes> Chain::axes() const {
  std::vector<Axes> result;
  for (const Node &node : nodes) {
    Axes axes;
    if (node.kind == Node::Element) {
      axes.i = llvm::StringRef(inputs[node.input].map).contains('i');
      axes.l = llvm::StringRef(inputs[node.input].map).contains('l');
    }
    axes.l |= node.kind == Node::Index;
    for (int operand : node.operands) {
      axes.i |= result[operand].i;
      axes.l |= result[operand].l;
    }
    if (node.isReduction())
      axes.l = false;
    result.push_back(axes);
  }
  return result;
}

unsigned Chain::numReductions() const {
  return llvm::count_if(nodes,
                        [](const Node &node) { return node.isReduction(); });
}

void Chain::removeUnused() {
  std::vector<bool> used(nodes.size());
  for (int output : outputs)
    used[output] = true;
  for (size_t n = nodes.size(); n-- > 0;)
    if (used[n])
      for (int operand : nodes[n].operands)
        used[operand] = true;
  std::vector<bool> usedInputs(inputs.size());
  usedInputs[0] = true;
  std::vector<int> newNumber(nodes.size());
  std::vector<Node> kept;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!used[n])
      continue;
    newNumber[n] = int(kept.size());
    Node node = nodes[n];
    for (int &operand : node.operands)
      operand = newNumber[operand];
    if (node.kind == Node::Element)
      usedInputs[node.input] = true;
    kept.push_back(std::move(node));
  }
  std::vector<Input> keptInputs;
  std::vector<int> newInput(inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    newInput[k] = int(keptInputs.size());
    if (usedInputs[k])
      keptInputs.push_back(inputs[k]);
  }
  for (Node &node : kept)
    if (node.kind == Node::Element)
      node.input = newInput[node.input];
  for (int &output : outputs)
    output = newNumber[output];
  nodes = std::move(kept);
  inputs = std::move(keptInputs);
}

void Chain::replaceUses(int from, int to) {
  for (Node &node : nodes)
    std::replace(node.operands.begin(), node.operands.end(), from, to);
  std::replace(outputs.begin(), outputs.end(), from, to);
}

static std::string tensorType(llvm::StringRef map, const TypeName &type) {
  std::string text = "tensor<";
  for (size_t k = 0; k < 1 + map.count(','); ++k)
    text += "?x";
  return text + type + ">";
}

static std::string printConstant(const Node &node) {
  if (node.type == "i32")
    return std::to_string(int(node.value));
  llvm::SmallString<32> digits;
  llvm::APFloat(node.value).toString(digits, 9, 0, false);
  std::string text(digits);
  return text.find_first_of("E.") == std::string::npos ? text + ".0" : text;
}

/// The right hand side of a node.
static std::string printNode(const Chain &chain, const Node &node) {
  auto name = [&](unsigned k) {
    return "%v" + std::to_string(node.operands[k]);
  };
  auto operandType = [&] { return chain.nodes[node.operands[0]].type; };
  switch (node.kind) {
  case Node::Element:
    return "";
  case Node::Constant:
    return "arith.constant " + printConstant(node) + " : " + node.type;
  case Node::Index:
    return "cascade.index l : i32";
  case Node::Extent:
    return "cascade.extent l : i32";
  case Node::Apply:
    return node.op + " " + name(0) +
           (node.operands.size() > 1 ? ", " + name(1) : "") + " : " + node.type;
  case Node::Convert:
    return node.op + " " + name(0) + " : " + operandType() + " to " + node.type;
  case Node::Compare:
    return node.op + ", " + name(0) + ", " + name(1) + " : " + operandType();
  case Node::Select:
    return "arith.select " + name(0) + ", " + name(1) + ", " + name(2) + " : " +
           node.type;
  case Node::Reduce:
    return "cascade.reduce " + node.op + " " + name(0) + " over (l)" +
           (node.operands.size() > 1 ? " where " + name(1) : "") + " : " +
           node.type;
  case Node::ArgReduce:
    return "cascade.reduce " + node.op + " " + name(0) + ", " + name(1) +
           " over (l) : " + node.type + ", i32";
  }
  return "";
}

std::string Chain::print() const {
  std::vector<Axes> axes = this->axes();
  std::string arguments, ins, elements, outs, results, resultTypes, yielded,
      yieldedTypes, returned;
  auto append = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (auto [k, input] : llvm::enumerate(inputs)) {
    std::string type = tensorType(input.map, input.type);
    std::string name = "%x" + std::to_string(k);
    append(arguments, name + ": " + type);
    append(ins, name + "[" + input.map + "] : " + type);
    // An element has the name of its node, if it has one.
    std::string element = "%e" + std::to_string(k);
    for (auto [n, node] : llvm::enumerate(nodes))
      if (node.kind == Node::Element && node.input == int(k))
        element = "%v" + std::to_string(n);
    append(elements, element + ": " + input.type);
  }
  for (auto [k, output] : llvm::enumerate(outputs)) {
    std::string map = axes[output].l ? "i, l" : "i";
    std::string type = tensorType(map, nodes[output].type);
    append(outs, "[" + map + "] : " + type);
    append(results, "%r" + std::to_string(k));
    append(resultTypes, type);
    append(yielded, "%v" + std::to_string(output));
    append(yieldedTypes, nodes[output].type);
  }
  std::string text = "func.func @chain(" + arguments + ") -> (" + resultTypes +
                     ") {\n  " + results + " = cascade.chain (i, l)\n" +
                     "      ins(" + ins + ")\n      outs(" + outs +
                     ") {\n  ^bb0(" + elements + "):\n";
  for (auto [n, node] : llvm::enumerate(nodes)) {
    if (node.kind == Node::Element)
      continue;
    std::string name = "%v" + std::to_string(n);
    text += "    " + name +
            (node.kind == Node::ArgReduce ? ", " + name + "_at" : "") + " = " +
            printNode(*this, node) + "\n";
  }
  return text + "    cascade.yield " + yielded + " : " + yieldedTypes +
         "\n  }\n  return " + results + " : " + resultTypes + "\n}\n";
}
