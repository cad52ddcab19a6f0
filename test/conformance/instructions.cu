// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions compute, as hashes of their results over awkward operands.
// The output is the same on a GPU and in the emulator: test/conformance has the
// H200's. NaNs count as one value, for their payload is nobody's business.
//
// Only operations with defined results are here; approximations are not.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <type_traits>
#include <vector>

namespace {

constexpr int threads = 128;

unsigned long long hashOf(const std::vector<unsigned long long> &values) {
  unsigned long long hash = 1469598103934665603ull;
  for (unsigned long long value : values)
    hash = (hash ^ value) * 1099511628211ull + (hash >> 29);
  return hash;
}

template <typename T> __device__ unsigned long long bitsOf(T value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
__device__ unsigned long long bitsOf(float value) {
  return isnan(value) ? 0x7fffffffull : __float_as_uint(value);
}
__device__ unsigned long long bitsOf(double value) {
  return isnan(value) ? ~0ull >> 1 : (unsigned long long)__double_as_longlong(value);
}
__device__ unsigned long long bitsOf(__half value) {
  return __hisnan(value) ? 0x7fffull : __half_as_ushort(value);
}
__device__ unsigned long long bitsOf(__nv_bfloat16 value) {
  return __hisnan(value) ? 0x7fffull : __bfloat16_as_ushort(value);
}
__device__ unsigned long long bitsOf(__half2 value) {
  return bitsOf(value.x) | bitsOf(value.y) << 16;
}
__device__ unsigned long long bitsOf(__nv_bfloat162 value) {
  return bitsOf(value.x) | bitsOf(value.y) << 16;
}

/// Bit patterns that are special in some type, then arbitrary ones.
__device__ unsigned long long pattern(unsigned i) {
  constexpr unsigned long long special[] = {0,
                                            1,
                                            2,
                                            0x7f,
                                            0x80,
                                            0xff,
                                            0x7fff,
                                            0x8000,
                                            0xffff,
                                            0x7fffffff,
                                            0x80000000,
                                            0xffffffff,
                                            0x7fffffffffffffff,
                                            0x8000000000000000,
                                            0xffffffffffffffff,
                                            0x3f800000,
                                            0xbf800000,
                                            0x3f000000,
                                            0x7f800000,
                                            0xff800000,
                                            0x7fc00000,
                                            0x00000001,
                                            0x007fffff,
                                            0x00800000,
                                            0x4b000001,
                                            0x4f000000,
                                            0x5f000000,
                                            0x3ff0000000000000,
                                            0xbfe8000000000000,
                                            0x7ff0000000000000,
                                            0x000fffffffffffff,
                                            0x3c003c00,
                                            0x7c00fc00,
                                            0x04000001,
                                            0x3f803f81,
                                            0x477fe000,
                                            0x477ff000,
                                            0x33000000,
                                            0x33800001,
                                            0x43e00000};
  constexpr unsigned count = sizeof special / sizeof *special;
  if (i < count)
    return special[i];
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  // Numbers of ordinary size more often than chance would have it.
  return i % 3 == 0 ? x : i % 3 == 1 ? (x & 0x87ffffff87ffffff) | 0x3800000038000000 : x & 0xffff;
}

template <typename T> __device__ T operand(unsigned i) {
  unsigned long long bits = pattern(i);
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Operation>
__global__ void apply(unsigned long long *out, unsigned rounds, Operation operation) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned r = 0; r < rounds; ++r)
    out[id * rounds + r] = operation(id, r);
}

template <typename Operation> void show(const char *name, Operation operation) {
  const unsigned blocks = 2, rounds = 48;
  std::vector<unsigned long long> host(size_t(blocks) * threads * rounds);
  unsigned long long *device;
  cudaMalloc(&device, host.size() * 8);
  apply<<<blocks, threads>>>(device, rounds, operation);
  cudaMemcpy(host.data(), device, host.size() * 8, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    std::printf("%-28s %s\n", name, cudaGetErrorString(error));
  else
    std::printf("%-28s %016llx\n", name, hashOf(host));
}

#define UNARY(name, type, expression)                                                              \
  show(name, [] __device__(unsigned i, unsigned r) {                                               \
    type a = operand<type>(i * 48 + r);                                                            \
    return bitsOf(expression);                                                                     \
  })
#define BINARY(name, type, expression)                                                             \
  show(name, [] __device__(unsigned i, unsigned r) {                                               \
    type a = operand<type>(i), b = operand<type>((i * 7 + r * 13) % 512);                          \
    return bitsOf(expression);                                                                     \
  })
#define TERNARY(name, type, expression)                                                            \
  show(name, [] __device__(unsigned i, unsigned r) {                                               \
    type a = operand<type>(i), b = operand<type>((i * 7 + r * 13) % 512),                          \
         c = operand<type>((i * 3 + r * 5) % 400);                                                 \
    return bitsOf(expression);                                                                     \
  })

void integers() {
  BINARY("add s32", unsigned, a + b);
  BINARY("mul s64", unsigned long long, a *b);
  BINARY("mulhi s32", int, __mulhi(a, b));
  BINARY("mulhi u32", unsigned, __umulhi(a, b));
  BINARY("mulhi s64", long long, __mul64hi(a, b));
  BINARY("mulhi u64", unsigned long long, __umul64hi(a, b));
  BINARY("mul24", int, __mul24(a, b));
  BINARY("div s32", int, b == 0 || (b == -1 && a == INT_MIN) ? 0 : a / b);
  BINARY("rem s32", int, b == 0 || (b == -1 && a == INT_MIN) ? 0 : a % b);
  BINARY("div u32", unsigned, b == 0 ? 0 : a / b);
  BINARY("div s64", long long, b == 0 || b == -1 ? 0 : a / b);
  BINARY("rem u64", unsigned long long, b == 0 ? 0 : a % b);
  BINARY("div s16", short, b == 0 || b == -1 ? short(0) : short(a / b));
  BINARY("min s32", int, min(a, b));
  BINARY("max u64", unsigned long long, max(a, b));
  BINARY("shl", unsigned, a << (b & 31));
  BINARY("shr s64", long long, a >> (b & 63));
  TERNARY("funnel l", unsigned, __funnelshift_l(a, b, c));
  TERNARY("funnel lc", unsigned, __funnelshift_lc(a, b, c));
  TERNARY("funnel r", unsigned, __funnelshift_r(a, b, c));
  TERNARY("funnel rc", unsigned, __funnelshift_rc(a, b, c));
  TERNARY("byte_perm", unsigned, __byte_perm(a, b, c));
  UNARY("popc", unsigned, __popc(a));
  UNARY("popcll", unsigned long long, __popcll(a));
  UNARY("clz", int, __clz(a));
  UNARY("clzll", long long, __clzll(a));
  UNARY("ffs", int, __ffs(a));
  UNARY("brev", unsigned, __brev(a));
  UNARY("brevll", unsigned long long, __brevll(a));
  UNARY("abs s64", long long, llabs(a));
  TERNARY("sad", int, __sad(a, b, unsigned(c)));
  TERNARY("dp4a s32", int, __dp4a(a, b, c));
  TERNARY("dp4a u32", unsigned, __dp4a(a, b, c));
  TERNARY("dp2a lo", int, __dp2a_lo(a, b, c));
  BINARY("hadd", int, __hadd(a, b));
  BINARY("rhadd", unsigned, __urhadd(a, b));
  BINARY("vadd4", unsigned, __vadd4(a, b));
  BINARY("vmaxs2", unsigned, __vmaxs2(a, b));
  BINARY("vabsdiffu4", unsigned, __vabsdiffu4(a, b));
  BINARY("add sat", int, ([&] {
           int d;
           asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
           return d;
         }()));
  BINARY("sub sat", int, ([&] {
           int d;
           asm("sub.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
           return d;
         }()));
  TERNARY("bfe u32", unsigned, ([&] {
            unsigned d;
            asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b & 63), "r"(c & 63));
            return d;
          }()));
  TERNARY("bfe s32", int, ([&] {
            int d;
            asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b & 63), "r"(c & 63));
            return d;
          }()));
  TERNARY("bfe s64", long long, ([&] {
            long long d;
            asm("bfe.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(int(b) & 127), "r"(int(c) & 127));
            return d;
          }()));
  TERNARY("bfi b32", unsigned, ([&] {
            unsigned d;
            asm("bfi.b32 %0, %1, %2, %3, 7;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 63));
            return d;
          }()));
  TERNARY("lop3", unsigned, ([&] {
            unsigned d;
            asm("lop3.b32 %0, %1, %2, %3, 0x6c;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            return d;
          }()));
  UNARY("bfind s32", int, ([&] {
          unsigned d;
          asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(a));
          return d;
        }()));
  UNARY("bfind u64", unsigned long long, ([&] {
          unsigned d;
          asm("bfind.u64 %0, %1;" : "=r"(d) : "l"(a));
          return d;
        }()));
  BINARY("szext", int, ([&] {
           int d;
           asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b & 63));
           return d;
         }()));
  BINARY("bmsk", unsigned, ([&] {
           unsigned d;
           asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(a & 63), "r"(b & 63));
           return d;
         }()));
  BINARY("carry", unsigned long long, ([&] {
           unsigned lo, hi;
           asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;"
               : "=r"(lo), "=r"(hi)
               : "r"(unsigned(a)), "r"(unsigned(b)), "r"(unsigned(a >> 32)),
                 "r"(unsigned(b >> 32)));
           return (unsigned long long)hi << 32 | lo;
         }()));
  BINARY("borrow", unsigned long long, ([&] {
           unsigned lo, hi;
           asm("sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;"
               : "=r"(lo), "=r"(hi)
               : "r"(unsigned(a)), "r"(unsigned(b)), "r"(unsigned(a >> 32)),
                 "r"(unsigned(b >> 32)));
           return (unsigned long long)hi << 32 | lo;
         }()));
  BINARY("int128", unsigned long long, (unsigned long long)(((unsigned __int128)a * b) >> 37));
}

