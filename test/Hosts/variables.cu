// Variables of the device, by the names that the driver has for them.
//
// RUN: %tilelift --emit=manifest %s -o - | %FileCheck %s --check-prefix=MANIFEST
// RUN: %tilelift --emit=python %s -o - | %FileCheck %s --check-prefix=PYTHON
// RUN: %tilelift --emit=driver %s -o - | %FileCheck %s --check-prefix=DRIVER
// RUN: %not 2 %tilelift --emit=manifest %s -o %t.json -- -DHIDDEN > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=HIDDEN < %t.log

namespace tables {
__device__ float weights[64 * 64];
}
__device__ float biases[64 * 64];
static __device__ float own[64 * 64];

extern "C" __global__ void sum(float *out) {
  __shared__ float a[8][64], b[8][64];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    a[i / 64][i % 64] = tables::weights[(blockIdx.x * 8 + i / 64) * 64 + i % 64];
#ifdef HIDDEN
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    b[i / 64][i % 64] = own[(blockIdx.x * 8 + i / 64) * 64 + i % 64];
#else
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    b[i / 64][i % 64] = biases[(blockIdx.x * 8 + i / 64) * 64 + i % 64];
#endif
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128)
    out[blockIdx.x * 512 + i] = a[i / 64][i % 64] + b[i / 64][i % 64];
}

// MANIFEST: "tensor": "tables::weights",
// MANIFEST: "variable": "_ZN6tables7weightsE"
// MANIFEST: "variable": "biases"
// PYTHON: launch.bulk("a", "tables::weights", launch.variable("_ZN6tables7weightsE"))
// PYTHON: launch.bulk("b", "biases", launch.variable("biases"))
// DRIVER: launch.variable("_ZN6tables7weightsE")
// DRIVER: launch.bulk("b", "biases", tilelift::driver::at(launch.variable("biases"), 0));
// HIDDEN: error: 'own' is this file's own, so that no host can ask where it is: take it out of its unnamed namespace, and 'static' away
