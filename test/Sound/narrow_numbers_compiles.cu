// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %tilelift %s -o %t.cu -- -std=c++20
// RUN: %clang -std=c++20 -I%S --offload-arch=sm_90a -fsyntax-only %t.cu
// RUN: %nvcc -std=c++20 -I%S -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
//
// Pointers to void that are read from memory: from a table of structs, from a copy of such a struct, from a table of
// pointers, and from variables of the device. What is lifted compiles.
#include "Inputs/arrays.h"

#include <initializer_list>

namespace {
struct View {
  const void *data;
  int rows;
};
struct Target {
  void *data;
  int rows;
};

template <typename Type> Type *table_of(std::initializer_list<Type> entries) {
  Type *table;
  cudaMalloc((void **)&table, entries.size() * sizeof(Type));
  cudaMemcpy(table, entries.begin(), entries.size() * sizeof(Type), cudaMemcpyHostToDevice);
  return table;
}

__global__ void data_of_a_table_of_views(float *__restrict__ out, const View *__restrict__ views) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = static_cast<const float *>(views[blockIdx.x].data)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void data_of_a_copied_view(float *__restrict__ out, const View *__restrict__ views) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  View view = views[blockIdx.x];
#pragma tma load fallback(loop)
  tile[t] = static_cast<const float *>(view.data)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void data_of_a_table_of_pointers(float *__restrict__ out, const void *const *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = static_cast<const float *>(table[blockIdx.x])[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__constant__ const void *constant_pointer;
__global__ void data_of_a_constant(float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = static_cast<const float *>(constant_pointer)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__device__ const void *device_pointer;
__global__ void data_of_a_variable_of_the_device(float *__restrict__ out) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = static_cast<const float *>(device_pointer)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void stored_to_a_table_of_targets(const Target *__restrict__ targets) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  tile[t] = 3 * t + blockIdx.x;
  __syncthreads();
#pragma tma store fallback(loop)
  static_cast<float *>(targets[blockIdx.x].data)[256 + t] = tile[t];
}

View *views_of(const Arrays &a) { return table_of<View>({{a.in, 1}, {a.more, 2}, {a.in + 512, 3}, {a.more + 256, 4}}); }
} // namespace

static const Case cases[] = {
    {"data_of_a_table_of_views", [](const Arrays &a) { data_of_a_table_of_views<<<4, T>>>(a.out, views_of(a)); }},
    {"data_of_a_copied_view", [](const Arrays &a) { data_of_a_copied_view<<<4, T>>>(a.out, views_of(a)); }},
    {"data_of_a_table_of_pointers",
     [](const Arrays &a) {
       data_of_a_table_of_pointers<<<2, T>>>(a.out, table_of<const void *>({a.in, a.more + 256}));
     }},
    {"data_of_a_constant",
     [](const Arrays &a) {
       cudaMemcpyToSymbol((const void *)&constant_pointer, &a.in, sizeof a.in);
       data_of_a_constant<<<4, T>>>(a.out);
     }},
    {"data_of_a_variable_of_the_device",
     [](const Arrays &a) {
       cudaMemcpyToSymbol((const void *)&device_pointer, &a.in, sizeof a.in);
       data_of_a_variable_of_the_device<<<4, T>>>(a.out);
     }},
    {"stored_to_a_table_of_targets",
     [](const Arrays &a) {
       stored_to_a_table_of_targets<<<2, T>>>(table_of<Target>({{a.out, 1}, {a.out + 4096, 2}}));
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
