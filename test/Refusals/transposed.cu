// RUN: %verify %s
//
// Tiles that would have to lie transposed, and cannot.

__device__ float first(const float *row) { return row[0]; }

__global__ void both_ways(float *out, const float *in) { // expected-warning {{'both_ways' is launched nowhere in this file}}
  __shared__ float tile[16][32];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i / 32][i % 32] = in[i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 512; i += 128) // expected-error {{this copy moves the columns of 'tile' as rows of the tensor, and another one moves its rows: only one of them can be made by TMA [-Wtilelift-transposed-clash]}}
    out[i] = tile[i % 16][i / 16];
}

__global__ void handed_on(float *out, const float *in, int w) {
  __shared__ float tile[16][32];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    tile[i % 16][i / 16] = in[i / 16 * w + i % 16]; // expected-error {{'tile[0][0]' and 'tile[0][1]' lie side by side in shared memory but w * 4 bytes apart in 'in': TMA keeps the order of the innermost dimension [-Wtilelift-not-contiguous]}}
  __syncthreads();
  out[threadIdx.x] = first(tile[threadIdx.x % 16]); // expected-note {{'tile' is not laid out transposed: it is passed to 'first'}}
}

__global__ void wider_and_otherwise(float *out, const float *in, int w) {
  __shared__ __align__(16) float tile[16][32]; // expected-note {{'tile' is not laid out transposed: it is accessed 16 bytes at a time, and otherwise}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    tile[i % 16][i / 16] = in[i / 16 * w + i % 16]; // expected-error {{[-Wtilelift-not-contiguous]}}
  __syncthreads();
  float two = reinterpret_cast<const float2 *>(&tile[1][threadIdx.x % 16 * 2])->y;
  out[threadIdx.x] = two + reinterpret_cast<const float4 *>(&tile[0][threadIdx.x % 8 * 4])[0].x;
}

__global__ void long_rows(float *out, const float *in, int w) {
  __shared__ float tile[16 * 32]; // expected-note {{'tile' is not laid out transposed: declare it as 'tile[16][32]', and subscript it so}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    tile[i % 16 * 32 + i / 16] = in[i / 16 * w + i % 16]; // expected-error {{[-Wtilelift-not-contiguous]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