void floats() {
  BINARY("add f32", float, a + b);
  BINARY("mul f32", float, __fmul_rn(a, b));
  BINARY("div f32", float, __fdiv_rn(a, b));
  TERNARY("fma f32", float, __fmaf_rn(a, b, c));
  UNARY("sqrt f32", float, __fsqrt_rn(a));
  UNARY("rcp f32", float, __frcp_rn(a));
  BINARY("add f32 rz", float, __fadd_rz(a, b));
  BINARY("add f32 ru", float, __fadd_ru(a, b));
  BINARY("mul f32 rd", float, __fmul_rd(a, b));
  BINARY("div f32 rz", float, __fdiv_rz(a, b));
  TERNARY("fma f32 ru", float, __fmaf_ru(a, b, c));
  UNARY("sqrt f32 rd", float, __fsqrt_rd(a));
  BINARY("add f64", double, a + b);
  BINARY("div f64", double, a / b);
  TERNARY("fma f64", double, fma(a, b, c));
  UNARY("sqrt f64", double, sqrt(a));
  BINARY("mul f64 rz", double, __dmul_rz(a, b));
  BINARY("fmin", float, fminf(a, b));
  BINARY("fmax", double, fmax(a, b));
  BINARY("copysign", float, copysignf(a, b));
  UNARY("floor", float, floorf(a));
  UNARY("rint", double, rint(a));
  UNARY("trunc", float, truncf(a));
  UNARY("saturate", float, __saturatef(a));
  BINARY("add ftz", float, ([&] {
           float d;
           asm("add.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
           return d;
         }()));
  BINARY("mul ftz", float, ([&] {
           float d;
           asm("mul.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
           return d;
         }()));
  BINARY("setp", float,
         unsigned((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 |
                  (isnan(a) || isnan(b)) << 4 | !(a > b) << 5));
}

void conversions() {
  UNARY("f32 s32 rz", float, __float2int_rz(a));
  UNARY("f32 s32 rn", float, __float2int_rn(a));
  UNARY("f32 u32 ru", float, __float2uint_ru(a));
  UNARY("f32 s64 rd", float, __float2ll_rd(a));
  UNARY("f32 u64", float, (unsigned long long)a);
  UNARY("f64 s32", double, __double2int_rn(a));
  UNARY("f64 u64", double, __double2ull_rz(a));
  UNARY("f64 f32", double, float(a));
  UNARY("f64 f32 rz", double, __double2float_rz(a));
  UNARY("f64 f32 ru", double, __double2float_ru(a));
  UNARY("f32 f64", float, double(a));
  UNARY("s32 f32", int, float(a));
  UNARY("s32 f32 rz", int, __int2float_rz(a));
  UNARY("u32 f32 ru", unsigned, __uint2float_ru(a));
  UNARY("s64 f32", long long, float(a));
  UNARY("s64 f32 rd", long long, __ll2float_rd(a));
  UNARY("u64 f32 rz", unsigned long long, __ull2float_rz(a));
  UNARY("s64 f64 ru", long long, __ll2double_ru(a));
  UNARY("u64 f64", unsigned long long, double(a));
  UNARY("f32 f16", float, __float2half_rn(a));
  UNARY("f32 f16 rz", float, __float2half_rz(a));
  UNARY("f32 f16 rd", float, __float2half_rd(a));
  UNARY("f32 f16 ru", float, __float2half_ru(a));
  UNARY("f64 f16", double, __double2half(a));
  UNARY("f16 f32", __half, __half2float(a));
  UNARY("f16 s32", __half, __half2int_rz(a));
  UNARY("f16 s32 rn", __half, __half2int_rn(a));
  UNARY("s32 f16", int, __int2half_rn(a));
  UNARY("u32 f16 rz", unsigned, __uint2half_rz(a));
  UNARY("s16 f16", short, __short2half_rn(a));
  UNARY("f32 bf16", float, __float2bfloat16_rn(a));
  UNARY("f32 bf16 rz", float, __float2bfloat16_rz(a));
  UNARY("f64 bf16", double, __double2bfloat16(a));
  UNARY("bf16 f32", __nv_bfloat16, __bfloat162float(a));
  UNARY("bf16 s32", __nv_bfloat16, __bfloat162int_rz(a));
  UNARY("s32 bf16", int, __int2bfloat16_rn(a));
  BINARY("f32 f16x2", float, __floats2half2_rn(a, b));
  BINARY("f32 bf16x2", float, __floats2bfloat162_rn(a, b));
  UNARY("tf32", float, ([&] {
          unsigned d;
          asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
          return isnan(a) ? 0 : d;
        }()));
  BINARY("e4m3", float, ([&] {
           unsigned short d;
           asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
           return isnan(a) || isnan(b) ? (unsigned short)0 : d;
         }()));
  BINARY("e5m2", float, ([&] {
           unsigned short d;
           asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
           return isnan(a) || isnan(b) ? (unsigned short)0 : d;
         }()));
  UNARY("e4m3 f16", unsigned short, ([&] {
          __half2 d;
          asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(reinterpret_cast<unsigned &>(d)) : "h"(a));
          return d;
        }()));
  UNARY("e5m2 f16", unsigned short, ([&] {
          __half2 d;
          asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(reinterpret_cast<unsigned &>(d)) : "h"(a));
          return d;
        }()));
  UNARY("sat u8", int, ([&] {
          unsigned d;
          asm("cvt.sat.u8.s32 %0, %1;" : "=r"(d) : "r"(a));
          return d & 0xff;
        }()));
  UNARY("sat s16", int, ([&] {
          short d;
          asm("cvt.sat.s16.s32 %0, %1;" : "=h"(d) : "r"(a));
          return d;
        }()));
}

void halves() {
  BINARY("hadd", __half, __hadd(a, b));
  BINARY("hsub", __half, __hsub(a, b));
  BINARY("hmul", __half, __hmul(a, b));
  BINARY("hdiv", __half, __hdiv(a, __half(2.f)));
  TERNARY("hfma", __half, __hfma(a, b, c));
  TERNARY("hfma relu", __half, __hfma_relu(a, b, c));
  TERNARY("hfma sat", __half, __hfma_sat(a, b, c));
  BINARY("hmin", __half, __hmin(a, b));
  BINARY("hmax nan", __half, __hmax_nan(a, b));
  UNARY("habs", __half, __habs(a));
  UNARY("hneg", __half, __hneg(a));
  BINARY("hlt", __half, int(__hlt(a, b)) | int(__heq(a, b)) << 1 | int(__hneu(a, b)) << 2);
  BINARY("hadd2", __half2, __hadd2(a, b));
  TERNARY("hfma2", __half2, __hfma2(a, b, c));
  BINARY("hmax2", __half2, __hmax2(a, b));
  BINARY("hge2 mask", __half2, __hge2_mask(a, b));
  BINARY("bf add", __nv_bfloat16, __hadd(a, b));
  BINARY("bf mul", __nv_bfloat16, __hmul(a, b));
  TERNARY("bf fma", __nv_bfloat16, __hfma(a, b, c));
  TERNARY("bf fma2", __nv_bfloat162, __hfma2(a, b, c));
  BINARY("bf min2", __nv_bfloat162, __hmin2(a, b));
}

void warps() {
  show("shfl up", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__shfl_up_sync(~0u, i * 31 + r, r & 31, 1 << (r % 6));
  });
  show("shfl down", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__shfl_down_sync(~0u, i * 31 + r, r & 31, 1 << (r % 6));
  });
  show("shfl xor", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__shfl_xor_sync(~0u, i * 31 + r, r & 31);
  });
  show("shfl idx", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__shfl_sync(~0u, i * 31 + r, (i * r) & 63, 1 << (r % 6));
  });
  show("shfl f64", [] __device__(unsigned i, unsigned r) {
    return bitsOf(__shfl_xor_sync(~0u, double(i) / (r + 1), 5));
  });
  show("ballot", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__ballot_sync(~0u, (i * r + r) % 3 == 0);
  });
  show("all any", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)(__all_sync(~0u, r > 3) | __any_sync(~0u, i % 128 == r) << 1);
  });
  show("match any", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__match_any_sync(~0u, (i * r) % 5);
  });
  show("match all", [] __device__(unsigned i, unsigned r) {
    int p;
    unsigned m = __match_all_sync(~0u, r % 4 ? r : i, &p);
    return (unsigned long long)m << 1 | p;
  });
  show("redux add", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__reduce_add_sync(~0u, i * r);
  });
  show("redux min", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)(unsigned)__reduce_min_sync(~0u, int(i * 77) - int(r) * 99);
  });
  show("redux xor", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__reduce_xor_sync(~0u, i * 2654435761u + r);
  });
  show("half warp", [] __device__(unsigned i, unsigned r) {
    unsigned mask = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
    return (unsigned long long)__shfl_xor_sync(mask, i + r, 3, 16);
  });
  show("lanemask", [] __device__(unsigned, unsigned r) {
    unsigned lt, ge;
    asm volatile("mov.u32 %0, %%lanemask_lt; mov.u32 %1, %%lanemask_ge;" : "=r"(lt), "=r"(ge));
    return (unsigned long long)lt << 32 | ge;
  });
}

