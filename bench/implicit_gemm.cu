// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution of images of halves as an implicit matrix product on the tensor cores, with
// wgmma: a block has 128 pixels of the output and 128 filters, and goes through the filter's
// elements and their channels by 64. Channels are innermost everywhere, and multiples of 8. The
// plain kernel asks for each element which pixel it belongs to, as such a product is written
// down; what is vectorised by hand asks once for a row, and loads 16 bytes, by registers or by
// cp.async, rounds ahead.

#include "bench.cuh"
#include "by_hand.cuh"
#include "tensor_cores.cuh"

constexpr int BM = 128, BN = 128, BK = 64, THREADS = 256, STAGES = 3;
/// So many blocks share a multiprocessor: one stores while the other multiplies.
constexpr int BLOCKS = 2;

/// N images of H x W x C, K filters of R x S x C, and N outputs of P x Q x K.
struct Convolution {
  int N, H, W, C, K, R, S, P, Q, pad, stride, dilation;
};

/// Four lanes have pairs of four groups of columns each; afterwards each lane has a group.
__device__ inline void exchange(unsigned (&v)[4]) {
  bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    unsigned got = __shfl_xor_sync(~0u, odd ? v[i] : v[i + 1], 1);
    (odd ? v[i] : v[i + 1]) = got;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    unsigned got = __shfl_xor_sync(~0u, high ? v[i] : v[i + 2], 2);
    (high ? v[i] : v[i + 2]) = got;
  }
}

/// Whole sectors: as wgmma leaves them, pairs would go out, and take a quarter longer.
__device__ inline void write(half *out, const float (&d)[64], int pixels, int filters) {
  int lane = threadIdx.x % 32, column = blockIdx.y * BN + lane % 4 * 8;
  int row = blockIdx.x * BM + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 64; i += 16)
