//===- ReadText.cpp - Files of JSON ---------------------------------------===//

#include "ReadText.h"

#include <cerrno>
#include <cstring>
#include <fstream>

using namespace cascade::runtime;

static constexpr size_t maxBytes = 64 << 20;

Expected<std::string> cascade::runtime::readText(const std::string &path,
                                                 const std::string &what,
                                                 const std::string &remedy) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char part[1 << 16];
  while (file && text.size() <= maxBytes) {
    file.read(part, sizeof(part));
    text.append(part, size_t(file.gcount()));
  }
  if (text.size() > maxBytes)
    return Error::input("'" + path + "' is too long for " + what + "; " +
                        remedy);
  if (text.empty() || file.bad())
    return Error::input("cannot read '" + path +
                        "': " + (errno ? std::strerror(errno) : "it is empty") +
                        "; " + remedy);
  return text;
}

Expected<nlohmann::json>
cascade::runtime::parseJson(std::string_view text, const std::string &path,
                            const std::string &remedy) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception &exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string why = exception.what();
    if (size_t end = why.find("] "); end != std::string::npos)
      why = why.substr(end + 2);
    return Error::input(path + ": no JSON: " + why + "; " + remedy);
  }
}
