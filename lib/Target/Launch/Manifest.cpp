//===- Manifest.cpp - How to launch what was compiled ---------------------===//

#include "cascade/Target/Launch/Manifest.h"
#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/ScheduleChains.h"

using namespace mlir;
using namespace cascade;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// Bytes that one access of an aligned variant takes.
constexpr int64_t accessAlignment = 16;

/// The launches of one list, and the bytes of the workspace that they share;
/// null where none has one.
struct LaunchList {
  Array launches;
  llvm::json::Value workspaceBytes = nullptr;

  void addWorkspace(llvm::json::Value bytes) {
    workspaceBytes =
        workspaceBytes == nullptr
            ? std::move(bytes)
            : Array{"max", std::move(workspaceBytes), std::move(bytes)};
  }
  /// Puts the workspace into the object that has the launches.
  void describeWorkspace(Object &object) const {
    if (workspaceBytes != nullptr)
      object["workspace"] = Object{{"bytes", workspaceBytes}, {"init", "zero"}};
  }
};

/// Describes one function; names its dynamic dimensions.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp function, ChainOp chain,
                 const ManifestOptions &options)
      : function(function), chain(chain), options(options) {
    nameDims();
  }

  Array arguments() const;
  /// Adds the launch of `variant`, the same function under another mapping.
  LogicalResult addLaunch(LaunchList &list, func::FuncOp variant,
                          ChainOp variantChain) const;

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

void ManifestOptions::addKernels(ModuleOp lowered) {
  lowered.walk([&](FunctionOpInterface kernel) {
    if (auto bytes =
            kernel->getAttrOfType<IntegerAttr>(cluster::kDynamicBytesAttrName))
      shared[kernel.getName()] = bytes.getInt();
    if (ArrayRef<int64_t> parts = cluster::getWorkspaceBytes(kernel);
        !parts.empty())
      workspace[kernel.getName()] = SmallVector<int64_t>(parts);
  });
}

LogicalResult FunctionWriter::addLaunch(LaunchList &list, func::FuncOp variant,
                                        ChainOp variantChain) const {
  FailureOr<unsigned> rowAxis = getRowAxis(variantChain);
  FailureOr<MappingPlan> plan = MappingPlan::get(variantChain);
  if (failed(rowAxis) || failed(plan))
    return failure();

  llvm::json::Value grid = plan->blocks;
  for (const AxisPlan &axis : plan->axes) {
    if (!axis.at(Level::Grid))
      continue;
    if (axis.axis == *rowAxis) {
      grid = Array{"mul", std::move(grid), axis.sizeAt(Level::Grid)};
      continue;
    }
    int64_t inner =
        axis.sizedProduct() / std::max<int64_t>(1, axis.sizeAt(Level::Grid));
    llvm::json::Value positions =
        inner == 1 ? extentOf(axis.axis)
                   : Array{"ceildiv", extentOf(axis.axis), inner};
    grid = Array{"mul", std::move(grid), std::move(positions)};
  }
  if (plan->isResident)
    grid = Array{"min", std::move(grid), Array{"resident"}};

  // The order of KernelContext: inputs, results, dynamic dimensions; and then
  // the workspace.
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
  auto needs = options.workspace.find(variant.getName());
  if (needs != options.workspace.end()) {
    llvm::json::Value clusters =
        plan->blocks == 1 ? grid : Array{"floordiv", grid, plan->blocks};
    int64_t offset = 0;
    for (int64_t bytes : needs->second) {
      llvm::json::Value place = offset;
      if (offset != 0)
        place = Array{"mul", clusters, offset};
      args.push_back(Object{{"workspace", std::move(place)}});
      offset += bytes;
    }
    list.addWorkspace(Array{"mul", std::move(clusters), offset});
  }

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
  list.launches.push_back(std::move(launch));
  return success();
}

/// Adds the launches of the function `name` and of the variant behind it, in
/// order.
static LogicalResult addLaunches(LaunchList &list, const FunctionWriter &writer,
                                 ModuleOp module, StringRef name) {
  while (true) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return module.emitError() << "has no function '" << name << "'";
    FailureOr<ChainOp> chain = getKernelChain(function);
    if (failed(chain))
      return failure();
    if (failed(writer.addLaunch(list, function, *chain)))
      return failure();
    auto fallback =
        function->getAttrOfType<FlatSymbolRefAttr>(fallbackAttrName);
    if (!fallback)
      return success();
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
    LaunchList list;
    if (failed(addLaunches(list, writer, mapped, function.getName())))
      return failure();
    Object entry{
        {"name", function.getName().str()},
        {"arguments", writer.arguments()},
        {"launches", std::move(list.launches)},
        {"legality", Array{chain->isFused() ? "reassociating" : "bit-exact"}}};
    list.describeWorkspace(entry);
    StringRef sourceName = function.getName();
    if (auto candidate =
            function->getAttrOfType<DictionaryAttr>(candidateAttrName)) {
      entry["candidate"] = describeCandidate(candidate, *chain);
      if (auto of = candidate.getAs<StringAttr>("of"))
        sourceName = of.getValue();
    }
    if (reference) {
      Object kernels;
      LaunchList shared; // of both: one workspace
      for (auto [key, suffix] : {std::pair("U", referenceUSuffix),
                                 std::pair("R", referenceRSuffix)}) {
        if (failed(addLaunches(shared, writer, reference,
                               (sourceName + suffix).str())))
          return failure();
        kernels[key] = std::exchange(shared.launches, Array());
      }
      shared.describeWorkspace(kernels);
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
