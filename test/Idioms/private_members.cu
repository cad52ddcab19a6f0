// Arguments that keep their pointers and sizes to themselves: views of the program's own, and
// those of CUDA's standard library.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// CHECK: private_members.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in.data' to 'tile'
// CHECK: private_members.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in.data' to 'tile'
// CHECK-COUNT-5: tilelift: {{.*}}: TMA
// CHECK: tilelift: by_view: plain, {{.*}} is 252 (in.columns * 4) bytes, which is no multiple of 16 [stride-16]
// CHECK: tilelift: by_method: TMA
// CHECK-NOT: tilelift:

#include <cuda_runtime.h>

#include <cuda/std/mdspan>
#include <cuda/std/span>

#include "Inputs/numbers.h"

class view {
public:
  view(const float *data, int rows, int columns) : data(data), rows(rows), columns(columns) {}
  __host__ __device__ const float &operator()(int y, int x) const { return data[y * columns + x]; }
  __host__ __device__ int height() const { return rows; }

private:
  const float *data;
  int rows, columns;
};

// Its own members lie behind those of a base class.
class framed : view {
public:
  framed(const view &whole, int from) : view(whole), from(from) {}
  __host__ __device__ const float &at(int y, int x) const { return (*this)(y, from + x); }

private:
  int from;
};

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;

#define WRITE_TURNED                                                                               \
  __syncthreads();                                                                                 \
  out[(y0 + ty) * 64 + x0 + tx] = tile[7 - ty][tx]

__global__ void by_view(float *out, const view in) {
  __shared__ float tile[8][32];
  const int ty = threadIdx.y, tx = threadIdx.x, y0 = blockIdx.y * 8, x0 = blockIdx.x * 32;
#pragma tma load lift(always)
  tile[ty][tx] = y0 + ty < in.height() ? in(y0 + ty, x0 + tx) : 0.f;
  WRITE_TURNED;
}
// TEXT: launch.map<by_view_tma_plan::tile_box>(
// TEXT: tilelift::member<const float *, 0>(in)
// TEXT: tilelift::member<int, 8>(in)
// TEXT: tilelift::member<int, 12>(in)

__global__ void by_frame(float *out, framed in) {
  __shared__ float tile[8][32];
  const int ty = threadIdx.y, tx = threadIdx.x, y0 = blockIdx.y * 8, x0 = blockIdx.x * 32;
#pragma tma load lift(always)
  tile[ty][tx] = in.at(y0 + ty, x0 + tx);
  WRITE_TURNED;
}

__global__ void by_span(float *out, cuda::std::span<const float> in) {
  __shared__ float tile[8][32];
  const int ty = threadIdx.y, tx = threadIdx.x, y0 = blockIdx.y * 8, x0 = blockIdx.x * 32;
#pragma tma load lift(always)
  tile[ty][tx] = in[(y0 + ty) * 64 + x0 + tx];
  WRITE_TURNED;
}

__global__ void by_mdspan(float *out, matrix in) {
  __shared__ float tile[8][32];
  const int ty = threadIdx.y, tx = threadIdx.x, y0 = blockIdx.y * 8, x0 = blockIdx.x * 32;
#pragma tma load lift(always)
  tile[ty][tx] = in(y0 + ty, x0 + tx);
  WRITE_TURNED;
}

// The class copies by itself.
class limited {
public:
  limited(const float *in, int limit) : in(in), limit(limit) {}
  __device__ void run(float *out) const {
    __shared__ float part[64];
    const int x = blockIdx.x * 64 + threadIdx.x;
#pragma tma load lift(always)
    part[threadIdx.x] = x >= 0 && !(x >= limit) ? in[x] : 0.f;
    __syncthreads();
    out[x] = part[63 - threadIdx.x];
  }

private:
  const float *in;
  int limit;
};
__global__ void by_method(float *out, limited by) { by.run(out); }

int main() {
  const float *in = numbers(64 * 24);
  const dim3 grid(2, 3), block(32, 8);
  by_view<<<grid, block>>>(numbers(64 * 24), view(in, 20, 64));
  by_frame<<<dim3(1, 3), block>>>(numbers(64 * 24), framed(view(in, 24, 64), 8));
  by_span<<<grid, block>>>(numbers(64 * 24), cuda::std::span<const float>(in, 64 * 24));
  by_mdspan<<<grid, block>>>(numbers(64 * 24), matrix(in, 24, 64));
  by_view<<<dim3(1, 3), block>>>(numbers(64 * 24), view(in, 20, 60));
  by_view<<<dim3(1, 2), block>>>(numbers(64 * 24), view(in, 20, 63));
  by_method<<<3, 64>>>(numbers(192), limited(in, 150));
  return finish();
}
