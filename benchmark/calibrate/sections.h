//===- sections.h - What can be measured ----------------------------------===//

#ifndef CALIBRATE_SECTIONS_H
#define CALIBRATE_SECTIONS_H

#include "ptx.h"
#include "report.h"
#include "timer.h"

namespace calibrate {

/// The empty kernel, launch rates, blocks at once.
void measureLaunch(const Device &device, Timer &timer, Report &report);
/// Reading, writing and copying memory of the device.
void measureBandwidth(const Device &device, Timer &timer, Report &report);
/// Reading again what the L2 cache may hold.
void measureL2(const Device &device, Timer &timer, Report &report);
/// What dirty lines cost the kernel that follows.
void measureWriteBack(const Device &device, Timer &timer, Report &report);
/// Latencies and bandwidth between the blocks of a cluster.
void measureCluster(const Device &device, Timer &timer, Report &report);
/// Latency of a bulk copy from global to shared memory.
void measureBulk(const Device &device, Timer &timer, Report &report);
/// Rates of instructions, and the clock.
void measureIssue(const Device &device, Timer &timer, Report &report);

} // namespace calibrate

#endif // CALIBRATE_SECTIONS_H
