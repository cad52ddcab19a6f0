//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LiftText.h"

#include "host/LiftFile.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *prelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
typedef __SIZE_TYPE__ size_t;
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
struct float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
#include <__clang_cuda_builtin_vars.h>
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr);
extern "C" __device__ void __syncthreads();
template <typename T> __device__ T __ldg(const T *from);
)";

struct Outcome {
  bool isParsed = false;
  bool hasDirectives = false;
  bool isAnswered = false;
};

Outcome lift(StringRef text) {
  auto files = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(vfs::getRealFileSystem());
  auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  memory->addFile("/fuzz/prelude.h", 0, MemoryBuffer::getMemBuffer(prelude));
  memory->addFile("/fuzz/input.cu", 0, MemoryBuffer::getMemBufferCopy(text));
  files->pushOverlay(memory);
  const char *arguments[] = {"-triple",
                             "nvptx64-nvidia-cuda",
                             "-aux-triple",
                             "x86_64-unknown-linux-gnu",
                             "-target-cpu",
                             "sm_90",
                             "-target-feature",
                             "+ptx80",
                             "-fcuda-is-device",
                             "-std=c++17",
                             "-fsyntax-only",
                             "-resource-dir",
                             TILELIFT_CLANG_RESOURCES,
                             "-internal-isystem",
                             TILELIFT_CLANG_RESOURCES "/include",
                             "-include",
                             "/fuzz/prelude.h",
                             "-x",
                             "cuda",
                             "/fuzz/input.cu"};
  clang::DiagnosticOptions style;
  IntrusiveRefCntPtr<DiagnosticsEngine> engine =
      CompilerInstance::createDiagnostics(*files, style, new IgnoringDiagConsumer);
  auto invocation = std::make_shared<CompilerInvocation>();
  CompilerInvocation::CreateFromArgs(*invocation, arguments, *engine);

  Outcome outcome;
  DiagnosticOptions options;
  auto take = [&](CompilerInstance &compiler, const DirectiveList &directives, LiftResult &result) {
    outcome.hasDirectives = !directives.directives.empty();
    outcome.isAnswered = !result.diagnostics.empty() || !result.edits.empty();
    // All that is printed or written.
    liftedFiles(compiler.getSourceManager(), result.edits);
    printed(result.relations);
    printed(result.plans);
  };
  outcome.isParsed = liftFile(invocation, files, {options, take});
  return outcome;
}

[[noreturn]] void fail(const char *what, StringRef text) {
  errs() << what << " in\n" << text << "\n";
  abort();
}

} // namespace

void liftAndCheck(StringRef text) {
  Outcome first = lift(text);
  if (!first.isParsed || !first.hasDirectives)
    return;
  if (!first.isAnswered)
    fail("a pragma without an answer", text);
}

} // namespace tilelift
