// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// Templates stay templates: one sibling, a plan for each instantiation, and the
// plain kernel for those that nobody checked.

// CHECK: template <typename T, int W, int H = 8> struct tile_sum_tma_plan {
// CHECK-NEXT:   static constexpr bool lifted = false;
// CHECK: template <> struct tile_sum_tma_plan<float, 32, 8> {
// CHECK-NEXT:   static constexpr bool lifted = true;
// CHECK:   using tile_box = tilelift::box<float, 32, 8>;
// CHECK: template <> struct tile_sum_tma_plan<float, 64, 4> {
// CHECK:   using tile_box = tilelift::box<float, 64, 4>;
// CHECK-NOT: struct tile_sum_tma_plan<double
// CHECK: template <typename T, int W, int H = 8>
// CHECK-NEXT: __global__ void tile_sum_tma(T *out, const T *in, int w, int h,
// CHECK: tilelift::load(tile, tile_map, {x0, y0}, tma_barrier);
template <typename T, int W, int H = 8>
__global__ void tile_sum(T *out, const T *in, int w, int h) {
  __shared__ T tile[H][W];
  const int x0 = blockIdx.x * W, y0 = blockIdx.y * H;
#pragma tma load
  for (int i = threadIdx.x; i < W * H; i += blockDim.x) {
    int x = x0 + i % W, y = y0 + i / W;
    tile[i / W][i % W] = x < w && y < h ? in[y * w + x] : T(0);
  }
  __syncthreads();
  T sum = 0;
  for (int r = 0; r < H; ++r)
    sum += tile[r][threadIdx.x % W];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
// CHECK: if constexpr (tile_sum_tma_plan<T, W, H>::lifted) {
// CHECK: launch.require("coordinate-range", tile_sum_tma_plan<T, W, H>::check * launch.block_index(0), 0,
// CHECK: } else {
// CHECK-NEXT: return config.start(tile_sum<T, W, H>, out, in, w, h);

// CHECK-LABEL: void run(
// CHECK: tile_sum_tma_launch<float, 32>({grid, 128}, out, in, w, h);
// CHECK: tile_sum_tma_launch<float, 64, 4>({grid, 128}, out, in, w, h);
void run(float *out, const float *in, int w, int h) {
  dim3 grid(w / 32, h / 8);
  tile_sum<float, 32><<<grid, 128>>>(out, in, w, h);
  tile_sum<float, 64, 4><<<grid, 128>>>(out, in, w, h);
}

// A launch inside a template, with the arguments deduced.
// CHECK-LABEL: void run_typed(
// CHECK: deduced_tma_launch({N, 64}, out, in);
template <typename T> __global__ void deduced(T *out, const T *in) {
  __shared__ T part[64];
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

template <int N, typename T> void run_typed(T *out, const T *in) {
  deduced<<<N, 64>>>(out, in);
}

void typed(double *d, short *s) {
  run_typed<4>(d, d);
  run_typed<8>(s, s);
}
