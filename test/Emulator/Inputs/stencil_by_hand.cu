// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The star stencils of test/gpu/stencils.cu with TMA written by hand: what an
// expert would write, to hold the lifted kernels against. Prints the same lines.

#include "harness.cuh"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

template <int TX, int TY, int R>
__global__ void star_by_hand(float *out, const __grid_constant__ CUtensorMap map, int w, int h) {
  constexpr int lead = (4 - R % 4) % 4, pitch = (lead + TX + 2 * R + 3) / 4 * 4;
  __shared__ alignas(128) float tile[TY + 2 * R][pitch];
  __shared__ alignas(8) uint64_t ready;
  int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&ready, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ready,
                                   sizeof(tile));
    int start[2] = {x0 - lead, y0};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, &map, start, &ready);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&ready, 0)) {
  }
  for (int i = threadIdx.x; i < TX * TY; i += blockDim.x) {
    int r = i / TX, c = i % TX, y = y0 + R + r, x = x0 + R + c;
    float sum = tile[r + R][c + R + lead] * 0.5f;
    for (int k = 1; k <= R; ++k)
      sum += 0.1f * (tile[r + R - k][c + R + lead] + tile[r + R + k][c + R + lead] +
                     tile[r + R][c + R - k + lead] + tile[r + R][c + R + k + lead]);
    if (x < w && y < h)
      out[y * w + x] = sum;
  }
}

CUtensorMap make_map(const float *in, int w, int h, int columns, int rows) {
  static void *encode = nullptr;
  cudaDriverEntryPointQueryResult status;
  if (!encode)
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                           cudaEnableDefault, &status));
  CUtensorMap map;
  cuuint64_t extents[2] = {cuuint64_t(w), cuuint64_t(h)}, strides[1] = {cuuint64_t(w) * 4};
  cuuint32_t box[2] = {cuuint32_t(columns), cuuint32_t(rows)}, steps[2] = {1, 1};
  CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float *>(in), extents, strides, box,
      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    std::exit(std::printf("error: encode %d\n", int(result)));
  return map;
}

template <int TX, int TY, int R> void run_star(float *out, const float *in, int w, int h) {
  constexpr int lead = (4 - R % 4) % 4, pitch = (lead + TX + 2 * R + 3) / 4 * 4;
  CUtensorMap map = make_map(in, w, h, pitch, TY + 2 * R);
  dim3 grid((w + TX - 1) / TX, (h + TY - 1) / TY);
  star_by_hand<TX, TY, R><<<grid, 256>>>(out, map, w, h);
}

template <int TX, int TY, int R> void stars(const char *name) {
  int n = std::getenv("TIME") ? 16384 : 2048;
  Buffer in(size_t(n) * n * 4, 1), out(size_t(n) * n * 4, 2);
  run_star<TX, TY, R>(out.as<float>(), in.as<float>(), n, n);
  report(std::string(name) + " large", out);
  time_it(name, [&] { run_star<TX, TY, R>(out.as<float>(), in.as<float>(), n, n); });
}

int main() {
  stars<128, 16, 2>("star_128x16_r2");
  stars<32, 32, 2>("star_32x32_r2");
  stars<64, 32, 4>("star_64x32_r4");
}
