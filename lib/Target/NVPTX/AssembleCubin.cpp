//===- AssembleCubin.cpp - ptxas ------------------------------------------===//

#include "Libdevice.h"
#include "cascade/Target/NVPTX/EmitPTX.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace cascade;

static FailureOr<std::string> findPtxas(Location loc) {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  std::string toolkit = findCudaToolkit();
  if (!toolkit.empty())
    if (auto found = llvm::sys::findProgramByName("ptxas", {toolkit + "/bin"}))
      return *found;
  return emitError(loc) << "cannot assemble a cubin: ptxas is neither on PATH "
                           "nor in the CUDA toolkit; emit ptx instead";
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

FailureOr<std::string> cascade::assembleCubin(Location loc, StringRef ptx,
                                              const PTXOptions &options) {
  FailureOr<std::string> ptxas = findPtxas(loc);
  if (failed(ptxas))
    return failure();
  llvm::SmallString<128> source, cubin, log;
  int fd;
  if (llvm::sys::fs::createTemporaryFile("cascade", "ptx", fd, source) ||
      llvm::sys::fs::createTemporaryFile("cascade", "cubin", cubin) ||
      llvm::sys::fs::createTemporaryFile("cascade", "log", log))
    return emitError(loc) << "cannot create temporary files for ptxas";
  llvm::scope_exit cleanUp([&] {
    for (StringRef path : {source.str(), cubin.str(), log.str()})
      llvm::sys::fs::remove(path);
  });
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << ptx;
  std::string arch = "-arch=" + options.chip;
  StringRef arguments[] = {*ptxas, arch, "-O3", source, "-o", cubin};
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  if (llvm::sys::ExecuteAndWait(*ptxas, arguments, std::nullopt, redirects) !=
      0)
    return emitError(loc) << "ptxas rejects the kernel: " << readFile(log);
  return readFile(cubin);
}
