// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -Wno-exit-in-flight %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 44
//
// Programs copy by cp.async and wait for groups of copies later. The lifted copies are waited for there, too: all of a
// group, and not of groups that the program leaves on their way.
#include "Inputs/arrays.h"

#include <cuda/pipeline>
#include <cuda_pipeline.h>

#define COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
#define WAIT_ALL asm volatile("cp.async.wait_all;\n" ::)
#define CLOSE_AND_WAIT() \
  do { \
    COMMIT(); \
    WAIT(0); \
  } while (0)

template <int Bytes = 4> __device__ inline void copy(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from),
               "n"(Bytes)
               : "memory");
}
__device__ inline void close() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int Left> __device__ inline void wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(Left) : "memory"); }

constexpr int rounds = 6;

// A ring of the program's own.
template <int Stages> __global__ void in_stages(float *out, const float *in) {
  __shared__ alignas(128) float tile[Stages][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto load = [&](int stage, int round) {
#pragma tma load fallback(loop)
    copy(&tile[stage][t], &in[at + round * T + t]);
  };
  for (int s = 0; s < Stages - 1; ++s) {
    load(s, s);
    close();
  }
  for (int r = 0; r < rounds; ++r) {
    wait<Stages - 2>();
    __syncthreads();
    int next = r + Stages - 1;
    if (next < rounds)
      load(next % Stages, next);
    close();
    sum = 2 * sum + tile[r % Stages][T - 1 - t];
  }
  out[at + t] = sum;
}

// The same without a lambda, by the names of CUDA's header.
__global__ void by_header(float *out, const float *in) {
  __shared__ alignas(128) float tile[4][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int s = 0; s < 3; ++s) {
#pragma tma load fallback(loop)
    __pipeline_memcpy_async(&tile[s][t], &in[at + t], 4);
    __pipeline_commit();
  }
  for (int r = 0; r < rounds; ++r) {
    __pipeline_wait_prior(2);
    __syncthreads();
    if (r + 3 < rounds) {
#pragma tma load fallback(loop)
      __pipeline_memcpy_async(&tile[(r + 3) % 4][t], &in[at + t], 4);
    }
    __pipeline_commit();
    sum = 2 * sum + tile[r % 4][T - 1 - t];
  }
  out[at + t] = sum;
}

// More copies are begun than the barriers are for.
__global__ void many_begun(float *out, const float *in) {
  __shared__ alignas(128) float tile[24][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int s = 0; s < 24; ++s) {
#pragma tma load fallback(loop)
    copy(&tile[s][t], &in[at + s * T + t]);
  }
  close();
  wait<0>();
  __syncthreads();
  for (int s = 0; s < 24; ++s)
    sum = 2 * sum + tile[s][T - 1 - t];
  out[at + t] = sum;
}

// By macros, several in one statement.
__global__ void by_macros(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  copy(&a[t], &in[at + t]);
  COMMIT();
#pragma tma load fallback(loop)
  copy(&b[t], &in[at + 3 * T + t]);
  COMMIT();
  WAIT(1);
  __syncthreads();
  float sum = a[T - 1 - t];
  CLOSE_AND_WAIT();
  __syncthreads();
  out[at + t] = sum + 2 * b[T - 1 - t];
}

// What is in no group yet is waited for by wait_all alone.
__global__ void without_a_group(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  copy(&a[t], &in[at + t]);
  close();
#pragma tma load fallback(loop)
  copy(&b[t], &in[at + 3 * T + t]);
  wait<0>();
  __syncthreads();
  float sum = a[T - 1 - t];
  WAIT_ALL;
  __syncthreads();
  out[at + t] = sum + 2 * b[T - 1 - t];
}

// A copy that is not lifted is of the same group.
__global__ void beside_another(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  copy(&b[t], &in[at + 3 * T + t]);
#pragma tma load fallback(loop)
  copy(&a[t], &in[at + t]);
  close();
  wait<0>();
  __syncthreads();
  out[at + t] = a[T - 1 - t] + 2 * b[T - 1 - t];
}

// A thread may read its own elements without a barrier, and write to them before the next round.
__global__ void own_elements(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&a[t], &in[at + r * T + t]);
    close();
    wait<0>();
    sum = 2 * sum + a[t];
    a[t] = 0;
  }
  out[at + t] = sum;
}

