// RUN: %verify %s
//
// Kernels that ask what their cluster is, and tiles that its blocks would share.

__device__ unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); }

// A launch without clusters has a barrier for each block by itself, and would have one for two blocks.
__global__ void own_barrier(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{'tile' cannot come to several blocks at once: the kernel asks for its cluster, which would be another one where a launch gives it none: '__cluster_dims__' on the kernel says which it is [-Wtilelift-no-multicast]}}
  __syncthreads();
  if (b == 0)
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  out[b * 128 + t] = tile[127 - t];
}

// Its number there, and how many blocks it has.
__global__ void own_rank(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  unsigned rank = rank_in_cluster();
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{the kernel asks for its cluster}}
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[127 - t] + rank;
}

__global__ void own_size(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  unsigned blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{the kernel asks for its cluster}}
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[127 - t] + blocks;
}

// One block waits ahead of the copy for what the other one says behind it.
__global__ void __cluster_dims__(2, 1, 1) parted(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int b = blockIdx.x, t = threadIdx.x;
  if (b == 0)
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); // expected-note {{they meet here}}
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{'tile' cannot come to several blocks at once: some of these blocks may wait at the cluster's barrier while others fill it [-Wtilelift-no-multicast]}}
  __syncthreads();
  if (b == 1)
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  out[b * 128 + t] = tile[127 - t];
}

__global__ void __cluster_dims__(2, 1, 1) parted_by_rank(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  unsigned rank = rank_in_cluster();
  if (rank == 0)
    meet(); // expected-note {{they meet here}}
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{some of these blocks may wait at the cluster's barrier while others fill it [-Wtilelift-no-multicast]}}
  __syncthreads();
  if (rank == 1)
    meet();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}

__global__ void __cluster_dims__(2, 1, 1) parted_by_assembly(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  unsigned block;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  if (block == 0)
    meet(); // expected-note {{they meet here}}
#pragma tma load multicast(x) threads(128)
  tile[t] = in[t]; // expected-error {{some of these blocks may wait at the cluster's barrier while others fill it [-Wtilelift-no-multicast]}}
  __syncthreads();
  if (block == 1)
    meet();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}

// All blocks meet, as often and in the same order.
__global__ void __cluster_dims__(2, 1, 1) alike(float *__restrict__ out, const float *__restrict__ in, int n) { // expected-warning {{'alike' is launched nowhere}}
  __shared__ float tile[128];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma tma load multicast(x) threads(128)
    tile[t] = in[k * 128 + t];
    meet();
    out[(blockIdx.x * n + k) * 128 + t] = tile[127 - t] + rank_in_cluster();
    meet();
  }
}
