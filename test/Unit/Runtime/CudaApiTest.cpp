//===- CudaApiTest.cpp - Our declarations are those of cuda.h -------------===//

#include "../../../lib/Runtime/CudaApi.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

using namespace cascade::runtime;

TEST(CudaApi, Layouts) {
  EXPECT_EQ(sizeof(cuda::LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, sharedMemBytes),
            offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, stream),
            offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, attributes),
            offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(cuda::LaunchConfig, numAttributes),
            offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(cuda::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(cuda::LaunchAttribute, value),
            offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(cuda::DevicePtr), sizeof(CUdeviceptr));
}

TEST(CudaApi, Numbers) {
  EXPECT_EQ(cuda::jitErrorLogBuffer, int(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_EQ(cuda::jitErrorLogBufferSizeBytes,
            int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(cuda::funcMaxDynamicSharedSizeBytes,
            int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(cuda::funcNonPortableClusterSizeAllowed,
            int(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));
  EXPECT_EQ(cuda::deviceMultiprocessorCount,
            int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(cuda::launchClusterDimension,
            int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
  EXPECT_EQ(cuda::errorOutOfMemory, int(CUDA_ERROR_OUT_OF_MEMORY));
}

#else

TEST(CudaApi, Layouts) { GTEST_SKIP() << "no cuda.h to compare with"; }

#endif
