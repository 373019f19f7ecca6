//===- TileEvaluator.h - Body values of a tile of elements ----*- C++ -*-===//
//
// Evaluates the body of a chain at the elements that one thread holds of a
// tile, which is a part of the row axis. ThreadLayout says which elements a
// value has. Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H

#include "CacheHints.h"
#include "ThreadLayout.h"
#include "mlir/IR/IRMapping.h"

namespace cascade {

class Contractor;
class ThreadState;

/// The indices on the row axis from `begin` to `end`.
struct IndexLimits {
  Int begin, end;
};

/// The values of one scope: the row, a tile, or a tile seen against the
/// references of a moment. Scopes form a chain; a value is evaluated in the
/// outermost scope that knows all it depends on.
class TileEvaluator {
public:
  /// The scope of the row: values that do not vary over the row axis.
  TileEvaluator(const KernelContext &context, const ThreadLayout &layout);
  /// The scope of a tile at `tile`; `partial` tiles overhang the row's end.
  TileEvaluator(TileEvaluator &row, mlir::OpBuilder &b, Int tile, bool partial);
  /// The elements that `layout`, of another context of the row, has from `base`
  /// on.
  TileEvaluator(TileEvaluator &row, const ThreadLayout &layout,
                mlir::OpBuilder &b, Int base, bool partial);
  /// The same of `tile`.
  TileEvaluator(TileEvaluator &row, const ThreadLayout &layout,
                mlir::OpBuilder &b, Int base, const TileEvaluator &tile);
  /// A tile seen against references, which `define` enters.
  explicit TileEvaluator(TileEvaluator &tile);
  /// A tile at the place of `tile` that knows nothing yet.
  TileEvaluator(TileEvaluator &row, const TileEvaluator &tile);
  /// `tile`, or the row, at one tile of each axis of `looped`, which `context`
  /// is at.
  TileEvaluator(TileEvaluator &tile, const KernelContext &context,
                const AxisSet &looped);

  void define(mlir::Value value, mlir::ValueRange elements) {
    values[value] = llvm::to_vector(elements);
  }

  /// The elements of `value`.
  llvm::SmallVector<mlir::Value> evaluate(mlir::OpBuilder &b,
                                          mlir::Value value);

  /// Loads `inputs` of this tile here and not where they are used.
  void prefetch(mlir::OpBuilder &b, mlir::ValueRange inputs);

  /// Loads `inputs` of this tile, as words that a loop carries.
  llvm::SmallVector<mlir::Value> loadWords(mlir::OpBuilder &b,
                                           mlir::ValueRange inputs);
  /// Enters `inputs` as what another evaluator of this tile has loaded.
  void defineWords(mlir::OpBuilder &b, mlir::ValueRange inputs,
                   mlir::ValueRange words);

  /// Evaluates in the scope of the row whatever `roots` need of it and can be
  /// known before the reductions that are still missing.
  void prepareRow(mlir::OpBuilder &b, mlir::ValueRange roots);
  /// Whether the scope of the row can evaluate `value` before the reductions
  /// that are still missing.
  bool isAvailable(mlir::Value value);

  /// The same tile once more, with the elements that this one has loaded, but
  /// nothing of what was computed from them: 16-bit elements take half the
  /// registers of their values in f32 from one use to the next.
  /// Of `row`, if it is given: the tile is that of a later row.
  std::unique_ptr<TileEvaluator> reload(mlir::OpBuilder &b,
                                        TileEvaluator *row = nullptr) const;
  /// The maximum or minimum of the values of `reduce` in a full tile, two
  /// elements an instruction. Null where they are not 16-bit elements that were
  /// widened, possibly with their signs changed.
  mlir::Value reduceNarrow(mlir::OpBuilder &b, ReduceOp reduce);
  /// The elements of `value` in a full tile, two by two as vectors of their
  /// type before they were widened; empty where they were not.
  llvm::SmallVector<mlir::Value> narrowPairs(mlir::OpBuilder &b,
                                             mlir::Value value);