#pragma unroll
    for (int j = i; j < i + 4; j += 2) {
      unsigned v[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        *reinterpret_cast<half2 *>(&v[k]) = __floats2half2_rn(d[j + k * 4], d[j + k * 4 + 1]);
      exchange(v);
      int m = row + (j - i) * 4, k = column + i * 2;
      if (m < pixels && k < filters)
        *reinterpret_cast<uint4 *>(&out[size_t(m) * filters + k]) =
            make_uint4(v[0], v[1], v[2], v[3]);
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS)
    convolve(half *__restrict__ out, const half *__restrict__ in, const half *__restrict__ filters,
             Convolution conv) {
  __shared__ __align__(1024) half as[BM][BK], bs[BN][BK];
  int m0 = blockIdx.x * BM, k0 = blockIdx.y * BN;
  float d[64] = {};
  for (int r = 0; r < conv.R; ++r)
    for (int s = 0; s < conv.S; ++s) {
#pragma tma pipeline stages(STAGES) warp(producer)
      for (int c = 0; c < conv.C; c += BK) {
#pragma tma load
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
          int row = i / BK, channel = i % BK, m = m0 + row;
          int n = m / (conv.P * conv.Q), p = m / conv.Q % conv.P, q = m % conv.Q;
          int y = p * conv.stride - conv.pad + r * conv.dilation;
          int x = q * conv.stride - conv.pad + s * conv.dilation;
          bool inside =
              n < conv.N && y >= 0 && y < conv.H && x >= 0 && x < conv.W && c + channel < conv.C;
          as[row][(channel / 8 ^ row % 8) * 8 + channel % 8] =
              inside ? in[((n * conv.H + y) * conv.W + x) * conv.C + c + channel] : half(0);
        }
#pragma tma load
        for (int i = threadIdx.x; i < BN * BK; i += THREADS) {
          int row = i / BK, channel = i % BK;
          bs[row][(channel / 8 ^ row % 8) * 8 + channel % 8] =
              k0 + row < conv.K && c + channel < conv.C
                  ? filters[(((k0 + row) * conv.R + r) * conv.S + s) * conv.C + c + channel]
                  : half(0);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        multiply(d, as, bs);
        __syncthreads();
      }
    }
  write(out, d, conv.N * conv.P * conv.Q, conv.K);
}

/// The rows of the tiles of which a thread fills 16 bytes: where pixels meet the filter's first
/// element, and where filters begin.
constexpr int APART = THREADS / 8;
struct Rows {
  int y[BM / APART], x[BM / APART], pixel[BM / APART], filter[BN / APART];
};

__device__ inline void locate(Rows &rows, const Convolution &conv) {
  int row = threadIdx.x / 8, channel = threadIdx.x % 8 * 8;
#pragma unroll
  for (int i = 0; i < BM / APART; ++i) {
    int m = blockIdx.x * BM + row + i * APART;
    int n = m / (conv.P * conv.Q), p = m / conv.Q % conv.P, q = m % conv.Q;
    int y = p * conv.stride - conv.pad, x = q * conv.stride - conv.pad;
    // Behind the last image: no filter is so high that it gets back from there.
    rows.y[i] = n < conv.N ? y : -(1 << 30);
    rows.x[i] = x;
    rows.pixel[i] = ((n * conv.H + y) * conv.W + x) * conv.C + channel;
  }
#pragma unroll
  for (int i = 0; i < BN / APART; ++i) {
    int k = blockIdx.y * BN + row + i * APART;
    rows.filter[i] = k < conv.K ? k * conv.R * conv.S * conv.C + channel : -1;
  }
}

/// Calls fetch(place in a tile, where from or null) for all that a thread brings in a round.
template <typename Fetch>
__device__ inline void fill(half (&as)[BM][BK], half (&bs)[BN][BK], const half *in,
                            const half *filters, const Rows &rows, const Convolution &conv, int r,
                            int s, int c, Fetch fetch) {
  int first = threadIdx.x / 8, part = (threadIdx.x % 8 ^ first % 8) * 8;
  int y = r * conv.dilation, x = s * conv.dilation, offset = (y * conv.W + x) * conv.C + c;
  bool exists = c + threadIdx.x % 8 * 8 < conv.C;
#pragma unroll
  for (int i = 0; i < BM / APART; ++i) {
    bool inside = unsigned(rows.y[i] + y) < unsigned(conv.H) &&
                  unsigned(rows.x[i] + x) < unsigned(conv.W) && exists;
    fetch(&as[first + i * APART][part], inside ? in + rows.pixel[i] + offset : nullptr);
  }
#pragma unroll
  for (int i = 0; i < BN / APART; ++i)
    fetch(&bs[first + i * APART][part],
          rows.filter[i] >= 0 && exists ? filters + rows.filter[i] + (r * conv.S + s) * conv.C + c
                                        : nullptr);
}

__global__ void __launch_bounds__(THREADS, BLOCKS)
    convolve_vectorised(half *__restrict__ out, const half *__restrict__ in,
                        const half *__restrict__ filters, Convolution conv) {
  __shared__ __align__(1024) half as[BM][BK], bs[BN][BK];
  Rows rows;
  locate(rows, conv);
  float d[64] = {};
  for (int r = 0; r < conv.R; ++r)
    for (int s = 0; s < conv.S; ++s)
      for (int c = 0; c < conv.C; c += BK) {
        auto copy = [](half *to, const half *from) {
          *reinterpret_cast<uint4 *>(to) =
              from ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
        };
        fill(as, bs, in, filters, rows, conv, r, s, c, copy);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        multiply(d, as, bs);
        __syncthreads();
      }
  write(out, d, conv.N * conv.P * conv.Q, conv.K);
}

struct Tiles {
  half as[STAGES][BM][BK], bs[STAGES][BN][BK];
};

/// The filter's element and the channels of a round, for rounds that are begun ahead.
struct Round {
  int r = 0, s = 0, c = 0;
  __device__ void advance(const Convolution &conv) {
    if ((c += BK) < conv.C)
      return;
    c = 0;
    if (++s == conv.S)
      s = 0, ++r;
  }
};

__global__ void __launch_bounds__(THREADS, BLOCKS)
    convolve_cp_async(half *__restrict__ out, const half *__restrict__ in,
                      const half *__restrict__ filters, Convolution conv) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(memory);
  Rows rows;
  locate(rows, conv);
  Round next;
  auto begin = [&](int stage) {
    auto copy = [&](half *to, const half *from) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                       unsigned(__cvta_generic_to_shared(to))),
                   "l"(from ? from : in), "r"(from ? 16 : 0)
                   : "memory");
    };
    if (next.r < conv.R)
      fill(tiles.as[stage], tiles.bs[stage], in, filters, rows, conv, next.r, next.s, next.c, copy);
    asm volatile("cp.async.commit_group;" ::: "memory");
    next.advance(conv);
  };
  for (int stage = 0; stage < STAGES - 1; ++stage)
    begin(stage);
  float d[64] = {};
  int rounds = conv.R * conv.S * ((conv.C + BK - 1) / BK);
  for (int round = 0; round < rounds; ++round) {
    asm volatile("cp.async.wait_group %0;\nfence.proxy.async.shared::cta;" ::"n"(STAGES - 2)
                 : "memory");
    __syncthreads();
    begin((round + STAGES - 1) % STAGES);
    multiply(d, tiles.as[round % STAGES], tiles.bs[round % STAGES]);
  }
  write(out, d, conv.N * conv.P * conv.Q, conv.K);
}

