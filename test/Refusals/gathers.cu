// RUN: %verify %s
//
// Rows that are looked up and cannot be copied one by one.

// Single elements.
__global__ void elements(float *out, const float *in, const int *indices) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = in[__ldg(indices + threadIdx.x)]; // expected-error {{'part[1]' is read from 'in' + indices[1] * 4 bytes, as 'indices[1]' says: TMA looks up whole rows, of at least 16 bytes, that differ in nothing else, guards included, by entries a constant distance apart [-Wtilelift-gathered-rows]}}
  out[threadIdx.x] = part[threadIdx.x];
}

// Rows that are left out by several numbers.
__global__ void all_but_some(float *out, const float *in, const int *rows) {
  __shared__ float tile[16][64];
  const int row = rows[threadIdx.y];
#pragma tma load threads(64, 16)
  tile[threadIdx.y][threadIdx.x] = row != 3 && row != 7 && row != 11 ? in[row * 64 + threadIdx.x] : 0.f; // expected-error-re {{'tile[1][0]' is read where '{{.*}}': rows that are looked up are left out by bounds, as in 'index >= 0', or by one number, as in 'index != -1', and not by several alternatives [-Wtilelift-gathered-guard]}}
  out[threadIdx.x] = tile[threadIdx.x % 16][threadIdx.y];
}

// Rows of 12 bytes.
__global__ void short_rows(float *out, const float *in, const int *rows) {
  __shared__ float tile[32][3];
#pragma tma load threads(96)
  tile[threadIdx.x / 3][threadIdx.x % 3] = in[rows[threadIdx.x / 3] * 3 + threadIdx.x % 3]; // expected-error {{the stride of 'in' in dimension 1 is 12 bytes, which is no multiple of 16 (stride-16) [-Wtilelift-rule-violated]}}
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}

// The first row is another one's than the table says.
__global__ void two_rules(float *out, const float *in, const int *rows, int w) {
  __shared__ float tile[16][64];
#pragma tma load threads(64, 16)
  tile[threadIdx.y][threadIdx.x] = in[rows[threadIdx.y * threadIdx.y] * w + threadIdx.x]; // expected-error {{'tile[1][0]' is read from 'in' + w * rows[1] * 4 bytes, as 'rows[1]' says: TMA looks up whole rows, of at least 16 bytes, that differ in nothing else, guards included, by entries a constant distance apart [-Wtilelift-gathered-rows]}}
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void stepped(float *out, const int *rows, int w, int step) {
  __shared__ float tile[16][64];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma store threads(64, 16)
  out[rows[threadIdx.y * step] * w + threadIdx.x] = tile[15 - threadIdx.y][threadIdx.x]; // expected-error {{'tile[1][0]' is stored to 'out' + w * rows[step * 14] * 4 bytes, as 'rows[step * 14]' says: TMA looks up whole rows, of at least 16 bytes, that differ in nothing else, guards included, by entries a constant distance apart [-Wtilelift-gathered-rows]}}
}

// Boxes of 64 bytes, whose address is kept, and which four cannot share.
__global__ void close(float4 *out, const float *in, const int *__restrict__ rows, int w) {
  __shared__ float tile[14][16]; // expected-error {{rows of 'tile' that are looked up are 64 bytes apart, and TMA starts each of them on a multiple of 128 bytes: make them as long [-Wtilelift-row-start]}}
#pragma tma load threads(16, 14)
  tile[threadIdx.y][threadIdx.x] = threadIdx.x < w ? in[rows[threadIdx.y] * w + threadIdx.x] : 0.f;
  out[threadIdx.x] = reinterpret_cast<float4 *>(tile)[threadIdx.x];
}

// Of four rows that are stored, one may be none, and then the others are on their own.
__global__ void holes(float *out, const float *in, const int *rows) {
  __shared__ float tile[4][16]; // expected-error {{rows of 'tile' that are looked up are 64 bytes apart, and TMA starts each of them on a multiple of 128 bytes: make them as long [-Wtilelift-row-start]}}
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#pragma tma store threads(16, 4) swizzle(64)
  if (rows[threadIdx.y] >= 0)
    out[rows[threadIdx.y] * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// The indices are what the statement writes, too.
__global__ void own_indices(float *out, const float *in, int w) {
  __shared__ int rows[16][64];
#pragma tma load threads(64, 16)
  rows[threadIdx.y][threadIdx.x] = reinterpret_cast<const int *>(in)[rows[threadIdx.y][0] * w + threadIdx.x]; // expected-error {{an index is not followed: it is read from 'rows', to which the statement writes [-Wtilelift-unknown-index]}}
  out[threadIdx.x] = rows[threadIdx.y][threadIdx.x];
}

// The rows are looked up by those threads that copy them, and the other ones may be early.
__global__ void table_is_written(float *out, const float *in, int *index, int n) {
  __shared__ float rows[8][32];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(128)
    for (int i = threadIdx.x; i < 256; i += blockDim.x) // expected-error {{which the kernel may change before the copy looks it up [-Wtilelift-expression-not-available]}}
      rows[i / 32][i % 32] = in[index[k * 8 + i / 32] * 32 + i % 32];
    __syncthreads();
    sum += rows[threadIdx.x % 8][threadIdx.x % 32];
    if (threadIdx.x < 8)
      index[(k + 1) * 8 + threadIdx.x] = index[k * 8 + threadIdx.x] + 3;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
