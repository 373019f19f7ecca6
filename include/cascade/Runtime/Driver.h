//===- Driver.h - The CUDA driver, loaded at run time -----------*- C++ -*-===//
//
// Nothing of CUDA is needed to compile or link this: libcuda.so.1 is opened
// when a Driver is created. Everything runs on the first visible device, in its
// primary context, on the default stream. A Driver outlives its buffers.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_DRIVER_H
#define CASCADE_RUNTIME_DRIVER_H

#include "cascade/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cascade::runtime {

/// An address in device memory.
using DeviceAddress = uint64_t;

/// How one kernel is launched; sizes in blocks, threads and bytes.
struct LaunchShape {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  std::array<unsigned, 3> cluster = {1, 1, 1};
  bool hasCluster = false;
  bool nonportable = false; ///< More than eight blocks a cluster.
  unsigned shared = 0;      ///< Dynamic shared memory.
};

class Driver;

/// Device memory, freed with the object.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  /// Aligned to 256 bytes; 0 of an empty buffer.
  DeviceAddress address() const { return start; }
  size_t size() const { return bytes; }

private:
  friend class Driver;
  void swap(DeviceBuffer &other) noexcept;

  Driver *driver = nullptr;
  DeviceAddress start = 0;
  size_t bytes = 0;
};

class Driver {
public:
  /// Opens the driver and the first device.
  static Expected<std::unique_ptr<Driver>> create();
  ~Driver();

  /// Loads PTX or a cubin; the text of the driver's compiler is part of the
  /// error. The module lives as long as the driver.
  Expected<void *> loadModule(const std::string &path);
  /// The same of an image in memory, which `name` stands for in errors.
  Expected<void *> loadImage(const std::string &image, const std::string &name);
  /// Looks `name` up in a loaded module.
  Expected<void *> getKernel(void *module, const std::string &name);

  /// An error unless the kernel's parameters have these sizes in bytes: a
  /// launch would read past what it is given. Old drivers cannot tell, and
  /// pass.
  Error checkParameters(void *kernel, const std::string &name,
                        const std::vector<size_t> &sizes);
  /// Allows the kernel the shared memory and the cluster size of `shape`.
  Error prepare(void *kernel, const std::string &name,
                const LaunchShape &shape);
  /// The blocks that are on the device at once: clusters that fit times their
  /// size. The grid of `shape` is not looked at.
  Expected<int64_t> residentBlocks(void *kernel, const std::string &name,
                                   const LaunchShape &shape);
  /// Launches without waiting. `parameters` point at the values.
  Error launch(void *kernel, const std::string &name, const LaunchShape &shape,
               std::vector<void *> &parameters);

  Expected<DeviceBuffer> allocate(size_t bytes);
  Error copyToDevice(DeviceAddress to, const void *from, size_t bytes);
  Error copyToHost(void *to, DeviceAddress from, size_t bytes);
  /// From device memory to device memory, without waiting.
  Error copy(DeviceAddress to, DeviceAddress from, size_t bytes);
  /// Without waiting.
  Error fill(DeviceAddress to, uint8_t value, size_t bytes);
  /// Waits for everything launched; `what` names it in an error.
  Error synchronize(const std::string &what);

  /// Events live as long as the driver.
  Expected<void *> createEvent();
  Error record(void *event);
  /// Microseconds between two recorded events that have completed.
  Expected<double> elapsed(void *begin, void *end);

  const std::string &deviceName() const;

private:
  friend class DeviceBuffer;
  struct Impl;
  Driver();
  std::unique_ptr<Impl> impl;
};

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_DRIVER_H
