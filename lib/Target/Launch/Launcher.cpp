//===- Launcher.cpp - A C++ file that launches the kernels ----------------===//
//
// The file has one function for each of the manifest's. It includes cuda.h,
// loads the PTX that it carries on first use, and picks the first launch whose
// conditions hold.
//
//===----------------------------------------------------------------------===//

#include "cascade/Target/Launch/Manifest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cascade;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {
/// What the file calls the names of the manifest: identifiers of their own.
class Identifiers {
public:
  Identifiers() {
    for (llvm::StringRef word : llvm::split(reserved, " "))
      taken.insert(word);
  }
  /// The identifier of a `kind` of thing called `name`, always the same one.
  std::string of(llvm::StringRef kind, llvm::StringRef name) {
    auto [entry, isNew] = known.try_emplace((kind + " " + name).str());
    if (!isNew)
      return entry->second;
    std::string text = name.str();
    for (char &c : text)
      if (!llvm::isAlnum(c))
        c = '_';
    if (text.empty() || llvm::isDigit(text[0]))
      text.insert(0, 1, '_');
    while (!taken.insert(text).second)
      text += '_';
    return entry->second = text;
  }

private:
  /// What C++ and the file use themselves, as far as an axis may be called so.
  static constexpr llvm::StringLiteral reserved =
      "alignas alignof and asm auto bitand bitor bool break case catch "
      "char class compl concept const consteval constexpr constinit "
      "continue decltype default delete do double else enum explicit "
      "export extern false float for friend goto if inline int long main "
      "mutable namespace new noexcept not nullptr operator or private "
      "protected public register requires return short signed sizeof "
      "static std struct switch template this throw true try typedef "
      "typeid typename union unsigned using virtual void volatile wchar_t "
      "while xor args configure most kernel launch load ptx resident "
      "residentBlocks status stream workspace Kernel";
  llvm::StringSet<> taken;
  llvm::StringMap<std::string> known;
};
} // namespace

/// Whether `expr` needs the number of blocks that fit on the device at once.
static bool usesResident(const Value &expr) {
  const Array *list = expr.getAsArray();
  return list && (list->front() == "resident" ||
                  llvm::any_of(llvm::drop_begin(*list), usesResident));
}

/// An expression of the manifest as C++. Its values are not negative.
static std::string emitExpr(const Value &expr, Identifiers &names) {
  if (auto number = expr.getAsInteger())
    return std::to_string(*number);
  if (auto name = expr.getAsString())
    return names.of("dim", *name);
  const Array &list = *expr.getAsArray();
  llvm::StringRef op = *list[0].getAsString();
  if (op == "resident")
    return "resident";
  std::string lhs = emitExpr(list[1], names), rhs = emitExpr(list[2], names);
  if (op == "ceildiv")
    return "((" + lhs + " + " + rhs + " - 1) / " + rhs + ")";
  if (op == "min" || op == "max")
    return ("std::" + op + "<int64_t>(" + lhs + ", " + rhs + ")").str();
  llvm::StringRef sign = llvm::StringSwitch<llvm::StringRef>(op)
                             .Case("add", " + ")
                             .Case("sub", " - ")
                             .Case("mul", " * ")
                             .Case("floordiv", " / ")
                             .Case("mod", " % ");
  return "(" + lhs + sign.str() + rhs + ")";
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
  /// `functions` are the names of the file.
  FunctionEmitter(llvm::raw_ostream &os, const Object &function,
                  Identifiers &functions)
      : os(os), function(function), arguments(*function.getArray("arguments")),
        functions(functions) {}

  void emit();

private:
  std::string expr(const Value &value) { return emitExpr(value, names); }
  std::string argumentName(int64_t number) {
    return names.of("argument",
                    *arguments[number].getAsObject()->getString("name"));
  }
  std::string condition(const Object &launch);
  void emitKernel(const Object &launch);
  void emitLaunch(const Object &launch);
  void emitWorkspace(const Object &workspace, llvm::ArrayRef<std::string> dims);

  llvm::raw_ostream &os;
  const Object &function;
  const Array &arguments;
  Identifiers &functions, names;
};
} // namespace

