// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c ", transposed.*Wtilelift-lifted" | grep -x 14
//
// Tiles whose rows are columns of the tensor lie transposed in the lifted kernel. They are read by elements and by
// vectors, in stages, under guards, with indices that leave a row, as parts of elements, and through pointers; some are
// stored. Copies that cannot be made so stay loops.
#include "Inputs/arrays.h"

__global__ void read_by_elements(float *out, const float *in) {
  __shared__ float tile[32][16];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 32][i / 32] = in[blockIdx.x * 512 + i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum = 3 * sum + tile[k][(t + k) % 16];
  out[blockIdx.x * T + t] = sum;
}

__global__ void filled_by_vectors(float *out, const float *__restrict__ in, int w) {
  __shared__ float tile[16][32];
  int t = threadIdx.x, r = t / 4, c = t % 4 * 4;
#pragma tma load
  {
    float4 v = *reinterpret_cast<const float4 *>(&in[(blockIdx.x * 32 + r) * w + c]);
    tile[c][r] = v.x, tile[c + 1][r] = v.y, tile[c + 2][r] = v.z, tile[c + 3][r] = v.w;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 16][t / 4] + 2 * tile[15 - t % 16][31 - t / 8];
}

#define VECTOR(at) (reinterpret_cast<const float4 *>(&(at))[0])
__global__ void read_by_vectors(float4 *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  float4 a = VECTOR(tile[t / 8][t % 8 * 4]), b = *(float4 *)&tile[15 - t / 8][4 * (t % 8)];
  out[blockIdx.x * T + t] = {a.x + 2 * b.w, a.y + 3 * b.z, a.z + 5 * b.y, a.w + 7 * VECTOR(tile[0][0]).x};
}

__global__ void read_by_vectors_and_elements(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = VECTOR(tile[t / 8][t % 8 * 4]).y + 2.0 * tile[t / 8][t % 32];
}

// The types of these are deduced from an element.
__global__ void read_by_vectors_and_variables(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  auto element = tile[t / 8][t % 32];
  out[blockIdx.x * T + t] = VECTOR(tile[t / 8][t % 8 * 4]).y + element;
}

