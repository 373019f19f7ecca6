//===- SpecTensor.cpp - Builds the tensor of a spec -----------------------===//

#include "cascade/Runtime/Npy.h"
#include "cascade/Runtime/Random.h"
#include "cascade/Runtime/Spec.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>

using namespace cascade::runtime;

/// Writes the number `text` to element `at`; false if it is no number of the
/// tensor's type.
static bool setFromText(Tensor &tensor, int64_t at, std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size();
  if (begin != end && *begin == '+' && text.size() > 1 && text[1] != '-')
    ++begin;
  if (!isFloat(tensor.type())) {
    int64_t value = 0;
    if (text == "true" || text == "false") {
      value = text == "true";
    } else {
      auto [last, status] = std::from_chars(begin, end, value);
      if (status != std::errc() || last != end)
        return false;
    }
    if (!holdsInteger(tensor.type(), value))
      return false;
    tensor.setInteger(at, value);
    return true;
  }
  // from_chars knows nan, inf and -inf. For f32 it rounds once from the text;
  // narrower types round from a double, which is exact for what was printed.
  if (tensor.type() == ElementType::F32) {
    float value = 0;
    auto [last, status] = std::from_chars(begin, end, value);
    if (status == std::errc() && last == end) {
      tensor.set(at, double(value));
      return true;
    }
  }
  double value = 0;
  auto [last, status] = std::from_chars(begin, end, value);
  if (last != end || status == std::errc::invalid_argument)
    return false;
  // Out of range leaves `value` alone: it is 0 or an infinity by its exponent.
  if (status == std::errc::result_out_of_range)
    value = std::strtod(std::string(begin, end).c_str(), nullptr);
  tensor.set(at, value);
  return true;
}

static Error fillValues(Tensor &tensor, const Spec &spec) {
  const int64_t size = tensor.size();
  const int64_t count = int64_t(spec.values.size());
  if (count != size && count != 1)
    return Error::input("the spec '" + spec.text.substr(0, 60) + "' has " +
                        std::to_string(count) + " values for the " +
                        std::to_string(size) + " elements of " +
                        formatShape(tensor.shape(), tensor.type()) +
                        "; write all of them, or one to fill the tensor");
  auto wrong = [&](const std::string &value) {
    return Error::input("'" + value + "' is no value of type " +
                        nameOf(tensor.type()) + "; write " +
                        (isFloat(tensor.type())
                             ? "a decimal number, nan, inf or -inf"
                             : "a whole number within its range"));
  };
  // A splat is checked even if there is nothing to fill.
  if (count == 1) {
    Expected<Tensor> one = Tensor::create(tensor.type(), {});
    if (!one)
      return one.error();
    if (!setFromText(*one, 0, spec.values[0]))
      return wrong(spec.values[0]);
    const unsigned bytes = byteSize(tensor.type());
    for (int64_t i = 0; i < size; ++i)
      std::copy_n(one->data(), bytes, tensor.data() + i * bytes);
    return Error::success();
  }
  for (int64_t i = 0; i < size; ++i)
    if (!setFromText(tensor, i, spec.values[size_t(i)]))
      return wrong(spec.values[size_t(i)]);
  return Error::success();
}

/// Integers of `rand` and `special`: from -8 to 8, from 0 where negative
/// numbers make no sense.
static void fillSmallIntegers(Tensor &tensor, const RandomStream &random) {
  const ElementType type = tensor.type();
  const int64_t low =
      type == ElementType::I1 || type == ElementType::Index ? 0 : -8;
  const int64_t high = type == ElementType::I1 ? 1 : 8;
  for (int64_t i = 0, size = tensor.size(); i < size; ++i)
    tensor.setInteger(i, low + random.integer(uint64_t(i), high - low + 1));
}

