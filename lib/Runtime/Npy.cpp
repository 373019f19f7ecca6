//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//

#include "cascade/Runtime/Npy.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

using namespace cascade::runtime;

static constexpr char magic[] = "\x93NUMPY";
static constexpr size_t magicSize = 6;
/// A header is one line; NumPy itself refuses more than 10,000 bytes.
static constexpr size_t maxHeaderSize = 1 << 16;

namespace {
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Reads the Python dictionary of a header: string keys; values that are
/// strings, True, False or tuples of integers.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  /// An empty string, or what is wrong.
  std::string parse();

  std::string descr;
  Shape shape;
  bool fortran = false;

private:
  void skipSpace() {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
  }
  bool eat(std::string_view token) {
    skipSpace();
    if (text.substr(0, token.size()) != token)
      return false;
    text.remove_prefix(token.size());
    return true;
  }
  bool parseString(std::string &value);
  bool parseTuple();
  bool parseEntry();

  std::string_view text;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

bool HeaderParser::parseString(std::string &value) {
  skipSpace();
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return false;
  size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos)
    return false;
  value = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::parseTuple() {
  if (!eat("("))
    return false;
  while (!eat(")")) {
    skipSpace();
    int64_t extent = 0;
    auto [end, status] =
        std::from_chars(text.data(), text.data() + text.size(), extent);
    if (status != std::errc() || extent < 0)
      return false;
    text.remove_prefix(size_t(end - text.data()));
    shape.push_back(extent);
    if (!eat(",")) {
      if (!eat(")"))
        return false;
      break;
    }
  }
  return true;
}

bool HeaderParser::parseEntry() {
  std::string key;
  if (!parseString(key) || !eat(":"))
    return false;
  if (key == "descr" && !hasDescr)
    return hasDescr = parseString(descr);
  if (key == "shape" && !hasShape)
    return hasShape = parseTuple();
  if (key != "fortran_order" || hasOrder)
    return false;
  fortran = eat("True");
  return hasOrder = fortran || eat("False");
}

std::string HeaderParser::parse() {
  bool good = eat("{");
  while (good && !eat("}")) {
    good = parseEntry();
    if (good && !eat(",")) {
      good = eat("}");
      break;
    }
  }
  skipSpace();
  if (!good || !text.empty() || !hasDescr || !hasOrder || !hasShape)
    return "has a damaged .npy header; write it again with numpy.save";
  if (fortran && shape.size() > 1)
    return "is in Fortran order; save numpy.ascontiguousarray(x) instead";
  return "";
}

static Error fileError(const std::string &path, const std::string &what) {
  return Error::input("'" + path + "' " + what);
}

/// Opens `path` and reads its header; leaves the file at its data.
static Expected<NpyHeader> openNpy(const std::string &path, File &file) {
  file.reset(std::fopen(path.c_str(), "rb"));
  if (!file)
    return Error::input("cannot open '" + path + "': " + std::strerror(errno) +
                        "; give the path of a .npy file");
  auto truncated = [&] {
    return fileError(path, "is cut off in its .npy header; write it again "
                           "with numpy.save");
  };
  unsigned char start[12];
  size_t got = std::fread(start, 1, magicSize + 2, file.get());
  if (std::memcmp(start, magic, std::min(got, magicSize)) != 0 || got == 0)
    return fileError(path, "is not a .npy file; write it with numpy.save");
  if (got < magicSize + 2)
    return truncated();
  const unsigned version = start[magicSize];
  if (version != 1 && version != 2)
    return fileError(path, "is .npy version " + std::to_string(version) +
                               "; write version 1 or 2");
  const size_t lengthBytes = version == 1 ? 2 : 4;
  if (std::fread(start, 1, lengthBytes, file.get()) != lengthBytes)
    return truncated();
  size_t length = 0;
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | start[i];
  if (length > maxHeaderSize)
    return fileError(path, "has a damaged .npy header; write it again with "
                           "numpy.save");
  std::string text(length, '\0');
  if (std::fread(text.data(), 1, length, file.get()) != length)
    return truncated();

  HeaderParser parser(text);
  if (std::string wrong = parser.parse(); !wrong.empty())
    return fileError(path, wrong);
  return NpyHeader{parser.descr, parser.shape,
                   magicSize + 2 + lengthBytes + length};
}

Expected<NpyHeader> cascade::runtime::readNpyHeader(const std::string &path) {
  File file;
  return openNpy(path, file);
}

/// The spellings of `type` in a header: first the one to write.
static std::initializer_list<const char *> descrsOf(ElementType type) {
  static const std::initializer_list<const char *> f64 = {"<f8"}, f32 = {"<f4"},
                                                   f16 = {"<f2"},
                                                   bf16 = {"<u2", "|V2", "<V2"},
                                                   fp8 = {"|u1", "|V1", "<V1"},
                                                   i64 = {"<i8", "<u8"},
                                                   i32 = {"<i4", "<u4"},
                                                   i16 = {"<i2", "<u2"},
                                                   i8 = {"|i1", "|u1"},
                                                   i1 = {"|b1", "|u1"};
  switch (type) {
  case ElementType::F64:
    return f64;
  case ElementType::F32:
    return f32;
  case ElementType::F16:
    return f16;
  case ElementType::BF16:
    return bf16;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return fp8;
  case ElementType::I64:
  case ElementType::Index:
    return i64;
  case ElementType::I32:
    return i32;
  case ElementType::I16:
    return i16;
  case ElementType::I8:
    return i8;
  case ElementType::I1:
    return i1;
  }
  return {};
}

Expected<Tensor> cascade::runtime::readNpy(const std::string &path,
                                           ElementType type) {
  File file;
  Expected<NpyHeader> header = openNpy(path, file);
  if (!header)
    return header.error();
  auto descrs = descrsOf(type);
  if (std::find(descrs.begin(), descrs.end(), header->descr) == descrs.end())
    return fileError(path, "holds '" + header->descr + "', but " +
                               nameOf(type) + " is stored as '" +
                               *descrs.begin() + "'; convert it");
  // Compare lengths before there is memory for what a header promises.
  Expected<int64_t> count = countElements(header->shape, type);
  if (!count)
    return count.error().in("'" + path + "'");
  const int64_t bytes = *count * int64_t(byteSize(type));
  if (std::fseek(file.get(), 0, SEEK_END) != 0)
    return fileError(path, "cannot be read twice; give a regular file");
  const int64_t present =
      int64_t(std::ftell(file.get())) - int64_t(header->dataOffset);
  if (present != bytes)
    return fileError(path, "has " + std::to_string(present) +
                               " bytes of data, but its header promises " +
                               std::to_string(bytes) + " (" +
                               formatShape(header->shape, type) +
                               "); write it again with numpy.save");
  Expected<Tensor> tensor = Tensor::create(type, header->shape);
  if (!tensor)
    return tensor.error().in("'" + path + "'");
  if (std::fseek(file.get(), long(header->dataOffset), SEEK_SET) != 0 ||
      std::fread(tensor->data(), 1, size_t(bytes), file.get()) != size_t(bytes))
    return fileError(path, "cannot be read to its end");
  // A byte of i1 is 0 or 1, whatever the file says.
  if (type == ElementType::I1)
    for (int64_t i = 0; i < tensor->size(); ++i)
      tensor->data()[i] = tensor->data()[i] != 0;
  return tensor;
}

Error cascade::runtime::writeNpy(const std::string &path,
                                 const Tensor &tensor) {
  std::string shape;
  for (int64_t extent : tensor.shape())
    shape += std::to_string(extent) + ", ";
  if (tensor.shape().size() > 1)
    shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" +
                       std::string(*descrsOf(tensor.type()).begin()) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Data starts at a multiple of 64 bytes, after a newline.
  const size_t prefix = magicSize + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  File file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return Error::input("cannot write '" + path + "': " + std::strerror(errno) +
                        "; give a path in a folder that exists");
  const unsigned char start[4] = {
      1, 0, static_cast<unsigned char>(header.size() & 255),
      static_cast<unsigned char>(header.size() >> 8)};
  bool good = std::fwrite(magic, 1, magicSize, file.get()) == magicSize &&
              std::fwrite(start, 1, 4, file.get()) == 4 &&
              std::fwrite(header.data(), 1, header.size(), file.get()) ==
                  header.size() &&
              std::fwrite(tensor.data(), 1, tensor.sizeInBytes(), file.get()) ==
                  tensor.sizeInBytes();
  if (std::fclose(file.release()) != 0 || !good)
    return fileError(path, "could not be written to its end; make room on the "
                           "device");
  return Error::success();
}