// Only some threads wait; the others meet them.
__global__ void some_wait(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < T) {
#pragma tma load fallback(loop)
    copy(&a[t], &in[at + t]);
    close();
  }
  if (t % 2 == 0)
    wait<0>();
  if (t % 2 == 1)
    wait<0>();
  __syncthreads();
  out[at + t] = a[T - 1 - t];
}

// Nobody waits for the last copy.
__global__ void left_on_its_way(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma load fallback(loop)
  copy(&tile[0][t], &in[at + t]);
  close();
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[(r + 1) % 2][t], &in[at + (r + 1) * T + t]);
    close();
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// The wait is in a branch that the whole block takes, or none of it.
__global__ void in_a_branch(float *out, const float *in, int late) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  copy(&a[t], &in[at + t]);
  close();
  if (late) {
#pragma tma load fallback(loop)
    copy(&b[t], &in[at + 3 * T + t]);
    close();
    wait<1>();
  } else {
    wait<0>();
  }
  __syncthreads();
  float sum = a[T - 1 - t];
  if (late) {
    wait<0>();
    __syncthreads();
    sum += 2 * b[T - 1 - t];
  }
  out[at + t] = sum;
}

// The commit is a part of the statement.
__global__ void closed_inside(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    copy(&a[t], &in[at + t]);
    close();
  }
  wait<0>();
  __syncthreads();
  out[at + t] = a[T - 1 - t];
}

