// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --remarks --check %s 2>&1 | %FileCheck %s --check-prefix=REMARK
//
// Which swizzles are chosen, and how they are written down.

constexpr int T = 32;

// Columns of rows that came without padding: four ways to a bank instead of 32.
// REMARK: remark: warps that access 'tile' pass shared memory 4.0 times on average, in the plain kernel 1.0; its rows are swizzled by 128 bytes [-Wtilelift-bank-conflicts]
// CHECK: using tile = tilelift::swizzled_tile<float[32][33], 32, 0, 128, 1028>;
// CHECK: __shared__ transpose_tma_plan::tile tile;
// CHECK: tilelift::load(tile.data(), tile_map, {x0, y0}, tma_barrier);
// CHECK: tile[threadIdx.x][i];
// CHECK: tilelift::swizzle_mode::b128);
__global__ void transpose(float *out, const float *in, int w, int h) {
  __shared__ float tile[T][T + 1];
  int x0 = blockIdx.x * T, y0 = blockIdx.y * T;
#pragma tma load
  for (int i = threadIdx.y; i < T; i += 8)
    tile[i][threadIdx.x] = y0 + i < h && x0 + threadIdx.x < w ? in[(y0 + i) * w + x0 + threadIdx.x] : 0.f;
  __syncthreads();
  for (int i = threadIdx.y; i < T; i += 8)
    out[(x0 + i) * h + y0 + threadIdx.x] = tile[threadIdx.x][i];
}

// Longer rows are cut into parts of the swizzle's length, one box for each.
// REMARK: remark: lifted: tile copy of 40 x 64 f32 (10240 bytes) from 'in' to 'wide' in 2 pieces, rows of 64 elements, starting at 0, cut and swizzled by 128 bytes
// REMARK: remark: warps that access 'wide' pass shared memory 4.0 times on average, in the plain kernel 1.0; its rows are swizzled by 128 bytes
// CHECK: using wide = tilelift::swizzled_tile<float[40][65], 64, 0, 128>;
// CHECK: using wide_box = tilelift::box<float, 32, 40>;
// CHECK: for (int piece_0 = 0; piece_0 < 2; ++piece_0)
// CHECK-NEXT: tilelift::load(tilelift::advance(wide.data(), piece_0 * 5120), wide_map, {64 * int(blockIdx.x) + piece_0 * 32, 0}, tma_barrier);
// CHECK: tilelift::swizzle_mode::b128);
__global__ void long_rows(float *out, const float *in, int w) {
  __shared__ float wide[40][65];
#pragma tma load
  for (int i = threadIdx.y; i < 40; i += 8)
    for (int j = threadIdx.x; j < 64; j += T)
      wide[i][j] = in[i * w + blockIdx.x * 64 + j];
  __syncthreads();
  for (int i = threadIdx.y; i < 64; i += 8)
    out[i * T + threadIdx.x] = wide[threadIdx.x][i];
}

// Along rows there is nothing to mend.
// REMARK-NOT: access 'rows'
// CHECK: tilelift::load(rows, rows_map, {32 * int(blockIdx.x), 8 * int(blockIdx.y)}, tma_barrier);
__global__ void along(float *out, const float *in, int w, int h) {
  __shared__ float rows[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  rows[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.f;
  __syncthreads();
  out[y * w + x] = rows[7 - threadIdx.y][threadIdx.x];
}

// Padding keeps columns apart; without it, in short rows, they meet.
// REMARK: remark: warps that access 'part' pass shared memory {{[0-9.]+}} times on average, in the plain kernel {{[0-9.]+}}; its rows are swizzled by 64 bytes
// CHECK: using part = tilelift::swizzled_tile<short[32][32], 32, 0, 64>;
__global__ void shorts(short *out, const short *in, int w) {
  __shared__ short part[32][32];
#pragma tma load swizzle(64)
  for (int r = threadIdx.y; r < 32; r += 8)
    part[r][threadIdx.x] = in[r * w + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8)
    out[(blockIdx.x * 32 + r) * 32 + threadIdx.x] = part[threadIdx.x][r];
}

// What the program swizzles itself stays as it is, where TMA has the same.
// CHECK: __shared__ __align__(512) unsigned short own[64][32];
// CHECK: // tma load: tile copy of 64 x 32 u16 (4096 bytes) from 'in' to 'own', swizzled by 64 bytes, as it is written
// CHECK: tilelift::load(own, own_map, {32 * int(blockIdx.x), 0}, tma_barrier);
// CHECK: tilelift::swizzle_mode::b64);
__global__ void by_the_program(unsigned short *out, const unsigned short *in, int w) {
  __shared__ unsigned short own[64][32];
#pragma tma load
  for (int i = threadIdx.x; i < 2048; i += 128)
    own[i / 32][(i / 8 % 4 ^ i / 64 % 4) * 8 + i % 8] = in[i / 32 * w + blockIdx.x * 32 + i % 32];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = own[threadIdx.x / 2][threadIdx.x % 2];
}

// As it was asked for.
// REMARK: remark: warps that access 'kept' pass shared memory 32.0 times on average, in the plain kernel 1.0 [-Wtilelift-bank-conflicts]
// CHECK: using kept = tilelift::tile<float[32][33], 32, 0, 1028>;
__global__ void asked(float *out, const float *in, int w) {
  __shared__ float kept[32][33];
#pragma tma load swizzle(none)
  for (int r = threadIdx.y; r < 32; r += 8)
    kept[r][threadIdx.x] = in[r * w + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8)
    out[(blockIdx.x * 32 + r) * 32 + threadIdx.x] = kept[threadIdx.x][r];
}

void launch(float *out, const float *in, short *a, const short *b) {
  transpose<<<dim3(2, 2), dim3(32, 8)>>>(out, in, 64, 64);
  long_rows<<<2, dim3(32, 8)>>>(out, in, 128);
  along<<<dim3(2, 2), dim3(32, 8)>>>(out, in, 64, 16);
  shorts<<<2, dim3(32, 8)>>>(a, b, 64);
  by_the_program<<<2, 128>>>((unsigned short *)a, (const unsigned short *)b, 64);
  asked<<<2, dim3(32, 8)>>>(out, in, 64);
}
