//===- ReadText.h - Files of JSON -------------------------------*- C++ -*-===//

#ifndef CASCADE_LIB_RUNTIME_READTEXT_H
#define CASCADE_LIB_RUNTIME_READTEXT_H

#include "JsonReader.h"

namespace cascade::runtime {

/// The text of a file of at most 64 MiB that is not empty. `what` names in
/// errors what it should be ("a manifest"), `remedy` what to do.
Expected<std::string> readText(const std::string &path, const std::string &what,
                               const std::string &remedy);

/// The JSON document in `text`, read from `path`.
Expected<nlohmann::json> parseJson(std::string_view text,
                                   const std::string &path,
                                   const std::string &remedy);

} // namespace cascade::runtime

#endif // CASCADE_LIB_RUNTIME_READTEXT_H
