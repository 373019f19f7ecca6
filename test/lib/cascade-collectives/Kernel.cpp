//===- Kernel.cpp - The text of a test kernel -----------------------------===//

#include "Case.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cascade::test;
using namespace cascade;
using cluster::Algorithm;
using cluster::Scope;
using llvm::formatv;
using runtime::ElementType;

namespace {
class Writer {
public:
  Writer(const Case &c, int64_t workspaceWords)
      : c(c), workspaceWords(workspaceWords), out(text) {}
  std::string write();

private:
  std::string typeOf(size_t k, int64_t count, bool isList) const {
    std::string name = runtime::nameOf(c.operands[k].type);
    return isList ? formatv("vector<{0}x{1}>", count, name).str() : name;
  }
  /// Global memory has no i1.
  std::string storedType(size_t k) const {
    ElementType type = c.operands[k].type;
    return type == ElementType::I1 ? "i8" : runtime::nameOf(type);
  }
  std::string memory(size_t k, int64_t count) const {
    int64_t owners = c.blocks() * (c.isSlice ? 1 : c.threads);
    return formatv("memref<{0}x{1}>", c.rounds * owners * count, storedType(k));
  }
  std::string fresh() { return formatv("%v{0}", next++).str(); }
  std::string constant(int64_t value) {
    std::string name = fresh();
    out << formatv("  {0} = arith.constant {1} : index\n", name, value);
    return name;
  }
  /// (round * owners + owner) * count
  std::string base(int64_t count);
  std::string load(size_t k, const std::string &from, const std::string &at);
  void store(size_t k, std::string value, const std::string &to,
             const std::string &at);
  std::string kinds() const;
  void header();
  void tuples();
  void slices();

  const Case &c;
  int64_t workspaceWords;
  std::string text;
  llvm::raw_string_ostream out;
  int next = 0;
};
} // namespace

std::string Writer::base(int64_t count) {
  std::string owners = constant(c.blocks() * (c.isSlice ? 1 : c.threads));
  std::string length = constant(count);
  std::string a = fresh(), b = fresh(), d = fresh();
  out << formatv("  {0} = arith.muli %round, {1} : index\n", a, owners);
  out << formatv("  {0} = arith.addi {1}, %owner : index\n", b, a);
  out << formatv("  {0} = arith.muli {1}, {2} : index\n", d, b, length);
  return d;
}

std::string Writer::load(size_t k, const std::string &from,
                         const std::string &at) {
  std::string value = fresh();
  out << formatv("  {0} = memref.load {1}[{2}] : {3}\n", value, from, at,
                 memory(k, c.operands[k].count()));
  if (c.operands[k].type != ElementType::I1)
    return value;
  std::string bit = fresh();
  out << formatv("  {0} = arith.trunci {1} : i8 to i1\n", bit, value);
  return bit;
}

void Writer::store(size_t k, std::string value, const std::string &to,
                   const std::string &at) {
  if (c.operands[k].type == ElementType::I1) {
    std::string byte = fresh();
    out << formatv("  {0} = arith.extui {1} : i1 to i8\n", byte, value);
    value = byte;
  }
  out << formatv("  memref.store {0}, {1}[{2}] : {3}\n", value, to, at,
                 memory(k, c.resultCount(k)));
}

std::string Writer::kinds() const {
  if (!c.isReduction() || c.hasRegion)
    return "";
  std::string list;
  for (const Operand &operand : c.operands)
    list +=
        (list.empty() ? "" : ", ") + cluster::stringifyKind(operand.kind).str();
  return " kind(" + list + ")";
}

void Writer::header() {
  out << "gpu.module @kernels {\ngpu.func @kernel(";
  for (size_t k = 0; k < c.operands.size(); ++k)
    out << formatv("%in{0}: {1}, %out{0}: {2}, ", k,
                   memory(k, c.operands[k].count()),
                   memory(k, c.resultCount(k)));
  out << formatv("%workspace: memref<{0}xi32>)", workspaceWords);
  if (c.isSlice)
    out << formatv(" workgroup(%buffer: memref<{0}x{1}, "
                   "#gpu.address_space<workgroup>>)",
                   c.operands[0].length, runtime::nameOf(c.operands[0].type));
  out << formatv(" kernel attributes {{known_block_size = array<i32: {0}, 1, "
                 "1>, known_cluster_size = array<i32: {1}, {2}, {3}>} {{\n",
                 c.threads, c.cluster[0], c.cluster[1], c.cluster[2]);
  out << "  %tid = gpu.thread_id x\n  %rank32 = cluster.rank : i32\n"
         "  %rank = arith.index_cast %rank32 : i32 to index\n"
         "  %cluster = gpu.cluster_id x\n";
  std::string size = constant(c.clusterSize()), threads = constant(c.threads);
  out << formatv("  %first = arith.muli %cluster, {0} : index\n"
                 "  %block = arith.addi %first, %rank : index\n",
                 size);
  if (c.isSlice)
    out << "  %zero = arith.constant 0 : index\n"
           "  %owner = arith.addi %block, %zero : index\n";
  else
    out << formatv("  %before = arith.muli %block, {0} : index\n"
                   "  %owner = arith.addi %before, %tid : index\n",
                   threads);
  if (c.rounds == 1) {
    out << "  %round = arith.constant 0 : index\n";
  } else {
    std::string low = constant(0), high = constant(c.rounds), one = constant(1);
    out << formatv("  scf.for %round = {0} to {1} step {2} {{\n", low, high,
                   one);
  }
}