std::string FunctionEmitter::condition(const Object &launch) {
  std::string text;
  auto both = [&](const std::string &term) {
    text += (text.empty() ? "" : " && ") + term;
  };
  if (const Array *when = launch.getArray("when"))
    for (const Value &guard : *when) {
      const Object &object = *guard.getAsObject();
      if (const Array *aligned = object.getArray("aligned"))
        both(argumentName(*(*aligned)[0].getAsInteger()) + " % " +
             expr((*aligned)[1]) + " == 0");
      if (const Array *most = object.getArray("atmost"))
        both(expr((*most)[0]) + " <= " + expr((*most)[1]));
      if (const Array *divisible = object.getArray("divisible"))
        both(expr((*divisible)[0]) + " % " + expr((*divisible)[1]) + " == 0");
    }
  return text.empty() ? "true" : text;
}

/// Declares `kernel`.
void FunctionEmitter::emitKernel(const Object &launch) {
  os << "    const Kernel kernel = {\"" << *launch.getString("kernel") << "\", "
     << expr((*launch.getArray("block"))[0]) << ", "
     << expr((*launch.getArray("cluster"))[0]) << ", "
     << (*launch.getBoolean("nonportable") ? "true" : "false") << ", "
     << *launch.getInteger("shared") << "};\n";
}

void FunctionEmitter::emitLaunch(const Object &launch) {
  os << "  if (" << condition(launch) << ") {\n";
  emitKernel(launch);
  const Value &grid = (*launch.getArray("grid"))[0];
  const Array &args = *launch.getArray("args");
  bool isResident = usesResident(grid);
  for (const Value &arg : args)
    if (const Value *offset = arg.getAsObject()->get("workspace"))
      isResident |= usesResident(*offset);
  if (isResident)
    os << "    int64_t resident = 0;\n"
          "    if (CUresult status = residentBlocks(kernel, &resident))\n"
          "      return status;\n";
  std::string list;
  for (auto [index, arg] : llvm::enumerate(args)) {
    const Object &object = *arg.getAsObject();
    std::string name = names.of("value", ("value_" + llvm::Twine(index)).str());
    os << "    auto " << name << " = ";
    if (auto number = object.getInteger("arg"))
      os << argumentName(*number);
    else if (const Value *offset = object.get("workspace"))
      os << "workspace + " << expr(*offset);
    else
      os << "static_cast<int32_t>(" << expr(*object.get("dim")) << ")";
    os << ";\n";
    list += (list.empty() ? "&" : ", &") + name;
  }
  os << "    void *args[] = {" << list << "};\n"
     << "    return launch(kernel, " << expr(grid) << ", args, stream);\n"
     << "  }\n";
}

void FunctionEmitter::emitWorkspace(const Object &workspace,
                                    llvm::ArrayRef<std::string> dims) {
  const Value &bytes = *workspace.get("bytes");
  os << "\n/// Bytes of the workspace of " << *function.getString("name")
     << ": zero before its first launch, one for each stream"
     << (usesResident(bytes) ? "; -1\n/// where the device does not take the "
                               "kernels"
                             : "")
     << ".\nint64_t "
     << functions.of("workspace",
                     (*function.getString("name") + "_workspace").str())
     << "("
     << llvm::join(llvm::map_range(dims,
                                   [](const std::string &dim) {
                                     return "[[maybe_unused]] " + dim;
                                   }),
                   ", ")
     << ") {\n";
  if (usesResident(bytes)) {
    os << "  int64_t most = 0, resident = 0;\n";
    for (const Value &launch : *function.getArray("launches")) {
      os << "  {\n";
      emitKernel(*launch.getAsObject());
      os << "    if (residentBlocks(kernel, &resident))\n"
            "      return -1;\n"
            "    most = std::max(most, resident);\n  }\n";
    }
    os << "  resident = most;\n";
  }
  os << "  return " << expr(bytes) << ";\n}\n";
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
        " " + names.of("argument", *argument.getString("name")));
    for (const Value &dim : *argument.getArray("shape"))
      if (auto name = dim.getAsString()) {
        std::string parameter = "int64_t " + names.of("dim", *name);
        if (!llvm::is_contained(dims, parameter))
          dims.push_back(parameter);
      }
  }
  llvm::append_range(parameters, dims);
  const Object *workspace = function.getObject("workspace");
  if (workspace) {
    emitWorkspace(*workspace, dims);
    parameters.push_back("CUdeviceptr workspace");
  }
  parameters.push_back("CUstream stream");
  os << "\n/// Device buffers and scalars in the order of the function, then "
        "the dynamic\n/// extents"
     << (workspace ? ", and the workspace" : "") << ".\nCUresult "
     << functions.of("function", *function.getString("name")) << "("
     << llvm::join(parameters, ", ") << ") {\n";
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

