// RUN: %tilelift %s -o %t.cu -- -std=c++20 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++20 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
//
// A template's argument that is an object: its members are numbers like others.

// CHECK: template <> struct shaped_tma_plan<Shape{16, 32}> {
// CHECK: tilelift::load_bytes(tile, in, {{.*}}_plan<S>::tile_bytes, tma_barrier);
struct Shape {
  int rows, columns;
};
template <Shape S> __global__ void shaped(float *out, const float *in) {
  __shared__ float tile[S.rows][S.columns];
#pragma tma load
  for (int i = threadIdx.x; i < S.rows * S.columns; i += 128)
    tile[i / S.columns][i % S.columns] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < S.rows * S.columns; i += 128)
    out[i] = tile[i / S.columns][S.columns - 1 - i % S.columns];
}
void use(float *out, const float *in) { shaped<Shape{16, 32}><<<1, 128>>>(out, in); }
