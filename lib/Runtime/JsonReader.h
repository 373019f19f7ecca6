//===- JsonReader.h - JSON values that know where they are ------*- C++ -*-===//

#ifndef CASCADE_LIB_RUNTIME_JSONREADER_H
#define CASCADE_LIB_RUNTIME_JSONREADER_H

#include "cascade/Runtime/DimExpr.h"
#include "cascade/Runtime/Error.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cascade::runtime {

/// The first error of a document; later ones are ignored.
struct JsonStatus {
  std::optional<std::string> error;
};

/// A value and its place, `functions[0].launches[0].grid`. Every read that does
/// not find what it expects notes an error in the status and gives a harmless
/// value, so a parser needs no check after each step.
class JsonReader {
public:
  JsonReader(JsonStatus &status, const nlohmann::json *value, std::string path)
      : status(status), value(value), path(std::move(path)) {}

  void fail(const std::string &why) const;
  bool exists() const { return value != nullptr; }

  /// Fails unless this is an object of these keys only.
  void expectKeys(std::initializer_list<const char *> keys) const;
  bool has(const char *key) const;
  /// The member `key`; a missing one fails.
  JsonReader at(const char *key) const;
  /// The member `key`, or nothing.
  std::optional<JsonReader> find(const char *key) const;

  /// The elements of an array of `count` elements (any number without).
  std::vector<JsonReader>
  elements(const char *what, std::optional<size_t> count = std::nullopt) const;

  /// The members of an object, whatever their keys.
  std::vector<std::pair<std::string, JsonReader>> members() const;

  bool isString() const { return value && value->is_string(); }
  std::string string() const;
  /// A string that is not empty.
  std::string name() const;
  bool boolean() const;
  /// A whole number in [low, high].
  int64_t integer(int64_t low, int64_t high) const;
  /// A finite number above 0.
  double positive() const;
  /// An expression of DimExpr.h.
  DimExpr expr(unsigned depth = 0) const;

private:
  JsonStatus &status;
  const nlohmann::json *value;
  std::string path;
};

} // namespace cascade::runtime

#endif // CASCADE_LIB_RUNTIME_JSONREADER_H
