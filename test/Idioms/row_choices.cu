// Rows that are chosen by what is looked up: clamped, reflected into range, or left out by a
// number that stands for no row.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: note: at the copy: min(n - 1, rows[blockIdx.x * 8 + tma_row]) >= 0
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: row_choices.cu:[[#]]:5: remark: lifted under a guard: tile copy of 128 f32 (512 bytes) from 'in' to 'tile'
// CHECK: note: at the copy: (rows[r + blockIdx.x * 8]) != -1
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: gather of 8 rows: {{.*}} from 'in' to 'tile'
// CHECK: row_choices.cu:[[#]]:3: remark: lifted{{.*}}: scatter of 8 rows: {{.*}} from 'tile' to 'out'
// CHECK-COUNT-24: tilelift: {{.*}}: TMA
// CHECK-NOT: tilelift:

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define WRITE_TURNED                                                                               \
  __syncthreads();                                                                                 \
  for (int r = 0; r < 8; ++r)                                                                      \
  out[(blockIdx.x * 8 + r) * 128 + threadIdx.x] = tile[7 - r][threadIdx.x]

__global__ void smaller(float *out, const float *in, const int *rows, int n) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r)
    tile[r][threadIdx.x] = in[min(rows[blockIdx.x * 8 + r], n - 1) * 128 + threadIdx.x];
  WRITE_TURNED;
}
// TEXT: int(tilelift::smaller(((long long)n - 1), ((long long)rows[8 * (long long)blockIdx.x + tma_row])))

__global__ void between(float *out, const float *in, const int *rows, int n) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r)
    tile[r][threadIdx.x] = in[max(0, min(rows[blockIdx.x * 8 + r], n - 1)) * 128 + threadIdx.x];
  WRITE_TURNED;
}
// TEXT: tilelift::larger(0, ((long long)tilelift::smaller(

__global__ void by_choices(float *out, const float *in, const int *rows, int n) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r) {
    int row = rows[blockIdx.x * 8 + r];
    row = row < 0 ? 0 : row >= n ? n - 1 : row;
    tile[r][threadIdx.x] = in[row * 128 + threadIdx.x];
  }
  WRITE_TURNED;
}

__global__ void by_branches(float *out, const float *in, const int *rows, int n) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r) {
    int row = rows[blockIdx.x * 8 + r];
    if (row >= n)
      row = n - 1;
    if (row < 0)
      row = 0;
    tile[r][threadIdx.x] = in[row * 128 + threadIdx.x];
  }
  WRITE_TURNED;
}

__global__ void one_by_one(float *out, const float *in, const int *rows) {
  __shared__ float tile[8][128];
  for (int r = 0; r < 8; ++r) {
    const int row = rows[blockIdx.x * 8 + r];
#pragma tma load lift(always)
    tile[r][threadIdx.x] = row != -1 ? in[row * 128 + threadIdx.x] : 0.f;
  }
  WRITE_TURNED;
}

__global__ void left_out(float *out, const float *in, const int *rows) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r)
    tile[r][threadIdx.x] = rows[blockIdx.x * 8 + r] != -1
                               ? in[rows[blockIdx.x * 8 + r] * 128 + threadIdx.x]
                               : 0.f;
  WRITE_TURNED;
}
// TEXT: const bool tma_row_exists = (long long)(((long long)rows[8 * (long long)blockIdx.x + tma_row]) != -1) > 0;

// A mask of any integers says which rows are looked up.
__global__ void masked(float *out, const float *in, const int *__restrict__ rows,
                       const int *__restrict__ mask, int count) {
  __shared__ float tile[8][128];
#pragma tma load lift(always)
  for (int r = 0; r < 8; ++r) {
    const int m = blockIdx.x * 8 + r;
    float value = 0;
    if (m < count && mask[m]) {
      const int row = rows[m];
      if (row != -1)
        value = in[row * 128 + threadIdx.x];
    }
    tile[r][threadIdx.x] = value;
  }
  WRITE_TURNED;
}
// TEXT: ((long long)mask[8 * (long long)blockIdx.x + tma_row]) != 0

__global__ void scattered(float *out, const float *in, const int *rows) {
  __shared__ __align__(128) float tile[8][128];
  for (int r = 0; r < 8; ++r)
    tile[r][threadIdx.x] = in[(blockIdx.x * 8 + r) * 128 + threadIdx.x];
  __syncthreads();
#pragma tma store lift(always)
  for (int r = 0; r < 8; ++r)
    if (rows[blockIdx.x * 8 + r] != -1)
      out[rows[blockIdx.x * 8 + r] * 128 + threadIdx.x] = tile[r][threadIdx.x];
}

int main() {
  const int n = 30;
  const float *in = numbers(n * 128);
  const int *inside = indices({3, 29, 0, 7, 7, 12, 28, 1, 5, 4, 3, 2, 1, 0, 29, 17});
  const int *outside = indices({3, 29, -4, 700, 7, 12, 30, -1, 5, 4, 3, 2, 1, 0, 29, 31});
  const int *absent = indices({3, -1, 0, 7, -1, -1, 28, 1, 5, 4, 3, 2, 1, 0, 29, -1});
  const int *apart = indices({3, -1, 0, 7, -1, -1, 15, 1, 5, 4, 10, 2, 11, 12, 9, -1});
  smaller<<<2, 128>>>(numbers(16 * 128), in, inside, n);
  between<<<2, 128>>>(numbers(16 * 128), in, outside, n);
  by_choices<<<2, 128>>>(numbers(16 * 128), in, outside, n);
  by_branches<<<2, 128>>>(numbers(16 * 128), in, outside, n);
  one_by_one<<<2, 128>>>(numbers(16 * 128), in, absent);
  left_out<<<2, 128>>>(numbers(16 * 128), in, absent);
  masked<<<2, 128>>>(numbers(16 * 128), in, absent, inside, 15);
  scattered<<<2, 128>>>(numbers(16 * 128), in, apart);
  return finish();
}
