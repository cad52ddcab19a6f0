// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --dump-plan %s -o /dev/null | %FileCheck %s --check-prefix=PLAN
// RUN: %tilelift --arch=sm_90a %s -o /dev/null 2>&1 | count 0
// RUN: %nvcc -gencode arch=compute_100a,code=sm_100a -c %t.cu -o %t.o
// RUN: %nvcc -arch=compute_100a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=WIDE < %t.ptx
// RUN: %nvcc -arch=compute_120 -ptx %t.cu -o %t.120.ptx && %FileCheck %s --check-prefix=DESK < %t.120.ptx
// RUN: %nvcc -arch=compute_90a -ptx %t.cu -o %t.90.ptx && %FileCheck %s --check-prefix=NARROW < %t.90.ptx
//
// Pixels of one line, which the block and the filter choose.

#include <cuda_runtime.h>

// PLAN: "inLines": true,
// PLAN: "walks": [
// PLAN: "count": "Q",
// PLAN: "count": "1",
// PLAN-NEXT: "first": "-pad",
// PLAN-NEXT: "offset": "r + blockIdx.y",
// PLAN-NEXT: "step": "1"

// WIDE-DAG: cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.L2::cache_hint
// WIDE-DAG: cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w.L2::cache_hint
// DESK-NOT: prefetch
// DESK: cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier
// DESK-NOT: prefetch
// NARROW-NOT: im2col::w
// NARROW: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier
// NARROW-NOT: im2col::w

// CHECK: using tile_box = tilelift::pixel_box<unsigned short, 4, 64, 32, tilelift::in_lines>;
// CHECK: im2col copy of 32 pixels of a line x 64 channels u16 (4096 bytes) from 'in' to 'tile'
// CHECK: tilelift::load_pixels<tilelift::in_lines>(
// CHECK-SAME: {Q, 1, -pad, s}, {1, 1, -pad, int(blockIdx.y) + r}}, tile_full[tma_slot]);
// CHECK: tilelift::prefetch_pixels<tilelift::in_lines>(tile_map,
// CHECK: launch.compiled_as(lines_tma, facts);
// CHECK: launch.require("pixel-offset", tilelift::counted(0, S, 1), 0, 31, "s");
// CHECK: launch.require_line(launch.block_index(1) + tilelift::counted(0, R, 1), 0, 255, "r + blockIdx.y");
// CHECK: {W, "W", 2ll * C, "C * 2", Q, 1ll, "1", -1ll * pad, "-pad"},
// CHECK-NEXT: {H, "H", 2ll * W * C, "W * C * 2", 1ll, 1ll, "1", -1ll * pad, "-pad"},
// CHECK-NEXT: {N, "N", 2ll * H * W * C, "H * W * C * 2"}},
// CHECK-NEXT: 128, tilelift::swizzle_mode::b128);
__global__ void lines(unsigned *out, const unsigned short *in, int N, int H, int W, int C, int Q, int R, int S,
                      int pad) {
  __shared__ unsigned short tile[32][64];
  unsigned sum = 0;
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < S; ++s) {
#pragma tma pipeline stages(2)
      for (int c = 0; c < C; c += 64) {
#pragma tma load swizzle(128) prefetch(2)
        for (int i = threadIdx.x; i < 32 * 64; i += 128) {
          int m = blockIdx.x * 32 + i / 64, n = m / Q, x = m % Q - pad + s, y = int(blockIdx.y) - pad + r;
          bool inside = n < N && y >= 0 && y < H && x >= 0 && x < W;
          tile[i / 64][i % 64] = inside ? in[((n * H + y) * W + x) * C + c + i % 64] : 0;
        }
        __syncthreads();
        sum = sum * 3 + tile[threadIdx.x % 32][threadIdx.x / 32];
        __syncthreads();
      }
    }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// No swizzle of im2col::w: im2col alone. Where the far side alone is guarded, nobody comes before the near one.
// CHECK: using tile_box = tilelift::pixel_box<float, 4, 16, 32>;
// CHECK: tilelift::load_pixels(tile, tile_map, 0, 0, 32 * int(blockIdx.x), {{[{][{]}}Q, 1, 0, 0}, {1, 1, 0, int(blockIdx.y)}}, tma_barrier);
// CHECK-NOT: compiled_as
// CHECK: launch.require("pixel-offset", launch.block_index(1), 0, 255, "blockIdx.y");
__global__ void far(float *out, const float *in, int N, int H, int W, int Q) {
  __shared__ float tile[32][16];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 512; i += 128) {
    int m = blockIdx.x * 32 + i / 16, n = m / Q, x = m % Q, y = blockIdx.y;
    tile[i / 16][i % 16] = n < N && y < H && x < W ? in[((n * H + y) * W + x) * 16 + i % 16] : 0.f;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}

int main() {
  lines<<<dim3(1, 1), 128>>>(nullptr, nullptr, 1, 1, 1, 64, 1, 1, 1, 0);
  far<<<dim3(1, 1), 128>>>(nullptr, nullptr, 1, 1, 1, 1);
}
