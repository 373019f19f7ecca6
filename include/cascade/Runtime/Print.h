//===- Print.h - Tensors as text --------------------------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_PRINT_H
#define CASCADE_RUNTIME_PRINT_H

#include "cascade/Runtime/Tensor.h"

#include <string>

namespace cascade::runtime {

/// The fewest digits from which `type` reads back the same value; "nan", "inf"
/// and "-inf" else.
std::string formatValue(ElementType type, double value);

/// Element number `linear` of a tensor; integers exactly.
std::string formatElement(const Tensor &tensor, int64_t linear);

/// "4x8xf32=1 2 3 ...": a spec that reads back as this tensor.
std::string formatSpec(const Tensor &tensor);

/// "name: 4x8xf32=1 2 3 ...", without a newline.
std::string formatOutput(const std::string &name, const Tensor &tensor);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_PRINT_H
