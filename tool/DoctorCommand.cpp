//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/DoctorCommand.h"

#include "tilelift/version.h"
#include "tool/CudaToolkit.h"
#include "tool/Installation.h"
#include "tool/Invocation.h"
#include "tool/LiftSource.h"
#include "tool/run/Link.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *overview = R"(Says what tilelift finds on this machine, and what is missing.

Exit status: 0 kernels can be lifted, 1 something for that is missing, 2 an error.
USAGE: tilelift doctor [options]

OPTIONS:

  --help               - say this
  --cuda-path=<folder> - where the CUDA toolkit is
)";

/// A kernel that copies a row, and includes what most programs include.
constexpr const char *kernel = R"(#include <cstdio>
__global__ void doctor(float *out, const float *in) {
  __shared__ float row[1024];
#pragma tma load lift(always)
  for (int i = threadIdx.x; i < 1024; i += 256)
    row[i] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = row[1023 - threadIdx.x];
}
void launch(float *out, const float *in) { doctor<<<1, 256>>>(out, in); }
)";

void say(StringRef what, const Twine &found) {
  outs() << formatv("{0,-18} ", what) << found << "\n";
}

void sayToolkit(const CudaToolkit &toolkit, StringRef asked) {
  if (toolkit.path.empty())
    return say("CUDA", "none: " + missingToolkit(asked));
  const std::string version = versionOf(toolkit);
  say("CUDA", (version.empty() ? "of an unknown version" : version) + " in '" + toolkit.path +
                  "' (" + toolkit.origin + ")");
  VersionTuple number;
  if (number.tryParse(version) || number < VersionTuple(12, 6)) // as tilelift/toolkit.h has it
    say("", "lifted code needs CUDA 12.6 or later");
  if (!toolkit.hasDeviceLibrary)
    say("", "without nvvm/libdevice, so the emulator has no mathematical functions");
  ErrorOr<std::string> nvcc = sys::findProgramByName("nvcc", {toolkit.path + "/bin"});
  say("nvcc", nvcc ? *nvcc : "none in that toolkit: lifted files can still be compiled elsewhere");
}

/// Devices that the driver knows, without linking to it.
void sayDevices() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return say("GPU", "no driver: programs run on the emulator, by 'tilelift run'");
  auto call = [&](const char *name) { return dlsym(driver, name); };
  const auto start = reinterpret_cast<int (*)(unsigned)>(call("cuInit"));
  const auto count = reinterpret_cast<int (*)(int *)>(call("cuDeviceGetCount"));
  const auto name = reinterpret_cast<int (*)(char *, int, int)>(call("cuDeviceGetName"));
  const auto attribute = reinterpret_cast<int (*)(int *, int, int)>(call("cuDeviceGetAttribute"));
  constexpr int capabilityMajor = 75, capabilityMinor = 76;
  int devices = 0;
  if (!start || !count || !name || !attribute || start(0) != 0 || count(&devices) != 0 ||
      devices == 0)
    return say("GPU", "none, although there is a driver: programs run on the emulator");
  for (int device = 0; device < devices; ++device) {
    char text[256] = {};
    int major = 0, minor = 0;
    name(text, sizeof text - 1, device);
    attribute(&major, capabilityMajor, device);
    attribute(&minor, capabilityMinor, device);
    say(device == 0 ? "GPU" : "",
        formatv("{0}, compute capability {1}.{2}{3}", StringRef(text), major, minor,
                major >= 9 ? ""
                           : ": it has no TMA unit, and lifted programs run their plain kernels")
            .str());
  }
}

/// Lifts the kernel; what stands against it is printed.
bool liftsKernel(const ToolOptions &options) {
  ToolOptions own = options;
  own.files = {"doctor.cu"};
  own.texts["doctor.cu"] = kernel;
  const Lifted lifted = liftSource("doctor.cu", own);
  const bool isLifted = lifted.status == allLifted && lifted.isChanged();
  say("lifting", isLifted ? "works: a kernel of one copy was lifted" : "fails:");
  outs().flush();
  if (!isLifted)
    errs() << lifted.messages;
  return isLifted;
}

/// Where the host's headers come from.
void sayHost(const ToolOptions &options) {
  ToolOptions own = options;
  own.texts["doctor.cu"] = kernel;
  std::string ignored;
  raw_string_ostream messages(ignored);
  const auto invocation =
      makeInvocation("doctor.cu", own, filesWith(own.texts), analysis, messages);
  if (!invocation)
    return;
  say("host headers", usesOwnHeaders(*invocation) ? "those of the installation, '" + hostFolder() +
                                                        "': this machine has no C++ library"
                                                  : std::string("this machine's"));
}

} // namespace

int doctorCommand(ArrayRef<const char *> arguments) {
  ToolOptions options;
  options.arch = firstArchWithTma;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef word = arguments[i];
    if (word == "--help" || word == "-h") {
      outs() << overview;
      return 0;
    }
    if (word == "--cuda-path" && i + 1 < arguments.size()) {
      options.cudaPath = arguments[++i];
    } else if (word.consume_front("--cuda-path=")) {
      options.cudaPath = word.str();
    } else {
      errs() << "tilelift: error: 'tilelift doctor' takes --cuda-path=<folder>, not '"
             << arguments[i] << "'\n";
      return 2;
    }
  }
  say("tilelift",
      TILELIFT_VERSION_STRING " with Clang " CLANG_VERSION_STRING ", '" + toolPath() + "'");
  say("runtime headers", "'" + runtimeHeaders() + "'");
  say("Clang's headers", "'" + clangResources() + "'");
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable);
        folder && *folder && options.cudaPath.empty() &&
        !sys::fs::exists(Twine(folder) + "/include/cuda.h"))
      say(variable, Twine("'") + folder + "' has no include/cuda.h, and is passed over");
  sayToolkit(findToolkit(options.cudaPath), options.cudaPath);
  sayHost(options);
  const std::string emulator = emulatorLibrary();
  say("emulator",
      emulator.empty() ? "not installed: 'tilelift run' does not work" : "'" + emulator + "'");
  sayDevices();
  return liftsKernel(options) ? 0 : 1;
}

} // namespace tilelift
