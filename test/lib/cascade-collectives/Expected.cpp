//===- Expected.cpp - What a collective has to give -----------------------===//
//
// From the definition alone: the tuples of the threads of a group in rank
// order, combined or put side by side.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include <algorithm>

using namespace cascade::test;
using namespace cascade;
using cluster::Kind;
using cluster::Scope;
using runtime::ElementType;

int64_t cascade::test::valueOf(const Case &c, int64_t round, int64_t owner,
                               size_t k, int64_t element) {
  uint64_t hash = uint64_t(round) * 0x9E3779B97F4A7C15u + uint64_t(owner);
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u + k;
  hash = (hash ^ (hash >> 31)) * 0x94D049BB133111EBu + uint64_t(element);
  hash ^= hash >> 30;
  hash *= 0xBF58476D1CE4E5B9u;
  hash ^= hash >> 27;
  const Operand &operand = c.operands[k];
  if (operand.type == ElementType::I1)
    return hash % 2;
  if (c.hasRegion)
    return k == 1 ? int64_t(2 * (hash % 50) + 3) : int64_t(hash % 1000);
  // Sums stay exact: 2048 threads at most.
  return int64_t(hash % 16) - 8;
}

static int64_t combine(Kind kind, int64_t lhs, int64_t rhs) {
  switch (kind) {
  case Kind::Add:
    return lhs + rhs;
  case Kind::Max:
  case Kind::MaxSI:
    return std::max(lhs, rhs);
  case Kind::MinNum:
    return std::min(lhs, rhs);
  case Kind::Or:
    return lhs | rhs;
  default:
    return lhs ^ rhs;
  }
}

/// Merges the higher state into the lower.
static void merge(const Case &c, Results &lower, const Results &higher) {
  if (c.hasRegion) {
    for (size_t i = 0; i < lower[0].size(); ++i) {
      lower[0][i] = int64_t(uint64_t(lower[0][i]) * uint64_t(higher[1][i]) +
                            uint64_t(higher[0][i]));
      lower[1][i] = int64_t(uint64_t(lower[1][i]) * uint64_t(higher[1][i]));
    }
    return;
  }
  for (size_t k = 0; k < lower.size(); ++k)
    for (size_t i = 0; i < lower[k].size(); ++i)
      lower[k][i] = combine(c.operands[k].kind, lower[k][i], higher[k][i]);
}

static Results tupleOf(const Case &c, int64_t round, int64_t owner) {
  Results tuple(c.operands.size());
  for (size_t k = 0; k < c.operands.size(); ++k)
    for (int64_t i = 0; i < c.operands[k].count(); ++i)
      tuple[k].push_back(valueOf(c, round, owner, k, i));
  return tuple;
}

static Results sliceOf(const Results &whole, int64_t number, int64_t count) {
  Results slice;
  for (const std::vector<int64_t> &elements : whole) {
    int64_t length = elements.size() / count;
    slice.emplace_back(elements.begin() + number * length,
                       elements.begin() + (number + 1) * length);
  }
  return slice;
}

static std::vector<Results> expectedSlices(const Case &c, int64_t round,
                                           int64_t cluster) {
  int64_t ranks = c.clusterSize();
  std::vector<Results> before, after;
  for (int64_t rank = 0; rank < ranks; ++rank)
    before.push_back(tupleOf(c, round, cluster * ranks + rank));
  Results reduced = before[0];
  for (int64_t rank = 1; rank < ranks; ++rank)
    merge(c, reduced, before[rank]);
  int64_t length = c.operands[0].length / ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Results mine = before[rank];
    for (int64_t i = 0; i < c.operands[0].length; ++i) {
      int64_t owner = i / length;
      bool isRoot = rank == c.root;
      switch (c.collective) {
      case Collective::AllReduce:
        mine[0][i] = reduced[0][i];
        break;
      case Collective::ReduceScatter:
        if (owner == rank)
          mine[0][i] = reduced[0][i];
        break;
      case Collective::AllGather:
        mine[0][i] = before[owner][0][i];
        break;
      case Collective::Broadcast:
        mine[0][i] = before[c.root][0][i];
        break;
      case Collective::Reduce:
        if (isRoot)
          mine[0][i] = reduced[0][i];
        // By slices, each block has its own slice reduced.
        else if (owner == rank && c.algorithm == cluster::Algorithm::Scatter)
          mine[0][i] = reduced[0][i];
        break;
      case Collective::Gather:
        if (isRoot)
          mine[0][i] = before[owner][0][i];
        break;
      }
    }
    after.push_back(mine);
  }
  return after;
}

std::vector<Results>
cascade::test::expectedResults(const Case &c, int64_t round, int64_t cluster) {
  if (c.isSlice)
    return expectedSlices(c, round, cluster);
  int64_t blocks = c.clusterSize(), warps = c.threads / 32;
  int64_t groupWarps = c.scope == Scope::Warp ? 1 : c.warpsOfGroup();
  auto threadOf = [&](int64_t block, int64_t warp, int64_t lane) {
    return (block * warps + warp) * 32 + lane;
  };
  std::vector<Results> results;
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane) {
        int64_t firstWarp = warp / groupWarps * groupWarps;
        int64_t laneInGroup = lane / c.stride % c.lanes;
        int64_t firstLane = lane - laneInGroup * c.stride;
        int64_t self = c.scope == Scope::Warp    ? laneInGroup
                       : c.scope == Scope::Block ? warp - firstWarp
                                                 : block;
        if (c.isToRoot() && self != c.root) {
          results.emplace_back();
          continue;
        }
        bool isOverBlocks = c.scope == Scope::Cluster;
        std::vector<Results> members, ranks;
        for (int64_t b = isOverBlocks ? 0 : block;
             b < (isOverBlocks ? blocks : block + 1); ++b)
          for (int64_t w = 0; w < groupWarps; ++w)
            for (int64_t l = 0; l < c.lanes; ++l) {
              bool isFirst = (c.scope == Scope::Warp || l == 0) &&
                             (c.scope != Scope::Cluster || w == 0);
              int64_t owner =
                  cluster * blocks * c.threads +
                  threadOf(b, firstWarp + w, firstLane + l * c.stride);
              members.push_back(tupleOf(c, round, owner));
              if (isFirst)
                ranks.push_back(members.back());
            }
        Results result;
        if (c.isReduction()) {
          result = members[0];
          for (size_t i = 1; i < members.size(); ++i)
            merge(c, result, members[i]);
          if (c.collective == Collective::ReduceScatter)
            result = sliceOf(result, self, c.ranks());
        } else if (c.collective == Collective::Broadcast) {
          result = ranks[c.root];
        } else {
          result.resize(c.operands.size());
          for (const Results &tuple : ranks)
            for (size_t k = 0; k < tuple.size(); ++k)
              result[k].insert(result[k].end(), tuple[k].begin(),
                               tuple[k].end());
        }
        results.push_back(std::move(result));
      }
  return results;
}
