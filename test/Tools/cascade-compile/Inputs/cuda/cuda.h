// A driver for the test of launchers: what they use of the CUDA driver, on a
// device of 3 multiprocessors with room for 5 clusters, or 2 blocks each. Says
// what is launched.
#include <cstdint>
#include <cstdio>

enum CUresult {
  CUDA_SUCCESS,
  CUDA_ERROR_INVALID_VALUE,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701
};
using CUdeviceptr = unsigned long long;
using CUdevice = int;
using CUstream = struct CUstream_st *;
using CUmodule = const char *;
struct CUfunc_st {
  const char *name;
  int nonportable, shared;
};
using CUfunction = CUfunc_st *;
enum CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
};
enum CUdevice_attribute { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT };
enum CUlaunchAttributeID { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

inline CUresult cuModuleLoadData(CUmodule *module, const char *ptx) {
  *module = ptx;
  return CUDA_SUCCESS;
}
inline CUresult cuModuleGetFunction(CUfunction *function, CUmodule,
                                    const char *name) {
  static CUfunc_st found;
  found = {name, 0, 0};
  *function = &found;
  return CUDA_SUCCESS;
}
inline CUresult cuFuncSetAttribute(CUfunction function,
                                   CUfunction_attribute attribute, int value) {
  (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
       ? function->shared
       : function->nonportable) = value;
  return CUDA_SUCCESS;
}
inline CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction,
                                             const CUlaunchConfig *config) {
  *clusters = config->numAttrs == 1 &&
                      config->gridDimX == config->attrs[0].value.clusterDim.x
                  ? 5
                  : 0;
  return CUDA_SUCCESS;
}
inline CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                            CUfunction, int,
                                                            size_t) {
  *blocks = 2;
  return CUDA_SUCCESS;
}
inline CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute, CUdevice) {
  *value = 3;
  return CUDA_SUCCESS;
}
inline CUresult cuLaunchKernelEx(const CUlaunchConfig *config,
                                 CUfunction function, void **, void **) {
  unsigned cluster = config->numAttrs ? config->attrs[0].value.clusterDim.x : 1;
  std::printf("%s: %u blocks of %u, clusters of %u%s, %u bytes\n",
              function->name, config->gridDimX, config->blockDimX, cluster,
              function->nonportable ? " (non-portable)" : "",
              config->sharedMemBytes);
  bool asked = int(config->sharedMemBytes) == function->shared;
  return asked && (cluster <= 8 || function->nonportable)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}
