//===- Generator.cpp - Random row chains ----------------------------------===//
//
// The first reduction is over an expression of elements. Each later one takes a
// template, which says how elements and earlier results meet, and fills its
// holes at random. Most templates are separable, some only in disguise, and a
// few are not.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

using namespace cascade::test;

namespace {

class Generator {
public:
  explicit Generator(Dice &dice) : dice(dice) {}
  Chain run();

private:
  // Building blocks.
  int apply(const char *op, int x) {
    return chain.add({Node::Apply, type, op, {x}, 0, 0});
  }
  int apply(const char *op, int x, int y) {
    return chain.add({Node::Apply, type, op, {x, y}, 0, 0});
  }
  int add(int x, int y) { return apply("arith.addf", x, y); }
  int sub(int x, int y) { return apply("arith.subf", x, y); }
  int mul(int x, int y) {
    return dice.oneIn(3) ? apply("arith.mulf", y, x)
                         : apply("arith.mulf", x, y);
  }
  int div(int x, int y) { return apply("arith.divf", x, y); }
  int exp(int x) { return apply("math.exp", x); }
  int abs(int x) { return apply("math.absf", x); }
  int constant(double value) {
    return chain.add({Node::Constant, type, "", {}, value, 0});
  }
  int integer(int value) {
    return chain.add({Node::Constant, "i32", "", {}, double(value), 0});
  }
  int index() { return chain.add({Node::Index, "i32", "", {}, 0, 0}); }
  int extent() {
    int n = chain.add({Node::Extent, "i32", "", {}, 0, 0});
    return chain.add({Node::Convert, type, "arith.sitofp", {n}, 0, 0});
  }
  int compare(const char *op, int x, int y) {
    return chain.add({Node::Compare, "i1", op, {x, y}, 0, 0});
  }
  int select(int condition, int x, int y) {
    return chain.add({Node::Select, type, "", {condition, x, y}, 0, 0});
  }
  int reduce(const std::string &kind, int value);

  void makeInputs();
  int someConstant() {
    return constant(dice.pick<double>({0.5, 2.0, -1.0, 1.25, 0.125, 3.0}));
  }
  int element() { return dice.pick(elements); }
  int elementExpression();
  int nonNegativeElement();
  int indexCondition();
  int result() { return dice.pick(results); }
  /// A maximum of elements if there is one: what usually stands in exponents.
  int maximum() {
    return maxima.empty() || dice.oneIn(4) ? result() : dice.pick(maxima);
  }
  int resultExpression();
  int nonNegativeResult();
  /// Something that does not vary over l: an element of [i] or a constant.
  int parameter();

  int exponential();
  int scaled();
  int disguised();
  int selected();
  int unseparable();
  void addFirst();
  void addDependent();
  void addOutputs();

  Dice &dice;
  Chain chain;
  TypeName type;
  int where = -1;              ///< the predicate of most reductions, or -1
  std::vector<int> elements;   ///< vary over l
  std::vector<int> parameters; ///< elements that do not
  std::vector<int> results;
  std::vector<int> maxima;      ///< results that are
  std::vector<int> nonNegative; ///< results that are
};

} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void Generator::makeInputs() {
  type = dice.oneIn(6) ? "f64" : "f32";
  int count = 1 + dice.roll(3);
  for (int k = 0; k < count; ++k) {
    Input input;
    // What f64 rounds is not seen from moving the last bit of a bf16.
    input.type = type == "f32" && dice.oneIn(5) ? "bf16"
                 : dice.oneIn(12)               ? "f64"
                                                : type;
    input.map = k == 0 || !dice.oneIn(3) ? "i, l" : dice.oneIn(2) ? "l" : "i";
    chain.inputs.push_back(input);
    int node = chain.add({Node::Element, input.type, "", {}, 0, k});
    if (input.type == "f64" && type == "f32")
      node = chain.add({Node::Convert, type, "arith.truncf", {node}, 0, 0});
    else if (input.type != type)
      node = chain.add({Node::Convert, type, "arith.extf", {node}, 0, 0});
    (input.map == "i" ? parameters : elements).push_back(node);
  }
}

int Generator::indexCondition() {
  int n = integer(dice.pick<int>({1, 2, 5, 20, 50}));
  switch (dice.roll(4)) {
  case 0:
    return compare("arith.cmpi sge", index(), n);
  case 1:
    return compare("arith.cmpi ne", index(), n);
  case 2:
    return compare("arith.cmpf ogt", element(), constant(0));
  default:
    return compare("arith.cmpi slt", index(), n);
  }
}

int Generator::nonNegativeElement() {
  int x = element();
  switch (dice.roll(3)) {
  case 0:
    return abs(x);
  case 1:
    return exp(x);
  default:
    return mul(x, x);
  }
}

