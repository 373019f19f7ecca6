//===- Expr.h - A hash-consed DAG of scalar expressions ---------*- C++ -*-===//
//
// The scalar mathematics of a reduction as the split test sees it. Nothing here
// depends on LLVM or MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ALGEBRA_EXPR_H
#define CASCADE_ALGEBRA_EXPR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cascade::algebra {

enum class Type : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

inline bool isFloat(Type type) { return type >= Type::F8E4M3; }
/// "i1", "bf16", ... as MLIR spells them ("f8E4M3FN", "f8E5M2" for the fp8s).
const char *spelling(Type type);
/// The type a reduction of values of `type` accumulates in: at least F32 for
/// floats, the type itself otherwise.
Type accumulatorType(Type type);

enum class Kind : uint8_t {
  // Symbols: `id` numbers them, each kind from 0.
  Element,   ///< Varies over the reduced axes.
  Result,    ///< The result of an earlier reduction.
  Parameter, ///< Anything else that does not vary over the reduced axes.
  OldRef,    ///< In a correction: the reference accumulators are held against.
  NewRef,    ///< In a correction: the reference they are brought to.
  Accumulator, ///< In a correction or a finish.
  // Leaves.
  FloatConstant, ///< `number`
  IntConstant,   ///< `integer`; also I1 and Index
  // Float arithmetic; Max and Min propagate NaN, MaxNum and MinNum ignore it.
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  MaxNum,
  MinNum,
  Pow,
  Neg,
  Abs,
  Sqrt,
  Rsqrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Tanh,
  // On I1.
  And,
  Or,
  Xor,
  Not,
  // Others.
  Cmp,     ///< `predicate`; I1
  Select,  ///< condition, value if true, value if false
  Widen,   ///< exact float cast
  Narrow,  ///< rounding float cast
  Convert, ///< any other cast: `name` ("sitofp", ...) and the type
  Opaque   ///< any other operation without side effects: `name`
};

/// Comparison predicates: floats ordered (O) and unordered (U), then integers.
enum class Predicate : uint8_t {
  OEQ,
  OGT,
  OGE,
  OLT,
  OLE,
  ONE,
  ORD,
  UEQ,
  UGT,
  UGE,
  ULT,
  ULE,
  UNE,
  UNO,
  IntEQ,
  IntNE,
  IntSLT,
  IntSLE,
  IntSGT,
  IntSGE,
  IntULT,
  IntULE,
  IntUGT,
  IntUGE
};

/// Parameters from this id on are made by the compiler: numbers of iterations,
/// printed as N.
inline constexpr unsigned kFirstMadeParameter = 1u << 20;

struct ExprNode;
/// Expressions are compared by address: a context makes equal ones equal.
using Expr = const ExprNode *;

struct ExprNode {
  Kind kind;
  Type type;
  Predicate predicate = Predicate::OEQ;
  /// Bits `1 << unsigned(Kind)` of the symbol kinds this expression contains.
  uint8_t symbols = 0;
  /// Position in order of creation; operands come before their users.
  uint32_t serial = 0;
  unsigned id = 0;
  double number = 0;
  int64_t integer = 0;
  std::string name;
  std::vector<Expr> operands;

  Expr operand(unsigned i) const { return operands[i]; }
  bool is(Kind k) const { return kind == k; }
  bool contains(Kind symbol) const {
    return symbols & (1u << static_cast<unsigned>(symbol));
  }
};

/// Owns expressions. Building never simplifies: equal requests give the same
/// node, and that is all. The type of a result is that of its first operand
/// unless stated.
class ExprContext {
public:
  ExprContext();
  ~ExprContext();
  ExprContext(const ExprContext &) = delete;
  ExprContext &operator=(const ExprContext &) = delete;

  Expr symbol(Kind kind, unsigned id, Type type);
  Expr element(unsigned id, Type type = Type::F32) {
    return symbol(Kind::Element, id, type);
  }
  Expr result(unsigned id, Type type = Type::F32) {
    return symbol(Kind::Result, id, type);
  }
  Expr parameter(unsigned id, Type type = Type::F32) {
    return symbol(Kind::Parameter, id, type);
  }
  Expr oldRef(unsigned id, Type type = Type::F32) {
    return symbol(Kind::OldRef, id, type);
  }
  Expr newRef(unsigned id, Type type = Type::F32) {
    return symbol(Kind::NewRef, id, type);
  }
  Expr accumulator(unsigned id, Type type = Type::F32) {
    return symbol(Kind::Accumulator, id, type);
  }
  Expr constant(double value, Type type = Type::F32);
  Expr integer(int64_t value, Type type = Type::I32);