// A reference or a pointer to a vector outlives the vector that is put together.
struct Keeper {
  const float4 &kept;
  __device__ Keeper(const float4 &v) : kept(v) {}
};
__global__ void vectors_that_are_referred_to(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  const float4 &a = *(const float4 *)&tile[t / 8][t % 8 * 4], &b = VECTOR(tile[15 - t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__global__ void vectors_whose_address_is_kept(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  const float4 *a = &VECTOR(tile[t / 8][t % 8 * 4]), *b = &VECTOR(tile[15 - t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = a->x * b->x + a->y * b->y + a->z * b->z + a->w * b->w;
}
__global__ void vectors_in_objects(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  Keeper a(VECTOR(tile[t / 8][t % 8 * 4])), b(VECTOR(tile[15 - t / 8][t % 8 * 4]));
  out[blockIdx.x * T + t] = a.kept.x * b.kept.x + a.kept.y * b.kept.y;
}
__global__ void vectors_and_the_type_of_an_element(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  decltype(tile[0][0] + 0) sum = VECTOR(tile[t / 8][t % 8 * 4]).y;
  out[blockIdx.x * T + t] = sum + 1;
}

// Loops beside a copy that do more to an element than assign it.
__global__ void loop_that_fills_vectors_by_pointers(float *out, const float *in, int w, int step) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) *(float *)&tile[i % 16][i / 16] = in[i / 16 * w + step * blockIdx.x + i % 16];
  __syncthreads();
  float4 v = VECTOR(tile[t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = v.x + 2 * v.y + 3 * v.z + 5 * v.w;
}
__global__ void loop_that_fills_vectors_by_references(float *out, const float *in, int w, int step) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) {
    auto &element = tile[i % 16][i / 16];
    element = in[i / 16 * w + step * blockIdx.x + i % 16];
  }
  __syncthreads();
  float4 v = VECTOR(tile[t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = v.x + 2 * v.y + 3 * v.z + 5 * v.w;
}

__global__ void vectors_that_leave_a_row(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][34];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 34 * 16; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 34 + i / 16) * w + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = VECTOR(tile[t % 7 * 2][32]).w;
}

__global__ void written_as_vectors_later(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  float4 v = VECTOR(tile[t / 8][t % 8 * 4]);
  *(float4 *)&tile[t / 8][t % 8 * 4] = {v.w, v.z, v.y, v.x};
  __syncthreads();
  v = VECTOR(tile[15 - t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = v.x + 2 * v.y;
}

__global__ void written_by_elements_later(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  tile[t / 8][t % 8] *= 2;
  atomicAdd(&tile[t % 16][31], 1.f);
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 16][t / 4] + tile[t % 16][31];
}

__global__ void in_stages_by_hand(float *out, const float *in, int w) {
  __shared__ float tile[2][16][32];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    for (int i = t; i < 512; i += T) tile[k % 2][i % 16][i / 16] = in[i / 16 * w + k * 16 + i % 16];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum = 3 * sum + tile[k % 2][j][(t + j) % 32];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void vectors_in_stages(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[2][16][32];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    for (int i = t; i < 512; i += T) tile[k & 1][i % 16][i / 16] = in[i / 16 * w + k * 16 + i % 16];
    __syncthreads();
    for (int j = 0; j < 16; ++j) {
      float4 v = VECTOR(tile[k & 1][j][t % 8 * 4]);
      sum = 3 * sum + v.x - v.y + 2 * v.z - v.w;
    }
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void under_a_guard(float *out, const float *in, int w, int h) {
  __shared__ float tile[20][36];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 16 - 2, y0 = (int)blockIdx.y * 32 - 2;
#pragma tma load
  for (int i = t; i < 720; i += T) {
    int x = x0 + i % 20, y = y0 + i / 20;
    tile[i % 20][i / 20] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (int d = 0; d < 5; ++d) sum = 3 * sum + tile[t % 16 + d][t / 4 + d];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * T + t] = sum;
}

// Half of the boxes do not start on 16 bytes: there the loop runs, on the same tile.
__global__ void with_a_loop_beside_it(float *out, const float *in, int w, int step) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[i / 16 * w + step * blockIdx.x + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 16][t / 4] + 2 * tile[t / 8][t % 32];
}

__global__ void loop_that_fills_vectors(float *out, const float *in, int w, int step) {
  __shared__ __align__(16) float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[i / 16 * w + step * blockIdx.x + i % 16];
  __syncthreads();
  float4 v = VECTOR(tile[t / 8][t % 8 * 4]);
  out[blockIdx.x * T + t] = v.x + 2 * v.y + 3 * v.z + 5 * v.w;
}

// The copy's own subscripts leave the rows, which only its plain loop would do.
__global__ void loop_that_leaves_rows(float *out, const float *in, int w, int step) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[0][i % 16 * 32 + i / 16] = in[i / 16 * w + step * blockIdx.x + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 16][t / 4];
}

__global__ void column_of_the_next_row(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 15][t % 32 + 1];
}

__global__ void row_of_the_next_plane(float *out, const float *in, int w) {
  __shared__ float tile[2][16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 1024; i += T) tile[i / 512][i % 16][i / 16 % 32] = in[(blockIdx.x * 64 + i / 16) * w + i % 16];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[0][t % 32][t / 4];
}

__global__ void reached_by_a_pointer(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i % 16][i / 16] = in[(blockIdx.x * 32 + i / 16) * w + i % 16];
  __syncthreads();
  const float *row = tile[t % 16];
  out[blockIdx.x * T + t] = row[t / 4];
}

__global__ void of_two_byte_numbers(short *out, const short *in, int w) {
  __shared__ short tile[8][64];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += T) tile[i % 8][i / 8] = in[(blockIdx.x * 64 + i / 8) * w + i % 8];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t % 8][t / 2] + 2 * tile[7 - t % 8][t / 4];
}

__global__ void rows_far_apart(float *out, const float *in) {
  __shared__ float tile[32][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 1024; i += T) tile[i % 32][i / 32] = in[(blockIdx.x * 32 + i / 32) * 32 + i % 32];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum = 3 * sum + tile[k][t % 32];
  out[blockIdx.x * T + t] = sum;
}

__global__ void stored_as_columns(float *out, const float *in) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
  for (int i = t; i < 512; i += T) tile[i / 32][i % 32] = in[blockIdx.x * 512 + i];
  __syncthreads();
#pragma tma store
  for (int i = t; i < 512; i += T) out[blockIdx.x * 512 + i] = tile[i % 16][i / 16];
}

__global__ void loaded_as_rows_stored_as_columns(float *out, const float *in) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i / 32][i % 32] = in[blockIdx.x * 512 + i];
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 512; i += T) out[blockIdx.x * 512 + i] = tile[i % 16][i / 16];
}

__global__ void swizzled_as_asked(float *out, const float *in, int w) {
  __shared__ float tile[32][32];
  int t = threadIdx.x;
#pragma tma load swizzle(128)
  for (int i = t; i < 1024; i += T) tile[i % 32][i / 32] = in[(blockIdx.x * 32 + i / 32) * w + i % 32];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum = 3 * sum + tile[k][t % 32];
  out[blockIdx.x * T + t] = sum;
}

