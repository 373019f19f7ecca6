//===- Manifest.cpp - How to launch what was compiled ---------------------===//

#include "cascade/Target/Launch/Manifest.h"
#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "cascade/Transforms/ScheduleChains.h"

using namespace mlir;
using namespace cascade;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// Bytes that one access of an aligned variant takes.
constexpr int64_t accessAlignment = 16;

/// Describes one function; names its dynamic dimensions.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp function, ChainOp chain,
                 const ManifestOptions &options)
      : function(function), chain(chain), options(options) {
    nameDims();
  }

  Array arguments() const;
  /// The launch of `variant`, the same function under another mapping.
  FailureOr<Object> launch(func::FuncOp variant, ChainOp variantChain) const;

private:
  void nameDims();
  llvm::json::Value dimOf(RankedTensorType type, ArrayRef<std::string> names,
                          unsigned dim) const {
    if (type.isDynamicDim(dim))
      return names[dim];
    return type.getDimSize(dim);
  }
  llvm::json::Value extentOf(unsigned axis) const;
  Array guardsOf(func::FuncOp variant, ChainOp variantChain,
                 const MappingPlan &plan) const;
  Object argument(Type type, ArrayRef<std::string> names, std::string name,
                  StringRef role) const;

  func::FuncOp function;
  ChainOp chain;
  const ManifestOptions &options;
  /// Names of the dimensions of each function argument and each result.
  SmallVector<SmallVector<std::string>> inputDims, outputDims;
};

} // namespace

/// A dynamic dimension is named by its axis; one that no bare axis names by its
/// place.
void FunctionWriter::nameDims() {
  auto namesOf = [&](Type type, AffineMap map, const Twine &owner) {
    SmallVector<std::string> names;
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (unsigned dim = 0; tensor && dim < tensor.getRank(); ++dim) {
      std::string name = (owner + "_" + Twine(dim)).str();
      if (map)
        if (auto axis = dyn_cast<AffineDimExpr>(map.getResult(dim)))
          name = chain.getAxisName(axis.getPosition()).str();
      names.push_back(name);
    }
    return names;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    AffineMap map;
    for (auto [number, input] : llvm::enumerate(chain.getInputs()))
      if (input == function.getArgument(i) && !map)
        map = chain.getInputMap(number);
    inputDims.push_back(
        namesOf(function.getArgument(i).getType(), map, "in" + Twine(i)));
  }
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    outputDims.push_back(namesOf(chain.getResult(i).getType(),
                                 chain.getOutputMap(i), "out" + Twine(i)));
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Object FunctionWriter::argument(Type type, ArrayRef<std::string> names,
                                std::string name, StringRef role) const {
  Array shape;
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (unsigned dim = 0; tensor && dim < tensor.getRank(); ++dim)
    shape.push_back(dimOf(tensor, names, dim));
  Object object{{"name", name},
                {"role", role},
                {"type", spell(getElementTypeOrSelf(type))},
                {"shape", std::move(shape)}};
  if (tensor) {
    Type element = tensor.getElementType();
    object["align"] =
        element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
    object["noalias"] = true;
  }
  return object;
}

Array FunctionWriter::arguments() const {
  Array list;
  func::FuncOp op = function;
  for (unsigned i = 0; i < op.getNumArguments(); ++i) {
    auto given = op.getArgAttrOfType<StringAttr>(i, "cascade.name");
    Type type = op.getArgument(i).getType();
    list.push_back(argument(type, inputDims[i],
                            given ? given.str() : "in" + std::to_string(i),
                            isa<RankedTensorType>(type) ? "input" : "scalar"));
  }
  for (auto [i, result] : llvm::enumerate(ChainOp(chain).getResults())) {
    auto given = op.getResultAttrOfType<StringAttr>(i, "cascade.name");
    list.push_back(argument(result.getType(), outputDims[i],
                            given ? given.str() : "out" + std::to_string(i),
                            "output"));
  }
  return list;
}

llvm::json::Value FunctionWriter::extentOf(unsigned axis) const {
  ChainOp op = chain;
  int64_t extent = op.getStaticExtents()[axis];
  if (ShapedType::isDynamic(extent))
    return op.getAxisName(axis).str();
  return extent;
}

/// What an aligned variant asks for: aligned buffers, and whole numbers of
/// vectors along the axes that have them.
Array FunctionWriter::guardsOf(func::FuncOp variant, ChainOp variantChain,
                               const MappingPlan &plan) const {
  Array when;
  llvm::SmallDenseSet<unsigned> arguments;
  for (const AxisPlan &axis : plan.axes) {
    int64_t vector = axis.sizeAt(Level::Vector);
    if (vector == 1)
      continue;
    auto note = [&](AffineMap map, unsigned argument) {
      if (map.isFunctionOfDim(axis.axis) && arguments.insert(argument).second)
        when.push_back(
            Object{{"aligned", Array{int64_t(argument), accessAlignment}}});
    };
    for (auto [i, input] : llvm::enumerate(variantChain.getInputs()))
      note(variantChain.getInputMap(i),
           cast<BlockArgument>(input).getArgNumber());
    for (unsigned i = 0; i < variantChain.getNumResults(); ++i)
      note(variantChain.getOutputMap(i), variant.getNumArguments() + i);
    when.push_back(Object{{"divisible", Array{extentOf(axis.axis), vector}}});
  }
  return when;
}

FailureOr<Object> FunctionWriter::launch(func::FuncOp variant,
                                         ChainOp variantChain) const {
  FailureOr<unsigned> rowAxis = getRowAxis(variantChain);
  FailureOr<MappingPlan> plan = MappingPlan::get(variantChain);
  if (failed(rowAxis) || failed(plan))
    return failure();

  llvm::json::Value grid = plan->blocks;
  for (const AxisPlan &axis : plan->axes) {
    if (axis.axis == *rowAxis || !axis.at(Level::Grid))
      continue;
    int64_t inner =
        axis.sizedProduct() / std::max<int64_t>(1, axis.sizeAt(Level::Grid));
    llvm::json::Value positions =
        inner == 1 ? extentOf(axis.axis)
                   : Array{"ceildiv", extentOf(axis.axis), inner};
    grid = Array{"mul", std::move(grid), std::move(positions)};
  }
  if (plan->isResident)
    grid = Array{"min", std::move(grid), Array{"resident"}};

  // The order of KernelContext: inputs, results, dynamic dimensions.
  Array args;
  func::FuncOp op = function;
  ChainOp original = chain;
  auto addDims = [&](Type type, ArrayRef<std::string> names) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim))
          args.push_back(Object{{"dim", names[dim]}, {"type", "i32"}});
  };
  SmallVector<unsigned> inputArguments;
  for (Value input : variantChain.getInputs()) {
    inputArguments.push_back(cast<BlockArgument>(input).getArgNumber());
    args.push_back(Object{{"arg", int64_t(inputArguments.back())}});
  }
  for (unsigned i = 0; i < original.getNumResults(); ++i)
    args.push_back(Object{{"arg", int64_t(op.getNumArguments() + i)}});
  for (unsigned argument : inputArguments)
    addDims(op.getArgument(argument).getType(), inputDims[argument]);
  for (auto [i, result] : llvm::enumerate(original.getResults()))
    addDims(result.getType(), outputDims[i]);

  Object launch{{"kernel", variant.getName().str()},
                {"group", 0},
                {"grid", Array{std::move(grid), 1, 1}},
                {"block", Array{plan->threads(), 1, 1}},
                {"cluster", Array{plan->blocks, 1, 1}},
                {"nonportable", plan->blocks > MappingPlan::maxPortableCluster},
                {"shared", options.shared.lookup(variant.getName())},
                {"args", std::move(args)}};
  Array when = guardsOf(variant, variantChain, *plan);
  for (const AxisPlan &axis : plan->axes)
    if (ShapedType::isDynamic(axis.extent))
      when.push_back(Object{
          {"atmost", Array{extentOf(axis.axis), MappingPlan::maxRowLength}}});
  if (!when.empty())
    launch["when"] = std::move(when);
  return launch;
}

