//===- cascade-bench-report.cpp - The table and plots of a benchmark ------===//

#include "Results.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace cascade::report;

static int fail(const std::string &message) {
  std::cout.flush();
  std::cerr << "error: " << message << std::endl;
  return 2;
}

/// False, with errno, if the file cannot be written.
static bool writeFile(const std::string &path, const std::string &text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return bool(file);
}

int main(int argc, const char **argv) {
  std::vector<std::string> paths;
  std::string folder;
  CLI::App app("Prints the table of a benchmark and draws its plots.",
               "cascade-bench-report");
  app.add_option("results", paths,
                 "files of one JSON object a line, of cascade-launch "
                 "--benchmark --format=json and of peers.py");
  app.add_option("--svg", folder,
                 "folder for roofline.svg and ratios.svg (default: none)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError &error) {
    return fail(std::string(error.what()) + "; see cascade-bench-report "
                                            "--help");
  }
  if (paths.empty())
    return fail("no results; give the files that benchmark/run.sh wrote");

  std::string error;
  std::optional<Results> results = readResults(paths, error);
  if (!results)
    return fail(error);
  if (results->cells.empty())
    return fail("no times of kernels in " + paths.front() +
                "; run cascade-launch --benchmark --format=json");
  printTable(*results, std::cout);
  if (folder.empty())
    return 0;
  const std::pair<const char *, std::string> files[] = {
      {"roofline.svg", drawRoofline(*results)},
      {"ratios.svg", drawRatios(*results)}};
  for (const auto &[name, text] : files) {
    const std::string path = folder + "/" + name;
    if (!writeFile(path, text))
      return fail("cannot write '" + path + "': " + std::strerror(errno));
    std::cerr << "wrote " << path << std::endl;
  }
  return 0;
}
