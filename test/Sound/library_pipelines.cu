// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -Wno-exit-in-flight %s
// RUN: %tilelift --remarks %s -o %t.cu 2>&1 | grep -c Wtilelift-lifted | grep -x 29
// RUN: %FileCheck %s < %t.cu
//
// The library's pipeline is a queue of groups of copies. The lifted kernel waits for its oldest group where the program
// does, if all groups are the pipeline's, and it counts from the kernel's beginning. Otherwise it waits for all groups.
#include "Inputs/arrays.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using cuda::thread_scope_block;

constexpr int rounds = 7;

template <int Stages> struct shared_state {
  alignas(16) char bytes[sizeof(cuda::pipeline_shared_state<thread_scope_block, Stages>)];
  __device__ auto *get() { return reinterpret_cast<cuda::pipeline_shared_state<thread_scope_block, Stages> *>(bytes); }
};

// As many copies are on their way as there are stages.
// CHECK-LABEL: {{^[^/]*}}__global__ void by_thread_tma(
// CHECK:      tilelift::copy_groups<8, 4> tma_groups(
// CHECK:      tma_groups.close();
// CHECK-NEXT: pipe.producer_commit();
// CHECK:      tma_groups.take_oldest();
// CHECK-NEXT: pipe.consumer_wait();
// CHECK:      {{^ *}}pipe.consumer_release();
template <int Stages> __global__ void by_thread(float *out, const float *in) {
  __shared__ alignas(128) float tile[Stages][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int r = 0, ahead = 0; r < rounds; ++r) {
    for (; ahead < rounds && ahead < r + Stages; ++ahead) {
      pipe.producer_acquire();
#pragma tma load
      cuda::memcpy_async(&tile[ahead % Stages][t], &in[at + ahead * T + t], sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum = 2 * sum + tile[r % Stages][T - 1 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[at + t] = sum;
}

// The pipeline is the block's, and the threads wait for each other at its mbarriers.
// CHECK-LABEL: {{^[^/]*}}__global__ void by_block_tma(
// CHECK:      tma_groups.close();
// CHECK-NEXT: pipe.producer_commit();
// CHECK:      tma_groups.wait_oldest();
// CHECK-NEXT: pipe.consumer_wait();
// CHECK:      tma_groups.release_oldest();
// CHECK-NEXT: pipe.consumer_release();
template <int Stages> __global__ void by_block(float *out, const float *in) {
  __shared__ alignas(128) float tile[Stages][T];
  __shared__ shared_state<Stages> state;
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, state.get());
  float sum = 0;
  for (int r = 0, ahead = 0; r < rounds; ++r) {
    for (; ahead < rounds && ahead < r + Stages; ++ahead) {
      pipe.producer_acquire();
#pragma tma load
      cuda::memcpy_async(block, tile[ahead % Stages], in + at + ahead * T, sizeof(float) * T, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = 2 * sum + tile[r % Stages][T - 1 - t];
    pipe.consumer_release();
  }
  out[at + t] = sum;
}

// By numbers of groups that are left, in branches without braces.
// CHECK-LABEL: {{^[^/]*}}__global__ void by_number_tma(
// CHECK:      tma_groups.wait<1>();
// CHECK-NEXT: cuda::pipeline_consumer_wait_prior<1>(pipe);
// CHECK-NEXT: }
// CHECK:      else
// CHECK-NEXT: {
// CHECK-NEXT: tma_groups.wait<0>();
// CHECK-NEXT: cuda::pipeline_consumer_wait_prior<0>(pipe);
// CHECK-NEXT: }
__global__ void by_number(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  pipe.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&tile[0][t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds) {
      pipe.producer_acquire();
#pragma tma load
      cuda::memcpy_async(&tile[(r + 1) % 2][t], &in[at + (r + 1) * T + t], sizeof(float), pipe);
      pipe.producer_commit();
    }
    if (r + 1 < rounds)
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[at + t] = sum;
}

// The second pipeline counts groups that the first one has closed, which the lifted kernel does not know.
// CHECK-LABEL: {{^[^/]*}}__global__ void two_pipelines_tma(
// CHECK-NOT:  {{^ *}}tma_groups.{{take|wait}}_oldest
// CHECK:      tma_groups.wait<0>();
// CHECK-NEXT: first.consumer_wait();
// CHECK:      tma_groups.wait<0>();
// CHECK-NEXT: second.consumer_wait();
__global__ void two_pipelines(float *out, const float *in) {
  __shared__ alignas(128) float a[T], b[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto first = cuda::make_pipeline(), second = cuda::make_pipeline();
  first.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&a[t], &in[at + t], sizeof(float), first);
  first.producer_commit();
  second.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&b[t], &in[at + T + t], sizeof(float), second);
  second.producer_commit();
  first.consumer_wait();
  __syncthreads();
  const float of_first = a[T - 1 - t];
  second.consumer_wait();
  __syncthreads();
  out[at + t] = of_first + b[T - 1 - t];
}

// Made anew in each round: it begins to count while groups of the round before are on their way.
// CHECK-LABEL: {{^[^/]*}}__global__ void made_anew_tma(
// CHECK-NOT:  {{^ *}}tma_groups.{{take|wait}}_oldest
// CHECK:      tma_groups.wait<0>();
// CHECK-NEXT: pipe.consumer_wait();
__global__ void made_anew(float *out, const float *in) {
  __shared__ alignas(128) float a[2 * rounds][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < 2; ++i) {
      pipe.producer_acquire();
#pragma tma load
      cuda::memcpy_async(&a[2 * r + i][t], &in[at + (r + i) * T + t], sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum = 2 * sum + a[2 * r][T - 1 - t];
    if (r + 1 == rounds) {
      pipe.consumer_wait();
      __syncthreads();
      sum += a[2 * r + 1][T - 1 - t];
    }
  }
  out[at + t] = sum;
}

// A group of the program's own.
// CHECK-LABEL: {{^[^/]*}}__global__ void own_group_tma(
// CHECK-NOT:  {{^ *}}tma_groups.{{take|wait}}_oldest
// CHECK:      tma_groups.close();
// CHECK-NEXT: pipe.producer_commit();
// CHECK:      tma_groups.close();
// CHECK-NEXT: __pipeline_commit();
// CHECK-NEXT: tma_groups.wait<0>();
// CHECK-NEXT: pipe.consumer_wait();
__global__ void own_group(float *out, const float *in) {
  __shared__ alignas(128) float a[T], b[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&a[t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
#pragma tma load
  __pipeline_memcpy_async(&b[t], &in[at + T + t], sizeof(float));
  __pipeline_commit();
  pipe.consumer_wait();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[at + t] = a[T - 1 - t] + b[T - 1 - t];
}

// Of which group a function hands back, its text says nothing.
__device__ void drain(cuda::pipeline<cuda::thread_scope_thread> &pipe, int groups) {
  for (int i = 0; i < groups; ++i)
    pipe.consumer_wait();
}
// CHECK-LABEL: {{^[^/]*}}__global__ void by_function_tma(
// CHECK-NOT:  {{^ *}}tma_groups.{{take|wait}}_oldest
// CHECK:      tma_groups.wait<0>();
// CHECK-NEXT: drain(pipe, 2);
__global__ void by_function(float *out, const float *in) {
  __shared__ alignas(128) float a[3][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < 3; ++i) {
    pipe.producer_acquire();
#pragma tma load
    cuda::memcpy_async(&a[i][t], &in[at + i * T + t], sizeof(float), pipe);
    pipe.producer_commit();
  }
  drain(pipe, 2);
  __syncthreads();
  const float before = a[1][T - 1 - t];
  pipe.consumer_wait();
  __syncthreads();
  out[at + t] = before + a[2][T - 1 - t];
}

// The wait may come to nothing in time: nothing is known of it.
// CHECK-LABEL: {{^[^/]*}}__global__ void in_time_tma(
// CHECK-NOT:  {{^ *}}tma_groups
// CHECK:      tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: pipe.producer_commit();
// CHECK-LABEL: {{^.*}} cudaError_t in_time_tma_launch(
__global__ void in_time(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
#pragma tma load
  cuda::memcpy_async(&a[t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  while (!pipe.consumer_wait_for(cuda::std::chrono::nanoseconds(100)))
    ;
  __syncthreads();
  out[at + t] = a[T - 1 - t];
}

// More groups than are told apart: the lifted kernel waits for some more of them.
__global__ void many_groups(float *out, const float *in) {
  __shared__ alignas(128) float a[rounds][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    pipe.producer_acquire();
#pragma tma load
    cuda::memcpy_async(&a[r][t], &in[at + r * T + t], sizeof(float), pipe);
    pipe.producer_commit();
  }
  for (int r = 0; r < rounds; ++r) {
    pipe.consumer_wait();
    __syncthreads();
    sum = 2 * sum + a[r][T - 1 - t];
    pipe.consumer_release();
  }
  out[at + t] = sum;
}

// A stage is handed back without having been waited for, and the next one is awaited.
__global__ void skips_a_stage(float *out, const float *in) {
  __shared__ alignas(128) float tile[3][T];
  __shared__ shared_state<3> state;
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, state.get());
  for (int r = 0; r < 3; ++r) {
    pipe.producer_acquire();
#pragma tma load
    cuda::memcpy_async(block, tile[r], in + at + r * T, sizeof(float) * T, pipe);
    pipe.producer_commit();
  }
  pipe.consumer_release();
  pipe.consumer_wait();
  float sum = tile[1][T - 1 - t];
  pipe.consumer_release();
  pipe.consumer_wait();
  sum = 2 * sum + tile[2][T - 1 - t];
  pipe.consumer_release();
  out[at + t] = sum;
}

// Some threads fill the tiles, and others read them.
__global__ void parted(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ shared_state<1> state;
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, state.get(), t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (t < 32) {
    pipe.producer_acquire();
    for (int i = t; i < T; i += 32)
      cuda::memcpy_async(&tile[i], &in[at + i], sizeof(float), pipe);
    pipe.producer_commit();
  } else {
    pipe.consumer_wait();
    out[at + t] = tile[T - 1 - t];
    pipe.consumer_release();
  }
  __shared__ alignas(128) float own[T];
#pragma tma load
  for (int i = t; i < T; i += T)
    own[i] = in[at + i];
  __syncthreads();
  if (t < 32)
    out[at + t] = own[T - 1 - t];
}

// Each copy of a cooperative group is a group of copies, which the statement closes itself.
// CHECK-LABEL: {{^[^/]*}}__global__ void by_group_tma(
// CHECK:      tma_groups.issue();
// CHECK-NEXT: tma_groups.close();
// CHECK:      tma_groups.issue();
// CHECK-NEXT: tma_groups.close();
// CHECK-NEXT: tma_groups.wait<1>();
// CHECK-NEXT: cg::wait_prior<1>(block);
// CHECK:      tma_groups.wait<0>();
// CHECK-NEXT: cg::wait(block);
__global__ void by_group(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  float sum = 0;
#pragma tma load
  cg::memcpy_async(block, tile[0], in + at, sizeof(float) * T);
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds) {
#pragma tma load
      cg::memcpy_async(block, tile[(r + 1) % 2], in + at + (r + 1) * T, sizeof(float) * T);
      cg::wait_prior<1>(block);
    } else
      cg::wait(block);
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    block.sync();
  }
  out[at + t] = sum;
}

// Two groups, of which the first one is waited for first.
__global__ void two_groups(float *out, const float *in) {
  __shared__ alignas(128) float a[T], b[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
#pragma tma load
  cg::memcpy_async(block, a, in + at, sizeof(float) * T);
#pragma tma load
  cg::memcpy_async(block, b, in + at + T, sizeof(float) * T);
  cg::wait_prior<1>(block);
  const float first = a[T - 1 - t];
  cg::wait(block);
  out[at + t] = first + 2 * b[T - 1 - t];
}

// A group for each row: the number of rows that a wait leaves says nothing of the copy.
// CHECK-LABEL: {{^[^/]*}}__global__ void group_of_rows_tma(
// CHECK-NOT:  {{^ *}}tma_groups
// CHECK-LABEL: {{^.*}} cudaError_t group_of_rows_tma_launch(
__global__ void group_of_rows(float *out, const float *in) {
  __shared__ alignas(128) float tile[4][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
#pragma tma load
  for (int r = 0; r < 4; ++r)
    cg::memcpy_async(block, tile[r], in + at + r * T, sizeof(float) * T);
  cg::wait_prior<2>(block);
  float sum = tile[0][T - 1 - t] + 2 * tile[1][T - 1 - t];
  cg::wait(block);
  out[at + t] = sum + 3 * tile[2][t] + 4 * tile[3][t];
}

// A wait by a number is none of the pipeline's, which does not know of it.
// CHECK-LABEL: {{^[^/]*}}__global__ void other_wait_tma(
// CHECK-NOT:  {{^ *}}tma_groups.{{take|wait}}_oldest
// CHECK:      tma_groups.wait<2>();
// CHECK-NEXT: __pipeline_wait_prior(2);
// CHECK-NEXT: tma_groups.wait<0>();
// CHECK-NEXT: pipe.consumer_wait();
__global__ void other_wait(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
#pragma tma load
  cuda::memcpy_async(&tile[0][t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  __pipeline_wait_prior(2);
  pipe.consumer_wait();
  __syncthreads();
  out[at + t] = tile[0][T - 1 - t];
}

// The pipeline is made anew in its place, and waits for both groups at once.
__global__ void in_its_place(float *out, const float *in) {
  __shared__ alignas(128) float a[T], b[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  using Pipeline = cuda::pipeline<cuda::thread_scope_thread>;
  auto pipe = cuda::make_pipeline();
#pragma tma load
  cuda::memcpy_async(&a[t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.~Pipeline();
  new (&pipe) Pipeline(cuda::make_pipeline());
#pragma tma load
  cuda::memcpy_async(&b[t], &in[at + T + t], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

// A pipeline counts to 255.
__global__ void comes_around(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < n; ++i)
    pipe.producer_commit();
#pragma tma load
  cuda::memcpy_async(&tile[t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The lifted statements close no groups any more, by which the program waits for another copy.
// CHECK-LABEL: {{^[^/]*}}__global__ void beside_another_tma(
// CHECK:      tma_groups.close();
// CHECK-NEXT: tilelift::close_copy_group();
// CHECK-NEXT: __pipeline_memcpy_async(
// CHECK:      tma_groups.close();
// CHECK-NEXT: __pipeline_commit();
// CHECK:      tma_groups.close();
// CHECK-NEXT: tilelift::close_copy_group();
// CHECK-NEXT: tma_groups.wait<2>();
__global__ void beside_another(float *out, const float *in) {
  __shared__ alignas(128) float a[T], b[T], c[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
#pragma tma load
  cg::memcpy_async(block, a, in + at, sizeof(float) * T);
  __pipeline_memcpy_async(&c[t], &in[at + 2 * T + t], 4);
  __pipeline_commit();
#pragma tma load
  cg::memcpy_async(block, b, in + at + T, sizeof(float) * T);
  cg::wait_prior<2>(block);
  float sum = a[T - 1 - t];
  cg::wait_prior<1>(block);
  sum = 3 * sum + c[T - 1 - t];
  cg::wait(block);
  out[at + t] = 5 * sum + b[T - 1 - t];
}

// Nor does a statement that closes several.
// CHECK-LABEL: {{^[^/]*}}__global__ void rows_beside_another_tma(
// CHECK:      tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: tilelift::wait_for_copy_groups();
// CHECK-NEXT: cg::wait_prior<4>(block);
__global__ void rows_beside_another(float *out, const float *in) {
  __shared__ alignas(128) float rows[4][T], c[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  __pipeline_memcpy_async(&c[t], &in[at + 4 * T + t], 4);
  __pipeline_commit();
#pragma tma load
  for (int r = 0; r < 4; ++r)
    cg::memcpy_async(block, rows[r], in + at + r * T, sizeof(float) * T);
  cg::wait_prior<4>(block);
  float sum = c[T - 1 - t];
  cg::wait(block);
  for (int r = 0; r < 4; ++r)
    sum = 3 * sum + rows[r][T - 1 - t];
  out[at + t] = sum;
}

// Its copies would be made ahead, and the groups not closed where the program counts them.
__global__ void no_ring(float *out, const float *in) {
  __shared__ alignas(128) float a[T], c[T];
  const int t = threadIdx.x, at = blockIdx.x * T;
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    __pipeline_memcpy_async(&c[t], &in[at + (r + 1) * T + t], 4);
    __pipeline_commit();
#pragma tma load
    cg::memcpy_async(block, a, in + at + r * T, sizeof(float) * T);
    cg::wait_prior<1>(block);
    sum = 3 * sum + c[T - 1 - t];
    cg::wait(block);
    sum = 2 * sum + a[T - 1 - t];
    block.sync();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"beside_another", [](const Arrays &a) { beside_another<<<4, T>>>(a.out, a.in); }},
    {"rows_beside_another", [](const Arrays &a) { rows_beside_another<<<4, T>>>(a.out, a.in); }},
    {"no_ring", [](const Arrays &a) { no_ring<<<4, T>>>(a.out, a.in); }},
    {"other_wait", [](const Arrays &a) { other_wait<<<4, T>>>(a.out, a.in); }},
    {"in_its_place", [](const Arrays &a) { in_its_place<<<4, T>>>(a.out, a.in); }},
    {"comes_around", [](const Arrays &a) { comes_around<<<4, T>>>(a.out, a.in, 256); }},
    {"by_group", [](const Arrays &a) { by_group<<<4, T>>>(a.out, a.in); }},
    {"two_groups", [](const Arrays &a) { two_groups<<<4, T>>>(a.out, a.in); }},
    {"group_of_rows", [](const Arrays &a) { group_of_rows<<<4, T>>>(a.out, a.in); }},
    {"by_thread_2", [](const Arrays &a) { by_thread<2><<<4, T>>>(a.out, a.in); }},
    {"by_thread_4", [](const Arrays &a) { by_thread<4><<<4, T>>>(a.out, a.in); }},
    {"by_block_2", [](const Arrays &a) { by_block<2><<<4, T>>>(a.out, a.in); }},
    {"by_block_3", [](const Arrays &a) { by_block<3><<<4, T>>>(a.out, a.in); }},
    {"by_number", [](const Arrays &a) { by_number<<<4, T>>>(a.out, a.in); }},
    {"two_pipelines", [](const Arrays &a) { two_pipelines<<<4, T>>>(a.out, a.in); }},
    {"made_anew", [](const Arrays &a) { made_anew<<<4, T>>>(a.out, a.in); }},
    {"own_group", [](const Arrays &a) { own_group<<<4, T>>>(a.out, a.in); }},
    {"by_function", [](const Arrays &a) { by_function<<<4, T>>>(a.out, a.in); }},
    {"in_time", [](const Arrays &a) { in_time<<<4, T>>>(a.out, a.in); }},
    {"many_groups", [](const Arrays &a) { many_groups<<<4, T>>>(a.out, a.in); }},
    {"skips_a_stage", [](const Arrays &a) { skips_a_stage<<<4, T>>>(a.out, a.in); }},
    {"parted", [](const Arrays &a) { parted<<<4, T>>>(a.out, a.in); }},
};

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