  Expr unary(Kind kind, Expr a);
  Expr binary(Kind kind, Expr a, Expr b);
  Expr add(Expr a, Expr b) { return binary(Kind::Add, a, b); }
  Expr sub(Expr a, Expr b) { return binary(Kind::Sub, a, b); }
  Expr mul(Expr a, Expr b) { return binary(Kind::Mul, a, b); }
  Expr div(Expr a, Expr b) { return binary(Kind::Div, a, b); }
  Expr max(Expr a, Expr b) { return binary(Kind::Max, a, b); }
  Expr min(Expr a, Expr b) { return binary(Kind::Min, a, b); }
  Expr neg(Expr a) { return unary(Kind::Neg, a); }
  Expr abs(Expr a) { return unary(Kind::Abs, a); }
  Expr sqrt(Expr a) { return unary(Kind::Sqrt, a); }
  Expr rsqrt(Expr a) { return unary(Kind::Rsqrt, a); }
  Expr exp(Expr a) { return unary(Kind::Exp, a); }
  Expr exp2(Expr a) { return unary(Kind::Exp2, a); }
  Expr log(Expr a) { return unary(Kind::Log, a); }
  Expr tanh(Expr a) { return unary(Kind::Tanh, a); }
  Expr pow(Expr a, Expr b) { return binary(Kind::Pow, a, b); }
  /// Result I1.
  Expr cmp(Predicate predicate, Expr a, Expr b);
  /// The type is that of the arms.
  Expr select(Expr condition, Expr ifTrue, Expr ifFalse);
  Expr widen(Expr a, Type type);
  Expr narrow(Expr a, Type type);
  Expr convert(std::string_view name, Expr a, Type type);
  Expr opaque(std::string_view name, std::vector<Expr> operands, Type type);

  /// Widen, Narrow or `a` itself, whichever brings the float `a` to `type`.
  Expr castFloat(Expr a, Type type);
  /// a * b, or the other where one is null (the unit).
  Expr mulNonUnit(Expr a, Expr b);
  /// `node` with other operands (the same node if they are the same).
  Expr withOperands(Expr node, std::vector<Expr> operands);

  /// Number of nodes owned.
  size_t size() const { return nodes.size(); }

private:
  Expr intern(ExprNode &&node);
  struct Hash {
    size_t operator()(Expr e) const;
  };
  struct Equal {
    bool operator()(Expr a, Expr b) const;
  };
  std::vector<std::unique_ptr<ExprNode>> nodes;
  std::unordered_set<Expr, Hash, Equal> table;
};

//===----------------------------------------------------------------------===//
// Visitors: all iterative, linear in the number of nodes of the DAG
//===----------------------------------------------------------------------===//

/// Every node of the expressions once, operands before users.
std::vector<Expr> postOrder(const std::vector<Expr> &roots);
inline std::vector<Expr> postOrder(Expr root) {
  return postOrder(std::vector<Expr>{root});
}

/// Where the values of symbols come from; missing ones are NaN.
struct Bindings {
  std::vector<double> elements, results, parameters, oldRefs, newRefs,
      accumulators;
  /// Values for chosen nodes, looked at before anything else.
  std::unordered_map<Expr, double> nodes;
  /// Evaluates Opaque and Convert nodes; by default Convert is the identity (a
  /// truncation for float to integer) and Opaque is NaN except for addi, subi,
  /// muli, sin, cos, erf, floor and ceil.
  std::function<double(Expr, const std::vector<double> &)> opaque;
};

/// The value in double precision; casts between floats do not round. I1 values
/// are 0 and 1.
double evaluate(Expr e, const Bindings &bindings);

/// "exp(x0 - r0)": minimal parentheses, x for elements, r results, p
/// parameters, old/new for references, acc for accumulators. Widening casts are
/// not shown. Text beyond `limit` characters is cut with "...".
std::string print(Expr e, size_t limit = 4096);

/// Replaces nodes by others, everywhere in `e`; replaced nodes are not entered.
Expr substitute(ExprContext &context, Expr e,
                const std::unordered_map<Expr, Expr> &replacement);

/// Ids of the symbols of one kind in `e`, ascending, each once.
std::vector<unsigned> symbolsOf(Expr e, Kind symbolKind);

/// A rough count of issue slots: 1 for simple arithmetic, 8 for division and
/// square roots, 16 for transcendental functions; shared nodes once.
unsigned cost(const std::vector<Expr> &roots);

/// The name of an Opaque or Convert without dialect and attributes: "sitofp" of
/// "arith.sitofp{...}".
std::string_view baseName(std::string_view name);
/// The node below any widening casts.
Expr skipWidening(Expr e);
/// The value if `e` is a constant (below widening casts), else false.
bool isConstant(Expr e, double &value);
bool isConstantEqual(Expr e, double value);

} // namespace cascade::algebra

#endif // CASCADE_ALGEBRA_EXPR_H