/// Pixels of the output from there on, each with the channels that a filter's element meets.
__device__ inline void load_pixels(void *tile, const CUtensorMap &map, int c, int x, int y, int n,
                                   int s, int r, uint64_t &barrier) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
                   unsigned(__cvta_generic_to_shared(tile))),
               "l"(&map), "r"(c), "r"(x), "r"(y), "r"(n),
               "r"(unsigned(__cvta_generic_to_shared(&barrier))), "h"(short(s)), "h"(short(r))
               : "memory");
}

__global__ void __launch_bounds__(THREADS + 32, BLOCKS)
    convolve_by_hand(half *__restrict__ out, const __grid_constant__ CUtensorMap in,
                     const __grid_constant__ CUtensorMap filters, Convolution conv) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(memory);
  __shared__ uint64_t full[STAGES], empty[STAGES];
  int rounds = conv.R * conv.S * ((conv.C + BK - 1) / BK);
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; ++i) {
      by_hand::init(full[i]);
      by_hand::init(empty[i], THREADS / 32);
    }
  __syncthreads();
  if (threadIdx.x >= THREADS) {
    int m = blockIdx.x * BM, n = m / (conv.P * conv.Q);
    int y = m / conv.Q % conv.P * conv.stride - conv.pad, x = m % conv.Q * conv.stride - conv.pad;
    Round at;
    for (int round = 0; threadIdx.x == THREADS && round < rounds; ++round) {
      int stage = round % STAGES;
      by_hand::wait(empty[stage], round / STAGES % 2 ^ 1);
      by_hand::expect(full[stage], sizeof(tiles.as[0]) + sizeof(tiles.bs[0]));
      load_pixels(&tiles.as[stage], in, at.c, x, y, n, at.s * conv.dilation, at.r * conv.dilation,
                  full[stage]);
      by_hand::load(&tiles.bs[stage], filters, {at.c, at.r * conv.S + at.s, int(blockIdx.y) * BN},
                    full[stage]);
      at.advance(conv);
    }
    return;
  }
  float d[64] = {};
  for (int round = 0; round < rounds; ++round) {
    by_hand::wait(full[round % STAGES], round / STAGES % 2);
    multiply(d, tiles.as[round % STAGES], tiles.bs[round % STAGES]);
    by_hand::release(empty[round % STAGES]);
  }
  write(out, d, conv.N * conv.P * conv.Q, conv.K);
}

