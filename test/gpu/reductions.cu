// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are combined into global memory: every operation and type that TMA has, by
// operators, functions and atomics, on numbers that are hard to add as well.

#include "harness.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Numbers and what is none: subnormal, infinite, of either sign.
__device__ unsigned special(unsigned i) {
  const unsigned bits[] = {0x00000001, 0x807fffff, 0x00800000, 0x7f800000, 0xff800000, 0x7fc00000,
                           0x80000000, 0x00000000, 0x7f7fffff, 0x3f800001, 0xbf800000, 0x4b7fffff,
                           0x00400000, 0x80400000, 0x33ffffff, 0xffffffff};
  return bits[i % 16];
}
template <typename T> __device__ T number(unsigned i) { return T(i * 2654435761u); }
template <> __device__ float number<float>(unsigned i) { return __uint_as_float(special(i)); }
template <> __device__ double number<double>(unsigned i) {
  return i % 7 == 0 ? __hiloint2double(0, int(i)) : double(__uint_as_float(special(i) & 0x7f7fffff));
}
template <> __device__ __half number<__half>(unsigned i) {
  return __ushort_as_half(special(i) >> 16 | (i & 3));
}
template <> __device__ __nv_bfloat16 number<__nv_bfloat16>(unsigned i) {
  return __ushort_as_bfloat16(special(i) >> 16 | (i & 3));
}
template <typename T> __global__ void prepare(T *out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[i] = number<T>(i / 16 + i);
}

struct Add {
  template <typename T> static __device__ T of(T a, T b) { return a + b; }
};
struct Min {
  template <typename T> static __device__ T of(T a, T b) { return min(a, b); }
  static __device__ __half of(__half a, __half b) { return __hmin(a, b); }
  static __device__ __nv_bfloat16 of(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmin(a, b); }
};
struct Max {
  template <typename T> static __device__ T of(T a, T b) { return max(a, b); }
  static __device__ __half of(__half a, __half b) { return __hmax(a, b); }
  static __device__ __nv_bfloat16 of(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmax(a, b); }
};
struct And {
  template <typename T> static __device__ T of(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static __device__ T of(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static __device__ T of(T a, T b) { return b ^ a; }
};

// By what the language has.
template <typename Operation, typename T> __global__ void combine(T *out, int w, int h) {
  __shared__ T tile[8][32];
  for (int r = threadIdx.y; r < 8; r += blockDim.y)
    tile[r][threadIdx.x] = number<T>((r * 32 + threadIdx.x) * 3 + blockIdx.x);
  __syncthreads();
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 8;
#pragma tma reduce
  for (int r = threadIdx.y; r < 8; r += blockDim.y)
    if (x < w && y0 + r < h)
      out[(y0 + r) * w + x] = Operation::of(out[(y0 + r) * w + x], tile[r][threadIdx.x]);
}

// All blocks into one tile.
template <typename T> __global__ void count_up(T *out) {
  __shared__ T part[256];
  part[255 - threadIdx.x] = T(threadIdx.x * blockIdx.x);
  __syncthreads();
#pragma tma reduce
  atomicAdd(&out[threadIdx.x], part[threadIdx.x]);
}

struct AtomicMin {
  template <typename T> static __device__ void of(T *a, T b) { atomicMin(a, b); }
};
struct AtomicMax {
  template <typename T> static __device__ void of(T *a, T b) { atomicMax(a, b); }
};
struct AtomicAnd {
  template <typename T> static __device__ void of(T *a, T b) { atomicAnd(a, b); }
};
struct AtomicOr {
  template <typename T> static __device__ void of(T *a, T b) { atomicOr(a, b); }
};
struct AtomicXor {
  template <typename T> static __device__ void of(T *a, T b) { atomicXor(a, b); }
};
struct AtomicInc {
  template <typename T> static __device__ void of(T *a, T b) { atomicInc(a, b); }
};
struct AtomicDec {
  template <typename T> static __device__ void of(T *a, T b) { atomicDec_block(a, b); }
};
struct AtomicAdd {
  template <typename T> static __device__ void of(T *a, T b) { atomicAdd(a, b); }
};

// Each element once, so that the order of floating-point sums is no question.
template <typename Operation, typename T> __global__ void combine_atomically(T *out, int n) {
  __shared__ T part[128];
  for (int i = threadIdx.x; i < 128; i += 64)
    part[i] = number<T>(i * 5 + blockIdx.x);
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 128; i += 64)
    if (blockIdx.x * 128 + i < n)
      Operation::of(out + blockIdx.x * 128 + i, part[i]);
}

// A histogram of its own for each block, added to that of all.
__global__ void histogram(unsigned *bins, const unsigned *in, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i] >> 4 & 255], 1u);
  __syncthreads();
