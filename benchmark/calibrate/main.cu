//===- main.cu - Measures what the cost model needs to know of a GPU ------===//
//
//   calibrate [--json=FILE] [SECTION...]
//
// Prints a table a section and the fields of `#cluster.target` that they
// replace. The exit status is 0 if every measurement succeeded, 1 if one
// failed, 2 for wrong arguments. docs/Calibration.md describes the method.
//
//===----------------------------------------------------------------------===//

#include "sections.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace calibrate;

namespace {
struct Section {
  const char *name;
  const char *about;
  void (*measure)(const Device &, Timer &, Report &);
};

struct Arguments {
  std::string json;
  std::vector<const Section *> sections;
};
} // namespace

static const Section sections[] = {
    {"launch", "one launch between two events; rates are slopes over the grid",
     measureLaunch},
    {"bandwidth", "bytes over the time of one launch less the empty kernel",
     measureBandwidth},
    {"l2",
     "bandwidth over many passes less the empty kernel; latency of a "
     "chain of loads of one thread",
     measureL2},
    {"writeback", "time of a kernel that follows a write", measureWriteBack},
    {"cluster", "cycles in the kernel, over chains of dependent steps",
     measureCluster},
    {"bulk", "cycles in the kernel from the start of a copy to its arrival",
     measureBulk},
    {"issue", "operations of all threads over cycles in the kernel",
     measureIssue},
};

static void printUsage(FILE *to) {
  std::fprintf(to, "usage: calibrate [--json=FILE] [SECTION...]\n"
                   "Measures the GPU for the cost model. All sections are "
                   "measured by default:\n");
  for (const Section &section : sections)
    std::fprintf(to, "  %-10s %s\n", section.name, section.about);
}

static const Section &findSection(const std::string &name) {
  for (const Section &section : sections)
    if (name == section.name)
      return section;
  std::string names;
  for (const Section &section : sections)
    names += (names.empty() ? "" : ", ") + std::string(section.name);
  throw Failure("no section '" + name + "'; there are " + names);
}

static Arguments parse(const std::vector<std::string> &words) {
  const std::string json = "--json=";
  Arguments arguments;
  std::set<const Section *> named;
  for (const std::string &word : words) {
    if (word.compare(0, json.size(), json) == 0 && word.size() > json.size())
      arguments.json = word.substr(json.size());
    else if (word.compare(0, 1, "-") == 0)
      throw Failure("unknown option '" + word +
                    "'; --json=FILE and --help are the options");
    else
      named.insert(&findSection(word));
  }
  // Each once, in the order of the program.
  for (const Section &section : sections)
    if (named.empty() || named.count(&section))
      arguments.sections.push_back(&section);
  return arguments;
}

/// What no kernel has to measure.
static void setCapacities(const Device &device, Report &report) {
  report.setField("sms", device.sms);
  report.setField("portable_cluster", std::min(device.maxCluster, 8));
  report.setField("max_cluster", device.maxCluster);
  report.setField("shared_per_block", double(device.sharedPerBlock));
  report.setField("shared_per_sm", double(device.sharedPerSM));
  report.setField("shared_reserved", double(device.sharedReserved));
  report.setField("registers_per_sm", device.registersPerSM);
  report.setField("threads_per_sm", device.threadsPerSM);
  report.setField("blocks_per_sm", device.blocksPerSM);
  report.setField("l2_bytes", double(device.l2Bytes));
}

static int run(const Arguments &arguments) {
  const Device device = Device::open();
  Report report;
  std::printf("%s, %d SMs, %.0f MiB L2\n", device.name.c_str(), device.sms,
              double(device.l2Bytes) / double(mib));
  setCapacities(device, report);
  Timer timer(device);
  bool isWhole = true;
  for (const Section *section : arguments.sections) {
    report.begin(section->name, section->about);
    try {
      section->measure(device, timer, report);
    } catch (const Failure &failure) {
      // An error of the device stays, so the sections that follow would fail.
      std::fprintf(stderr,
                   "error: section %s: %s; later sections are left "
                   "out: run them by name\n",
                   section->name, failure.what());
      isWhole = false;
    }
    report.printTable();
    if (!isWhole)
      break;
  }
  report.printTarget(device);
  if (!arguments.json.empty())
    report.writeJson(arguments.json, device);
  if (report.hasFailures())
    std::fprintf(stderr, "error: %zu measurements failed\n",
                 report.failureCount());
  return isWhole && !report.hasFailures() ? 0 : 1;
}

int main(int count, char **values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    printUsage(stdout);
    return 0;
  }
  Arguments arguments;
  try {
    arguments = parse(words);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return 2;
  }
  try {
    return run(arguments);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return 1;
  }
}
