//===- NarrowTables.cpp - The values of narrow floats ---------------------===//

#include "Scalars.h"
#include <array>
#include <vector>

using namespace cascade::sim;

const float *cascade::sim::tableOf(ElementType type) {
  constexpr size_t numTypes = size_t(ElementType::Index) + 1;
  static std::array<std::vector<float>, numTypes> tables;
  std::vector<float> &table = tables[size_t(type)];
  if (table.empty()) {
    unsigned bits = 8 * runtime::byteSize(type);
    table.resize(size_t(1) << bits);
    for (uint32_t code = 0; code < table.size(); ++code)
      table[code] = float(runtime::loadElement(type, &code));
  }
  return table.data();
}