/// Boxes of 128 pixels, from row to row and image to image of the output: the corners say
/// which pixels of the input the filter's first element meets.
CUtensorMap map_of_pixels(const half *in, const Convolution &conv) {
  static void *encode = nullptr;
  cudaDriverEntryPointQueryResult status;
  if (!encode)
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &encode, 12000,
                                           cudaEnableDefault, &status));
  cuuint64_t row = cuuint64_t(conv.W) * conv.C * sizeof(half);
  cuuint64_t sizes[] = {cuuint64_t(conv.C), cuuint64_t(conv.W), cuuint64_t(conv.H),
                        cuuint64_t(conv.N)};
  cuuint64_t strides[] = {conv.C * sizeof(half), row, row * conv.H};
  cuuint32_t steps[] = {1, cuuint32_t(conv.stride), cuuint32_t(conv.stride), 1};
  int lower[] = {-conv.pad, -conv.pad};
  int upper[] = {(conv.Q - 1) * conv.stride - conv.pad - conv.W + 1,
                 (conv.P - 1) * conv.stride - conv.pad - conv.H + 1};
  CUtensorMap map;
  CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, const_cast<half *>(in), sizes, strides, lower,
      upper, BK, BM, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    std::exit(std::printf("error: encode %d\n", int(result)));
  return map;
}

/// The variants, of a convolution whose memory is there.
void compare(const Convolution &conv, const half *in, const half *filters, const Buffer &result) {
  half *out = result.as<half>();
  dim3 blocks((conv.N * conv.P * conv.Q + BM - 1) / BM, (conv.K + BN - 1) / BN);
  kernel("implicit-gemm", result, [&] { convolve<<<blocks, THREADS>>>(out, in, filters, conv); });
  other("implicit-gemm", "vectorised", result,
        [&] { convolve_vectorised<<<blocks, THREADS>>>(out, in, filters, conv); });
  for (auto *each : {reinterpret_cast<const void *>(convolve_cp_async),
                     reinterpret_cast<const void *>(convolve_by_hand)})
    CHECK(cudaFuncSetAttribute(each, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Tiles)));
  other("implicit-gemm", "cp-async", result,
        [&] { convolve_cp_async<<<blocks, THREADS, sizeof(Tiles)>>>(out, in, filters, conv); });
  other("implicit-gemm", "by-hand", result, [&] {
    CUtensorMap pixels = map_of_pixels(in, conv);
    CUtensorMap weights = by_hand::map_of(filters, {conv.C, conv.R * conv.S, conv.K}, {BK, 1, BN},
                                          CU_TENSOR_MAP_SWIZZLE_128B);
    convolve_by_hand<<<blocks, THREADS + 32, sizeof(Tiles)>>>(out, pixels, weights, conv);
  });
}

int main() {
  Convolution conv{32, 56, 56, 128, 128, 3, 3, 56, 56, 1, 1, 1};
  size_t inputs = size_t(conv.N) * conv.H * conv.W * conv.C, outputs = inputs / conv.C * conv.K;
  size_t weights = size_t(conv.K) * conv.R * conv.S * conv.C;
  Buffer in(inputs * 2, 1), filters(weights * 2, 2), out(outputs * 2, 3);
  for (auto [buffer, count] : {std::pair(&in, inputs), {&filters, weights}}) {
    std::vector<half> numbers(count);
    for (size_t i = 0; i < count; ++i)
      numbers[i] = __float2half(float(i * 2654435761u >> 13 & 2047) / 1024.f - 1.f);
    CHECK(cudaMemcpy(buffer->as<half>(), numbers.data(), count * 2, cudaMemcpyHostToDevice));
  }
  work("implicit-gemm", 2. * double(inputs + weights + outputs),
       2. * double(outputs) * conv.R * conv.S * conv.C);
  compare(conv, in.as<half>(), filters.as<half>(), out);
}