// A row that its type does not let go on: the plain loop of a box that has to be laid out anew.
__global__ void loop_of_a_moved_tile_that_leaves_rows(float *out, const float *in, int w, int step) {
  __shared__ float tile[4][34];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) tile[0][i] = in[i / 34 * w + step * blockIdx.x + i % 34];
  __syncthreads();
  for (int r = 0; r < 4; ++r) out[(blockIdx.x * 4 + r) * 34 + t % 34] = tile[r][t % 34];
}

static const Case cases[] = {
    {"read_by_elements", [](const Arrays &a) { read_by_elements<<<4, T>>>(a.out, a.in); }},
    {"filled_by_vectors", [](const Arrays &a) { filled_by_vectors<<<3, T>>>(a.out, a.in, 20); }},
    {"read_by_vectors", [](const Arrays &a) { read_by_vectors<<<3, T>>>((float4 *)a.out, a.in, 20); }},
    {"read_by_vectors_and_elements",
     [](const Arrays &a) { read_by_vectors_and_elements<<<3, T>>>(a.out, a.in, 20); }},
    {"read_by_vectors_and_variables",
     [](const Arrays &a) { read_by_vectors_and_variables<<<3, T>>>(a.out, a.in, 20); }},
    {"vectors_that_are_referred_to",
     [](const Arrays &a) { vectors_that_are_referred_to<<<3, T>>>(a.out, a.in, 20); }},
    {"vectors_whose_address_is_kept",
     [](const Arrays &a) { vectors_whose_address_is_kept<<<3, T>>>(a.out, a.in, 20); }},
    {"vectors_in_objects",
     [](const Arrays &a) { vectors_in_objects<<<3, T>>>(a.out, a.in, 20); }},
    {"vectors_and_the_type_of_an_element",
     [](const Arrays &a) { vectors_and_the_type_of_an_element<<<3, T>>>(a.out, a.in, 20); }},
    {"loop_that_fills_vectors_by_pointers",
     [](const Arrays &a) { loop_that_fills_vectors_by_pointers<<<6, T>>>(a.out, a.in, 100, 6); }},
    {"loop_that_fills_vectors_by_references",
     [](const Arrays &a) { loop_that_fills_vectors_by_references<<<6, T>>>(a.out, a.in, 100, 6); }},
    {"vectors_that_leave_a_row", [](const Arrays &a) { vectors_that_leave_a_row<<<3, T>>>(a.out, a.in, 20); }},
    {"written_as_vectors_later", [](const Arrays &a) { written_as_vectors_later<<<3, T>>>(a.out, a.in, 20); }},
    {"written_by_elements_later", [](const Arrays &a) { written_by_elements_later<<<3, T>>>(a.out, a.in, 20); }},
    {"in_stages_by_hand", [](const Arrays &a) { in_stages_by_hand<<<1, T>>>(a.out, a.in, 100); }},
    {"vectors_in_stages", [](const Arrays &a) { vectors_in_stages<<<1, T>>>(a.out, a.in, 100); }},
    {"under_a_guard", [](const Arrays &a) { under_a_guard<<<dim3(3, 2), T>>>(a.out, a.in, 44, 50); }},
    {"with_a_loop_beside_it", [](const Arrays &a) { with_a_loop_beside_it<<<6, T>>>(a.out, a.in, 100, 6); }},
    {"loop_that_fills_vectors", [](const Arrays &a) { loop_that_fills_vectors<<<6, T>>>(a.out, a.in, 100, 6); }},
    {"loop_that_leaves_rows", [](const Arrays &a) { loop_that_leaves_rows<<<6, T>>>(a.out, a.in, 100, 6); }},
    {"column_of_the_next_row", [](const Arrays &a) { column_of_the_next_row<<<3, T>>>(a.out, a.in, 20); }},
    {"row_of_the_next_plane", [](const Arrays &a) { row_of_the_next_plane<<<3, T>>>(a.out, a.in, 20); }},
    {"reached_by_a_pointer", [](const Arrays &a) { reached_by_a_pointer<<<3, T>>>(a.out, a.in, 20); }},
    {"of_two_byte_numbers",
     [](const Arrays &a) { of_two_byte_numbers<<<3, T>>>((short *)a.out, (const short *)a.in, 24); }},
    {"rows_far_apart", [](const Arrays &a) { rows_far_apart<<<3, T>>>(a.out, a.in); }},
    {"stored_as_columns", [](const Arrays &a) { stored_as_columns<<<4, T>>>(a.out, a.in); }},
    {"loaded_as_rows_stored_as_columns",
     [](const Arrays &a) { loaded_as_rows_stored_as_columns<<<4, T>>>(a.out, a.in); }},
    {"swizzled_as_asked", [](const Arrays &a) { swizzled_as_asked<<<3, T>>>(a.out, a.in, 36); }},
    {"loop_of_a_moved_tile_that_leaves_rows",
     [](const Arrays &a) { loop_of_a_moved_tile_that_leaves_rows<<<3, T>>>(a.out, a.in, 256, 33); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