#pragma tma reduce
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// The block's own, in rounds, and what it finds afterwards.
__global__ void accumulate(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float part[64];
  for (int round = 0; round < rounds; ++round) {
    part[63 - threadIdx.x] = in[(blockIdx.x * rounds + round) * 64 + threadIdx.x];
    __syncthreads();
#pragma tma reduce
    out[blockIdx.x * 64 + threadIdx.x] += part[threadIdx.x];
    __syncthreads();
  }
  out[4096 + blockIdx.x * 64 + threadIdx.x] = out[blockIdx.x * 64 + (threadIdx.x ^ 9)];
}

// Two at a time.
__global__ void pairs(__half2 *out) {
  __shared__ __half2 part[64];
  part[threadIdx.x] = __floats2half2_rn(threadIdx.x * 0.25f, -float(threadIdx.x));
  __syncthreads();
#pragma tma reduce
  out[blockIdx.x * 64 + threadIdx.x] = __hadd2(out[blockIdx.x * 64 + threadIdx.x], part[threadIdx.x]);
}

template <typename T, typename Launch> void test(const std::string &name, Launch launch) {
  Buffer out(1 << 16, 2);
  prepare<<<1, 256>>>(out.as<T>(), 4096);
  launch(out.as<T>());
  CHECK(cudaGetLastError());
  report(name, out);
}

template <typename Operation, typename T> void test_combine(const std::string &name) {
  for (auto [w, h] : {std::pair(64, 13), {41, 9}})
    test<T>(name + " " + std::to_string(w) + "x" + std::to_string(h), [&, w = w, h = h](T *out) {
      combine<Operation, T><<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 4)>>>(out, w, h);
    });
}

template <typename Operation, typename T> void test_atomic(const std::string &name) {
  test<T>(name, [](T *out) { combine_atomically<Operation, T><<<3, 64>>>(out, 300); });
}

int main() {
  test_combine<Add, int>("int +");
  test_combine<Add, unsigned>("unsigned +");
  test_combine<Add, long long>("long long +");
  test_combine<Add, float>("float +");
  test_combine<Add, double>("double +");
  test_combine<Add, __half>("half +");
  test_combine<Add, __nv_bfloat16>("bfloat16 +");
  test_combine<Min, int>("int min");
  test_combine<Max, unsigned long long>("unsigned long long max");
  test_combine<Min, __half>("half min");
  test_combine<Max, __half>("half max");
  test_combine<Max, __nv_bfloat16>("bfloat16 max");
  test_combine<And, unsigned>("unsigned &");
  test_combine<Or, int>("int |");
  test_combine<Xor, unsigned long long>("unsigned long long ^");
  test_atomic<AtomicAdd, float>("float atomicAdd");
  test_atomic<AtomicAdd, double>("double atomicAdd");
  test_atomic<AtomicAdd, unsigned long long>("unsigned long long atomicAdd");
  test_atomic<AtomicMin, int>("int atomicMin");
  test_atomic<AtomicMax, long long>("long long atomicMax");
  test_atomic<AtomicMin, unsigned>("unsigned atomicMin");
  test_atomic<AtomicAnd, int>("int atomicAnd");
  test_atomic<AtomicOr, unsigned long long>("unsigned long long atomicOr");
  test_atomic<AtomicXor, unsigned>("unsigned atomicXor");
  test_atomic<AtomicInc, unsigned>("unsigned atomicInc");
  test_atomic<AtomicDec, unsigned>("unsigned atomicDec_block");
  test<int>("count_up int", [](int *out) { count_up<<<7, 256>>>(out); });
  test<unsigned long long>("count_up unsigned long long",
                           [](unsigned long long *out) { count_up<<<7, 256>>>(out); });
  test<unsigned>("histogram", [](unsigned *out) {
    Buffer in(10000, 5);
    histogram<<<5, 256>>>(out, in.as<unsigned>(), 2500);
  });
  test<unsigned>("accumulate", [](unsigned *) {
    Buffer in(100000, 6), out(100000, 7);
    accumulate<<<5, 64>>>(out.as<float>(), in.as<float>(), 4);
    report("accumulated", out);
  });
  test<__half>("pairs", [](__half *out) { pairs<<<3, 64>>>(reinterpret_cast<__half2 *>(out)); });
}
