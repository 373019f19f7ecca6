//===- ChainFuser.h - One chain on its way to its fused form --*- C++ -*-===//
//
// FuseCascades.cpp asks what each reduction becomes, FusedForm.cpp rewrites the
// body accordingly. Private to the transforms.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TRANSFORMS_CHAINFUSER_H
#define CASCADE_LIB_TRANSFORMS_CHAINFUSER_H

#include "cascade/Algebra/SplitTest.h"
#include "cascade/Analysis/ExprBridge.h"
#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Transforms/ReplayCondition.h"

namespace cascade {

class ChainFuser {
public:
  ChainFuser(ChainOp chain, ChainReport &report)
      : chain(chain), report(report), axes(chain, chain.getBody()),
        replay(chain) {}
  mlir::LogicalResult run();

private:
  struct Member {
    ReduceOp reduce;
    unsigned pass = 0; ///< among the passes over its axes
    algebra::Expr value = nullptr;
    /// The index and payload that go with a key.
    llvm::SmallVector<algebra::Expr> carried;
    algebra::Sign sign;
    bool accumulatesPlainly = true;
    mlir::Value predicate; ///< as written; null: everywhere
  };
  /// The reductions over one set of axes and their translation.
  struct Group {
    AxisSet over;
    /// The result symbols of their results.
    llvm::DenseMap<mlir::Value, unsigned> symbols;
    std::unique_ptr<ExprBridge> bridge;
    unsigned passes = 0;
    /// The number of iterations of the axes, once asked for.
    llvm::SmallDenseMap<unsigned, algebra::Expr> extents; ///< by type
  };
  /// One result of a reduction.
  struct Symbol {
    unsigned member, position;
  };
  /// The number of iterations in the domain of a pass's reductions: a reduction
  /// that is made when a fused form refers to it. Its result symbol has the
  /// number of symbols plus its own as its id.
  struct Count {
    Group *group;
    unsigned pass;
    mlir::Value predicate;
    algebra::Type type;
    bool made = false;
  };

  mlir::LogicalResult fuse(unsigned index);
  void numberResults();
  mlir::LogicalResult translate(Member &member, Group &group,
                                algebra::Expr &predicate);
  Group &groupOf(ReduceOp reduce);
  mlir::Value resultOf(const Symbol &symbol);
  algebra::SplitProblem problemOf(Member &member, Group &group,
                                  algebra::Expr predicate);
  algebra::ResultInfo infoOf(const Symbol &symbol, const Member &asking,
                             Group &group);
  algebra::Expr countOf(Group &group, unsigned pass, mlir::Value predicate,
                        algebra::Type type);
  algebra::Expr extentOf(Group &group, algebra::Type type);
  void describe(ReductionReport &entry, const Member &member,
                const algebra::SplitResult &split);

  void makeSymbols(mlir::OpBuilder &b, mlir::Location loc, Group &group,
                   const algebra::SplitResult &split);
  void rewrite(Member &member, Group &group, const algebra::SplitResult &split);
  ReduceOp buildReduction(mlir::OpBuilder &b, ReduceOp old, Group &group,
                          const algebra::SplitResult &split);
  void buildCorrection(ReduceOp reduce, Group &group,
                       const algebra::SplitResult &split);
  mlir::Value mapKey(mlir::OpBuilder &b, ReduceOp reduce, ExprBridge &bridge,
                     const algebra::SplitResult &split, mlir::Value mapped);
  void watch(mlir::OpBuilder &b, Group &group, Member &member,
             const algebra::SplitResult &split);
  void watchRanges(mlir::OpBuilder &b, Group &group, Member &member,
                   const algebra::SplitResult &split);
  void finish();

  ChainOp chain;
  ChainReport &report;
  AxisAnalysis axes;
  algebra::ExprContext exprs;
  llvm::SmallVector<Member> members;
  /// By their ids: the first results of all members, then the others.
  llvm::SmallVector<Symbol> symbols;
  llvm::SmallVector<std::unique_ptr<Group>> groups;
  /// What takes the place of the results of the reductions as written.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> replacements;
  llvm::SmallVector<Count> counts;
  ReplayCondition replay;
};

/// Results that divide every element of a row by one number of the row multiply
/// by its reciprocal instead. `reduced` are all axes that reductions reduce.
void shareReciprocals(ChainOp chain, const AxisAnalysis &axes,
                      const AxisSet &reduced, ReplayCondition &replay);

/// Takes factors out of sums of narrow numbers, apart from the reductions in
/// `replaced`; returns the reductions whose sums it has changed.
llvm::DenseSet<mlir::Operation *>
hoistFactors(ChainOp chain, const AxisSet &reduced,
             const llvm::DenseSet<mlir::Operation *> &replaced,
             ReplayCondition &replay);

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_CHAINFUSER_H
