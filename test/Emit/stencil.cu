// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// The whole shape of the output, once: include, untouched original, plan type,
// sibling, launcher, launch.

// CHECK: #include <cstdio>
// CHECK-NEXT: #include <tilelift/tilelift.cuh>
#include <cstdio>

constexpr int TX = 128, TY = 16, R = 2;

// CHECK-LABEL: __global__ void blur(
// CHECK: __shared__ float tile[TY + 2 * R][TX + 2 * R];
// CHECK: // tma load: lifted in blur_tma
// CHECK-NEXT: for (int i = threadIdx.x;
__global__ void blur(float *out, const float *in, int w, int h) {
  __shared__ float tile[TY + 2 * R][TX + 2 * R];
  int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R; // where the halo starts
#pragma tma load
  for (int i = threadIdx.x; i < (TY + 2 * R) * (TX + 2 * R); i += blockDim.x) {
    int r = i / (TX + 2 * R), c = i % (TX + 2 * R), y = y0 + r, x = x0 + c;
    tile[r][c] = (y >= 0 && y < h && x >= 0 && x < w) ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  /* the user's own remark */
  int c = threadIdx.x % TX, r = threadIdx.x / TX;
  out[(y0 + R + r) * w + x0 + R + c] = tile[r][c + R] + tile[r + 2 * R][c + R];
}
// CHECK: // blur, lifted
// CHECK-NEXT: struct blur_tma_plan {
// CHECK-NEXT:   static constexpr tilelift::block_size block = {256, 1, 1};
// CHECK-NEXT:   using tile = tilelift::tile<float[20][132], 136, 2>;
// CHECK-NEXT:   using tile_box = tilelift::box<float, 136, 20>;
// CHECK-NEXT:   static_assert(tile_box::bytes == 10880, "the barrier expects what the map delivers");
// CHECK-NEXT:   static_assert(sizeof(tile) >= 10880, "the box fits the tile");
// CHECK-NEXT: };
// CHECK: __global__ void blur_tma(float *out, const float *in, int w, int h,
// CHECK-NEXT:                          const __grid_constant__ CUtensorMap tile_map) {
// CHECK-NEXT:   __shared__ blur_tma_plan::tile tile;
// CHECK-NEXT:   __shared__ tilelift::barrier tma_barrier;
// CHECK-NEXT:   unsigned tma_phase = 0;
// CHECK-NEXT:   int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R; // where the halo starts
// CHECK-NEXT:   // tma load: tile copy of 20 x 136 f32 (10880 bytes) from 'in' to 'tile', rows of 136 elements, starting at 2
// CHECK-NEXT:   if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:     tilelift::set_up(tma_barrier);
// CHECK-NEXT:     tilelift::expect(tma_barrier, blur_tma_plan::tile_box::bytes);
// CHECK-NEXT:     tilelift::load(tile.data(), tile_map, {x0 - 2, y0}, tma_barrier);
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT:   /* the user's own remark */
// CHECK-NEXT:   int c = threadIdx.x % TX
// CHECK: static cudaError_t blur_tma_launch(const tilelift::launch_config &config,
// CHECK: static tilelift::kernel_facts facts;
// CHECK: tilelift::launch launch("blur", config, blur_tma_plan::block);
// CHECK: launch.require("coordinate-range", 128 * launch.block_index(0) - 4, -2147483648, 2147483645,
// CHECK: CUtensorMap tile_map = launch.map<blur_tma_plan::tile_box>(
// CHECK-NEXT: tilelift::element_type::f32, "tile", "in",
// CHECK-NEXT: tilelift::memory_at(in, {128 * launch.block_index(0) - 4, 16 * launch.block_index(1) - 2}),
// CHECK-NEXT: {{[{][{]}}w, "w"}, {h, "h", 4ll * w, "w * 4"}});
// CHECK-NEXT: if (launch.can_lift(blur_tma, blur, facts))
// CHECK-NEXT:   return launch.start(blur_tma, out, in, w, h, tile_map);
// CHECK-NEXT: return launch.start(blur, out, in, w, h);

// CHECK-LABEL: void run(
// CHECK: blur_tma_launch({grid, 256, 0, stream}, out, in, w, h);
void run(float *out, const float *in, int w, int h, cudaStream_t stream) {
  dim3 grid((w + TX - 1) / TX, (h + TY - 1) / TY);
  blur<<<grid, 256, 0, stream>>>(out, in, w, h);
}
