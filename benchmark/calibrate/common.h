//===- common.h - Checked CUDA calls, buffers and launches ----------------===//
//
// What every file of the calibration program uses. Errors are exceptions: a
// Failure names what failed and, where there is one, the remedy.
//
//===----------------------------------------------------------------------===//

#ifndef CALIBRATE_COMMON_H
#define CALIBRATE_COMMON_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace calibrate {

constexpr size_t kib = size_t(1) << 10;
constexpr size_t mib = size_t(1) << 20;
constexpr int warpThreads = 32;

/// An error that ends the section in which it happens.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws a Failure if `status` is an error of the CUDA runtime; `what` says
/// what was being done.
void check(cudaError_t status, const std::string &what);

/// Memory of the device for `count` values of type T, zero at first.
template <typename T>
class Buffer {
public:
  explicit Buffer(size_t count) : count(count) {
    check(cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)),
          "allocating " + std::to_string(count * sizeof(T)) +
              " bytes; free some memory of the device");
    check(cudaMemset(data, 0, count * sizeof(T)), "clearing a buffer");
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { (void)cudaFree(data); }

  T *get() const { return data; }
  size_t size() const { return count; }

  /// Copies `values` to the start of the buffer.
  void write(const std::vector<T> &values) {
    check(cudaMemcpy(data, values.data(), values.size() * sizeof(T),
                     cudaMemcpyHostToDevice),
          "copying to the device");
  }
  /// The first `length` values, after all work queued before.
  std::vector<T> read(size_t length) const {
    std::vector<T> values(length);
    check(cudaMemcpy(values.data(), data, length * sizeof(T),
                     cudaMemcpyDeviceToHost),
          "copying from the device");
    return values;
  }

private:
  T *data = nullptr;
  size_t count;
};

/// Blocks, threads of a block, blocks of a cluster (0: no cluster attribute),
/// bytes of dynamic shared memory.
struct Shape {
  int blocks = 1;
  int threads = warpThreads;
  int cluster = 0;
  size_t shared = 0;
};

/// A launch configuration, which points to its own attribute.
class Configuration {
public:
  explicit Configuration(const Shape &shape);
  Configuration(const Configuration &) = delete;
  Configuration &operator=(const Configuration &) = delete;

  const cudaLaunchConfig_t &get() const { return config; }

private:
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
};

/// Lets `kernel` have the shared memory and the cluster size of `shape`: more
/// than 48 KiB and more than 8 blocks have to be asked for.
void allow(const void *kernel, const Shape &shape);

/// Queues one launch of `kernel`.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Shape &shape,
            Arguments... arguments) {
  Configuration configuration(shape);
  check(cudaLaunchKernelEx(&configuration.get(), kernel,
                           Parameters(arguments)...),
        "launching a kernel of " + std::to_string(shape.blocks) +
            " blocks of " + std::to_string(shape.threads) +
            " threads in clusters of " + std::to_string(shape.cluster));
}

/// How many clusters of `shape` the device holds at once; 0 if none fits.
int clustersThatFit(const void *kernel, const Shape &shape);

/// Waits for all queued work; `what` says what it was.
void synchronize(const std::string &what);

/// The device that is measured.
struct Device {
  std::string name;
  int sms;
  int maxCluster; ///< blocks, with the non-portable attribute
  int threadsPerSM;
  int blocksPerSM;
  int registersPerSM;
  size_t sharedPerBlock; ///< bytes, with opt-in
  size_t sharedPerSM;    ///< bytes
  size_t sharedReserved; ///< bytes of it that each block takes besides
  size_t l2Bytes;

  /// The current device; a Failure if it has no clusters.
  static Device open();
  /// 1, 2, 4, ... up to the largest cluster.
  std::vector<int> clusterSizes() const;
};

} // namespace calibrate

#endif // CALIBRATE_COMMON_H
