//===- TuningKey.cpp - What a measured mapping is kept under --------------===//

#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Pipelines/Tuning.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;
using namespace cascade;

/// Part of every hash: another number makes older tuning files miss, which is
/// what a change of the text below has to do.
static constexpr StringLiteral hashVersion = "cascade tuning key 1\n";

/// The same type without its extents.
static Type withoutExtents(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  SmallVector<int64_t> shape(tensor.getRank(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// The chain in the generic form, on operands of its own without extents. The
/// names of axes stay, since mappings refer to them.
static std::string canonicalText(ChainOp chain) {
  OwningOpRef<ModuleOp> scratch(
      ModuleOp::create(UnknownLoc::get(chain.getContext())));
  Block operands;
  IRMapping values;
  for (Value input : chain.getInputs())
    if (!values.contains(input))
      values.map(input, operands.addArgument(withoutExtents(input.getType()),
                                             input.getLoc()));
  std::string text = hashVersion.str();
  llvm::raw_string_ostream os(text);
  // Values from outside print without a name.
  for (Value input : chain.getInputs())
    os << cast<BlockArgument>(values.lookup(input)).getArgNumber() << ' ';
  os << '\n';
  auto copy = cast<ChainOp>(chain->clone(values));
  scratch->getBody()->push_back(copy);
  copy.removeMappingAttr();
  copy->setDiscardableAttrs(DictionaryAttr::get(chain.getContext()));
  for (Value result : copy.getResults())
    result.setType(withoutExtents(result.getType()));
  copy->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  copy->erase();
  return text;
}

/// Axes whose digits have to cover them exactly.
static AxisSet exactAxes(ChainOp chain) {
  AxisSet axes = getListAxes(chain);
  chain.walk([&](ReduceOp reduce) {
    for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
      if (reduce.isOver(chain.getAxisName(axis)))
        axes.set(axis);
  });
  return axes;
}

static std::string shapeClass(ChainOp chain) {
  std::string text;
  llvm::raw_string_ostream os(text);
  AxisSet exact = exactAxes(chain);
  for (auto [axis, extent] : llvm::enumerate(chain.getStaticExtents())) {
    os << (axis ? " " : "") << chain.getAxisName(axis) << "=";
    if (ShapedType::isDynamic(extent)) {
      os << "?";
    } else if (exact.test(axis) || extent <= 2) {
      os << extent;
    } else {
      uint64_t high = llvm::PowerOf2Ceil(extent);
      os << high / 2 + 1 << ".." << high;
    }
  }
  return text;
}

static std::string elementTypes(ChainOp chain) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](Type type) { os << getElementTypeOrSelf(type); };
  llvm::interleaveComma(chain.getInputs().getTypes(), os, print);
  os << " -> ";
  llvm::interleaveComma(chain.getResultTypes(), os, print);
  return text;
}

runtime::TuningKey cascade::tuningKeyOf(ChainOp chain, StringRef gpu) {
  auto hash =
      llvm::SHA1::hash(llvm::arrayRefFromStringRef(canonicalText(chain)));
  if (auto target = cluster::TargetAttr::lookup(chain))
    gpu = target.getName();
  return {llvm::toHex(hash, /*LowerCase=*/true), shapeClass(chain),
          elementTypes(chain), gpu.str()};
}
