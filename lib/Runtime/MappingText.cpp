//===- MappingText.cpp - The form of a mapping, without a compiler --------===//
//
//   mapping ::= `#cascade.mapping<` item (`,` item)* `>`
//   item    ::= word `:` digit (`x` digit)*
//             | (`load` | `keep` | `merge` | `contract`)
//               `=` `[` policy (`,` policy)* `]`
//   digit   ::= word (`(` (`resident` | number (`at` number)?) `)`)?
//   policy  ::= (number | word) `:` word (`(` number `)`)?
//
//===----------------------------------------------------------------------===//

#include "cascade/Runtime/TuningFile.h"

#include <cctype>

using namespace cascade::runtime;

namespace {
/// Reads tokens; each function is true where it found what it is called after.
class MappingReader {
public:
  explicit MappingReader(const std::string &text) : text(text) {}

  bool mapping() {
    if (text.rfind(prefix, 0) != 0)
      return false;
    at = prefix.size();
    return list([&] { return item(); }) && symbol('>') && at == text.size();
  }
  size_t column() const { return at + 1; }

private:
  static constexpr std::string_view prefix = "#cascade.mapping<";

  char next() const { return at < text.size() ? text[at] : '\0'; }
  void skipSpaces() {
    while (next() == ' ')
      ++at;
  }
  bool symbol(char c) {
    skipSpaces();
    if (next() != c)
      return false;
    ++at;
    return true;
  }
  static bool isLetter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  }
  static bool isDigit(char c) {
    return std::isdigit(static_cast<unsigned char>(c));
  }
  /// An identifier of MLIR; the word itself in `found`.
  bool word(std::string &found) {
    skipSpaces();
    if (!isLetter(next()))
      return false;
    const size_t start = at;
    while (isLetter(next()) || isDigit(next()) || next() == '$' ||
           next() == '.')
      ++at;
    found = text.substr(start, at - start);
    return true;
  }
  /// The word `expected`, or nothing is read.
  bool keyword(std::string_view expected) {
    const size_t start = at;
    std::string found;
    if (word(found) && found == expected)
      return true;
    at = start;
    return false;
  }
  bool number() {
    skipSpaces();
    const size_t start = at;
    while (isDigit(next()))
      ++at;
    return at != start;
  }
  template <typename Element>
  bool list(Element element) {
    do {
      if (!element())
        return false;
    } while (symbol(','));
    return true;
  }
  bool digit() {
    std::string level;
    if (!word(level))
      return false;
    if (!symbol('('))
      return true;
    if (!keyword("resident") && (!number() || (keyword("at") && !number())))
      return false;
    return symbol(')');
  }
  bool policy() {
    std::string ignored;
    if (!(number() || word(ignored)) || !symbol(':') || !word(ignored))
      return false;
    return !symbol('(') || (number() && symbol(')'));
  }
  bool item() {
    std::string name;
    if (!word(name))
      return false;
    if (symbol('=')) {
      const bool isList = name == "load" || name == "keep" || name == "merge" ||
                          name == "contract";
      return isList && symbol('[') && list([&] { return policy(); }) &&
             symbol(']');
    }
    if (!symbol(':'))
      return false;
    do {
      if (!digit())
        return false;
    } while (keyword("x"));
    return true;
  }

  const std::string &text;
  size_t at = 0;
};
} // namespace

Error cascade::runtime::checkMappingText(const std::string &text) {
  MappingReader reader(text);
  if (reader.mapping())
    return Error::success();
  return Error::input("'" + text.substr(0, 60) +
                      (text.size() > 60 ? "..." : "") +
                      "' is not of the form #cascade.mapping<...> at column " +
                      std::to_string(reader.column()));
}