  /// The number of elements a thread holds of a tile.
  unsigned numElements() const { return context.elementOffsets().size(); }
  /// Whether element `index` lies in the row; null for a full tile.
  mlir::Value valid(unsigned index) const {
    return validity.empty() ? mlir::Value() : validity[index];
  }
  /// Whether the tile may overhang the row's end.
  bool isPartial() const { return !validity.empty(); }
  /// Loads for elements of this partial tile outside of `limits`, of which
  /// nothing depends on what they are, what is loaded for others anyway.
  void limitLoads(mlir::OpBuilder &b, const IndexLimits &limits);
  /// Takes all elements of this tile to be in the domains of the reductions
  /// over the row.
  void assumeInDomain() { isInDomain = true; }
  /// The predicate that decides on the domain of `reduce` in this tile; null
  /// where every element is in it.
  mlir::Value predicateOf(ReduceOp reduce) const {
    return isInDomain && !isInner(reduce) ? mlir::Value()
                                          : mlir::Value(reduce.getPredicate());
  }
  /// For every element whether it is in the domain of `reduce`, which has one
  /// state; null where it is for sure.
  llvm::SmallVector<mlir::Value> domainsOf(mlir::OpBuilder &b, ReduceOp reduce);
  /// Index on the row axis of this thread's first element.
  Int getBase() const { return base; }
  /// Index on the row axis of element `index`.
  mlir::Value rowIndexOf(mlir::OpBuilder &b, unsigned index) const;

  /// In the scope of the row, before a run over its tiles: those that the run
  /// loads of `inputs`, which the L2 cache keeps, are not loaded again.
  void beginRun(llvm::ArrayRef<unsigned> inputs) {
    released.clear();
    released.insert_range(inputs);
  }
  /// Called between two runs over the tiles of the row: the inputs that are
  /// kept and were loaded in the first are at hand in the second.
  void endRun() {
    kept.insert_range(loadedToKeep);
    loadedToKeep.clear();
  }

  /// Forgets the elements of this tile that this run has put into shared
  /// memory.
  void forgetKept() {
    for (unsigned input : rowScope().loadedToKeep)
      values.erase(ChainOp(context.chain).getBodyBlock()->getArgument(input));
  }
  /// What `before` has put into shared memory, in front of the rows, is at hand
  /// in all of them.
  void adoptKept(const TileEvaluator &before) { kept = before.kept; }

  /// Whether `position` lies inside every extent of `axes`; null where it does
  /// at all of the thread's positions.
  mlir::Value isInside(mlir::OpBuilder &b, const AxisSet &axes,
                       llvm::ArrayRef<unsigned> position) const;

  /// Everything that this scope knows, at `position`, for cloning slices. In
  /// the scope of the row that is nothing that varies over the row axis.
  mlir::IRMapping mapping(llvm::ArrayRef<unsigned> position) const;
  bool knows(mlir::Value value) const;

  /// Stores `elements` of `value` as output `output` at this tile, or at the
  /// row for an output without the row axis.
  void store(mlir::OpBuilder &b, unsigned output, mlir::Value value,
             llvm::ArrayRef<mlir::Value> elements);

  /// The address of this thread's first element of `buffer`.
  mlir::Value address(mlir::OpBuilder &b, const BufferArgument &buffer) const {
    Position first(context.axes.size(), 0);
    return address(b, buffer, first, {context.rowAxis, 1});
  }

  /// In the scope of the row: what computes sums of products on the tensor
  /// cores.
  void useContractor(const Contractor &its) { contractor = &its; }
  /// Of this tile, what is loaded apart for them.
  TileEvaluator &apart(mlir::OpBuilder &b);

