//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//

#include "cascade/Runtime/Driver.h"
#include "CudaApi.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>

using namespace cascade::runtime;

struct Driver::Impl {
  cuda::Api api;
  cuda::Device device = 0;
  bool hasContext = false;
  std::string name;
  std::vector<cuda::Handle> modules, events;

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(const std::string &call, cuda::Result result) const {
    const char *code = nullptr, *text = nullptr;
    if (api.getErrorName)
      api.getErrorName(result, &code);
    if (api.getErrorString)
      api.getErrorString(result, &text);
    return call + " failed: " +
           (code ? std::string(code) : "error " + std::to_string(result)) +
           (text ? " (" + std::string(text) + ")" : "");
  }
  Error check(const char *call, cuda::Result result, const char *remedy) const {
    if (result == 0)
      return Error::success();
    return Error::device(describe(call, result) + "; " + remedy);
  }
};

Driver::Driver() : impl(std::make_unique<Impl>()) {}

Driver::~Driver() {
  const cuda::Api &api = impl->api;
  if (!impl->hasContext)
    return;
  for (cuda::Handle event : impl->events)
    api.eventDestroy(event);
  for (cuda::Handle module : impl->modules)
    api.moduleUnload(module);
  api.primaryCtxRelease(impl->device);
}

const std::string &Driver::deviceName() const { return impl->name; }

static constexpr const char *restartRemedy =
    "the device is in no usable state; see nvidia-smi and the system log";
static constexpr const char *memoryRemedy =
    "use smaller dims, or end other programs on the device";

Expected<std::unique_ptr<Driver>> Driver::create() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error::device("no CUDA driver: libcuda.so.1 not found; install the "
                         "NVIDIA driver or use cascade-run --device=cpu");
  std::unique_ptr<Driver> driver(new Driver());
  Impl &impl = *driver->impl;
  cuda::Api &api = impl.api;
#define CASCADE_CUDA_LOAD(member, symbol, parameters)                          \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, symbol)); \
  if (!api.member)                                                             \
    return Error::device("the CUDA driver is too old: it has no " symbol       \
                         "; install driver 525 or newer");
  CASCADE_CUDA_FUNCTIONS(CASCADE_CUDA_LOAD)
#undef CASCADE_CUDA_LOAD
  api.funcGetParamInfo = reinterpret_cast<cuda::FuncGetParamInfo *>(
      dlsym(library, cuda::funcGetParamInfoSymbol));

  const char *remedy = "check that nvidia-smi lists a device";
  int count = 0;
  if (Error error = impl.check("cuInit", api.init(0), remedy))
    return error;
  if (Error error =
          impl.check("cuDeviceGetCount", api.deviceGetCount(&count), remedy))
    return error;
  if (count == 0)
    return Error::device("no CUDA device is visible; check nvidia-smi and "
                         "CUDA_VISIBLE_DEVICES");
  if (Error error =
          impl.check("cuDeviceGet", api.deviceGet(&impl.device, 0), remedy))
    return error;
  char name[256] = "";
  if (api.deviceGetName(name, sizeof(name) - 1, impl.device) == 0)
    impl.name = name;
  cuda::Handle context = nullptr;
  if (Error error =
          impl.check("cuDevicePrimaryCtxRetain",
                     api.primaryCtxRetain(&context, impl.device), remedy))
    return error;
  impl.hasContext = true;
  if (Error error =
          impl.check("cuCtxSetCurrent", api.ctxSetCurrent(context), remedy))
    return error;
  return driver;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

/// A log on one line.
static std::string onOneLine(std::string text) {
  std::string line;
  for (char c : text) {
    if (c == '\0')
      break;
    if (c != '\n')
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += "; ";
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == ';'))
    line.pop_back();
  return line;
}

Expected<void *> Driver::loadModule(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (file)
    content << file.rdbuf();
  if (!file || !content)
    return Error::input("cannot read module '" + path +
                        "': " + (errno ? std::strerror(errno) : "it is empty") +
                        "; compile the artefact again");
  return loadImage(content.str(), path);
}