// A function copies and closes the group; another one waits.
__device__ void load_and_close(float *tile, const float *in, int t) {
#pragma tma load fallback(loop)
  copy(&tile[t], &in[t]);
  close();
}
template <int Left> __device__ void wait_and_meet() {
  wait<Left>();
  __syncthreads();
}
__global__ void by_functions(float *out, const float *in) {
  __shared__ alignas(128) float tile[3][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  load_and_close(tile[0], in + at, t);
  load_and_close(tile[1], in + at, t);
  for (int r = 0; r < rounds; ++r) {
    wait_and_meet<1>();
    load_and_close(tile[(r + 2) % 3], in + at, t);
    sum = 2 * sum + tile[r % 3][T - 1 - t];
  }
  out[at + t] = sum;
}

// The library's pipeline of one thread.
__global__ void by_pipeline(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  pipe.producer_acquire();
#pragma tma load fallback(loop)
  cuda::memcpy_async(&tile[0][t], &in[at + t], sizeof(float), pipe);
  pipe.producer_commit();
  for (int r = 0; r < rounds; ++r) {
    pipe.producer_acquire();
#pragma tma load fallback(loop)
    cuda::memcpy_async(&tile[(r + 1) % 2][t], &in[at + (r + 1) * T + t], sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[at + t] = sum;
}

// Elements that are left out become zero, by the thread itself.
__global__ void zero_by_the_thread(float *out, const float *in, int n) {
  __shared__ alignas(128) float a[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  if (at + t < n)
    copy(&a[t], &in[at + t]);
  else
    a[t] = 0;
  close();
  float early = at + t < n ? 0 : a[t] + 1;
  wait<0>();
  __syncthreads();
  out[at + t] = a[T - 1 - t] + early;
}

// A statement closes several groups, or one of several ways does.
__device__ void close_twice() {
  close();
  close();
}
#define CLOSE_TWICE() \
  COMMIT(); \
  COMMIT()
struct ClosedAtEnd {
  __device__ ~ClosedAtEnd() { close(); }
};
struct WaitedAtEnd {
  __device__ ~WaitedAtEnd() { wait<0>(); }
};
__device__ void close_some(int count) {
  for (int i = 0; i < count; ++i)
    close();
}
__device__ void close_unless(bool skips) {
  if (skips)
    return;
  close();
}
__global__ void twice_in_a_function(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    close_twice();
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void twice_by_a_macro(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    CLOSE_TWICE();
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void twice_in_assembly(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    asm volatile("cp.async.commit_group;\n cp.async.commit_group;" ::: "memory");
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void in_a_loop(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    for (int i = 0; i < 3; ++i)
      COMMIT();
    wait<2>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void in_a_loop_with_braces(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    for (int i = 0; i < 3; ++i) {
      COMMIT();
    }
    wait<2>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void in_a_loop_of_a_function(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    close_some(2);
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void behind_labels(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    switch (r % 2) {
    case 0: COMMIT(); break;
    default: COMMIT();
    }
    wait<0>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void waits_behind_labels(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    COMMIT();
    switch (r % 2) {
    case 0: WAIT(0); break;
    default: WAIT(0);
    }
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void by_destructors(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    {
      ClosedAtEnd a, b;
    }
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void behind_a_return(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    close_unless(r % 2 == 0);
    close_unless(r % 2 == 1);
    wait<0>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void in_a_lambda(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    auto twice = [] {
      COMMIT();
      COMMIT();
    };
    twice();
    wait<1>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void by_a_choice(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    r % 2 ? close() : close_twice();
    wait<0>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void in_a_sequence(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load fallback(loop)
    copy(&tile[r % 2][t], &in[at + r * T + t]);
    COMMIT();
    close(), close_twice();
    wait<3>();
    __syncthreads();
    sum = 2 * sum + tile[r % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// A destructor behind the copy closes the group, or waits.
__global__ void closed_at_end(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r <= rounds; ++r) {
    {
      ClosedAtEnd closed;
      if (r < rounds) {
#pragma tma load fallback(loop)
        copy(&tile[r % 2][t], &in[at + r * T + t]);
      }
    }
    wait<1>();
    __syncthreads();
    if (r > 0)
      sum = 2 * sum + tile[(r - 1) % 2][T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void waited_at_end(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  {
    WaitedAtEnd waited;
#pragma tma load fallback(loop)
    copy(&tile[t], &in[at + t]);
    close();
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__device__ void load_in_scope(float *tile, const float *in, int t) {
  ClosedAtEnd closed;
#pragma tma load fallback(loop)
  copy(&tile[t], &in[t]);
}
__global__ void closed_in_function(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r <= rounds; ++r) {
    load_in_scope(tile[r % 2], in + at + r * T, t);
    wait<1>();
    __syncthreads();
    if (r > 0)
      sum = 2 * sum + tile[(r - 1) % 2][T - 1 - t];
    __syncthreads();
  }
  wait<0>();
  out[at + t] = sum;
}

// A statement closes a group in some instances of a template only, or in some calls.
struct Closing {
  __device__ static void finish() { close(); }
};
struct Silent {
  __device__ static void finish() {}
};
template <typename Policy> __device__ void load_and_finish(float *tile, const float *in, int t) {
#pragma tma load fallback(loop)
  copy(&tile[t], &in[t]);
  Policy::finish();
}
__global__ void by_policies_of_calls(float *out, const float *in) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  load_and_finish<Closing>(a, in + at, t);
  load_and_finish<Silent>(b, in + at + 3 * T, t);
  close();
  wait<1>();
  __syncthreads();
  float sum = a[T - 1 - t];
  wait<0>();
  __syncthreads();
  out[at + t] = sum + 2 * b[T - 1 - t];
}
template <typename Last> __global__ void by_last_policy(float *out, const float *in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int r = 0; r <= rounds; ++r) {
    if (r < rounds) {
#pragma tma load fallback(loop)
      copy(&tile[r % 2][t], &in[at + r * T + t]);
    }
    close();
    Last::finish();
    wait<1>();
    __syncthreads();
    if (r > 0)
      sum = 2 * sum + tile[(r - 1) % 2][T - 1 - t];
    __syncthreads();
  }
  wait<0>();
  out[at + t] = sum;
}

static const Case cases[] = {
    {"in_stages_2", [](const Arrays &a) { in_stages<2><<<2, T>>>(a.out, a.in); }},
    {"in_stages_3", [](const Arrays &a) { in_stages<3><<<2, T>>>(a.out, a.in); }},
    {"in_stages_4", [](const Arrays &a) { in_stages<4><<<2, T>>>(a.out, a.in); }},
    {"by_header", [](const Arrays &a) { by_header<<<2, T>>>(a.out, a.in); }},
    {"many_begun", [](const Arrays &a) { many_begun<<<2, T>>>(a.out, a.in); }},
    {"by_macros", [](const Arrays &a) { by_macros<<<2, T>>>(a.out, a.in); }},
    {"without_a_group", [](const Arrays &a) { without_a_group<<<2, T>>>(a.out, a.in); }},
    {"beside_another", [](const Arrays &a) { beside_another<<<2, T>>>(a.out, a.in); }},
    {"own_elements", [](const Arrays &a) { own_elements<<<2, T>>>(a.out, a.in); }},
    {"some_wait", [](const Arrays &a) { some_wait<<<2, T>>>(a.out, a.in); }},
    {"left_on_its_way", [](const Arrays &a) { left_on_its_way<<<2, T>>>(a.out, a.in); }},
    {"in_a_branch", [](const Arrays &a) { in_a_branch<<<2, T>>>(a.out, a.in, 0); }},
    {"in_a_branch_late", [](const Arrays &a) { in_a_branch<<<2, T>>>(a.out, a.in, 1); }},
    {"closed_inside", [](const Arrays &a) { closed_inside<<<2, T>>>(a.out, a.in); }},
    {"by_functions", [](const Arrays &a) { by_functions<<<2, T>>>(a.out, a.in); }},
    {"by_pipeline", [](const Arrays &a) { by_pipeline<<<2, T>>>(a.out, a.in); }},
    {"zero_by_the_thread", [](const Arrays &a) { zero_by_the_thread<<<2, T>>>(a.out, a.in, 2 * T - 5); }},
    {"twice_in_a_function", [](const Arrays &a) { twice_in_a_function<<<2, T>>>(a.out, a.in); }},
    {"twice_by_a_macro", [](const Arrays &a) { twice_by_a_macro<<<2, T>>>(a.out, a.in); }},
    {"twice_in_assembly", [](const Arrays &a) { twice_in_assembly<<<2, T>>>(a.out, a.in); }},
    {"in_a_loop", [](const Arrays &a) { in_a_loop<<<2, T>>>(a.out, a.in); }},
    {"in_a_loop_with_braces", [](const Arrays &a) { in_a_loop_with_braces<<<2, T>>>(a.out, a.in); }},
    {"in_a_loop_of_a_function", [](const Arrays &a) { in_a_loop_of_a_function<<<2, T>>>(a.out, a.in); }},
    {"behind_labels", [](const Arrays &a) { behind_labels<<<2, T>>>(a.out, a.in); }},
    {"waits_behind_labels", [](const Arrays &a) { waits_behind_labels<<<2, T>>>(a.out, a.in); }},
    {"by_destructors", [](const Arrays &a) { by_destructors<<<2, T>>>(a.out, a.in); }},
    {"behind_a_return", [](const Arrays &a) { behind_a_return<<<2, T>>>(a.out, a.in); }},
    {"in_a_lambda", [](const Arrays &a) { in_a_lambda<<<2, T>>>(a.out, a.in); }},
    {"by_a_choice", [](const Arrays &a) { by_a_choice<<<2, T>>>(a.out, a.in); }},
    {"in_a_sequence", [](const Arrays &a) { in_a_sequence<<<2, T>>>(a.out, a.in); }},
    {"closed_at_end", [](const Arrays &a) { closed_at_end<<<2, T>>>(a.out, a.in); }},
    {"waited_at_end", [](const Arrays &a) { waited_at_end<<<2, T>>>(a.out, a.in); }},
    {"closed_in_function", [](const Arrays &a) { closed_in_function<<<2, T>>>(a.out, a.in); }},
    {"by_last_policy_closing", [](const Arrays &a) { by_last_policy<Closing><<<2, T>>>(a.out, a.in); }},
    {"by_last_policy_silent", [](const Arrays &a) { by_last_policy<Silent><<<2, T>>>(a.out, a.in); }},
    {"by_policies_of_calls", [](const Arrays &a) { by_policies_of_calls<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
