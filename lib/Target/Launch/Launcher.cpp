//===- Launcher.cpp - A C++ file that launches the kernels ----------------===//
//
// The file has one function for each of the manifest's. It includes cuda.h,
// loads the PTX that it carries on first use, and picks the first launch whose
// conditions hold.
//
//===----------------------------------------------------------------------===//

#include "cascade/Target/Launch/Manifest.h"
#include "llvm/ADT/StringExtras.h"

using namespace cascade;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// A grid or guard expression as C++.
static std::string emitExpr(const Value &expr) {
  if (auto number = expr.getAsInteger())
    return std::to_string(*number);
  if (auto name = expr.getAsString())
    return name->str();
  const Array &list = *expr.getAsArray();
  llvm::StringRef op = *list[0].getAsString();
  std::string lhs = emitExpr(list[1]), rhs = emitExpr(list[2]);
  if (op == "ceildiv")
    return "((" + lhs + " + " + rhs + " - 1) / " + rhs + ")";
  if (op == "max")
    return "std::max<int64_t>(" + lhs + ", " + rhs + ")";
  return "(" + lhs +
         (op == "mul"   ? " * "
          : op == "add" ? " + "
                        : " / ") +
         rhs + ")";
}

/// The C++ type of a scalar argument of element type `type`.
static llvm::StringRef scalarType(llvm::StringRef type) {
  if (type == "f32")
    return "float";
  if (type == "f64")
    return "double";
  if (type == "i64" || type == "index")
    return "int64_t";
  if (type == "i32")
    return "int32_t";
  return type == "i8" || type == "i1" ? "uint8_t" : "uint16_t";
}

namespace {
/// Writes the C++ of one function of the manifest.
class FunctionEmitter {
public:
  FunctionEmitter(llvm::raw_ostream &os, const Object &function)
      : os(os), function(function), arguments(*function.getArray("arguments")) {
  }

  void emit();

private:
  std::string condition(const Object &launch) const;
  void emitLaunch(const Object &launch);

  llvm::raw_ostream &os;
  const Object &function;
  const Array &arguments;
};
} // namespace

std::string FunctionEmitter::condition(const Object &launch) const {
  std::string text;
  auto both = [&](const std::string &term) {
    text += (text.empty() ? "" : " && ") + term;
  };
  if (const Array *when = launch.getArray("when"))
    for (const Value &guard : *when) {
      const Object &object = *guard.getAsObject();
      if (const Array *aligned = object.getArray("aligned"))
        both(arguments[*(*aligned)[0].getAsInteger()]
                 .getAsObject()
                 ->getString("name")
                 ->str() +
             " % " + emitExpr((*aligned)[1]) + " == 0");
      if (const Array *most = object.getArray("atmost"))
        both(emitExpr((*most)[0]) + " <= " + emitExpr((*most)[1]));
      if (const Array *divisible = object.getArray("divisible"))
        both(emitExpr((*divisible)[0]) + " % " + emitExpr((*divisible)[1]) +
             " == 0");
    }
  return text.empty() ? "true" : text;
}

void FunctionEmitter::emitLaunch(const Object &launch) {
  llvm::StringRef kernel = *launch.getString("kernel");
  os << "  if (" << condition(launch) << ") {\n";
  const Array &args = *launch.getArray("args");
  std::string list;
  for (auto [index, arg] : llvm::enumerate(args)) {
    const Object &object = *arg.getAsObject();
    std::string name = "a" + std::to_string(index);
    if (auto number = object.getInteger("arg"))
      os << "    auto " << name << " = "
         << *arguments[*number].getAsObject()->getString("name") << ";\n";
    else if (const Value *offset = object.get("workspace"))
      os << "    auto " << name << " = workspace + " << emitExpr(*offset)
         << ";\n";
    else
      os << "    auto " << name << " = static_cast<int32_t>("
         << *object.getString("dim") << ");\n";
    list += (list.empty() ? "&" : ", &") + name;
  }
  const Array &grid = *launch.getArray("grid");
  const Array &block = *launch.getArray("block");
  const Array &cluster = *launch.getArray("cluster");
  os << "    void *args[] = {" << list << "};\n"
     << "    return launch(\"" << kernel << "\", " << emitExpr(grid[0]) << ", "
     << emitExpr(block[0]) << ", " << emitExpr(cluster[0]) << ", "
     << (*launch.getBoolean("nonportable") ? "true" : "false")
     << ", args, stream);\n  }\n";
}

