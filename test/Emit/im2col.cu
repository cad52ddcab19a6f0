// RUN: %lift-and-check %s %t.cu --only-asked-pipelines
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --dump-plan %s -o /dev/null | %FileCheck %s --check-prefix=PLAN
//
// RUN: %nvcc -arch=compute_90a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=PTX < %t.ptx
//
// Tiles of pixels that a flat index counts. Of docs/parity.md: the element's type (R0.4), extents,
// strides and corners as the kernel's arguments make them (R0.14), a map for each copy (R0.18).

// Coordinates, and offsets of the filter (R0.25).
// PTX: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{{.*}} [%r{{[0-9]+}}], [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%r{{[0-9]+}}], {%rs{{[0-9]+}}, %rs{{[0-9]+}}}

#include <cuda_runtime.h>

// PLAN: "count": "Q",
// PLAN-NEXT: "first": "-pad",
// PLAN-NEXT: "offset": "dilation * s",
// PLAN-NEXT: "step": "stride"

// CHECK: using tile_box = tilelift::pixel_box<unsigned short, 4, 64, 32>;
// CHECK: static_assert(tile_box::bytes == 4096, "the barrier expects what the map delivers");
// CHECK: // tma load: im2col copy of 32 pixels x 64 channels u16 (4096 bytes) from 'in' to 'tile'
// CHECK: tilelift::load_pixels(tile, tile_map, c, 0, first, {{[{][{]}}Q, stride, -pad, dilation * s}, {P, stride, -pad, dilation * r}}, tma_barrier);
// CHECK: launch.require("pixel-offset", tilelift::range(dilation) * tilelift::counted(0, S, 1), 0, 255,
// CHECK: CUtensorMap tile_map = launch.pixels<forward_tma_plan::tile_box>(
// CHECK-NEXT: tilelift::element_type::u16, "tile", "in", tilelift::memory_at(in),
// CHECK-NEXT: {{[{][{]}}tilelift::unbounded, "unbounded"},
// CHECK-NEXT: {W, "W", 2ll * C, "C * 2", Q, stride, "stride", -1ll * pad, "-pad"},
// CHECK-NEXT: {H, "H", 2ll * W * C, "W * C * 2", P, stride, "stride", -1ll * pad, "-pad"},
// CHECK-NEXT: {N, "N", 2ll * H * W * C, "H * W * C * 2"}});
__global__ void forward(unsigned *out, const unsigned short *in, int N, int H, int W, int C, int P, int Q,
                        int R, int S, int pad, int stride, int dilation) {
  __shared__ unsigned short tile[32][64];
  unsigned sum = 0;
  const int first = blockIdx.x * 32;
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < S; ++s)
      for (int c = 0; c < C; c += 64) {
#pragma tma load swizzle(none)
        for (int i = threadIdx.x; i < 32 * 64; i += 128) {
          int m = first + i / 64, rest = m % (P * Q);
          int y = rest / Q * stride - pad + r * dilation, x = rest % Q * stride - pad + s * dilation;
          bool inside = m < N * P * Q && y >= 0 && y < H && x >= 0 && x < W;
          tile[i / 64][i % 64] = inside ? in[((m / (P * Q) * H + y) * W + x) * C + c + i % 64] : 0;
        }
        __syncthreads();
        sum = sum * 3 + tile[threadIdx.x % 32][threadIdx.x / 32];
        __syncthreads();
      }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// A filter that counts down begins at its far end, and remainders may be differences. Pixels end
// where an argument says: with a whole image, as the launcher has to see. Without one, nobody has to.
// CHECK: tilelift::load_pixels(tile, tile_map, 0, 0, 16 * int(blockIdx.x), {{[{][{]}}Q, 1, pad - S + 1, S - s - 1}}, tma_barrier);
// CHECK: "whole-images",
// CHECK: {W, "W", 64ll, "64", Q, 1ll, "1", 1ll * pad - 1ll * S + 1ll, "pad - S + 1"},
// CHECK-NEXT: {tilelift::quotient((long long)M, (long long)Q), "(M / Q)", 64ll * W, "W * 64"}});
__global__ void backward(int *out, const int *in, int M, int W, int Q, int S, int pad) {
  __shared__ int tile[16][16];
  int sum = 0;
  for (int s = 0; s < S; ++s) {
#pragma tma load swizzle(none)
    for (int i = threadIdx.x; i < 256; i += 128) {
      int m = blockIdx.x * 16 + i / 16, n = m / Q, x = m - n * Q + pad - s;
      tile[i / 16][i % 16] = m < M && x >= 0 && x < W ? in[(n * W + x) * 16 + i % 16] : 0;
    }
    __syncthreads();
    sum = sum * 3 + tile[threadIdx.x % 16][threadIdx.x / 16];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Pixels, a box and contiguous bytes wait together: one barrier counts what all of them bring
// (R0.19 to R0.22), and bytes alone have no map (R0.23).
// CHECK: tilelift::expect(tma_barrier, together_tma_plan::tile_box::bytes + together_tma_plan::weights_box::bytes + together_tma_plan::bias_bytes);
// CHECK-NEXT: tilelift::load_pixels(tile, tile_map, 0, 0, first, {{.*}}, tma_barrier);
// CHECK: tilelift::load(weights, weights_map, {0, r}, tma_barrier);
// CHECK: tilelift::load_bytes(bias, {{.*}}, together_tma_plan::bias_bytes, tma_barrier);
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK: CUtensorMap tile_map = launch.pixels<together_tma_plan::tile_box>(
// CHECK: CUtensorMap weights_map = launch.map<together_tma_plan::weights_box>(
// CHECK: launch.bulk("bias", "biases", biases);
__global__ void together(int *out, const int *in, const int *filters, const int *biases, int M, int W, int Q,
                         int R, int pad, int columns) {
  __shared__ int tile[16][16], weights[4][16], bias[16];
  const int first = blockIdx.x * 16;
  int sum = 0;
  for (int r = 0; r < R; ++r) {
#pragma tma load swizzle(none)
    for (int i = threadIdx.x; i < 256; i += 128) {
      int m = first + i / 16, n = m / Q, x = m % Q - pad + r;
      tile[i / 16][i % 16] = n < M && x >= 0 && x < W ? in[(n * W + x) * 16 + i % 16] : 0;
    }
#pragma tma load swizzle(none)
    if (threadIdx.x < 64) {
      int row = r + threadIdx.x / 16, column = threadIdx.x % 16;
      weights[threadIdx.x / 16][column] = column < columns && row < R ? filters[row * columns + column] : 0;
    }
#pragma tma load
    if (threadIdx.x < 16)
      bias[threadIdx.x] = biases[r * 16 + threadIdx.x];
    __syncthreads();
    sum = sum * 3 + tile[threadIdx.x % 16][threadIdx.x / 16] + weights[threadIdx.x % 4][threadIdx.x / 8] + bias[threadIdx.x % 16];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void run(unsigned *out, const unsigned short *in, int *sums, const int *from, int n) {
  forward<<<n, 128>>>(out, in, n, n, n, n, n, n, 3, 3, 1, 1, 1);
  backward<<<n, 128>>>(sums, from, n, n, n, n, n);
  together<<<n, 128>>>(sums, from, from, from, n, n, n, n, n, n);
}
