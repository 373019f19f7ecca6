//===- Launcher.cpp - Runs a plan on a device -----------------------------===//

#include "cascade/Runtime/Launcher.h"

#include <algorithm>
#include <cstring>

using namespace cascade::runtime;

/// What outputs hold before a run, so that an element that nothing writes is
/// seen: in every float type a number near overflow, which agrees neither with
/// a small number nor with an infinity or a NaN.
static constexpr uint8_t poison = 0x7B;
/// Around inputs: NaN in every float type, so that a kernel that uses what it
/// reads there is seen.
static constexpr uint8_t inputMargin = 0xFF;
/// Bytes before and after each buffer that no kernel may write. The first
/// margin keeps the alignment of the buffer.
static constexpr size_t margin = bufferAlignment;

Expected<void *> ModuleCache::load(const std::string &path) {
  auto found = modules.find(path);
  if (found != modules.end())
    return found->second;
  Expected<void *> module = driver.loadModule(path);
  if (module)
    modules.emplace(path, *module);
  return module;
}

Expected<void *> ModuleCache::loadText(const std::string &name,
                                       const std::string &ptx) {
  auto found = modules.find(name);
  if (found != modules.end())
    return found->second;
  Expected<void *> module = driver.loadImage(ptx, name);
  if (module)
    modules.emplace(name, *module);
  return module;
}

DeviceAddress Invocation::addressOf(size_t argument) const {
  const size_t offset = size_t(plan.offsetElements) *
                        byteSize(plan.function->arguments[argument].type);
  return buffers[argument].address() + margin + offset;
}

size_t Invocation::bytesOf(size_t argument) const {
  const ElementType type = plan.function->arguments[argument].type;
  // A plan has checked its shapes.
  Expected<int64_t> count = countElements(plan.shapes[argument], type);
  return count ? size_t(*count) * byteSize(type) : 0;
}

int64_t Invocation::bytesMoved() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < plan.shapes.size(); ++i)
    if (plan.function->arguments[i].role != Role::Scalar)
      bytes += int64_t(bytesOf(i));
  return bytes;
}

Expected<std::unique_ptr<Invocation>>
Invocation::create(Driver &driver, const Plan &plan,
                   const std::vector<Tensor> &inputs) {
  std::unique_ptr<Invocation> invocation(new Invocation(driver, plan));
  const std::vector<Argument> &arguments = plan.function->arguments;
  invocation->buffers.resize(arguments.size());
  invocation->scalars.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    if (argument.role == Role::Scalar) {
      invocation->scalars[i] = inputs[i];
      continue;
    }
    const size_t offset = size_t(plan.offsetElements) * byteSize(argument.type);
    const size_t bytes = invocation->bytesOf(i);
    Expected<DeviceBuffer> buffer =
        driver.allocate(2 * margin + offset + bytes);
    if (!buffer)
      return buffer.error().in("argument '" + argument.name + "'");
    invocation->buffers[i] = std::move(*buffer);
    if (argument.role != Role::Input)
      continue;
    const DeviceBuffer &memory = invocation->buffers[i];
    Error error = driver.fill(memory.address(), inputMargin, memory.size());
    if (!error)
      error = invocation->copyInput(i, inputs[i]);
    if (error)
      return error;
  }
  return invocation;
}

Error Invocation::copyInput(size_t argument, const Tensor &input) {
  const DeviceAddress start = addressOf(argument);
  const size_t bytes = bytesOf(argument);
  size_t done = std::min(input.sizeInBytes(), bytes);
  Error error = driver.copyToDevice(start, input.data(), done);
  // What is there, whole inputs, is doubled.
  while (done != 0 && done < bytes && !error) {
    const size_t more = std::min(done, bytes - done);
    error = driver.copy(start + done, start, more);
    done += more;
  }
  return error;
}

Error Invocation::poisonOutputs() {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (plan.function->arguments[i].role == Role::Output)
      if (Error error =
              driver.fill(buffers[i].address(), poison, buffers[i].size()))
        return error;
  return Error::success();
}

Error Invocation::checkMargins() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (plan.function->arguments[i].role != Role::Output)
      continue;
    const size_t before = size_t(addressOf(i) - buffers[i].address());
    const size_t after = buffers[i].size() - before - bytesOf(i);
    std::vector<uint8_t> bytes(before + after);
    Error error = driver.copyToHost(bytes.data(), buffers[i].address(), before);
    if (!error)
      error = driver.copyToHost(bytes.data() + before,
                                addressOf(i) + bytesOf(i), after);
    if (error)
      return error;
    if (std::count(bytes.begin(), bytes.end(), poison) !=
        std::ptrdiff_t(bytes.size()))
      return Error::device("function '" + plan.function->name +
                           "' wrote outside of its output '" +
                           plan.function->arguments[i].name +
                           "'; run it under compute-sanitizer");
  }
  return Error::success();
}