/// A kernel and how its blocks are: threads, blocks of a cluster, whether these
/// are more than 8, bytes of dynamic shared memory.
struct Kernel {
  const char *name;
  unsigned threads, cluster;
  bool nonportable;
  unsigned shared;
};

/// Finds `kernel` and asks for what it takes. The module is loaded into the
/// current context on first use.
static CUresult load(const Kernel &kernel, CUfunction *function) {
  static CUmodule module = nullptr;
  CUresult status = CUDA_SUCCESS;
  if (!module)
    status = cuModuleLoadData(&module, ptx);
  if (status == CUDA_SUCCESS)
    status = cuModuleGetFunction(function, module, kernel.name);
  if (status == CUDA_SUCCESS && kernel.nonportable)
    status = cuFuncSetAttribute(
        *function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (status == CUDA_SUCCESS && kernel.shared != 0)
    status = cuFuncSetAttribute(
        *function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        static_cast<int>(kernel.shared));
  return status;
}

/// A launch of `blocks` blocks; `attribute` lives as long.
static CUlaunchConfig configure(const Kernel &kernel, int64_t blocks,
                                CUlaunchAttribute *attribute,
                                CUstream stream) {
  *attribute = {};
  attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute->value.clusterDim.x = kernel.cluster;
  attribute->value.clusterDim.y = 1;
  attribute->value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = static_cast<unsigned>(blocks);
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kernel.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kernel.shared;
  config.hStream = stream;
  config.attrs = attribute;
  config.numAttrs = kernel.cluster > 1 ? 1 : 0;
  return config;
}

/// The blocks of `kernel` that fit on the device at once, in whole clusters.
[[maybe_unused]] static CUresult residentBlocks(const Kernel &kernel,
                                                int64_t *blocks) {
  CUfunction function;
  if (CUresult status = load(kernel, &function))
    return status;
  if (kernel.cluster > 1) {
    int clusters = 0;
    CUlaunchAttribute attribute;
    CUlaunchConfig config =
        configure(kernel, kernel.cluster, &attribute, nullptr);
    if (CUresult status =
            cuOccupancyMaxActiveClusters(&clusters, function, &config))
      return status;
    *blocks = static_cast<int64_t>(clusters) * kernel.cluster;
  } else {
    int each = 0, multiprocessors = 0;
    CUdevice device;
    if (CUresult status = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, function, static_cast<int>(kernel.threads), kernel.shared))
      return status;
    if (CUresult status = cuCtxGetDevice(&device))
      return status;
    if (CUresult status = cuDeviceGetAttribute(
            &multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device))
      return status;
    *blocks = static_cast<int64_t>(each) * multiprocessors;
  }
  // None of it fits.
  return *blocks > 0 ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/// Launches `blocks` blocks of `kernel`.
static CUresult launch(const Kernel &kernel, int64_t blocks, void **args,
                       CUstream stream) {
  if (blocks == 0)
    return CUDA_SUCCESS;
  CUfunction function;
  if (CUresult status = load(kernel, &function))
    return status;
  CUlaunchAttribute attribute;
  CUlaunchConfig config = configure(kernel, blocks, &attribute, stream);
  return cuLaunchKernelEx(&config, function, args, nullptr);
}
)CPP";
  Identifiers functions;
  for (const Value &function : *manifest.getArray("functions"))
    FunctionEmitter(os, *function.getAsObject(), functions).emit();
  return text;
}
