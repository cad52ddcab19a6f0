//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of pragmas: the bytes are what follows `#pragma tma`.
//===----------------------------------------------------------------------===//

#include "LiftText.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string text = "constexpr int side = 8;\n"
                     "__global__ void kernel(float *out, const float *in) {\n"
                     "  __shared__ float tile[64];\n"
                     "#pragma tma ";
  text.append(reinterpret_cast<const char *>(data), size);
  text += "\n  tile[threadIdx.x] = in[threadIdx.x];\n"
          "  __syncthreads();\n"
          "  out[threadIdx.x] = tile[63 - threadIdx.x];\n"
          "}\n"
          "void run(float *out, const float *in) { kernel<<<1, 64>>>(out, in); }\n";
  tilelift::liftAndCheck(text);
  return 0;
}
