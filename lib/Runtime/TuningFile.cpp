//===- TuningFile.cpp - Reads, merges and writes tuning files -------------===//

#include "cascade/Runtime/TuningFile.h"
#include "ReadText.h"
#include "cascade/Runtime/Plan.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace cascade::runtime;

static constexpr const char *remedy =
    "give the file that cascade-launch --tune wrote, or delete it and tune "
    "again";

std::string TuningKey::text() const {
  return "chain " + chain + ", shape " + shape + ", types " + types + ", gpu " +
         gpu;
}

std::string TuningEntry::text() const {
  std::string text;
  for (const Measurement &one : measured) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.4g us", one.microseconds);
    const std::string dims = formatDims(one.dims);
    text += (text.empty() ? "" : ", ") + std::string(number) +
            (dims.empty() ? "" : " at " + dims);
  }
  return text + " measured on " + device;
}

std::optional<size_t> TuningFile::lookup(const TuningKey &key) const {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].key == key)
      return i;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Measurement parseMeasurement(const JsonReader &json) {
  json.expectKeys({"dims", "us", "model_us", "flush_l2"});
  Measurement result;
  for (const auto &[name, value] : json.at("dims").members())
    result.dims[name] = value.integer(0, INT64_MAX);
  result.microseconds = json.at("us").positive();
  if (std::optional<JsonReader> time = json.find("model_us"))
    result.modelTime = time->positive();
  result.flushL2 = json.at("flush_l2").boolean();
  return result;
}

static TuningEntry parseEntry(const JsonReader &json) {
  json.expectKeys({"chain", "shape", "types", "gpu", "function", "device",
                   "mapping", "measured"});
  TuningEntry entry;
  entry.key = {json.at("chain").name(), json.at("shape").name(),
               json.at("types").name(), json.at("gpu").name()};
  entry.function = json.at("function").name();
  entry.device = json.at("device").name();
  JsonReader mapping = json.at("mapping");
  entry.mapping = mapping.name();
  if (mapping.isString())
    if (Error error = checkMappingText(entry.mapping))
      mapping.fail(error.message());
  JsonReader measured = json.at("measured");
  for (const JsonReader &one : measured.elements("measurements"))
    entry.measured.push_back(parseMeasurement(one));
  if (measured.exists() && entry.measured.empty())
    measured.fail("expected at least one measurement");
  return entry;
}

Expected<TuningFile> cascade::runtime::parseTuning(std::string_view text,
                                                   const std::string &path) {
  Expected<nlohmann::json> document = parseJson(text, path, remedy);
  if (!document)
    return document.error();
  JsonStatus status;
  JsonReader json(status, &*document, "");
  json.expectKeys({"version", "entries"});
  json.at("version").integer(1, 1);
  TuningFile file;
  file.path = path;
  for (const JsonReader &one : json.at("entries").elements("entries")) {
    TuningEntry entry = parseEntry(one);
    if (std::optional<size_t> other = file.lookup(entry.key))
      one.fail("has the key of entries[" + std::to_string(*other) +
               "]: " + entry.key.text());
    file.entries.push_back(std::move(entry));
  }
  if (status.error)
    return Error::input(path + ": " + *status.error + "; " + remedy);
  return file;
}

Expected<TuningFile> cascade::runtime::readTuning(const std::string &path) {
  Expected<std::string> text = readText(path, "a tuning file", remedy);
  if (!text)
    return text.error();
  return parseTuning(*text, path);
}

static std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Expected<TuningFile>
cascade::runtime::readTuningToMerge(const std::string &path) {
  const std::string folder = folderOf(path);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Error::input("cannot write '" + path + "': " + std::strerror(errno) +
                        "; name a file in a folder that can be written to");
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT)
      return Error::input("cannot read '" + path +
                          "': " + std::strerror(errno));
    TuningFile file;
    file.path = path;
    return file;
  }
  if (!S_ISREG(status.st_mode))
    return Error::input("'" + path +
                        "' is not a regular file; name another one");
  return readTuning(path);
}

//===----------------------------------------------------------------------===//
// Merging and writing
//===----------------------------------------------------------------------===//

MergeCounts cascade::runtime::merge(TuningFile &file,
                                    const std::vector<TuningEntry> &entries) {
  MergeCounts counts;
  for (const TuningEntry &entry : entries) {
    if (std::optional<size_t> old = file.lookup(entry.key)) {
      file.entries[*old] = entry;
      ++counts.replaced;
      continue;
    }
    file.entries.push_back(entry);
    ++counts.added;
  }
  return counts;
}

std::string cascade::runtime::formatTuning(const TuningFile &file) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const TuningEntry &entry : file.entries) {
    Json measured = Json::array();
    for (const Measurement &one : entry.measured) {
      Json json;
      json["dims"] = Json::object();
      for (const auto &[name, value] : one.dims)
        json["dims"][name] = value;
      json["us"] = one.microseconds;
      if (one.modelTime)
        json["model_us"] = *one.modelTime;
      json["flush_l2"] = one.flushL2;
      measured.push_back(std::move(json));
    }
    list.push_back({{"chain", entry.key.chain},
                    {"shape", entry.key.shape},
                    {"types", entry.key.types},
                    {"gpu", entry.key.gpu},
                    {"function", entry.function},
                    {"device", entry.device},
                    {"mapping", entry.mapping},
                    {"measured", std::move(measured)}});
  }
  Json json;
  json["version"] = 1;
  json["entries"] = std::move(list);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Error cascade::runtime::writeTuning(const TuningFile &file) {
  // A link keeps pointing where it points.
  std::string path = file.path;
  if (char *real = realpath(path.c_str(), nullptr)) {
    path = real;
    std::free(real);
  }
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  auto fail = [&] {
    Error error = Error::input("cannot write '" + file.path + "': " +
                               std::strerror(errno) + "; it is as it was");
    std::remove(temporary.c_str());
    return error;
  };
  errno = 0;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << formatTuning(file);
    out.close();
    if (!out)
      return fail();
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    return fail();
  return Error::success();
}
