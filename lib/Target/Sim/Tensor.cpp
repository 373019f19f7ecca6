//===- Tensor.cpp - Matrices that the lanes of a warp hold ----------------===//
//
// Layouts as PTX has them (cluster.mma, cluster.transpose). A product is exact
// in f64, their sum is rounded once; the GPU rounds, or cuts off, in between.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Scalars.h"

using namespace cascade::sim;

namespace {
/// Where an element is: the lane, and the number of its register.
struct Place {
  unsigned lane, reg;
};
} // namespace

static Place placeInA(unsigned row, unsigned column) {
  return {row % 8 * 4 + column % 8 / 2,
          (column / 8 * 2 + row / 8) * 2 + column % 2};
}

static Place placeInB(unsigned row, unsigned column) {
  return {column * 4 + row % 8 / 2, row / 8 * 2 + row % 2};
}

static Place placeInC(unsigned row, unsigned column) {
  return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2};
}

bool Machine::checkWholeWarp(Warp &warp, const Instr &instr) {
  if (warp.present == ~0u)
    return true;
  reporter.report("missing lane", instr.op,
                  reporter.nameOf(instr.op) + " in " +
                      describe(warp.firstThread) +
                      " takes all lanes of its warp, of which some do not "
                      "exist; use a block of whole warps");
  return false;
}

void Machine::multiply(Warp &warp, const Instr &instr) {
  if (!checkWholeWarp(warp, instr))
    return;
  constexpr unsigned rows = 16, columns = 8, depth = 16;
  // Of A 8 registers, of B, C and D 4 each.
  constexpr unsigned firstB = 8, firstC = 12, firstD = 16;
  Lanes lanes{warp.frame.data(), ~0u};
  const auto &registers = program.accesses[instr.access].values;
  bool isBF16 = instr.imm;
  auto factor = [&](Place place, unsigned first) -> double {
    uint32_t bits =
        lanes.at<uint32_t>(registers[first + place.reg])[place.lane];
    return isBF16 ? BF16::get(bits) : F16::get(bits);
  };
  float sums[rows][columns];
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      Place place = placeInC(row, column);
      double sum = lanes.at<float>(registers[firstC + place.reg])[place.lane];
      for (unsigned k = 0; k < depth; ++k)
        sum +=
            factor(placeInA(row, k), 0) * factor(placeInB(k, column), firstB);
      sums[row][column] = F32::round(sum);
    }
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      Place place = placeInC(row, column);
      lanes.at<float>(registers[firstD + place.reg])[place.lane] =
          sums[row][column];
    }
}

void Machine::transpose(Warp &warp, const Instr &instr) {
  if (!checkWholeWarp(warp, instr))
    return;
  constexpr unsigned size = 8;
  Lanes lanes{warp.frame.data(), ~0u};
  const auto &registers = program.accesses[instr.access].values;
  uint32_t elements[size][size];
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column)
      elements[row][column] =
          lanes.at<uint32_t>(registers[column % 2])[row * 4 + column / 2];
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column)
      lanes.at<uint32_t>(registers[2 + column % 2])[row * 4 + column / 2] =
          elements[column][row];
}
