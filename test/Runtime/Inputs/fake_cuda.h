// A CUDA runtime that records instead of doing: what the launcher asks for, in
// order, with arguments. Linked in the place of cudart.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

struct Fake {
  int device = 0;
  int major = 9;
  int ptx = 90, most_threads = 1024;
  /// The entry point that this driver does not have.
  std::string missing;
  CUresult encode_result = CUDA_SUCCESS;
  CUcontext context = reinterpret_cast<CUcontext>(0x1000);
  int max_dynamic = 0;
  int most_shared = 232448;
  int at_once = 1, processors = 1;
  /// Where the device's memory ends, and whether it reads the host's as well.
  uintptr_t memory_end = UINTPTR_MAX;
  bool reads_host = false;

  std::vector<std::string> calls;
  std::string take() {
    std::string all;
    for (const std::string &call : calls)
      all += (all.empty() ? "" : "; ") + call;
    calls.clear();
    return all;
  }
};
Fake &fake();
/// Names a kernel in the record.
void name_kernel(const void *kernel, const char *name);
CUtensorMap last_map();

#endif