void blocks() {
  show("barrier count", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)__syncthreads_count((i * r) % 7 == 0);
  });
  show("barrier and or", [] __device__(unsigned i, unsigned r) {
    return (unsigned long long)(__syncthreads_and(r != 5 || i != 70) | __syncthreads_or(i == r)
                                                                           << 4);
  });
  show("shared atomics", [] __device__(unsigned i, unsigned r) {
    __shared__ unsigned sum, most, mask;
    __shared__ unsigned long long wide;
    if (threadIdx.x == 0)
      sum = most = mask = 0, wide = ~0ull;
    __syncthreads();
    atomicAdd(&sum, i * r);
    atomicMax(&most, i ^ r);
    atomicXor(&mask, i * 2654435761u);
    atomicMin(&wide, (unsigned long long)(i + r) << 20);
    __syncthreads();
    unsigned long long result = sum + most * 3ull + mask * 5ull + wide;
    __syncthreads();
    return result;
  });
  show("atomic inc dec", [] __device__(unsigned, unsigned r) {
    __shared__ unsigned up, down;
    if (threadIdx.x == 0)
      up = down = r;
    __syncthreads();
    atomicInc(&up, 50);
    atomicDec(&down, 60);
    __syncthreads();
    unsigned long long result = up + down * 1000ull;
    __syncthreads();
    return result;
  });
  show("ldmatrix", [] __device__(unsigned i, unsigned r) {
    __shared__ alignas(16) unsigned short tile[4][32 * 8];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    for (int e = 0; e < 8; ++e)
      tile[warp][lane * 8 + e] = (unsigned short)(lane * 8 + e + r * 3);
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(&tile[warp][lane * 8]), d[4];
    if (r % 2)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                   : "r"(address));
    else
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                   : "r"(address));
    return (d[0] + d[1] * 3ull) ^ ((unsigned long long)d[2] << 32) ^ d[3] * 7ull;
  });
  show("mma f16", [] __device__(unsigned i, unsigned r) {
    unsigned a[4], b[2];
    for (int k = 0; k < 4; ++k)
      a[k] = 0x3c003c00u + ((i + k * 5 + r) % 4 << 10);
    for (int k = 0; k < 2; ++k)
      b[k] = 0x3c004000u + ((i * 3 + k) % 3 << 26);
    float d[4], c = float(r);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%10,%10,%10,%10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c));
    return bitsOf(d[0]) + bitsOf(d[1]) * 3 + bitsOf(d[2]) * 5 + bitsOf(d[3]) * 7;
  });
  show("mma s8", [] __device__(unsigned i, unsigned r) {
    unsigned a[4], b[2];
    for (int k = 0; k < 4; ++k)
      a[k] = (i * 4 + k) * 2654435761u + r;
    for (int k = 0; k < 2; ++k)
      b[k] = (i * 2 + k) * 2246822519u;
    int d[4], c = int(i);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%10,%10,%10,%10};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c));
    return (unsigned long long)(unsigned)d[0] + (unsigned)d[1] * 3ull + (unsigned)d[2] * 5ull +
           (unsigned)d[3] * 7ull;
  });
  show("mma tf32", [] __device__(unsigned i, unsigned r) {
    float a[4], b[2], d[4], c = float(r);
    for (int k = 0; k < 4; ++k)
      a[k] = float((i + k * 5 + r) % 9);
    for (int k = 0; k < 2; ++k)
      b[k] = float((i * 3 + k) % 7);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%10,%10,%10,%10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])), "f"(c));
    return bitsOf(d[0]) + bitsOf(d[1]) * 3 + bitsOf(d[2]) * 5 + bitsOf(d[3]) * 7;
  });
}

} // namespace

int main() {
  integers();
  floats();
  conversions();
  halves();
  warps();
  blocks();
  return 0;
}