int Generator::elementExpression() {
  switch (dice.roll(10)) {
  case 0:
    return mul(element(), element());
  case 1:
    return nonNegativeElement();
  case 2:
    return add(element(), element());
  case 3:
    return mul(element(), someConstant());
  case 4:
    return select(indexCondition(), element(), constant(dice.roll(2)));
  case 5: {
    int j = chain.add({Node::Convert, type, "arith.sitofp", {index()}, 0, 0});
    return sub(element(), mul(j, constant(0.03125)));
  }
  default:
    return element();
  }
}

int Generator::parameter() {
  return parameters.empty() || dice.oneIn(2) ? someConstant()
                                             : dice.pick(parameters);
}

//===----------------------------------------------------------------------===//
// Earlier results
//===----------------------------------------------------------------------===//

int Generator::resultExpression() {
  int r = result();
  switch (dice.roll(12)) {
  case 0:
    return div(r, extent());
  case 1:
    return mul(r, parameter());
  case 2:
    return add(r, result());
  case 3:
    return apply("math.log", r);
  case 4:
    return add(r, parameter());
  case 5:
    return apply("arith.maximumf", r, parameter());
  default:
    return r;
  }
}

int Generator::nonNegativeResult() {
  if (!nonNegative.empty() && !dice.oneIn(3))
    return dice.pick(nonNegative);
  int r = result();
  return dice.oneIn(2) ? abs(r) : mul(r, r);
}

