// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// Every form of a launch, and kernels that are declared, qualified and
// overloaded in many ways.

// A kernel that is launched before it is defined: its launcher is declared too.
// CHECK: __global__ void later(float *out, const float *in, int n = 7);
// CHECK-NEXT: {{\[\[}}maybe_unused]] static cudaError_t later_tma_launch(const tilelift::launch_config &, float *out,
// CHECK-NEXT: const float *in, int n = 7);
__global__ void later(float *out, const float *in, int n = 7);

// CHECK-LABEL: void before(
// CHECK: later_tma_launch({8, 64}, out, in);
void before(float *out, const float *in) { later<<<8, 64>>>(out, in); }

__global__ void __launch_bounds__(64) later(float *out, const float *in, int n) {
  __shared__ float part[64];
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x] + n;
}
// CHECK: __global__ void __launch_bounds__(64) later_tma(float *out, const float *in, int n) {

namespace images {
struct Size {
  int w, h;
};
namespace {
// CHECK-LABEL: __global__ static void crop_tma(float *out, const float *__restrict__ in, const Size size,
__global__ static void crop(float *out, const float *__restrict__ in, const Size size,
                            float *extra) {
  __shared__ float part[128];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    part[i] = in[blockIdx.x * 128 + i];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[127 - threadIdx.x] * size.w;
  if (extra)
    extra[0] = 1;
}
// CHECK-LABEL: static cudaError_t crop_tma_launch(const tilelift::launch_config &config,
} // namespace

// CHECK-LABEL: void crop_all(
// CHECK: crop_tma_launch({8, 64, 0, stream}, out, in, size, nullptr);
void crop_all(float *out, const float *in, Size size, cudaStream_t stream) {
  crop<<<8, 64, 0, stream>>>(out, in, size, nullptr);
}
} // namespace images

extern "C" __global__ void plain_name(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

// CHECK-LABEL: cudaError_t all_forms(
// CHECK: plain_name_tma_launch({grid, block, size_t(0), stream}, out, in);
// CHECK: plain_name_tma_launch({grid.x, block.x}, out, in);
// CHECK: ::plain_name_tma_launch({grid , block}, out, in) ;
// CHECK: error = plain_name_tma_launch({&config}, out, in);
// CHECK: auto again = [&] { plain_name_tma_launch({grid, block}, out, in); };
// CHECK: plain_name_tma_launch({n, 64}, out, in);
// CHECK: auto *pointer = plain_name;
// CHECK: ::tilelift::launch_pointer(pointer, {grid, block})(out, in);
cudaError_t all_forms(float *out, const float *in, int n, cudaStream_t stream) {
  const dim3 grid(8), block = 64;
  plain_name<<<grid, block, size_t(0), stream>>>(out, in);
  plain_name<<<grid.x, block.x>>>(out, in);
  ::plain_name <<< grid , block >>> (out, in) ;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = 64;
  cudaError_t error = cudaSuccess;
  error = cudaLaunchKernelEx(&config, plain_name, out, in);
  auto again = [&] { plain_name<<<grid, block>>>(out, in); };
  again();
  if (n > 0)
    plain_name<<<n, 64>>>(out, in);
  auto *pointer = plain_name;
  pointer<<<grid, block>>>(out, in);
  return error;
}