void Writer::tuples() {
  std::vector<std::string> values, inputTypes, resultTypes;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    int64_t count = c.operands[k].count();
    std::string from = base(count), name = formatv("%in{0}", k);
    std::vector<std::string> elements;
    for (int64_t i = 0; i < count; ++i) {
      std::string offset = constant(i), at = fresh();
      out << formatv("  {0} = arith.addi {1}, {2} : index\n", at, from, offset);
      elements.push_back(load(k, name, at));
    }
    bool isList = c.operands[k].length != 0;
    std::string type = typeOf(k, count, isList);
    inputTypes.push_back(type);
    bool isGathered = c.collective == Collective::AllGather ||
                      c.collective == Collective::Gather;
    resultTypes.push_back(typeOf(k, c.resultCount(k), isList || isGathered));
    if (!isList) {
      values.push_back(elements[0]);
      continue;
    }
    values.push_back(fresh());
    out << formatv("  {0} = vector.from_elements {1} : {2}\n", values.back(),
                   llvm::join(elements, ", "), type);
  }
  static const char *const names[] = {"all_reduce", "reduce", "reduce",
                                      "all_gather", "gather", "broadcast"};
  out << formatv("  %result:{0} = cluster.{1}({2}) scope({3})",
                 c.operands.size(), names[static_cast<int>(c.collective)],
                 llvm::join(values, ", "), cluster::stringifyScope(c.scope));
  if (c.algorithm != Algorithm::Auto)
    out << " algorithm(" << cluster::stringifyAlgorithm(c.algorithm) << ')';
  out << formatv(" lanes({0}, stride {1})", c.lanes, c.stride);
  if (c.warps)
    out << formatv(" warps({0})", c.warps);
  if (c.algorithm == Algorithm::Global)
    out << formatv(" workspace(%workspace : memref<{0}xi32>)", workspaceWords);
  if (c.isToRoot() || c.collective == Collective::Broadcast)
    out << formatv(" root({0})", c.root);
  if (c.collective == Collective::ReduceScatter)
    out << " scatter";
  out << kinds() << " : ";
  if (c.collective == Collective::AllReduce ||
      c.collective == Collective::Broadcast)
    out << llvm::join(inputTypes, ", ");
  else
    out << formatv("({0}) -> ({1})", llvm::join(inputTypes, ", "),
                   llvm::join(resultTypes, ", "));
  if (c.hasRegion)
    out << " {\n  ^bb0(%h1: i64, %p1: i64, %h2: i64, %p2: i64):\n"
           "    %hp = arith.muli %h1, %p2 : i64\n"
           "    %h = arith.addi %hp, %h2 : i64\n"
           "    %p = arith.muli %p1, %p2 : i64\n"
           "    cluster.yield %h, %p : i64, i64\n  }";
  out << "\n";
  for (size_t k = 0; k < c.operands.size(); ++k) {
    int64_t count = c.resultCount(k);
    std::string to = base(count), name = formatv("%out{0}", k);
    bool isList = llvm::StringRef(resultTypes[k]).starts_with("vector");
    for (int64_t i = 0; i < count; ++i) {
      std::string value = formatv("%result#{0}", k), offset = constant(i),
                  at = fresh();
      out << formatv("  {0} = arith.addi {1}, {2} : index\n", at, to, offset);
      if (isList) {
        std::string element = fresh();
        out << formatv("  {0} = vector.extract {1}[{2}] : {3} from {4}\n",
                       element, value, i, runtime::nameOf(c.operands[k].type),
                       resultTypes[k]);
        value = element;
      }
      store(k, value, name, at);
    }
  }
}

void Writer::slices() {
  int64_t length = c.operands[0].length;
  std::string type = formatv("memref<{0}x{1}, #gpu.address_space<workgroup>>",
                             length, runtime::nameOf(c.operands[0].type));
  std::string from = base(length), end = constant(length),
              step = constant(c.threads);
  out << formatv("  scf.for %i = %tid to {0} step {1} {{\n", end, step);
  std::string at = fresh();
  out << formatv("  {0} = arith.addi {1}, %i : index\n", at, from);
  std::string value = load(0, "%in0", at);
  out << formatv("  memref.store {0}, %buffer[%i] : {1}\n  }\n", value, type);
  static const char *const names[] = {"all_reduce", "reduce", "reduce",
                                      "all_gather", "gather", "broadcast"};
  out << "  cluster.slice." << names[static_cast<int>(c.collective)]
      << " %buffer";
  if (c.algorithm != Algorithm::Auto)
    out << " algorithm(" << cluster::stringifyAlgorithm(c.algorithm) << ')';
  if (c.isToRoot() || c.collective == Collective::Broadcast)
    out << formatv(" root({0})", c.root);
  if (c.collective == Collective::ReduceScatter)
    out << " scatter";
  out << kinds() << " : " << type << "\n";
  out << formatv("  scf.for %j = %tid to {0} step {1} {{\n", end, step);
  // Not what this thread has stored.
  std::string last = constant(length - 1), mirrored = fresh();
  out << formatv("  {0} = arith.subi {1}, %j : index\n", mirrored, last);
  std::string to = fresh(), result = fresh();
  out << formatv("  {0} = arith.addi {1}, {2} : index\n", to, from, mirrored);
  out << formatv("  {0} = memref.load %buffer[{1}] : {2}\n", result, mirrored,
                 type);
  store(0, result, "%out0", to);
  out << "  }\n";
}

std::string Writer::write() {
  header();
  c.isSlice ? slices() : tuples();
  if (c.rounds > 1)
    out << "  }\n";
  out << "  gpu.return\n}\n}\n";
  return text;
}

std::string cascade::test::kernelText(const Case &c, int64_t workspaceWords) {
  return Writer(c, workspaceWords).write();
}
