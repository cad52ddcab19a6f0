// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted:" | grep -x 12
//
// One expression that is evaluated for many elements from numbers that look alike and are not the same: of other
// variables, of other types, under other conditions, or changed in between.
#include "Inputs/arrays.h"

__device__ int by_value(int row, int w) { return row * w + 4; }
__device__ int by_reference(const int &row, const int &w) { return row * w + 4; }
__global__ void of_two_calls(float *out, const float *in, int w) { // one function, other arguments
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    const int r = i / 64, a = by_value(r, w), b = by_value(w, r), c = by_reference(r, w), d = by_reference(w, r);
    tile[r][i % 64] = in[a + b - c + (d - b) + c - 4 + i % 64];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
// The same bits are another number as an int: the row in front of the tensor's first is not read.
__device__ long long widened(const int &row) { return row; }
__device__ long long widened(const unsigned &row) { return row; }
template <typename Number> __device__ long long same_text(Number row) { return row; }
__global__ void of_other_types(float *out, const float *in, int h, int w) {
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    const unsigned r = blockIdx.x * 8 + i / 64 - 1;
    const int s = r;
    const bool inside = same_text(r) < h && widened(r) < h && same_text(s) >= 0 && widened(s) < h;
    tile[i / 64][i % 64] = inside ? in[widened(s) * w + i % 64] : 0;
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[blockIdx.x * 512 + i] = tile[i / 64][63 - i % 64];
}
__global__ void of_the_thread(float *out, const float *in, int w) { // each thread's own row, by one variable
  __shared__ alignas(128) float tile[T][8];
  const int y = blockIdx.y;
#pragma tma load
  for (int c = 0; c < 8; ++c)
    tile[threadIdx.x][c] = in[(y * T + threadIdx.x) * w + c];
  __syncthreads();
  for (int c = 0; c < 8; ++c) out[(y * 8 + c) * T + threadIdx.x] = tile[T - 1 - threadIdx.x][c];
}
__global__ void changed_in_between(float *out, const float *in, int w) { // by its own name and through a reference
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    int row = i / 64, &also = row;
    const int before = row * w;
    also += 1;
    const int behind = row * w;
    row -= 1;
    tile[i / 64][i % 64] = in[(behind - before - w) + also * w + i % 64];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__global__ void under_other_conditions(float *out, const float *in, int h, int w, int first) {
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    const int y = first + i / 64;
    int row = y;
    if (y < 0) row = 0;
    float value = 0;
    if (y >= 0 && y < h)
      value = in[by_reference(row, w) - 4 + i % 64]; // here `row` is y
    else if (y < 0 && by_reference(row, w) < 4)      // and here it is 0
      value = in[i % 64];
    tile[i / 64][i % 64] = value;
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
struct Place { int row, column; __device__ int at(int w) const { return row * w + column; } };
__device__ int at(Place place, int w) { return place.row * w + place.column; }
__global__ void of_members(float *out, const float *in, Place start, int w) { // one member for the other
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    Place own = start, other{own.column, own.row};
    own.row += i / 64, other.column += i / 64;
    tile[i / 64][i % 64] = in[at(own, w) + at(other, 1) - other.at(1) + i % 64];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__global__ void of_a_lambda(float *out, const float *in, int w) { // which counts by a variable that it captured
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    int row = i / 64;
    auto place = [&](int by) { row += by; return row * w + i % 64; };
    const int there = place(2), back = place(-2);
    tile[i / 64][i % 64] = in[back + (there - back - 2 * w)];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__global__ void of_a_copied_reference(float *out, const float *in, int w) { // what it led to when the lambda was made
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    int row = i / 64, rows[2] = {0, 7}; int &same = row, &first = rows[0];
    auto place = [=](int column) { return same * w + first * 4 + column; };
    row += 3, first = 5;
    tile[i / 64][i % 64] = in[place(i % 64)];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__device__ int sum_to(int n, int w) { return n == 0 ? 0 : w + sum_to(n - 1, w); }
__global__ void of_recursion(float *out, const float *in, int w) { // each call has an `n` of its own
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T)
    tile[i / 64][i % 64] = in[sum_to(i / 64, w) + i % 64];
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
union Bits { int whole; unsigned same; struct { short low, high; }; };
__global__ void of_a_union(float *out, const float *in, int w) { // a member is read that another one wrote
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) {
    Bits bits;
    bits.whole = 65536 * (i / 64) + i % 64;
    tile[i / 64][i % 64] = in[bits.high * w + bits.low];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__global__ void looked_up(float *out, const float *in, const int *rows, int w) { // by each thread for itself
  __shared__ alignas(128) float tile[8][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) {
    const int which = i / 64, row = rows[which];
    tile[which][i % 64] = in[(row % 8) * w * 0 + which * w + i % 64];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[i] = tile[i / 64][63 - i % 64];
}
__global__ void gathered(float *out, const float *in, const int *rows, int w) {
  __shared__ alignas(128) float tile[4][64]; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 256; i += T) {
    const int which = i / 64, row = rows[which];
    tile[which][i % 64] = in[row * w + i % 64];
  }
  __syncthreads();
  for (int i = t; i < 256; i += T) out[i] = tile[i / 64][63 - i % 64];
}

static const Case cases[] = {
    {"of_two_calls", [](const Arrays &a) { of_two_calls<<<1, T>>>(a.out, a.in, 64); }},
    {"of_other_types", [](const Arrays &a) { of_other_types<<<4, T>>>(a.out, a.in, 23, 128); }},
    {"of_the_thread", [](const Arrays &a) { of_the_thread<<<dim3(1, 2), T>>>(a.out, a.in, 16); }},
    {"changed_in_between", [](const Arrays &a) { changed_in_between<<<1, T>>>(a.out, a.in, 128); }},
    {"under_other_conditions", [](const Arrays &a) { for (int h : {3, 5}) under_other_conditions<<<1, T>>>(a.out + 512 * h, a.in, h, 64, h - 7); }},
    {"of_members", [](const Arrays &a) { of_members<<<1, T>>>(a.out, a.in, Place{3, 8}, 128); }},
    {"of_a_lambda", [](const Arrays &a) { of_a_lambda<<<1, T>>>(a.out, a.in, 128); }},
    {"of_a_copied_reference", [](const Arrays &a) { of_a_copied_reference<<<1, T>>>(a.out, a.in, 128); }},
    {"of_recursion", [](const Arrays &a) { of_recursion<<<1, T>>>(a.out, a.in, 128); }},
    {"of_a_union", [](const Arrays &a) { of_a_union<<<1, T>>>(a.out, a.in, 128); }},
    {"looked_up", [](const Arrays &a) { looked_up<<<1, T>>>(a.out, a.in, a.ints, 128); }},
    {"gathered", [](const Arrays &a) { gathered<<<1, T>>>(a.out, a.in, a.ints, 64); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