void FunctionEmitter::emit() {
  // Every dynamic dimension is one parameter, after the buffers and scalars.
  llvm::SmallVector<std::string> parameters, dims;
  for (const Value &value : arguments) {
    const Object &argument = *value.getAsObject();
    bool scalar = *argument.getString("role") == "scalar";
    parameters.push_back(
        (scalar ? scalarType(*argument.getString("type")) : "CUdeviceptr")
            .str() +
        " " + argument.getString("name")->str());
    for (const Value &dim : *argument.getArray("shape"))
      if (auto name = dim.getAsString())
        if (!llvm::is_contained(dims, name->str()))
          dims.push_back(name->str());
  }
  for (const std::string &dim : dims)
    parameters.push_back("int64_t " + dim);
  const Object *workspace = function.getObject("workspace");
  if (workspace) {
    os << "\n/// Bytes of the workspace of " << *function.getString("name")
       << ": zero before its first launch, one for each stream.\nint64_t "
       << *function.getString("name") << "_workspace("
       << llvm::join(llvm::map_range(dims,
                                     [](const std::string &dim) {
                                       return "int64_t " + dim;
                                     }),
                     ", ")
       << ") {\n  return " << emitExpr(*workspace->get("bytes")) << ";\n}\n";
    parameters.push_back("CUdeviceptr workspace");
  }
  parameters.push_back("CUstream stream");
  os << "\n/// Device buffers and scalars in the order of the function, then "
        "the dynamic\n/// extents"
     << (workspace ? ", and the workspace" : "") << ".\nCUresult "
     << *function.getString("name") << "(" << llvm::join(parameters, ", ")
     << ") {\n";
  for (const Value &launch : *function.getArray("launches"))
    emitLaunch(*launch.getAsObject());
  os << "  return CUDA_ERROR_INVALID_VALUE; // No variant fits.\n}\n";
}

std::string cascade::emitLauncher(const Object &manifest, llvm::StringRef ptx) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << R"CPP(// Launches the kernels of ')CPP" << *manifest.getString("name")
     << R"CPP(' through the CUDA driver. Link with -lcuda.
#include <algorithm>
#include <cstdint>
#include <cuda.h>

static const char ptx[] = R"PTX()CPP"
     << ptx << R"CPP()PTX";

/// Launches `kernel` with `blocks` blocks of `threads` threads in clusters of
/// `cluster`. The module is loaded into the current context on first use.
static CUresult launch(const char *kernel, int64_t blocks, int64_t threads,
                       int64_t cluster, bool nonportable, void **args,
                       CUstream stream) {
  if (blocks == 0)
    return CUDA_SUCCESS;
  static CUmodule module = nullptr;
  CUfunction function;
  CUresult status = CUDA_SUCCESS;
  if (!module)
    status = cuModuleLoadData(&module, ptx);
  if (status == CUDA_SUCCESS)
    status = cuModuleGetFunction(&function, module, kernel);
  if (status == CUDA_SUCCESS && nonportable)
    status = cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (status != CUDA_SUCCESS)
    return status;
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = static_cast<unsigned>(cluster);
  attribute.value.clusterDim.y = 1;
  attribute.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = static_cast<unsigned>(blocks);
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = static_cast<unsigned>(threads);
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  return cuLaunchKernelEx(&config, function, args, nullptr);
}
)CPP";
  for (const Value &function : *manifest.getArray("functions"))
    FunctionEmitter(os, *function.getAsObject()).emit();
  return text;
}
