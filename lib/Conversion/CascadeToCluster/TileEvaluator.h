//===- TileEvaluator.h - Body values of a tile of elements ----*- C++ -*-===//
//
// Evaluates the body of a chain at the elements that one thread holds of a
// tile. A value that varies over the row axis has one SSA value an element, one
// that varies over the axis of a list has one an entry, any other has one.
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H

#include "KernelContext.h"
#include "cascade/Dialect/Cascade/IR/Axes.h"
#include "mlir/IR/IRMapping.h"

namespace cascade {

/// The values of one scope: the row, a tile, or a tile seen against the
/// references of a moment. Scopes form a chain; a value is evaluated in the
/// outermost scope that knows all it depends on.
class TileEvaluator {
public:
  /// The scope of the row: values that do not vary over the row axis.
  TileEvaluator(const KernelContext &context, const AxisAnalysis &axes);
  /// The scope of a tile at `tile`; `partial` tiles overhang the row's end.
  TileEvaluator(TileEvaluator &row, mlir::OpBuilder &b, Int tile, bool partial);
  /// A tile seen against references, which `define` enters.
  explicit TileEvaluator(TileEvaluator &tile);
  /// A tile at the place of `tile` that knows nothing yet.
  TileEvaluator(TileEvaluator &row, const TileEvaluator &tile);

  void define(mlir::Value value, mlir::ValueRange elements) {
    values[value] = llvm::to_vector(elements);
  }

  /// The elements of `value`: one, or one an element of the tile or an entry of
  /// its list.
  llvm::SmallVector<mlir::Value> evaluate(mlir::OpBuilder &b,
                                          mlir::Value value);
  /// The element `index` of evaluated `elements`.
  static mlir::Value elementOf(mlir::ArrayRef<mlir::Value> elements,
                               unsigned index) {
    return elements[elements.size() == 1 ? 0 : index];
  }

  /// Loads `inputs` of this tile here and not where they are used.
  void prefetch(mlir::OpBuilder &b, mlir::ValueRange inputs);

  /// Evaluates in the scope of the row whatever `roots` need of it and can be
  /// known before the reductions that are still missing.
  void prepareRow(mlir::OpBuilder &b, mlir::ValueRange roots);

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

  /// The number of elements a thread holds of a tile.
  unsigned numElements() const { return context.elementOffsets.size(); }
  /// Whether element `index` lies in the row; null for a full tile.
  mlir::Value valid(unsigned index) const {
    return validity.empty() ? mlir::Value() : validity[index];
  }
  /// Index on the row axis of element `index`.
  mlir::Value rowIndexOf(mlir::OpBuilder &b, unsigned index) const;

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

  /// Everything that this scope knows with one value, for cloning slices.
  mlir::IRMapping mapping() const;
  bool knows(mlir::Value value) const;

  /// Stores `elements` of output `output` at this tile, or at the row for an
  /// output without the row axis.
  void store(mlir::OpBuilder &b, unsigned output,
             llvm::ArrayRef<mlir::Value> elements);

  /// The address of the element of `buffer` whose row index is `rowIndex` and
  /// whose index on the axis of a list is `entry`.
  mlir::Value address(mlir::OpBuilder &b, const BufferArgument &buffer,
                      Int rowIndex, unsigned entry = 0) const;

  const KernelContext &getContext() const { return context; }
  const AxisAnalysis &getAxes() const { return axes; }

private:
  bool isTile() const { return parent != nullptr; }
  TileEvaluator &rowScope() { return parent ? parent->rowScope() : *this; }
  bool dependsOnDefined(mlir::Value value);
  /// What must be evaluated before `op`. Nothing for a reduction of the row,
  /// which is defined when its pass is done.
  llvm::SmallVector<mlir::Value> neededBy(mlir::Operation *op) const;
  /// The number of elements of `value`, if its operands have as many.
  unsigned countOf(mlir::Value value) const;
  /// Whether `reduce` reduces the axis of a list, which a thread does alone.
  bool isOverList(ReduceOp reduce) const;
  /// Enters the results of a reduction over the axis of a list.
  void reduceList(mlir::OpBuilder &b, ReduceOp reduce);
  llvm::SmallVector<mlir::Value> evaluateOne(mlir::OpBuilder &b,
                                             mlir::Value value);
  /// Loads an input; `early` keeps the compiler from loading it later.
  llvm::SmallVector<mlir::Value>
  load(mlir::OpBuilder &b, mlir::BlockArgument argument, bool early = false);
  /// Number of consecutive elements along the row axis that one access of
  /// `buffer` may take; 1 where it is not of unit stride.
  unsigned accessWidth(const BufferArgument &buffer) const;

  const KernelContext &context;
  const AxisAnalysis &axes;
  TileEvaluator *parent = nullptr;
  bool overlay = false;
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
  llvm::SmallVector<mlir::Value> validity;
};

/// The type that elements of `type` have in memory, and a value of it as one of
/// `type`.
mlir::Type storageType(mlir::OpBuilder &b, mlir::Type type);
mlir::Value fromStorage(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type type);

/// The axis of a list among `axes`, if there is one.
std::optional<unsigned> listAxisIn(const KernelContext &context,
                                   const AxisSet &axes);

/// Whether kernels of row chains over `rowAxis` can hold the lists of `chain`:
/// no value may vary over the axis of a list and over the row axis or another
/// list. Fails with a diagnostic at the value.
mlir::LogicalResult checkListAxes(ChainOp chain, const MappingPlan &plan,
                                  unsigned rowAxis);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_TILEEVALUATOR_H