  const KernelContext &getContext() const { return context; }
  const ThreadLayout &getLayout() const { return layout; }

private:
  bool isTile() const { return parent != nullptr; }
  /// Tests which elements are in the row.
  void testEnd(mlir::OpBuilder &b);
  TileEvaluator &rowScope() { return parent ? parent->rowScope() : *this; }
  const Contractor *getContractor() const {
    return parent ? parent->getContractor() : contractor;
  }
  /// The evaluator of `input`, of this tile.
  TileEvaluator &evaluatorOf(mlir::OpBuilder &b, mlir::Value input);
  bool dependsOnDefined(mlir::Value value);
  /// What must be evaluated before `op`. Nothing for a reduction of the row,
  /// which is defined when its pass is done.
  llvm::SmallVector<mlir::Value> neededBy(mlir::Operation *op) const;
  /// Whether `reduce` is inside the tile: not over the row axis.
  bool isInner(ReduceOp reduce) const;
  /// Enters the results of a reduction inside the tile.
  void reduceInner(mlir::OpBuilder &b, ReduceOp reduce);
  /// The state of a reduction inside the tile after what this scope has of its
  /// iterations; of none before if `state` is empty.
  llvm::SmallVector<mlir::Value> addInner(mlir::OpBuilder &b, ReduceOp reduce,
                                          const ThreadState &states,
                                          mlir::ValueRange state);
  /// The same after all tiles of the axes `looped`.
  llvm::SmallVector<mlir::Value> loopInner(mlir::OpBuilder &b, ReduceOp reduce,
                                           const ThreadState &states,
                                           mlir::ValueRange state, AxisSet left,
                                           const AxisSet &looped,
                                           const KernelContext &at);
  /// The axes of `reduce` that it loops over.
  AxisSet loopedBy(ReduceOp reduce) const;
  /// Whether `value` varies over an axis that some reduction loops over, so
  /// that it exists in the loop only.
  bool variesInLoop(mlir::Value value) const;
  /// What `values`, which a loop over `loops` evaluates, need from outside of
  /// it.
  llvm::SmallVector<mlir::Value> outsideOfLoop(mlir::ValueRange values,
                                               const AxisSet &loops) const;
  llvm::SmallVector<mlir::Value> evaluateOne(mlir::OpBuilder &b,
                                             mlir::Value value);
  /// Loads an input; `early` keeps the compiler from loading it later.
  llvm::SmallVector<mlir::Value>
  load(mlir::OpBuilder &b, mlir::BlockArgument argument, bool early = false);
  /// An axis along which elements of a buffer are neighbours in memory, and how
  /// many of them one access takes.
  struct Run {
    unsigned axis;
    unsigned width;
  };
  /// What loads of `input` tell the caches, in the scope of the row.
  CacheHint hintOf(unsigned input) const;
  Run accessRun(const BufferArgument &buffer) const;
  /// The address of the element of `buffer` at `position`, where a position
  /// beyond the end of a partial tile or an axis becomes the last at which
  /// `run` elements fit.
  mlir::Value address(mlir::OpBuilder &b, const BufferArgument &buffer,
                      llvm::ArrayRef<unsigned> position, Run run) const;
  /// The index on `axis` at its position number `number`.
  Int indexOn(IntBuilder &ints, unsigned axis, unsigned number) const;

  const KernelContext &context;
  const ThreadLayout &layout;
  TileEvaluator *parent = nullptr;
  const Contractor *contractor = nullptr; ///< of the row's scope
  std::unique_ptr<TileEvaluator> ofApart;
  bool overlay = false;
  bool isInDomain = false;
  AxisSet looped; ///< of a scope inside a loop over these axes
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> values;
  llvm::DenseMap<mlir::Value, bool> dependent;
  /// The place of access `first` of this tile, of input `input`, in what is
  /// kept; null where the input is not.
  mlir::Value keptPlace(mlir::OpBuilder &b, unsigned input,
                        unsigned first) const;

  Int base; ///< row index of this thread's first element
  /// The first element's place in the tiles of the block, as they follow each
  /// other.
  Int place;
  /// Of the row's scope: kept inputs that are in shared memory, and those that
  /// this run puts there.
  llvm::SmallDenseSet<unsigned, 4> kept, loadedToKeep;
  /// Of the row's scope: kept inputs that this run loads for the last time.
  llvm::SmallDenseSet<unsigned, 4> released;
  llvm::SmallVector<mlir::Value> validity;
  std::optional<IndexLimits> limits; ///< whole vectors
};

/// `values` combined two by two, in a balanced tree.
mlir::Value reduceTree(mlir::OpBuilder &b, mlir::Location loc,
                       ReductionKind kind, llvm::ArrayRef<mlir::Value> values);
/// The two elements of `pair`, widened to `wide` and combined.
mlir::Value reducePair(mlir::OpBuilder &b, mlir::Location loc,
                       ReductionKind kind, mlir::Value pair, mlir::Type wide);
/// The type that elements of `type` have in memory, and a value of it as one of
/// `type`.
mlir::Type storageType(mlir::OpBuilder &b, mlir::Type type);
mlir::Value fromStorage(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type type);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H
