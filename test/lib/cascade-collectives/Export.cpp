//===- Export.cpp - A case as files for a GPU -----------------------------===//

#include "Case.h"
#include "cascade/Runtime/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cascade;
using namespace cascade::test;
using llvm::formatv;

namespace {
/// An array of one dimension in global memory.
struct Array {
  std::string name;
  runtime::ElementType type;
  int64_t length;
};
} // namespace

/// The parameters of a memref: two pointers, offset, size and stride.
static std::string memref(const std::string &pointer, int64_t length) {
  return formatv("{0}, {0}, {{\"dim\": 0, \"type\": \"i64\"}, "
                 "{{\"dim\": {1}, \"type\": \"i64\"}, "
                 "{{\"dim\": 1, \"type\": \"i64\"}",
                 pointer, length);
}

/// The manifest of the kernel, which is compiled to NAME.ptx.
static std::string manifestText(const Case &c, const std::string &name,
                                const std::vector<Array> &arrays,
                                int64_t workspaceWords) {
  std::string arguments, parameters;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const Array &array = arrays[k];
    arguments += formatv("{0}{{\"name\": \"{1}\", \"role\": \"{2}\", \"type\": "
                         "\"{3}\", \"shape\": [{4}]}",
                         k ? ", " : "", array.name, k % 2 ? "output" : "input",
                         runtime::nameOf(array.type), array.length);
    parameters += memref(formatv("{{\"arg\": {0}}", k), array.length) + ", ";
  }
  parameters += memref("{\"workspace\": 0}", workspaceWords);
  return formatv(
      "{{\"version\": 1, \"name\": \"{0}\", \"module\": \"{0}.ptx\", "
      "\"functions\": [{{\"name\": \"kernel\", \"arguments\": [{1}], "
      "\"workspace\": {{\"bytes\": {2}, \"init\": \"zero\"}, \"launches\": "
      "[{{\"kernel\": \"kernel\", \"grid\": [{3}, {4}, {5}], \"block\": "
      "[{6}, 1, 1], \"cluster\": [{7}, {4}, {5}], \"nonportable\": {8}, "
      "\"args\": [{9}]}]}]}\n",
      name, arguments, workspaceWords * 4, c.cluster[0] * c.clusters,
      c.cluster[1], c.cluster[2], c.threads, c.cluster[0],
      c.clusterSize() > 8 ? "true" : "false", parameters);
}

static bool writeText(const std::string &path, llvm::StringRef text,
                      llvm::sys::fs::OpenFlags flags = {}) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, flags);
  file << text;
  return !error;
}

static bool writeArray(const std::string &path, const Array &array,
                       const std::vector<uint8_t> &bytes) {
  auto tensor = runtime::Tensor::create(array.type, {array.length});
  if (!tensor || tensor->sizeInBytes() != bytes.size())
    return false;
  std::copy(bytes.begin(), bytes.end(), tensor->data());
  return !runtime::writeNpy(path, *tensor);
}

bool cascade::test::exportCase(
    const Case &c, const std::string &folder, int64_t number,
    int64_t workspaceWords, const std::vector<std::vector<uint8_t>> &buffers) {
  std::string name = formatv("case{0}", number), path = folder + "/" + name;
  int64_t owners = c.blocks() * (c.isSlice ? 1 : c.threads);
  std::vector<Array> arrays;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    runtime::ElementType type = c.operands[k].type;
    if (type == runtime::ElementType::I1)
      type = runtime::ElementType::I8; // in global memory
    for (bool isResult : {false, true}) {
      int64_t count = isResult ? c.resultCount(k) : c.operands[k].count();
      arrays.push_back({formatv("{0}{1}", isResult ? "out" : "in", k), type,
                        c.rounds * owners * count});
    }
  }
  // A line of flags; '#' starts the name of the case.
  std::string flags = name + ".json";
  for (size_t k = 0; k < arrays.size(); ++k) {
    const Array &array = arrays[k];
    std::string file = name + "." + array.name + ".npy";
    if (!writeArray(folder + "/" + file, array, buffers[k]))
      return false;
    flags +=
        formatv(" --{0}={1}={2}x{3}=@{4}", k % 2 ? "expected-output" : "input",
                array.name, array.length, runtime::nameOf(array.type), file);
  }
  return writeText(path + ".mlir", kernelText(c, workspaceWords)) &&
         writeText(path + ".json",
                   manifestText(c, name, arrays, workspaceWords)) &&
         writeText(folder + "/cases.txt", flags + " # " + c.name() + "\n",
                   llvm::sys::fs::OF_Append);
}
