//===- Chain.h - A chain of reductions over one axis ------------*- C++ -*-===//
//
// What the pass fuse-cascades does with a chain, without MLIR: every stage is
// put to the split test with the facts that the pass would give it.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TEST_LIB_CHAININTERPRETER_CHAIN_H
#define CASCADE_TEST_LIB_CHAININTERPRETER_CHAIN_H

#include "cascade/Algebra/SplitTest.h"

#include <memory>
#include <vector>

namespace cascade::algebra {

/// Stage i defines Result(i). Copies share the context.
class Chain {
  std::shared_ptr<ExprContext> owner = std::make_shared<ExprContext>();

public:
  Chain() = default;
  Chain(const Chain &) = default;
  /// A chain without stages in the same context and with the same options.
  Chain empty() const {
    Chain copy = *this;
    copy.list.clear();
    copy.countList.clear();
    copy.fused = 0;
    return copy;
  }

  ExprContext &context = *owner;
  SplitOptions options;
  std::vector<Sign> parameterFacts;
  /// The results of counts are numbered from here.
  unsigned firstCount = 512;

  struct Stage {
    MonoidKind kind;
    Expr value;
    Expr predicate = nullptr; ///< null: everywhere
    // After the split test:
    Sign sign = {};
    unsigned pass = 0;
    SplitResult verdict = {};
  };
  /// The number of iterations in a domain, Result(firstCount + its number).
  struct Count {
    unsigned pass;
    Expr predicate;
    Type type;
  };

  /// Adds a stage and gives its Result.
  Expr reduce(MonoidKind kind, Expr value, Expr predicate = nullptr);
  /// Puts the stages that have not been yet to the split test. A refused one
  /// runs in the next pass.
  void fuse();
  /// Forgets all verdicts.
  void unfuse() { fused = 0; }
  /// The question about a stage; its predecessors must have been answered.
  SplitProblem problem(unsigned stage) const;

  const std::vector<Stage> &stages() const { return list; }
  const std::vector<Count> &counts() const { return countList; }
  /// The number of iterations as a float, a parameter.
  Expr extent(Type type = Type::F32) const {
    return context.parameter(kFirstMadeParameter, type);
  }

private:
  Expr countOf(unsigned pass, Expr predicate, Type type) const;

  std::vector<Stage> list;
  mutable std::vector<Count> countList;
  unsigned fused = 0;
};

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CHAININTERPRETER_CHAIN_H
