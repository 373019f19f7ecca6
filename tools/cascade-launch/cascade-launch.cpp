//===- cascade-launch.cpp - Runs compiled kernels on a GPU ----------------===//

#include "cascade/Runtime/LaunchTool.h"

int main(int argc, const char **argv) {
  return cascade::runtime::launchMain(argc, argv);
}
