// RUN: %verify %s
//
// What may stand at the ends of a gather and of a scatter, as docs/parity.md has it: R1.13 to R1.21.

// R1.16, R1.17: both ends are arrays, of the memory that the direction says.
__global__ void from_shared(float *out) {
  __shared__ float here[8][64], there[8][64];
#pragma tma load threads(64, 8)
  there[threadIdx.y][threadIdx.x] = here[threadIdx.y][threadIdx.x]; // expected-error {{'there[0][0]' is not a copy: the value is read from shared memory [-Wtilelift-computed-value]}}
  out[threadIdx.x] = there[threadIdx.y][threadIdx.x];
}
__global__ void to_global(float *out, const float *in, const int *rows) {
#pragma tma load threads(64, 8)
  out[threadIdx.y * 64 + threadIdx.x] = in[rows[threadIdx.y] * 64 + threadIdx.x]; // expected-error {{this statement writes to 'out', besides copying to shared memory [-Wtilelift-side-effect]}}
}

// R1.19: elements are not converted on the way.
__global__ void converted(float *out, const int *in, const int *rows) {
  __shared__ float tile[8][64];
#pragma tma load threads(64, 8)
  tile[threadIdx.y][threadIdx.x] = in[rows[threadIdx.y] * 64 + threadIdx.x]; // expected-error {{'tile[0][0]' is not a copy: the value is converted from 'int' to 'float' [-Wtilelift-computed-value]}}
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// R1.14: rows are multiples of 16 bytes, and so are strides.
__global__ void short_columns(float *out, const float *in, const int *rows) {
  __shared__ float tile[8][6];
#pragma tma store threads(6, 8)
  out[rows[threadIdx.y] * 64 + threadIdx.x] = tile[threadIdx.y][threadIdx.x]; // expected-error {{rows of 'tile' have 24 bytes: TMA stores whole 16 bytes, and would overwrite what is next to them [-Wtilelift-store-not-whole]}}
}
__global__ void odd_stride(float *out, const float *in, const int *rows, int w) {
  __shared__ float tile[8][64];
#pragma tma load threads(64, 8)
  tile[threadIdx.y][threadIdx.x] = threadIdx.x < w ? in[rows[threadIdx.y] * 65 + threadIdx.x] : 0.f; // expected-error {{the stride of 'in' in dimension 1 is 260 bytes, which is no multiple of 16 (stride-16) [-Wtilelift-rule-violated]}}
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// R1.21: what is next in the tile is next in the tensor.
__global__ void transposed(float *out, const float *in, const int *rows, int w) {
  __shared__ float tile[8][64];
#pragma tma load threads(64, 8)
  tile[threadIdx.y][threadIdx.x] = in[rows[threadIdx.y] + threadIdx.x * w]; // expected-error {{[-Wtilelift-gathered-rows]}}
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// R1.13: a swizzle is what the tile is laid out with, or it is refused.
__device__ void take(float (*)[32]);
__global__ void kept(float *out, const float *in, const int *rows) {
  __shared__ float tile[8][32];
#pragma tma load threads(32, 8) swizzle(128)
  tile[threadIdx.y][threadIdx.x] = in[rows[threadIdx.y] * 32 + threadIdx.x];
  take(tile); // expected-error {{'tile' has to be laid out with swizzled rows of 128 bytes instead of plain ones, but it is passed to 'take' [-Wtilelift-layout-escapes]}}
}
