// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms with bins of the block's own in shared memory that it adds to those of all at the end:
// one copy of the bins; one for each warp, as in a toolkit's samples; more bins than threads; and
// sums of pixels by label, 64 bits wide.

#include "field.cuh"

#define NUM_BINS 256
#define WARP_COUNT 8

// Consecutive threads take consecutive elements
__global__ void histogram_privatized_kernel(const unsigned char *input, unsigned int *bins,
                                            unsigned int num_elements) {
  __shared__ unsigned int bins_s[NUM_BINS];
  for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
    bins_s[bin] = 0u;
  __syncthreads();

  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < num_elements;
       i += blockDim.x * gridDim.x)
    atomicAdd(&bins_s[input[i]], 1u);
  __syncthreads();

#pragma tma reduce
  for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
    atomicAdd(&bins[bin], bins_s[bin]);
}

// One histogram for each warp; these are added, and the block's sum goes out
__global__ void histogram256Kernel(unsigned int *d_Histogram, const unsigned int *d_Data,
                                   unsigned int dataCount) {
  __shared__ unsigned int s_Hist[WARP_COUNT * NUM_BINS];
  unsigned int *s_WarpHist = s_Hist + (threadIdx.x >> 5) * NUM_BINS;
#pragma unroll
  for (unsigned int i = 0; i < NUM_BINS / 32; i++)
    s_Hist[threadIdx.x + i * WARP_COUNT * 32] = 0;
  __syncthreads();

  for (unsigned int pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount;
       pos += blockDim.x * gridDim.x) {
    const unsigned int data = d_Data[pos];
    atomicAdd(s_WarpHist + (data >> 0 & 0xFFU), 1);
    atomicAdd(s_WarpHist + (data >> 8 & 0xFFU), 1);
    atomicAdd(s_WarpHist + (data >> 16 & 0xFFU), 1);
    atomicAdd(s_WarpHist + (data >> 24 & 0xFFU), 1);
  }
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int i = 0; i < WARP_COUNT; i++)
      sum += s_Hist[bin + i * NUM_BINS];
    s_Hist[bin] = sum;
  }
  __syncthreads();
#pragma tma reduce
  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
    atomicAdd(d_Histogram + bin, s_Hist[bin]);
}

// Any number of bins in dynamic shared memory; empty ones are left out on the way back
__global__ void histogram_smem_atomics(const unsigned int *in, int n, unsigned int *out,
                                       int num_bins) {
  extern __shared__ unsigned int smem[];
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x)
    smem[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&smem[in[i] / 7 % num_bins], 1);
  __syncthreads();
#pragma tma reduce fallback(loop)
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x) {
    if (smem[i] > 0) {
      atomicAdd(&out[i], smem[i]);
    }
  }
}

// All bins go back, and the count of bins is known
template <int BINS>
__global__ void histogram_smem_all(const unsigned int *in, int n, unsigned int *out) {
  extern __shared__ unsigned int hist[];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x)
    hist[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&hist[in[i] / 7 % BINS], 1);
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < BINS; i += blockDim.x)
    atomicAdd(&out[i], hist[i]);
}

// Sums of values and counts by label, as one step of k-means
__global__ void label_sums(const unsigned char *labels, const unsigned int *values, int n,
                           unsigned long long *sums, unsigned int *counts) {
  __shared__ unsigned long long s_sums[NUM_BINS];
  __shared__ unsigned int s_counts[NUM_BINS];
  s_sums[threadIdx.x] = 0;
  s_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&s_sums[labels[i]], (unsigned long long)values[i]);
    atomicAdd(&s_counts[labels[i]], 1u);
  }
  __syncthreads();
#pragma tma reduce
  atomicAdd(&sums[threadIdx.x], s_sums[threadIdx.x]);
#pragma tma reduce
  atomicAdd(&counts[threadIdx.x], s_counts[threadIdx.x]);
}

int main() {
  const int n = field::pick(1 << 26, 3001), blocks = field::pick(132 * 8, 5);
  Buffer in(size_t(n) * 4, 1), bins(8192 * 8, 2), counts(NUM_BINS * 4, 3);
  const auto clear = [&] { CHECK(cudaMemsetAsync(bins.as<char>(), 0, 8192 * 8)); };
  field::measure("histogram-bytes", bins, [&] {
    clear();
    histogram_privatized_kernel<<<blocks, 256>>>(in.as<unsigned char>(), bins.as<unsigned>(),
                                                 n * 4u);
  });
  field::measure("histogram-warps", bins, [&] {
    clear();
    histogram256Kernel<<<blocks, WARP_COUNT * 32>>>(bins.as<unsigned>(), in.as<unsigned>(), n);
  });
  const int num_bins = 4096;
  field::measure("histogram-dynamic", bins, [&] {
    clear();
    histogram_smem_atomics<<<blocks, 512, num_bins * sizeof(unsigned)>>>(
        in.as<unsigned>(), n, bins.as<unsigned>(), num_bins);
  });
  field::measure("histogram-4096", bins, [&] {
    clear();
    histogram_smem_all<num_bins>
        <<<blocks, 512, num_bins * sizeof(unsigned)>>>(in.as<unsigned>(), n, bins.as<unsigned>());
  });
  field::measure("histogram-label-sums", bins, [&] {
    clear();
    CHECK(cudaMemsetAsync(counts.as<char>(), 0, NUM_BINS * 4));
    label_sums<<<blocks, NUM_BINS>>>(in.as<unsigned char>(), in.as<unsigned>(), n,
                                     bins.as<unsigned long long>(), counts.as<unsigned>());
  });
}