Expected<std::vector<Tensor>> Invocation::outputs() {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Argument &argument = plan.function->arguments[i];
    if (argument.role != Role::Output)
      continue;
    Expected<Tensor> tensor = Tensor::create(argument.type, plan.shapes[i]);
    if (!tensor)
      return tensor.error().in("output '" + argument.name + "'");
    if (Error error = driver.copyToHost(tensor->data(), addressOf(i),
                                        tensor->sizeInBytes()))
      return error;
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

Expected<std::vector<uint8_t>> Invocation::valueOf(const Parameter &parameter,
                                                   int64_t resident) {
  std::vector<uint8_t> bytes(8);
  auto setAddress = [&](DeviceAddress address) {
    std::memcpy(bytes.data(), &address, sizeof(address));
  };
  if (parameter.kind == Parameter::Kind::Argument) {
    const size_t number = parameter.argument;
    if (plan.function->arguments[number].role == Role::Scalar)
      std::memcpy(bytes.data(), scalars[number].data(),
                  scalars[number].sizeInBytes());
    else
      setAddress(addressOf(number));
    return bytes;
  }
  Expected<int64_t> value = parameter.expr.evaluate(plan.dims, resident);
  if (!value)
    return value.error();
  if (parameter.kind == Parameter::Kind::Workspace) {
    if (*value < 0 || uint64_t(*value) > workspace.size())
      return Error::input("workspace offset " + std::to_string(*value) +
                          " is outside of its " +
                          std::to_string(workspace.size()) +
                          " bytes; compile the artefact again");
    setAddress(workspace.address() + uint64_t(*value));
    return bytes;
  }
  // A plan has checked that it fits.
  storeInteger(parameter.type, *value, bytes.data());
  return bytes;
}

/// Bytes of each parameter of `launch`.
static std::vector<size_t> sizesOf(const Launch &launch,
                                   const std::vector<Argument> &arguments) {
  std::vector<size_t> sizes;
  for (const Parameter &parameter : launch.parameters) {
    size_t size = sizeof(DeviceAddress);
    if (parameter.kind == Parameter::Kind::Dim)
      size = byteSize(parameter.type);
    else if (parameter.kind == Parameter::Kind::Argument &&
             arguments[parameter.argument].role == Role::Scalar)
      size = byteSize(arguments[parameter.argument].type);
    sizes.push_back(size);
  }
  return sizes;
}

Expected<std::vector<Invocation::Ready>>
Invocation::makeReady(void *module, const ProgramPlan &program) {
  std::vector<Ready> launches;
  std::vector<int64_t> residents;
  int64_t mostResident = 0;
  for (const Launch *launch : program.launches) {
    Ready ready;
    ready.launch = launch;
    Expected<void *> kernel = driver.getKernel(module, launch->kernel);
    if (!kernel)
      return kernel.error();
    ready.kernel = *kernel;
    if (Error error =
            driver.checkParameters(*kernel, launch->kernel,
                                   sizesOf(*launch, plan.function->arguments)))
      return error;
    ready.shape.block = launch->block;
    ready.shape.cluster = launch->cluster;
    ready.shape.hasCluster = launch->hasCluster;
    ready.shape.nonportable = launch->nonportable;
    ready.shape.shared = launch->shared;
    if (Error error = driver.prepare(*kernel, launch->kernel, ready.shape))
      return error;
    Expected<int64_t> resident =
        driver.residentBlocks(*kernel, launch->kernel, ready.shape);
    if (!resident)
      return resident.error();
    Expected<LaunchShape> shape = evaluateLaunch(*launch, plan.dims, *resident);
    if (!shape)
      return shape.error();
    ready.shape = *shape;
    residents.push_back(*resident);
    mostResident = std::max(mostResident, *resident);
    launches.push_back(std::move(ready));
  }

  Expected<int64_t> bytes =
      program.program->workspace.bytes.evaluate(plan.dims, mostResident);
  if (!bytes)
    return bytes.error().in("workspace");
  if (*bytes < 0)
    return Error::input("the workspace takes " + std::to_string(*bytes) +
                        " bytes; compile the artefact again");
  if (workspace.size() < size_t(*bytes)) {
    Expected<DeviceBuffer> buffer = driver.allocate(size_t(*bytes));
    if (!buffer)
      return buffer.error().in("workspace");
    workspace = std::move(*buffer);
    lastProgram = nullptr;
  }
  for (size_t i = 0; i < launches.size(); ++i)
    for (const Parameter &parameter : launches[i].launch->parameters) {
      Expected<std::vector<uint8_t>> value = valueOf(parameter, residents[i]);
      if (!value)
        return value.error().in("kernel '" + launches[i].launch->kernel + "'");
      launches[i].values.push_back(std::move(*value));
    }
  return launches;
}

Error Invocation::readyWorkspace(const ProgramPlan &program) {
  if (program.program->workspace.zero && lastProgram == program.program)
    return Error::success();
  lastProgram = program.program;
  // Poison where nothing is promised.
  const uint8_t value = program.program->workspace.zero ? 0 : poison;
  return driver.fill(workspace.address(), value, workspace.size());
}

Error Invocation::launchAll(std::vector<Ready> &launches) {
  for (Ready &ready : launches) {
    if (isEmpty(ready.shape))
      continue;
    std::vector<void *> pointers;
    for (std::vector<uint8_t> &value : ready.values)
      pointers.push_back(value.data());
    if (Error error = driver.launch(ready.kernel, ready.launch->kernel,
                                    ready.shape, pointers))
      return error;
  }
  return Error::success();
}

Error Invocation::run(void *module, const ProgramPlan &program) {
  Expected<std::vector<Ready>> launches = makeReady(module, program);
  if (!launches)
    return launches.error();
  Error error = poisonOutputs();
  if (!error)
    error = readyWorkspace(program);
  if (!error)
    error = launchAll(*launches);
  if (!error)
    error =
        driver.synchronize("running function '" + plan.function->name + "'");
  if (!error)
    error = checkMargins();
  return error;
}