Expected<void *> Driver::loadImage(const std::string &image,
                                   const std::string &name) {
  // PTX ends with a NUL, which c_str() adds; a cubin knows its length.
  std::string log(1 << 14, '\0');
  int options[] = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  cuda::Handle module = nullptr;
  cuda::Result result =
      impl->api.moduleLoadDataEx(&module, image.c_str(), 2, options, values);
  if (result != 0) {
    log = onOneLine(log);
    return Error::device("module '" + name +
                         "': " + impl->describe("cuModuleLoadDataEx", result) +
                         (log.empty() ? "" : ": " + log) +
                         "; compile it for this device (" + impl->name + ")");
  }
  impl->modules.push_back(module);
  return module;
}

Expected<void *> Driver::getKernel(void *module, const std::string &name) {
  cuda::Handle kernel = nullptr;
  if (cuda::Result result =
          impl->api.moduleGetFunction(&kernel, module, name.c_str()))
    return Error::device("kernel '" + name +
                         "': " + impl->describe("cuModuleGetFunction", result) +
                         "; the manifest and the module do not belong "
                         "together, compile the artefact again");
  return kernel;
}

Error Driver::checkParameters(void *kernel, const std::string &name,
                              const std::vector<size_t> &sizes) {
  if (!impl->api.funcGetParamInfo)
    return Error::success();
  auto wrong = [&](const std::string &why) {
    return Error::input("kernel '" + name + "' " + why +
                        "; the manifest and the module do not belong together, "
                        "compile the artefact again");
  };
  // A compiler may widen what is narrower than a register.
  auto matches = [](size_t given, size_t taken) {
    return given == taken || (given < 4 && taken == 4);
  };
  size_t count = 0, offset = 0, size = 0;
  for (; impl->api.funcGetParamInfo(kernel, count, &offset, &size) == 0;
       ++count)
    if (count < sizes.size() && !matches(sizes[count], size))
      return wrong("takes " + std::to_string(size) + " bytes as parameter " +
                   std::to_string(count) + ", but the manifest gives " +
                   std::to_string(sizes[count]));
  if (count != sizes.size())
    return wrong("takes " + std::to_string(count) +
                 " parameters, but the manifest gives " +
                 std::to_string(sizes.size()));
  return Error::success();
}

namespace {
/// A LaunchShape as the driver takes it.
struct NativeShape {
  explicit NativeShape(const LaunchShape &shape) {
    config.gridDimX = shape.grid[0];
    config.gridDimY = shape.grid[1];
    config.gridDimZ = shape.grid[2];
    config.blockDimX = shape.block[0];
    config.blockDimY = shape.block[1];
    config.blockDimZ = shape.block[2];
    config.sharedMemBytes = shape.shared;
    config.attributes = &attribute;
    if (!shape.hasCluster)
      return;
    attribute.id = cuda::launchClusterDimension;
    attribute.value.clusterDim = {shape.cluster[0], shape.cluster[1],
                                  shape.cluster[2]};
    config.numAttributes = 1;
  }
  NativeShape(const NativeShape &) = delete;

  cuda::LaunchAttribute attribute = {};
  cuda::LaunchConfig config = {};
};
} // namespace

Error Driver::prepare(void *kernel, const std::string &name,
                      const LaunchShape &shape) {
  const std::string place = "kernel '" + name + "'";
  if (shape.shared != 0)
    if (cuda::Result result = impl->api.funcSetAttribute(
            kernel, cuda::funcMaxDynamicSharedSizeBytes, int(shape.shared)))
      return Error::device(place + ": " +
                           impl->describe("setting " +
                                              std::to_string(shape.shared) +
                                              " bytes of dynamic shared memory",
                                          result) +
                           "; compile it for this device (" + impl->name + ")");
  if (shape.nonportable)
    return impl
        ->check("allowing non-portable clusters",
                impl->api.funcSetAttribute(
                    kernel, cuda::funcNonPortableClusterSizeAllowed, 1),
                "compile with --cluster=8 or less")
        .in(place);
  return Error::success();
}

