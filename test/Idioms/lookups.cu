// Tensors and places that the block looks up: in tables of pointers and of structs, in
// global memory, in constant memory, and in the kernel's own arguments.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'rows[blockIdx.x]' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'jobs[blockIdx.x].data' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'jobs[blockIdx.x].data' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'jobs[blockIdx.x].data' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: note: at the copy: jobs[blockIdx.x].spans[1].begin >= 0
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'batch.rows[blockIdx.x]' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'constant_rows[blockIdx.x]' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'constant_jobs[blockIdx.x].data' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: lookups.cu:[[#]]:5: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: note: at the copy: last >= 0
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'rows[blockIdx.x]' to 'line'
// CHECK: lookups.cu:[[#]]:5: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: note: at the copy: pages[k] >= 0
// CHECK: lookups.cu:[[#]]:5: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'rows[(k % 4)]' to 'line'
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'rows[blockIdx.x]' to 'line'
// CHECK: note: at the copy: n - blockIdx.x - 1 >= 0
// CHECK: note: at the copy: the address is a multiple of 16
// CHECK: lookups.cu:[[#]]:3: remark: lifted under a guard: 1-D bulk copy of 256 bytes from 'in' to 'line'
// CHECK: note: at the copy: n - blockIdx.x * 64 - 64 >= 0
// CHECK: note: at the copy: starts[blockIdx.x] * 4 is a multiple of 16

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT out[blockIdx.x * 64 + threadIdx.x]

__global__ void from_rows(float *out, float **rows) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = rows[blockIdx.x][threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

struct Span {
  int begin, end;
};
struct Header {
  long long id;
};
struct Job : Header {
  Span spans[2];
  union {
    const float *data;
    size_t number;
  };
};

__global__ void from_jobs(float *out, const Job *jobs) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = jobs[blockIdx.x].data[threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__global__ void by_reference(float *out, const Job *jobs) {
  __shared__ float line[64];
  const Job &job = jobs[blockIdx.x];
#pragma tma load
  line[threadIdx.x] = job.data[job.spans[0].begin + threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__global__ void by_value(float *out, const Job *jobs) {
  __shared__ float line[64];
  Job job = jobs[blockIdx.x];
#pragma tma load
  line[threadIdx.x] = job.data[threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__global__ void from_span(float *out, const float *in, const Job *jobs) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = in[jobs[blockIdx.x].spans[1].begin + threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

// A table by value, as a launch of many small tensors has it.
struct Batch {
  int count;
  const float *rows[4];
};

__global__ void from_batch(float *out, const Batch batch) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = batch.rows[blockIdx.x][threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__constant__ const float *constant_rows[4];
__constant__ Job constant_jobs[4];

__global__ void from_constants(float *out) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = constant_rows[blockIdx.x][threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__global__ void from_constant_jobs(float *out) {
  __shared__ float line[64];
  Job job = constant_jobs[blockIdx.x];
#pragma tma load
  line[threadIdx.x] = job.data[threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

// The table is written between two looks at it: the variables keep what they saw.
__global__ void written(float *out, const float *in, int *starts) {
  __shared__ float line[64];
  int first = starts[blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    starts[blockIdx.x] = first + 60;
  __syncthreads();
  int second = starts[blockIdx.x];
#pragma tma load
  line[threadIdx.x] = second + int(threadIdx.x) < 200 ? in[first + threadIdx.x] : 0.f;
  __syncthreads();
  OUT = line[63 - threadIdx.x] + second;
}

// In each round, for the next one.
__global__ void written_in_rounds(float *out, const float *in, int *starts) {
  __shared__ float line[64];
  int last = starts[blockIdx.x];
  for (int r = 0; r < 3; ++r) {
    int now = starts[blockIdx.x];
#pragma tma load
    line[threadIdx.x] = now + int(threadIdx.x) < 200 ? in[last + threadIdx.x] : 0.f;
    __syncthreads();
    if (threadIdx.x == 0)
      starts[blockIdx.x] = now + 20;
    last = now;
    OUT += line[63 - threadIdx.x];
    __syncthreads();
  }
}

// The pointer, too.
__global__ void moved_rows(float *out, const float **rows) {
  __shared__ float line[64];
  const float *row = rows[blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    rows[blockIdx.x] = row + 64;
  __syncthreads();
  const float *next = rows[blockIdx.x];
#pragma tma load
  line[threadIdx.x] = row[threadIdx.x];
  __syncthreads();
  OUT = line[63 - threadIdx.x] + (next - row);
}

// One page after the other.
__global__ void paged(float *out, const float *in, const int *pages, int n) {
  __shared__ float line[64];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    line[threadIdx.x] = in[pages[k] + threadIdx.x];
    __syncthreads();
    sum += line[63 - threadIdx.x];
    __syncthreads();
  }
  OUT = sum;
}

__global__ void in_turn(float *out, const float *const *rows, int n) {
  __shared__ float line[64];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    line[threadIdx.x] = rows[k % 4][threadIdx.x];
    __syncthreads();
    sum += line[63 - threadIdx.x];
    __syncthreads();
  }
  OUT = sum;
}

// The table ends where the tensor does: no block past it may look there.
__global__ void counted_rows(float *out, const float *const *rows, int n) {
  __shared__ float line[64];
#pragma tma load
  line[threadIdx.x] = blockIdx.x < n ? rows[blockIdx.x][threadIdx.x] : 0.f;
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

__global__ void counted_elements(float *out, const float *in, const int *starts, int n) {
  __shared__ float line[64];
  int x = blockIdx.x * 64 + threadIdx.x;
#pragma tma load
  line[threadIdx.x] = x < n ? in[starts[blockIdx.x] + threadIdx.x] : 0.f;
  __syncthreads();
  OUT = line[63 - threadIdx.x];
}

template <typename T> T *onDevice(const T *from, int n) {
  T *to;
  cudaMalloc(&to, n * sizeof(T));
  cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

int main() {
  float *in = numbers(1024);
  const float *rows[4] = {in, in + 256, in + 66, in + 128};
  Job jobs[4] = {};
  Batch batch = {4, {rows[0], rows[1], rows[2], rows[3]}};
  for (int i = 0; i < 4; ++i) {
    jobs[i].data = rows[i];
    jobs[i].spans[0].begin = 8 * i;
    jobs[i].spans[1].begin = 100 * i;
  }
  cudaMemcpyToSymbol(constant_rows, rows, sizeof(rows));
  cudaMemcpyToSymbol(constant_jobs, jobs, sizeof(jobs));
  from_rows<<<4, 64>>>(numbers(256), (float **)onDevice(rows, 4));
  from_jobs<<<4, 64>>>(numbers(256), onDevice(jobs, 4));
  by_reference<<<4, 64>>>(numbers(256), onDevice(jobs, 4));
  by_value<<<4, 64>>>(numbers(256), onDevice(jobs, 4));
  from_span<<<4, 64>>>(numbers(256), in, onDevice(jobs, 4));
  from_batch<<<4, 64>>>(numbers(256), batch);
  from_constants<<<4, 64>>>(numbers(256));
  from_constant_jobs<<<4, 64>>>(numbers(256));
  written<<<4, 64>>>(numbers(256), in, indices({0, 100, 33, 180}));
  written_in_rounds<<<4, 64>>>(numbers(256), in, indices({0, 100, 33, 180}));
  moved_rows<<<4, 64>>>(numbers(256), onDevice(rows, 4));
  paged<<<4, 64>>>(numbers(256), in, indices({0, 100, 33, 180}), 4);
  in_turn<<<4, 64>>>(numbers(256), onDevice(rows, 4), 7);
  counted_rows<<<64, 64>>>(numbers(4096), onDevice(rows, 4), 4);
  counted_elements<<<64, 64>>>(numbers(4096), in, indices({0, 100, 33, 180}), 200);
  return finish();
}