int Generator::reduce(const std::string &kind, int value) {
  Node node{Node::Reduce, type, kind, {value}, 0, 0};
  // Most of a chain has one domain, some of it another.
  if (where >= 0 && !dice.oneIn(6))
    node.operands.push_back(where);
  else if (dice.oneIn(20))
    node.operands.push_back(indexCondition());
  return chain.add(node);
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// Weights e^(x - m), on their own, normalised or times an element.
int Generator::exponential() {
  int m = dice.oneIn(6) ? resultExpression() : maximum();
  int x = dice.oneIn(4) ? elementExpression() : element();
  int d = sub(x, m);
  int w;
  switch (dice.roll(6)) {
  case 0:
    w = exp(mul(d, parameter()));
    break;
  case 1: {
    int c = parameter();
    w = exp(sub(mul(x, c), mul(m, c)));
    break;
  }
  default:
    w = exp(d);
  }
  switch (dice.roll(8)) {
  case 0:
    return div(w, result());
  case 1:
    return mul(div(w, result()), element());
  case 2:
    return mul(w, element());
  case 3:
    return div(mul(w, element()), resultExpression());
  case 4: {
    int p = div(w, result());
    return mul(p, p);
  }
  case 5: {
    int v = exp(sub(element(), maximum()));
    return apply("math.sqrt", mul(w, v));
  }
  default:
    return w;
  }
}

/// Elements times factors of results.
int Generator::scaled() {
  int x = elementExpression();
  switch (dice.roll(9)) {
  case 0:
    return div(x, resultExpression());
  case 1:
    return mul(x, resultExpression());
  case 2: {
    int q = div(x, result());
    return mul(q, q);
  }
  case 3: {
    int c = apply("arith.minimumf", constant(1), div(parameter(), result()));
    return mul(mul(x, element()), c);
  }
  case 4: {
    int mean = div(nonNegativeResult(), extent());
    int r = apply("math.rsqrt", add(mean, constant(1e-5)));
    return dice.oneIn(2) ? mul(mul(x, element()), r)
                         : mul(mul(x, r), element());
  }
  case 5: {
    int norm = apply("math.sqrt", nonNegativeResult());
    return div(mul(x, element()), norm);
  }
  case 6:
    return mul(x, nonNegativeResult());
  case 7: {
    // The scaled norm.
    int q = div(element(), nonNegativeResult());
    return mul(q, q);
  }
  default:
    return div(mul(x, result()), result());
  }
}

/// Separable, but not in the form in which it is usually written.
int Generator::disguised() {
  int x = element(), m = maximum();
  switch (dice.roll(12)) {
  case 0:
    return mul(exp(x), exp(sub(constant(0), m)));
  case 1:
    return div(exp(x), exp(m));
  case 2:
    return add(div(mul(x, element()), m), div(mul(element(), x), m));
  case 3:
    return sub(mul(x, m), mul(element(), m));
  case 4:
    return exp(sub(x, add(m, apply("math.log", result()))));
  case 5:
    return exp(apply("arith.negf", sub(m, x)));
  case 6:
    return exp(sub(sub(x, m), mul(element(), someConstant())));
  case 7:
    return mul(mul(x, m), div(element(), result()));
  case 8:
    return mul(exp(sub(x, m)), exp(sub(m, result())));
  case 9:
    return mul(add(x, mul(x, x)), m);
  case 10:
    return div(exp(mul(constant(2), sub(x, m))), mul(result(), result()));
  default:
    return apply("math.sqrt", mul(exp(sub(x, m)), nonNegativeElement()));
  }
}

int Generator::selected() {
  int condition = indexCondition();
  switch (dice.roll(5)) {
  case 0:
    return select(condition, exp(sub(element(), maximum())), constant(0));
  case 1:
    return select(condition, mul(element(), result()), constant(0));
  case 2:
    return mul(select(condition, element(), element()), resultExpression());
  case 3: {
    int m = maximum();
    return exp(select(condition, sub(element(), m), sub(element(), m)));
  }
  default: {
    int m = result();
    int positive = compare("arith.cmpf ogt", m, constant(0));
    return mul(element(), select(positive, m, constant(1)));
  }
  }
}

int Generator::unseparable() {
  int x = element(), m = resultExpression();
  switch (dice.roll(7)) {
  case 0:
    return abs(sub(x, m));
  case 1:
    return select(compare("arith.cmpf ogt", x, m), constant(1), constant(0));
  case 2:
    return exp(mul(x, m));
  case 3: {
    int d = sub(x, m);
    return mul(d, d);
  }
  case 4:
    return apply("arith.maximumf", sub(x, m), constant(0));
  case 5: {
    TypeName narrow = "bf16";
    int y =
        chain.add({Node::Convert, narrow, "arith.truncf", {mul(x, m)}, 0, 0});
    return chain.add({Node::Convert, type, "arith.extf", {y}, 0, 0});
  }
  default:
    return sub(x, m);
  }
}

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

void Generator::addFirst() {
  if (dice.oneIn(4)) {
    int r = reduce("add", nonNegativeElement());
    results.push_back(r);
    nonNegative.push_back(r);
    return;
  }
  if (dice.oneIn(6)) {
    // The scale of a norm.
    int r = reduce("max", abs(element()));
    results.push_back(r);
    maxima.push_back(r);
    nonNegative.push_back(r);
    return;
  }
  if (dice.oneIn(20)) {
    int key = element();
    results.push_back(chain.add({Node::ArgReduce,
                                 type,
                                 dice.oneIn(2) ? "argmax" : "argmin",
                                 {key, index()},
                                 0,
                                 0}));
    return;
  }
  std::string kind = dice.pick<std::string>(
      {"max", "max", "max", "add", "min", "maxnum", "minnum"});
  results.push_back(reduce(
      kind, kind == "max" && !dice.oneIn(3) ? element() : elementExpression()));
  if (kind == "max" || kind == "maxnum")
    maxima.push_back(results.back());
}

void Generator::addDependent() {
  const std::vector<std::string> orders{"max", "min", "maxnum", "minnum"};
  if (dice.oneIn(6)) {
    addFirst();
    return;
  }
  if (dice.oneIn(8)) {
    // An order of shifted or scaled elements.
    int x = elementExpression();
    int value;
    switch (dice.roll(4)) {
    case 0:
      value = mul(x, nonNegativeResult());
      break;
    case 1:
      value = mul(sub(x, resultExpression()), someConstant());
      break;
    case 2:
      value = add(resultExpression(), mul(x, someConstant()));
      break;
    default:
      value = sub(x, resultExpression());
    }
    results.push_back(reduce(dice.pick(orders), value));
    return;
  }
  int value, form = dice.roll(20);
  if (form < 7)
    value = exponential();
  else if (form < 12)
    value = scaled();
  else if (form < 16)
    value = disguised();
  else if (form < 18)
    value = selected();
  else
    value = unseparable();
  if (dice.oneIn(10))
    value = mul(value, dice.oneIn(2) ? element() : parameter());
  if (dice.oneIn(16))
    value = apply("arith.negf", value);
  results.push_back(reduce(dice.oneIn(7) ? dice.pick(orders) : "add", value));
}

void Generator::addOutputs() {
  chain.outputs.assign(results.begin(), results.end());
  if (dice.oneIn(3))
    chain.outputs.push_back(add(result(), apply("math.log", result())));
  if (!dice.oneIn(3))
    return;
  switch (dice.roll(4)) {
  case 0:
    chain.outputs.push_back(div(exp(sub(element(), maximum())), result()));
    break;
  case 1:
    chain.outputs.push_back(mul(element(), result()));
    break;
  case 2:
    chain.outputs.push_back(div(sub(element(), result()), result()));
    break;
  default:
    chain.outputs.push_back(div(element(), result()));
  }
}

Chain Generator::run() {
  makeInputs();
  if (dice.oneIn(4))
    where = indexCondition();
  int count = 2 + dice.roll(4);
  addFirst();
  for (int k = 1; k < count; ++k)
    addDependent();
  addOutputs();
  chain.removeUnused();
  return std::move(chain);
}

Chain cascade::test::generateChain(Dice &dice) { return Generator(dice).run(); }
