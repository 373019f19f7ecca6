//===- Case.h - One collective to test ------------------------*- C++ -*-===//

#ifndef CASCADE_TEST_COLLECTIVES_CASE_H
#define CASCADE_TEST_COLLECTIVES_CASE_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Runtime/ElementType.h"
#include <array>
#include <random>
#include <string>
#include <vector>

namespace cascade::test {

/// The collectives by their effect.
enum class Collective {
  AllReduce,
  Reduce,
  ReduceScatter,
  AllGather,
  Gather,
  Broadcast
};

/// One operand: a scalar, or a vector of `length` elements.
struct Operand {
  runtime::ElementType type;
  int64_t length; // 0 is a scalar
  cluster::Kind kind;
  int64_t count() const { return length ? length : 1; }
};

/// A kernel that executes one collective `rounds` times: in a loop whose body
/// holds it once, or twice, then by `algorithm` and by `second` in turn.
struct Case {
  Collective collective;
  bool isSlice = false; // of shared memory
  cluster::Scope scope = cluster::Scope::Cluster;
  cluster::Algorithm algorithm = cluster::Algorithm::Auto;
  std::array<int64_t, 3> cluster = {1, 1, 1};
  int64_t clusters = 1;
  int64_t threads = 64;
  int64_t lanes = 32, stride = 1;
  int64_t warps = 0; // 0 is all of the block
  int64_t root = 0;
  int64_t rounds = 1;
  int64_t bodies = 1;
  cluster::Algorithm second = cluster::Algorithm::Auto;
  /// Of a slice collective, one: the buffer.
  std::vector<Operand> operands;
  /// Merges by a region that does not commute: the state is a number in base p
  /// and p itself, in two i64 operands, or in the halves of the i64 of a slice.
  bool hasRegion = false;

  int64_t clusterSize() const { return cluster[0] * cluster[1] * cluster[2]; }
  int64_t blocks() const { return clusterSize() * clusters; }
  int64_t warpsOfGroup() const { return warps ? warps : threads / 32; }
  /// Ranks of the scope.
  int64_t ranks() const;
  /// Elements of result `k`.
  int64_t resultCount(size_t k) const;
  bool isReduction() const { return collective <= Collective::ReduceScatter; }
  bool isToRoot() const {
    return collective == Collective::Reduce || collective == Collective::Gather;
  }
  cluster::Algorithm algorithmOf(int64_t round) const {
    return round % bodies ? second : algorithm;
  }
  bool usesWorkspace() const {
    return algorithm == cluster::Algorithm::Global ||
           second == cluster::Algorithm::Global;
  }
  std::string name() const;
};

/// The algorithms that a collective between blocks has.
std::vector<cluster::Algorithm> algorithmsOf(Collective collective,
                                             bool isSlice);

/// Draws what a case leaves open: threads, groups, payload, root, rounds.
void drawRest(Case &c, std::mt19937_64 &random);

/// Element `element` of operand `k` that a thread contributes, `owner` being
/// the number of the thread (of the block, on slices) in the grid.
int64_t valueOf(const Case &c, int64_t round, int64_t owner, size_t k,
                int64_t element);

/// The results of one thread (of one block, on slices) in one round: elements
/// of each operand; nothing where they are undefined.
using Results = std::vector<std::vector<int64_t>>;
std::vector<Results> expectedResults(const Case &c, int64_t round,
                                     int64_t cluster);

/// The kernel's text.
std::string kernelText(const Case &c, int64_t workspaceWords);

/// Writes the kernel, its manifest and `buffers` (of each operand what goes in
/// and what comes out) to `folder`, as case `number`, and the flags of
/// cascade-launch that check it to `folder`/cases.txt. False if that fails.
bool exportCase(const Case &c, const std::string &folder, int64_t number,
                int64_t workspaceWords,
                const std::vector<std::vector<uint8_t>> &buffers);

} // namespace cascade::test

#endif // CASCADE_TEST_COLLECTIVES_CASE_H
