// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitonic sort in shared memory: a block sorts arrays of 1024 keys with their values, two of each
// for a thread. The sort of a long array starts with the second kernel, every other block of which
// sorts the other way round, and merges in shared memory at the end of each round with the third.

#include "field.cuh"

#define SHARED_SIZE_LIMIT 1024U
typedef unsigned int uint;

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir) {
  uint t;
  if ((keyA > keyB) == dir) {
    t = keyA;
    keyA = keyB;
    keyB = t;
    t = valA;
    valA = valB;
    valB = t;
  }
}

__global__ void bitonicSortShared(uint *d_DstKey, uint *d_DstVal, uint *d_SrcKey, uint *d_SrcVal,
                                  uint arrayLength, uint dir) {
  __shared__ uint s_key[SHARED_SIZE_LIMIT];
  __shared__ uint s_val[SHARED_SIZE_LIMIT];

  // Offset to the beginning of subbatch and load data
  d_SrcKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
  d_SrcVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
  d_DstKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
  d_DstVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
#pragma tma load fallback(loop)
  {
    s_key[threadIdx.x + 0] = d_SrcKey[0];
    s_val[threadIdx.x + 0] = d_SrcVal[0];
    s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcKey[(SHARED_SIZE_LIMIT / 2)];
    s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcVal[(SHARED_SIZE_LIMIT / 2)];
  }

  for (uint size = 2; size < arrayLength; size <<= 1) {
    uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
    }
  }
  // ddd == dir for the last bitonic merge step
  for (uint stride = arrayLength / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], dir);
  }
  __syncthreads();

#pragma tma store fallback(loop)
  {
    d_DstKey[0] = s_key[threadIdx.x + 0];
    d_DstVal[0] = s_val[threadIdx.x + 0];
    d_DstKey[(SHARED_SIZE_LIMIT / 2)] = s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
    d_DstVal[(SHARED_SIZE_LIMIT / 2)] = s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
  }
}

// Keys alone: even blocks sort up and odd ones down, so that pairs of them are bitonic.
__global__ void bitonicSortShared1(uint *d_Dst, const uint *d_Src) {
  __shared__ uint s_data[SHARED_SIZE_LIMIT];
  const uint base = blockIdx.x * SHARED_SIZE_LIMIT;

#pragma tma load
  for (uint i = threadIdx.x; i < SHARED_SIZE_LIMIT; i += blockDim.x)
    s_data[i] = d_Src[base + i];
  __syncthreads();

  for (uint k = 2; k <= SHARED_SIZE_LIMIT; k <<= 1) {
    for (uint j = k >> 1; j > 0; j >>= 1) {
      for (uint i = threadIdx.x; i < SHARED_SIZE_LIMIT; i += blockDim.x) {
        uint ixj = i ^ j;
        if (ixj > i) {
          bool ascending = (((base + i) & k) == 0);
          uint a = s_data[i], b = s_data[ixj];
          if ((a > b) == ascending) {
            s_data[i] = b;
            s_data[ixj] = a;
          }
        }
      }
      __syncthreads();
    }
  }
#pragma tma store
  for (uint i = threadIdx.x; i < SHARED_SIZE_LIMIT; i += blockDim.x)
    d_Dst[base + i] = s_data[i];
}

// Merges 1024 keys that are bitonic, up or down as `size` says.
__global__ void bitonicMergeShared(uint *d_Dst, const uint *d_Src, uint size) {
  extern __shared__ uint keys[];
  d_Src += blockIdx.x * SHARED_SIZE_LIMIT;
  d_Dst += blockIdx.x * SHARED_SIZE_LIMIT;
#pragma tma load
  {
    keys[threadIdx.x] = d_Src[threadIdx.x];
    keys[threadIdx.x + blockDim.x] = d_Src[threadIdx.x + blockDim.x];
  }
  const bool up = ((blockIdx.x * SHARED_SIZE_LIMIT) & size) == 0;
  for (uint stride = SHARED_SIZE_LIMIT / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    uint a = keys[pos], b = keys[pos + stride];
    if ((a > b) == up) {
      keys[pos] = b;
      keys[pos + stride] = a;
    }
  }
  __syncthreads();
#pragma tma store
  {
    d_Dst[threadIdx.x] = keys[threadIdx.x];
    d_Dst[threadIdx.x + blockDim.x] = keys[threadIdx.x + blockDim.x];
  }
}

int main() {
  const uint arrayLength = SHARED_SIZE_LIMIT, N = field::pick(1 << 24, 4096);
  Buffer srcKey(N * 4ul, 1), srcVal(N * 4ul, 2), dstKey(N * 4ul, 3), dstVal(N * 4ul, 4);
  const uint blockCount = N / SHARED_SIZE_LIMIT, threadCount = SHARED_SIZE_LIMIT / 2;
  field::measure("bitonic-pairs", dstVal, [&] {
    bitonicSortShared<<<blockCount, threadCount>>>(
        dstKey.as<uint>(), dstVal.as<uint>(), srcKey.as<uint>(), srcVal.as<uint>(), arrayLength, 1);
  });
  field::measure("bitonic-blocks", dstKey, [&] {
    bitonicSortShared1<<<blockCount, 256>>>(dstKey.as<uint>(), srcKey.as<uint>());
  });
  field::measure("bitonic-merge", dstVal, [&] {
    bitonicMergeShared<<<blockCount, threadCount, SHARED_SIZE_LIMIT * sizeof(uint)>>>(
        dstVal.as<uint>(), dstKey.as<uint>(), 2 * SHARED_SIZE_LIMIT);
  });
}
