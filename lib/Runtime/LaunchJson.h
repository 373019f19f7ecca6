//===- LaunchJson.h - The JSON lines of cascade-launch ----------*- C++ -*-===//

#ifndef CASCADE_LIB_RUNTIME_LAUNCHJSON_H
#define CASCADE_LIB_RUNTIME_LAUNCHJSON_H

#include "cascade/Runtime/Plan.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace cascade::runtime {

/// Which case a line is about.
inline nlohmann::ordered_json describeCase(const Plan &plan) {
  nlohmann::ordered_json json;
  json["manifest"] = plan.manifest->path;
  json["function"] = plan.function->name;
  json["dims"] = nlohmann::ordered_json::object();
  for (const auto &[name, value] : plan.dims)
    json["dims"][name] = value;
  return json;
}

inline void printLine(const nlohmann::ordered_json &json) {
  std::cout << json.dump(-1, ' ', false,
                         nlohmann::json::error_handler_t::replace)
            << std::endl;
}

} // namespace cascade::runtime

#endif // CASCADE_LIB_RUNTIME_LAUNCHJSON_H
