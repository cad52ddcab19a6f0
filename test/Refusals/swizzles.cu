// RUN: %verify %s
//
// Tiles whose rows cannot be swizzled.

__device__ float sum(const float *row) { return row[0] + row[1]; }

// No rows, and elements that a swizzle would take apart.
struct Wide {
  float values[8];
};
__global__ void shapes(float *out, const float *in, const Wide *wide, int w) {
  __shared__ float line[256];
  __shared__ Wide parts[8][4]; // expected-error {{'parts' has to be laid out with swizzled rows of 128 bytes instead of plain ones, but it is accessed 32 bytes at a time, and a swizzle keeps only 16 together [-Wtilelift-layout-escapes]}}
#pragma tma load swizzle(128)
  line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; // expected-error {{'line' is copied without a box, byte after byte, so it has no rows to swizzle [-Wtilelift-no-rows]}}
#pragma tma load swizzle(128)
  if (threadIdx.x < 32)
    parts[threadIdx.x / 4][threadIdx.x % 4] = wide[(threadIdx.x / 4) * w + threadIdx.x % 4];
  __syncthreads();
  out[threadIdx.x] = line[255 - threadIdx.x] + parts[threadIdx.x % 8][threadIdx.x % 4].values[3];
}

// Parts of rows that are cut have all of their bytes: those of a store, and where nobody says what is
// behind the rows. A padded row is used up to where it is cut.
__global__ void longer(float *__restrict__ out, const float *__restrict__ in, const int *rows, int w) {
  __shared__ float stored[8][72], loaded[8][72];
  __shared__ float padded[8][65]; // expected-error {{'padded' has to be laid out with swizzled rows of 256 bytes instead of plain ones, but the rest of its rows may be used [-Wtilelift-layout-escapes]}}
  for (int i = threadIdx.x; i < 576; i += 256)
    stored[i / 72][i % 72] = i;
  __syncthreads();
#pragma tma store swizzle(128)
  for (int i = threadIdx.x; i < 576; i += 256) // expected-error {{a row of the box of 'stored' has 288 bytes, the swizzle has room for 128 (swizzle-span) [-Wtilelift-rule-violated]}}
    out[i / 72 * w + i % 72] = stored[i / 72][i % 72];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 576; i += 256) // expected-error {{a row of the box of 'loaded' has 288 bytes, the swizzle has room for 128 (swizzle-span) [-Wtilelift-rule-violated]}}
    loaded[i / 72][i % 72] = in[i / 72 * w + rows[blockIdx.x] * 4 + i % 72];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 512; i += 256)
    padded[i / 64][i % 64] = in[i / 64 * w + i % 64];
  __syncthreads();
  out[threadIdx.x] = loaded[threadIdx.x % 8][threadIdx.x % 72] + padded[threadIdx.x % 8][64];
}

// What is copied to cannot be moved along rows that are cut.
__global__ void below(float *out, const float *in, int w) {
  __shared__ float tile[5][32]; // expected-error {{'tile' has to be laid out with swizzled rows of 128 bytes instead of plain ones, but its rows are cut, and the copy's would start within a part of 128 bytes [-Wtilelift-layout-escapes]}}
#pragma tma load swizzle(64)
  for (int i = threadIdx.x; i < 128; i += 64)
    tile[1 + i / 32][i % 32] = in[i / 32 * w + i % 32];
  __syncthreads();
  out[threadIdx.x] = tile[1 + threadIdx.x / 16][threadIdx.x % 16];
}

// Somebody takes the rows as they are; two copies of one tile want to have it both ways.
__global__ void used(float *out, const float *in, int w) {
  __shared__ float tile[32][32], both[32][32];
#pragma tma load swizzle(128)
  for (int r = threadIdx.y; r < 32; r += 8)
    tile[r][threadIdx.x] = in[r * w + threadIdx.x];
#pragma tma load swizzle(128)
  for (int r = threadIdx.y; r < 32; r += 8)
    both[r][threadIdx.x] = in[r * w + threadIdx.x + 32];
  __syncthreads();
  float own = sum(tile[threadIdx.x]); // expected-error {{'tile' has to be laid out with swizzled rows of 128 bytes instead of plain ones, but it is passed to 'sum' [-Wtilelift-layout-escapes]}}
  __syncthreads();
#pragma tma store swizzle(none)
  for (int r = threadIdx.y; r < 32; r += 8) // expected-error {{'both' takes part in several copies that need different layouts}}
    out[r * w + threadIdx.x] = both[r][threadIdx.x];
  out[w * 32 + threadIdx.x] = own;
}

// A row is read on from an address in it.
__global__ void from_within(float *out, const float *in, int w) {
  __shared__ float tile[32][32];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 1024; i += 64)
    tile[i / 32][i % 32] = in[i / 32 * w + i % 32];
  __syncthreads();
  out[threadIdx.x] = (&tile[3][0])[threadIdx.x]; // expected-error {{'tile' has to be laid out with swizzled rows of 128 bytes instead of plain ones, but the address of an element is subscripted [-Wtilelift-layout-escapes]}}
}

void launch(float *out, const float *in, const Wide *wide, const int *rows) {
  shapes<<<1, 256>>>(out, in, wide, 64);
  longer<<<1, 256>>>(out, in, rows, 96);
  below<<<1, 64>>>(out, in, 64);
  used<<<1, dim3(32, 8)>>>(out, in, 64);
  from_within<<<1, 64>>>(out, in, 64);
}