/// The launches of `function` and of the variant behind it, in order.
static FailureOr<Array> launchesOf(const FunctionWriter &writer,
                                   ModuleOp module, StringRef name) {
  Array launches;
  while (true) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return module.emitError() << "has no function '" << name << "'";
    FailureOr<ChainOp> chain = getKernelChain(function);
    if (failed(chain))
      return failure();
    FailureOr<Object> launch = writer.launch(function, *chain);
    if (failed(launch))
      return failure();
    launches.push_back(std::move(*launch));
    auto fallback =
        function->getAttrOfType<FlatSymbolRefAttr>(fallbackAttrName);
    if (!fallback)
      return launches;
    name = fallback.getValue();
  }
}

/// What the launcher needs to know to time `function` against the others.
static Object describeCandidate(DictionaryAttr candidate, ChainOp chain) {
  Object object;
  for (NamedAttribute entry : candidate) {
    StringRef key = entry.getName().strref();
    if (auto text = dyn_cast<StringAttr>(entry.getValue()))
      object[key] = text.str();
    else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      object[key] = number.getInt();
    else if (auto time = dyn_cast<FloatAttr>(entry.getValue()))
      object[key] = time.getValueAsDouble();
  }
  std::string mapping;
  llvm::raw_string_ostream(mapping) << *chain.getMapping();
  object["mapping"] = mapping;
  return object;
}

FailureOr<Object> cascade::buildManifest(ModuleOp mapped, ModuleOp reference,
                                         const ManifestOptions &options) {
  Array functions;
  for (auto function : mapped.getOps<func::FuncOp>()) {
    if (function->hasAttr(fallbackOfAttrName) ||
        function.getOps<ChainOp>().empty())
      continue;
    FailureOr<ChainOp> chain = getKernelChain(function);
    if (failed(chain))
      return failure();
    FunctionWriter writer(function, *chain, options);
    FailureOr<Array> launches = launchesOf(writer, mapped, function.getName());
    if (failed(launches))
      return failure();
    Object entry{
        {"name", function.getName().str()},
        {"arguments", writer.arguments()},
        {"launches", std::move(*launches)},
        {"legality", Array{chain->isFused() ? "reassociating" : "bit-exact"}}};
    StringRef sourceName = function.getName();
    if (auto candidate =
            function->getAttrOfType<DictionaryAttr>(candidateAttrName)) {
      entry["candidate"] = describeCandidate(candidate, *chain);
      if (auto of = candidate.getAs<StringAttr>("of"))
        sourceName = of.getValue();
    }
    if (reference) {
      Object kernels;
      for (auto [key, suffix] : {std::pair("U", referenceUSuffix),
                                 std::pair("R", referenceRSuffix)}) {
        FailureOr<Array> list =
            launchesOf(writer, reference, (sourceName + suffix).str());
        if (failed(list))
          return failure();
        kernels[key] = std::move(*list);
      }
      entry["reference"] = std::move(kernels);
    }
    functions.push_back(std::move(entry));
  }
  Object manifest{
      {"version", 1},
      {"name", options.name},
      {"target", Object{{"chip", options.chip}, {"gpu", options.gpu}}},
      {"module", options.module},
      {"functions", std::move(functions)}};
  if (!options.reference.empty())
    manifest["reference"] = options.reference;
  return manifest;
}