/// Standard normal numbers. Every element has its own draw, so threads may
/// share the work.
static void fillNormal(Tensor &tensor, const RandomStream &random) {
  constexpr int64_t elementsPerThread = 1 << 18;
  const int64_t size = tensor.size();
  const int64_t most = std::max(1u, std::thread::hardware_concurrency());
  const int64_t count = std::clamp<int64_t>(size / elementsPerThread, 1, most);
  auto fillPart = [&](int64_t part) {
    for (int64_t i = size * part / count; i < size * (part + 1) / count; ++i)
      tensor.set(i, random.normal(uint64_t(i)));
  };
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < count; ++part)
    threads.emplace_back(fillPart, part);
  fillPart(0);
  for (std::thread &thread : threads)
    thread.join();
}

static void fillUniform(Tensor &tensor, const RandomStream &random) {
  // As many bits as a significand holds, so that rounding cannot give 1.
  const unsigned precision = infoOf(tensor.type()).mantissaBits + 1;
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    if (isFloat(tensor.type()))
      tensor.set(i, random.uniform(uint64_t(i), precision));
    else
      tensor.setInteger(i, random.integer(uint64_t(i), 2));
  }
}

/// Whole numbers, value(i) at element i.
template <typename Function>
static Error fillIntegers(Tensor &tensor, Function value) {
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    if (isFloat(tensor.type()))
      tensor.set(i, double(value(i)));
    else
      tensor.setInteger(i, value(i));
  }
  return Error::success();
}

static Error fill(Tensor &tensor, const Spec &spec, uint64_t seed,
                  uint64_t argument) {
  const RandomStream random(seed, argument);
  switch (spec.kind) {
  case SpecKind::Values:
    return fillValues(tensor, spec);
  case SpecKind::Rand:
    if (!isFloat(tensor.type()))
      fillSmallIntegers(tensor, random);
    else
      fillNormal(tensor, random);
    return Error::success();
  case SpecKind::Uniform:
    fillUniform(tensor, random);
    return Error::success();
  case SpecKind::RandInt:
    if (!isFloat(tensor.type()) && !holdsInteger(tensor.type(), spec.bound - 1))
      return Error::input("the bound of '" + spec.text + "' does not fit in " +
                          nameOf(tensor.type()) + "; use a smaller one");
    return fillIntegers(tensor, [&](int64_t i) {
      return random.integer(uint64_t(i), spec.bound);
    });
  case SpecKind::Iota:
    return fillIntegers(tensor, [](int64_t i) { return i; });
  case SpecKind::Special:
    if (isFloat(tensor.type()))
      fillSpecial(tensor, seed, argument);
    else
      fillSmallIntegers(tensor, random);
    return Error::success();
  case SpecKind::File:
    break;
  }
  return Error::input("the spec '" + spec.text + "' has no values");
}

Expected<Tensor> cascade::runtime::makeTensor(const Spec &spec,
                                              ElementType type,
                                              const Shape &shape, uint64_t seed,
                                              uint64_t argument) {
  if (spec.shape && (*spec.shape != shape || *spec.type != type))
    return Error::input("the spec '" + spec.text.substr(0, 60) + "' is " +
                        formatShape(*spec.shape, *spec.type) + ", but " +
                        formatShape(shape, type) + " is needed");
  if (spec.kind == SpecKind::File) {
    Expected<Tensor> tensor = readNpy(spec.path, type);
    if (tensor && tensor->shape() != shape)
      return Error::input("'" + spec.path + "' holds " +
                          formatShape(tensor->shape(), type) + ", but " +
                          formatShape(shape, type) + " is needed");
    return tensor;
  }
  Expected<Tensor> tensor = Tensor::create(type, shape);
  if (!tensor)
    return tensor;
  if (Error error = fill(*tensor, spec, seed, argument))
    return error;
  return tensor;
}

Expected<Tensor> cascade::runtime::makeTensor(const Spec &spec, uint64_t seed,
                                              uint64_t argument) {
  if (!spec.shape)
    return Error::input(
        "the spec '" + spec.text.substr(0, 60) +
        "' has no shape; write one, as in 4x8xf32=" + spec.text.substr(0, 60));
  return makeTensor(spec, *spec.type, *spec.shape, seed, argument);
}
