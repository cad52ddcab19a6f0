// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep "remark: lifted" | sed 's/.*lifted[^:]*: //' > %t.said
// RUN: grep -c "^tile copy" %t.said | grep -x 6
// RUN: grep -c "bulk cop" %t.said | grep -x 8
//
// Skewed rows in dynamic shared memory: boxes cover the padding only if it is known what all writers of the memory write, in
// whichever stage they are. The memory that launches ask for ends with the last element that the program uses.
#include "Inputs/arrays.h"

enum { Pitch = 36, Row = 32, Rows = 8, Tile = Pitch * Rows };
enum { AllButPadding = (Tile - (Pitch - Row)) * sizeof(float) };

// Elements of 8 rows, by columns.
#define SUM(tile)                                                                                                      \
  for (int i = threadIdx.x; i < Row * Rows; i += T)                                                                    \
    sum = 3 * sum + (tile)[i % Rows * Pitch + i / Rows];

// Nobody else writes, and the launch asks for no padding behind the last row.
__global__ void alone(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
  __syncthreads();
  SUM(memory)
  out[threadIdx.x] = sum;
}
// Two tiles, one behind the other.
__global__ void two_tiles(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ more) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    (memory + Tile)[i / Row * Pitch + i % Row] = more[i];
  __syncthreads();
  SUM(memory)
  SUM(memory + Tile)
  out[threadIdx.x] = sum;
}
// A stage is no whole number of rows: 8 rows and 128 bytes.
__global__ void stages(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
  for (int z = 0; z < n; ++z) {
    float *tile = memory + z % 3 * (Tile + 32);
#pragma tma load
    for (int i = threadIdx.x; i < Row * Rows; i += T)
      tile[i / Row * Pitch + i % Row] = (in + z * Row * Rows)[i];
    __syncthreads();
    SUM(tile)
  }
  out[threadIdx.x] = sum;
}
// Two tiles in each stage.
__global__ void stages_of_two(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ more, int n) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
  for (int z = 0; z < n; ++z) {
    float *tile = memory + z % 2 * (2 * Tile + 32);
#pragma tma load
    for (int i = threadIdx.x; i < Row * Rows; i += T)
      tile[i / Row * Pitch + i % Row] = (in + z * Row * Rows)[i];
#pragma tma load
    for (int i = threadIdx.x; i < Row * Rows; i += T)
      (tile + Tile + 32)[i / Row * Pitch + i % Row] = (more + z * Row * Rows)[i];
    __syncthreads();
    SUM(tile)
    SUM(tile + Tile + 32)
  }
  out[threadIdx.x] = sum;
}
// A thread writes to the padding, and reads it again.
__global__ void written(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
  if (threadIdx.x < Rows)
    memory[threadIdx.x * Pitch + Row] = threadIdx.x;
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
  __syncthreads();
  SUM(memory)
  out[threadIdx.x] = sum + memory[threadIdx.x % Rows * Pitch + Row];
}
// The same by another name of the same memory.
__global__ void written_by_another_name(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ __align__(128) float memory[];
  extern __shared__ __align__(128) int numbers[];
  float sum = 0;
  if (threadIdx.x < Rows)
    numbers[threadIdx.x * Pitch + Row] = threadIdx.x;
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
  __syncthreads();
  SUM(memory)
  out[threadIdx.x] = sum + numbers[threadIdx.x % Rows * Pitch + Row];
}
// Another copy does, into the array of another name.
__global__ void filled_by_another_copy(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ints) {
  extern __shared__ __align__(128) float memory[];
  extern __shared__ __align__(128) int numbers[];
  float sum = 0;
#pragma tma load
  if (threadIdx.x < 4 * Rows)
    numbers[threadIdx.x / 4 * Pitch + Row + threadIdx.x % 4] = ints[threadIdx.x];
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
  __syncthreads();
  SUM(memory)
  out[threadIdx.x] = sum + numbers[threadIdx.x % Rows * Pitch + Row + 1];
}
// The second tile begins in the padding of the first one's last row.
__global__ void close_together(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ more) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
#pragma tma load
  for (int i = threadIdx.x; i < Row * Rows; i += T)
    memory[i / Row * Pitch + i % Row] = in[i];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T)
    memory[Tile - (Pitch - Row) + i] = more[i];
  __syncthreads();
  SUM(memory)
  out[threadIdx.x] = sum + memory[Tile - (Pitch - Row) + threadIdx.x];
}
// Stages that overlap: the padding of one is where the other's rows are.
__global__ void stages_into_each_other(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
  for (int z = 0; z < n; ++z) {
    float *tile = memory + z % 2 * 32;
#pragma tma load
    for (int i = threadIdx.x; i < Row * Rows; i += T)
      tile[i / Row * Pitch + i % Row] = (in + z * Row * Rows)[i];
    __syncthreads();
    SUM(tile)
    __syncthreads();
  }
  for (int i = threadIdx.x; i < Tile - (Pitch - Row) + 32; i += T)
    sum += memory[i];
  out[threadIdx.x] = sum;
}
// The memory is used again behind the loop, for the results.
__global__ void used_again(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ __align__(128) float memory[];
  float sum = 0;
  for (int z = 0; z < 2; ++z) {
    if (z == 1)
      sum += memory[Row + threadIdx.x % 4];
    __syncthreads();
#pragma tma load
    for (int i = threadIdx.x; i < Row * Rows; i += T)
      memory[i / Row * Pitch + i % Row] = (in + z * Row * Rows)[i];
    __syncthreads();
    SUM(memory)
    __syncthreads();
    memory[threadIdx.x] = sum;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

const Case cases[] = {
    {"alone", [](const Arrays &a) { alone<<<2, T, AllButPadding>>>(a.out, a.in); }},
    {"two_tiles", [](const Arrays &a) { two_tiles<<<2, T, Tile * 4 + AllButPadding>>>(a.out, a.in, a.more); }},
    {"stages", [](const Arrays &a) { stages<<<2, T, 2 * (Tile + 32) * 4 + AllButPadding>>>(a.out, a.in, 7); }},
    {"stages_of_two",
     [](const Arrays &a) {
       stages_of_two<<<2, T, (3 * Tile + 64) * 4 + AllButPadding>>>(a.out, a.in, a.more, 7);
     }},
    {"written", [](const Arrays &a) { written<<<2, T, Tile * 4>>>(a.out, a.in); }},
    {"written_by_another_name", [](const Arrays &a) { written_by_another_name<<<2, T, Tile * 4>>>(a.out, a.in); }},
    {"filled_by_another_copy",
     [](const Arrays &a) { filled_by_another_copy<<<2, T, Tile * 4>>>(a.out, a.in, a.ints); }},
    {"close_together", [](const Arrays &a) { close_together<<<2, T, AllButPadding + 512>>>(a.out, a.in, a.more); }},
    {"stages_into_each_other",
     [](const Arrays &a) { stages_into_each_other<<<2, T, (Tile + 32) * 4>>>(a.out, a.in, 7); }},
    {"used_again", [](const Arrays &a) { used_again<<<2, T, Tile * 4>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
