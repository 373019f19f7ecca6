//===- common.cu - Checked CUDA calls, buffers and launches ---------------===//

#include "common.h"

using namespace calibrate;

void calibrate::check(cudaError_t status, const std::string &what) {
  if (status != cudaSuccess)
    throw Failure(what + ": " + cudaGetErrorString(status));
}

void calibrate::synchronize(const std::string &what) {
  check(cudaDeviceSynchronize(), what);
}

Configuration::Configuration(const Shape &shape) {
  config.gridDim = dim3(unsigned(shape.blocks));
  config.blockDim = dim3(unsigned(shape.threads));
  config.dynamicSmemBytes = shape.shared;
  if (shape.cluster == 0)
    return;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = unsigned(shape.cluster);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
}

void calibrate::allow(const void *kernel, const Shape &shape) {
  constexpr int portableCluster = 8;
  if (shape.shared > 0) {
    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shape.shared)),
          "asking for " + std::to_string(shape.shared) +
              " bytes of shared memory");
    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
          "asking for the largest shared memory");
  }
  if (shape.cluster > portableCluster)
    check(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "asking for clusters of " + std::to_string(shape.cluster));
}

int calibrate::clustersThatFit(const void *kernel, const Shape &shape) {
  allow(kernel, shape);
  Configuration configuration(shape);
  int clusters = 0;
  cudaError_t status =
      cudaOccupancyMaxActiveClusters(&clusters, kernel, &configuration.get());
  if (status == cudaErrorInvalidClusterSize) {
    (void)cudaGetLastError(); // not an error of what follows
    return 0;
  }
  check(status, "asking how many clusters of " + std::to_string(shape.cluster) +
                    " fit");
  return clusters;
}

static __global__ void anyKernel() {}

/// The largest cluster of small blocks.
static int largestCluster() {
  const void *kernel = reinterpret_cast<const void *>(&anyKernel);
  check(cudaFuncSetAttribute(kernel,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "asking for clusters that are not portable");
  Shape shape;
  shape.blocks = 16;
  Configuration configuration(shape);
  int size = 0;
  check(
      cudaOccupancyMaxPotentialClusterSize(&size, kernel, &configuration.get()),
      "asking for the largest cluster");
  return size;
}

Device Device::open() {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
    throw Failure(std::string("no GPU: ") + cudaGetErrorString(status) +
                  "; run this on a machine with a GPU and its driver");
  int number = 0;
  check(cudaGetDevice(&number), "choosing a device");
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, number), "reading its properties");
  if (properties.major != 9)
    throw Failure(std::string(properties.name) + " has compute capability " +
                  std::to_string(properties.major) + "." +
                  std::to_string(properties.minor) +
                  "; the program is built for 9.0 (Hopper): choose such a "
                  "device with CUDA_VISIBLE_DEVICES");
  Device device;
  device.name = properties.name;
  device.sms = properties.multiProcessorCount;
  device.threadsPerSM = properties.maxThreadsPerMultiProcessor;
  device.blocksPerSM = properties.maxBlocksPerMultiProcessor;
  device.registersPerSM = properties.regsPerMultiprocessor;
  device.sharedPerBlock = properties.sharedMemPerBlockOptin;
  device.sharedPerSM = properties.sharedMemPerMultiprocessor;
  device.sharedReserved = properties.reservedSharedMemPerBlock;
  device.l2Bytes = size_t(properties.l2CacheSize);
  device.maxCluster = largestCluster();
  if (device.maxCluster < 1)
    throw Failure("the driver reports no cluster size");
  return device;
}

std::vector<int> Device::clusterSizes() const {
  std::vector<int> sizes;
  for (int size = 1; size <= maxCluster; size *= 2)
    sizes.push_back(size);
  return sizes;
}
