//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/Build.h"

#include "ptx/Ptx.h"
#include "tool/Installation.h"
#include "tool/Invocation.h"
#include "tool/run/Compile.h"
#include "tool/run/Link.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <thread>

using namespace llvm;

namespace tilelift {
namespace {

std::string in(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

bool fail(const Twine &what) {
  errs() << "tilelift: error: " << what << "\n";
  return false;
}

/// A file that stands for the device's code in the host's object: the program
/// registers its kernels by name only if there is one.
bool writeToken(const std::string &path) {
  std::error_code problem;
  raw_fd_ostream out(path, problem);
  out << "tilelift";
  return !problem;
}

struct Sides {
  DeviceSide device;
  HostSide host;
};

std::vector<std::string> commonFlags() {
  return {"-isystem" + runtimeHeaders(), "-Wno-unknown-cuda-version", "-Wno-unknown-pragmas"};
}

/// Clang keeps what a loop works on in registers, and then loads it ahead of the loop even where
/// the program would not have. Every access is checked here, so each stays where it is written.
bool keepAccessesInLoops() {
  auto &options = cl::getRegisteredOptions();
  const auto found = options.find("disable-licm-promotion");
  if (found == options.end())
    return fail("the emulator needs LLVM's option 'disable-licm-promotion', which this LLVM lacks");
  static_cast<cl::opt<bool> *>(found->second)->setValue(true);
  return true;
}

bool compileSides(const BuildRequest &request, const ToolOptions &options,
                  const std::string &object, Sides &sides) {
  std::string token = in(request.folder, "token");
  if (!writeToken(token))
    return fail("cannot write '" + token + "'");
  Files deviceFiles = filesWith(request.texts), hostFiles = filesWith(request.texts);
  ToolOptions own = options;
  std::vector<std::string> common = commonFlags();
  own.compilerFlags.insert(own.compilerFlags.end(), common.begin(), common.end());
  Invocation device = makeInvocation(
      request.file, own, deviceFiles,
      {"--cuda-device-only", "--offload-arch=" + request.arch, "-S", "-O1", "-gline-tables-only"});
  Invocation host =
      makeInvocation(request.file, own, hostFiles, {"--cuda-host-only", "-c", "-O1", "-fPIC"});
  if (!device || !host)
    return false;
  // Messages name files as the user does: nothing is shortened.
  device->getCodeGenOpts().AsmVerbose = true;
  device->getCodeGenOpts().DebugCompilationDir = "/";
  host->getCodeGenOpts().CudaGpuBinaryFileName = token;
  host->getFrontendOpts().OutputFile = object;
  if (!keepAccessesInLoops())
    return false;
  std::thread other([&] { sides.host = compileHost(host, hostFiles); });
  sides.device = compileDevice(device, deviceFiles);
  other.join();
  if (sides.device.compiled)
    errs() << sides.host.messages;
  return sides.device.compiled && sides.host.compiled;
}

bool translateDevice(const BuildRequest &request, DeviceSide &device, const std::string &object) {
  std::string problem;
  std::unique_ptr<ptx::Module> program = ptx::parse(device.ptx, problem);
  if (!program)
    return fail("the emulator cannot read the device code of '" + request.file + "': " + problem);
  ptx::TranslateOptions options;
  options.source = request.file;
  options.libraries = {clangResources(), "/usr/", runtimeHeaders()};
  options.kernels = std::move(device.kernels);
  options.localAccesses = std::move(device.localAccesses);
  LLVMContext context;
  std::unique_ptr<Module> module = ptx::translate(*program, options, context, problem);
  if (!module || !ptx::writeObject(*module, object, problem))
    return fail("the emulator cannot translate '" + request.file + "': " + problem);
  return true;
}

// What the program calls and the emulator lacks.

bool isOfCuda(StringRef name) {
  return name.starts_with("cuda") || name.starts_with("__cuda") || name.starts_with("nvrtc") ||
         name.starts_with("nccl") || name.starts_with("nvtx") || name.starts_with("nvml") ||
         (name.starts_with("cu") && name.size() > 2 &&
          (isUpper(name[2]) || name.starts_with("cublas") || name.starts_with("cudnn") ||
           name.starts_with("curand") || name.starts_with("cufft") ||
           name.starts_with("cusparse") || name.starts_with("cusolver")));
}

/// The functions of an archive, or of a shared library.
std::set<std::string> providedBy(const std::string &library) {
  std::set<std::string> names;
  Expected<object::OwningBinary<object::Binary>> file = object::createBinary(library);
  if (!file) {
    consumeError(file.takeError());
    return names;
  }
  if (const auto *archive = dyn_cast<object::Archive>(file->getBinary())) {
    for (const object::Archive::Symbol &symbol : archive->symbols())
      names.insert(symbol.getName().str());
  } else if (const auto *shared = dyn_cast<object::ELFObjectFileBase>(file->getBinary())) {
    for (const object::ELFSymbolRef &symbol : shared->getDynamicSymbolIterators())
      if (Expected<StringRef> name = symbol.getName())
        names.insert(name->str());
      else
        consumeError(name.takeError());
  }
  return names;
}

bool hasAllFunctions(const std::string &object, const std::string &library, const HostSide &host) {
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(object);
  if (!file) {
    consumeError(file.takeError());
    return fail("cannot read '" + object + "'");
  }
  std::set<std::string> provided = providedBy(library);
  bool isComplete = true;
  for (const object::SymbolRef &symbol : file->getBinary()->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name || !(*flags & object::SymbolRef::SF_Undefined) || !isOfCuda(*name) ||
        provided.count(name->str()))
      continue;
    auto call = host.calls.find(name->str());
    errs() << (call == host.calls.end() ? "tilelift: " : call->second + ": ")
           << "error: the emulator has no '" << *name << "' [run-function]\n";
    isComplete = false;
  }
  return isComplete;
}

} // namespace

std::string build(const BuildRequest &request, const ToolOptions &options) {
  initializeTargets();
  std::string library = emulatorLibrary();
  if (library.empty()) {
    fail("the emulator's library is not where it was installed");
    return "";
  }
  std::string host = in(request.folder, request.name + ".host.o");
  std::string device = in(request.folder, request.name + ".device.o");
  std::string program = in(request.folder, request.name);
  Sides sides;
  bool isBuilt = compileSides(request, options, host, sides) &&
                 translateDevice(request, sides.device, device) &&
                 hasAllFunctions(host, library, sides.host) &&
                 link({{host, device}, library, program, sides.host.hasOwnHeaders});
  return isBuilt ? program : "";
}

} // namespace tilelift
