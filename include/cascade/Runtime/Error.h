//===- Error.h - Errors as values -------------------------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_ERROR_H
#define CASCADE_RUNTIME_ERROR_H

#include <string>
#include <utility>
#include <variant>

namespace cascade::runtime {

/// Whose fault an error is; the value is the exit status of a tool.
enum class ErrorKind { Input = 2, Device = 3 };

/// Success, or one line that names the thing that is wrong and the remedy. The
/// text has no "error: " in front: the tool that prints it adds that.
class [[nodiscard]] Error {
public:
  static Error success() { return Error(); }
  static Error input(std::string message) {
    return Error(ErrorKind::Input, std::move(message));
  }
  static Error device(std::string message) {
    return Error(ErrorKind::Device, std::move(message));
  }

  /// True if this is an error.
  explicit operator bool() const { return failed; }
  ErrorKind kind() const { return errorKind; }
  const std::string &message() const { return text; }

  /// The same error with `context: ` in front.
  Error in(const std::string &context) const {
    return failed ? Error(errorKind, context + ": " + text) : *this;
  }

private:
  Error() = default;
  Error(ErrorKind kind, std::string message)
      : failed(true), errorKind(kind), text(std::move(message)) {}

  bool failed = false;
  ErrorKind errorKind = ErrorKind::Input;
  std::string text;
};

/// A value, or the error that prevented it.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Error error) : content(std::move(error)) {}

  /// True if there is a value.
  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }
  /// The error; only where there is no value.
  const Error &error() const { return std::get<1>(content); }

private:
  std::variant<T, Error> content;
};

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_ERROR_H