Expected<int64_t> Driver::residentBlocks(void *kernel, const std::string &name,
                                         const LaunchShape &shape) {
  const std::string place = "kernel '" + name + "'";
  const char *remedy = "compile with a smaller cluster or less shared memory";
  int64_t blocks = 0;
  if (shape.hasCluster) {
    LaunchShape one = shape;
    one.grid = shape.cluster;
    NativeShape native(one);
    int clusters = 0;
    if (Error error = impl->check(
            "cuOccupancyMaxActiveClusters",
            impl->api.maxActiveClusters(&clusters, kernel, &native.config),
            remedy))
      return error.in(place);
    blocks = int64_t(clusters) * shape.cluster[0] * shape.cluster[1] *
             shape.cluster[2];
  } else {
    int each = 0, multiprocessors = 0;
    const int threads = int(shape.block[0] * shape.block[1] * shape.block[2]);
    cuda::Result result =
        impl->api.maxActiveBlocks(&each, kernel, threads, shape.shared);
    if (result == 0)
      result = impl->api.deviceGetAttribute(
          &multiprocessors, cuda::deviceMultiprocessorCount, impl->device);
    if (Error error = impl->check("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                  result, remedy))
      return error.in(place);
    blocks = int64_t(each) * multiprocessors;
  }
  if (blocks == 0)
    return Error::device(place + ": no block of it fits on the device; " +
                         remedy);
  return blocks;
}

Error Driver::launch(void *kernel, const std::string &name,
                     const LaunchShape &shape,
                     std::vector<void *> &parameters) {
  NativeShape native(shape);
  cuda::Result result = impl->api.launchKernelEx(&native.config, kernel,
                                                 parameters.data(), nullptr);
  if (result == 0)
    return Error::success();
  return Error::device("kernel '" + name +
                       "': " + impl->describe("cuLaunchKernelEx", result) +
                       "; compile it for this device (" + impl->name + ")");
}

//===----------------------------------------------------------------------===//
// Memory and events
//===----------------------------------------------------------------------===//

DeviceBuffer::~DeviceBuffer() {
  if (driver && start)
    driver->impl->api.memFree(start);
}

void DeviceBuffer::swap(DeviceBuffer &other) noexcept {
  std::swap(driver, other.driver);
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
}

Expected<DeviceBuffer> Driver::allocate(size_t bytes) {
  DeviceBuffer buffer;
  if (bytes == 0)
    return buffer;
  cuda::DevicePtr start = 0;
  if (cuda::Result result = impl->api.memAlloc(&start, bytes))
    return Error::device(
        impl->describe("allocating " + std::to_string(bytes) + " bytes on " +
                           impl->name,
                       result) +
        "; " +
        (result == cuda::errorOutOfMemory ? memoryRemedy : restartRemedy));
  buffer.driver = this;
  buffer.start = start;
  buffer.bytes = bytes;
  return buffer;
}

Error Driver::copyToDevice(DeviceAddress to, const void *from, size_t bytes) {
  return bytes == 0 ? Error::success()
                    : impl->check("copying to the device",
                                  impl->api.memcpyHtoD(to, from, bytes),
                                  restartRemedy);
}

Error Driver::copyToHost(void *to, DeviceAddress from, size_t bytes) {
  return bytes == 0 ? Error::success()
                    : impl->check("copying from the device",
                                  impl->api.memcpyDtoH(to, from, bytes),
                                  restartRemedy);
}

Error Driver::copy(DeviceAddress to, DeviceAddress from, size_t bytes) {
  return bytes == 0
             ? Error::success()
             : impl->check("copying on the device",
                           impl->api.memcpyDtoDAsync(to, from, bytes, nullptr),
                           restartRemedy);
}

Error Driver::fill(DeviceAddress to, uint8_t value, size_t bytes) {
  return bytes == 0
             ? Error::success()
             : impl->check("filling memory of the device",
                           impl->api.memsetD8Async(to, value, bytes, nullptr),
                           restartRemedy);
}

Error Driver::synchronize(const std::string &what) {
  return impl->check(what.c_str(), impl->api.ctxSynchronize(),
                     "run it under compute-sanitizer");
}

Expected<void *> Driver::createEvent() {
  cuda::Handle event = nullptr;
  if (Error error = impl->check(
          "cuEventCreate", impl->api.eventCreate(&event, 0), restartRemedy))
    return error;
  impl->events.push_back(event);
  return event;
}

Error Driver::record(void *event) {
  return impl->check("cuEventRecord", impl->api.eventRecord(event, nullptr),
                     restartRemedy);
}

Expected<double> Driver::elapsed(void *begin, void *end) {
  float milliseconds = 0;
  if (Error error = impl->check(
          "cuEventElapsedTime",
          impl->api.eventElapsedTime(&milliseconds, begin, end), restartRemedy))
    return error;
  return double(milliseconds) * 1e3;
}
