// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=1 -std=c++20 %s
// RUN: %tilelift %s -o %t.cu -- -std=c++20
// RUN: grep -c "^ *#pragma unroll" %t.cu | grep -x 6
//
// Comments, strings and directives in the text that is copied, replaced, or stands beside it.
#define M 3 // as the runtime's headers call things of theirs
#define rows (M * 2)
#define stride(x) ((x) * T)
#include "Inputs/arrays.h" /* the arrays,
   and the main function */

__global__ void commented(float *__restrict__ out,      // what it writes
                          const float *__restrict__ in, // what it reads
                          int n                         // which row
) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#pragma tma load
  tile[t] = in[n * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t];
}
template <int V> __global__ void counted(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#pragma tma load
  tile[t] = in[stride(n) + t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + V + M + rows;
}
static void launch_commented(const Arrays &a) {
  commented<<<1, // block
              T  // threads
              >>>(a.out, a.in, 7);
  counted<3> // three
      <<<1, T>>>(a.out + T, a.in, 4 // row
      );
}
// Warm up, then again.
#define BENCH(...) do { __VA_ARGS__; for (int i = 0; i < 2; ++i) { __VA_ARGS__; } } while (0)
static void launch_twice(const Arrays &a) { BENCH(counted<1><<<1, T>>>(a.out, a.in, 7)); }

__global__ void behind_the_copy(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T]; int t = threadIdx.x;
#pragma tma load
  tile[t] = in[n * T + t]; int size = sizeof(R"(one
      two)");
#pragma tma load
  other[t] = in[t]; // done \
     still a comment
  __syncthreads();
  out[t] = tile[T - 1 - t] + other[t] + size;
}

// What a macro of the body is for, and is not any more behind it.
__global__ void with_its_own_macros(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x;
#define ROW(k) (n + (k))
#pragma tma load
  tile[t] = in[ROW(2) * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + ROW(1);
#undef ROW
}

// What is written in the place of a loop is none, and what speaks of the loop goes with it; where the loop stays as the
// other branch, so does that.
#define UNROLL _Pragma("unroll")
__global__ void hints_in_front(float *out, const float *in, const int *starts, int n) {
  __shared__ alignas(128) float a[4][T], b[4][T], c[4][T], d[4][T]; int t = threadIdx.x;
#pragma unroll
#pragma tma load
  for (int i = 0; i < 4; ++i)
    a[i][t] = in[n * T + i * T + t];
#pragma unroll \
    2
  // From any element on.
#pragma tma load
  for (int i = 0; i < 4; ++i)
    b[i][t] = in[starts[n] + i * T + t];
  UNROLL
#pragma tma load
  for (int i = 0; i < 4; ++i)
    c[i][t] = in[i * T + t];
  if (n > 2)
    _Pragma("GCC unroll 4")
#pragma tma load
    for (int i = 0; i < 4; ++i)
      d[i][t] = in[i * T + t];
  __syncthreads();
#pragma clang loop unroll(full) vectorize(disable)
#pragma tma store
  for (int i = 0; i < 4; ++i)
    out[i * T + t] = a[i][t];
  __syncthreads();
  out[5 * T + t] = b[3][T - 1 - t] + c[2][T - 1 - t] + (n > 2 ? d[1][T - 1 - t] : 0);
}
#ifdef __CUDACC__
#define HAS_HINTS
#endif
__global__ void hints_between(float *out, const float *in, const int *starts, int n) {
  __shared__ alignas(128) float a[4][T], b[4][T]; int t = threadIdx.x;
#pragma tma load
#pragma unroll 2
  for (int i = 0; i < 4; ++i)
    a[i][t] = in[starts[n] + i * T + t];
#ifdef HAS_HINTS
#pragma unroll
#endif
#pragma tma load
  for (int i = 0; i < 4; ++i)
    b[i][t] = in[i * T + t];
  __syncthreads();
  out[t] = a[3][T - 1 - t] + b[2][T - 1 - t];
}

static const Case cases[] = {
    {"hints_in_front", [](const Arrays &a) { hints_in_front<<<1, T>>>(a.out, a.in, a.ints, 5); }},
    {"hints_in_front_aligned", [](const Arrays &a) { hints_in_front<<<1, T>>>(a.out, a.in, a.ints, 16); }},
    {"hints_between", [](const Arrays &a) { hints_between<<<1, T>>>(a.out, a.in, a.ints, 5); }},
    {"hints_between_aligned", [](const Arrays &a) { hints_between<<<1, T>>>(a.out, a.in, a.ints, 0); }},
    {"commented", launch_commented}, {"twice", launch_twice},
    {"behind_the_copy", [](const Arrays &a) { behind_the_copy<<<1, T>>>(a.out, a.in, 5); }},
    {"with_its_own_macros", [](const Arrays &a) { with_its_own_macros<<<1, T>>>(a.out, a.in, 5); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
