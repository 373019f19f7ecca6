//===- CudaApi.h - The entry points of libcuda.so.1 -------------*- C++ -*-===//
//
// Declarations as in cuda.h of CUDA 13.0, for the few functions that are used,
// so that no part of CUDA is needed to build. Layouts and numbers have not
// changed since CUDA 11.8, the first with clusters.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_RUNTIME_CUDAAPI_H
#define CASCADE_LIB_RUNTIME_CUDAAPI_H

#include <cstddef>

namespace cascade::runtime::cuda {

using Result = int; ///< CUresult; 0 is success.
using Device = int;
using DevicePtr = unsigned long long;
using Handle = void *; ///< CUcontext, CUmodule, CUfunction, CUevent, CUstream.

// CUjit_option
constexpr int jitErrorLogBuffer = 5;
constexpr int jitErrorLogBufferSizeBytes = 6;
// CUfunction_attribute
constexpr int funcMaxDynamicSharedSizeBytes = 8;
constexpr int funcNonPortableClusterSizeAllowed = 14;
// CUdevice_attribute
constexpr int deviceMultiprocessorCount = 16;
// CUlaunchAttributeID
constexpr int launchClusterDimension = 4;
// CUresult
constexpr Result errorOutOfMemory = 2;

/// CUlaunchAttribute
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char pad[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    void *alignment; ///< Other members hold pointers.
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72 &&
              offsetof(LaunchAttribute, value) == 8);

/// CUlaunchConfig
struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Handle stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56 &&
              offsetof(LaunchConfig, stream) == 32 &&
              offsetof(LaunchConfig, numAttributes) == 48);

/// The functions, in an order of no meaning: name of the member, exported
/// symbol, parameters.
#define CASCADE_CUDA_FUNCTIONS(X)                                              \
  X(init, "cuInit", (unsigned))                                                \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  X(getErrorString, "cuGetErrorString", (Result, const char **))               \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGet, "cuDeviceGet", (Device *, int))                                 \
  X(deviceGetName, "cuDeviceGetName", (char *, int, Device))                   \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, Device))          \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (Handle *, Device))          \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (Device))               \
  X(ctxSetCurrent, "cuCtxSetCurrent", (Handle))                                \
  X(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (Handle *, const void *, unsigned, int *, void **))                        \
  X(moduleUnload, "cuModuleUnload", (Handle))                                  \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Handle *, Handle, const char *))                                          \
  X(funcSetAttribute, "cuFuncSetAttribute", (Handle, int, int))                \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *, Handle, void **, void **))                          \
  X(maxActiveClusters, "cuOccupancyMaxActiveClusters",                         \
    (int *, Handle, const LaunchConfig *))                                     \
  X(maxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",            \
    (int *, Handle, int, size_t))                                              \
  X(memAlloc, "cuMemAlloc_v2", (DevicePtr *, size_t))                          \
  X(memFree, "cuMemFree_v2", (DevicePtr))                                      \
  X(memcpyHtoD, "cuMemcpyHtoD_v2", (DevicePtr, const void *, size_t))          \
  X(memcpyDtoH, "cuMemcpyDtoH_v2", (void *, DevicePtr, size_t))                \
  X(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                   \
    (DevicePtr, DevicePtr, size_t, Handle))                                    \
  X(memsetD8Async, "cuMemsetD8Async",                                          \
    (DevicePtr, unsigned char, size_t, Handle))                                \
  X(eventCreate, "cuEventCreate", (Handle *, unsigned))                        \
  X(eventDestroy, "cuEventDestroy_v2", (Handle))                               \
  X(eventRecord, "cuEventRecord", (Handle, Handle))                            \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, Handle, Handle))

/// cuFuncGetParamInfo: offset and size of parameter `index` of a kernel. Only
/// drivers of CUDA 12.4 and newer have it.
using FuncGetParamInfo = Result(Handle kernel, size_t index, size_t *offset,
                                size_t *size);
constexpr const char *funcGetParamInfoSymbol = "cuFuncGetParamInfo";

/// Pointers to the functions of a loaded driver.
struct Api {
#define CASCADE_CUDA_MEMBER(member, symbol, parameters)                        \
  Result(*member) parameters = nullptr;
  CASCADE_CUDA_FUNCTIONS(CASCADE_CUDA_MEMBER)
#undef CASCADE_CUDA_MEMBER
  FuncGetParamInfo *funcGetParamInfo = nullptr; ///< May stay null.
};

} // namespace cascade::runtime::cuda

#endif // CASCADE_LIB_RUNTIME_CUDAAPI_H
