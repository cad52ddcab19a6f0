// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: env -u TILELIFT_LIFT_ALWAYS %tilelift --remarks %s -o %t.cu 2>&1 | %FileCheck %s
// RUN: grep -v "TEXT\|RUN\|CHECK" %t.cu | %FileCheck %s --check-prefix=TEXT
// RUN: env -u TILELIFT_LIFT_ALWAYS %clang-plugin -fplugin-arg-tilelift-dump=%t.plugin --offload-arch=sm_90a -c %s -o %t.o 2>&1 | grep -c "warning: this copy of" | grep -x 8
// RUN: env -u TILELIFT_LIFT_ALWAYS %tilelift --lift-always --remarks %s -o %t.always.cu 2> %t.said
// RUN: grep -c "remark: lifted" %t.said | grep -x 16
// RUN: %FileCheck %s --check-prefix=ALWAYS < %t.said
// RUN: %clang-plugin -fplugin-arg-tilelift-lift-always -fplugin-arg-tilelift-remarks --offload-arch=sm_90a -c %s -o %t.o 2>&1 | grep -c "remark: lifted" | grep -x 16
// RUN: env -u TILELIFT_LIFT_ALWAYS %tilelift -Wno-predicted-loss %s -o %t.quiet.cu 2>&1 | count 0
// RUN: env -u TILELIFT_LIFT_ALWAYS %not 2 %tilelift -Werror=predicted-loss %s -o %t.none.cu 2>&1 | grep -c "error: this copy of" | grep -x 8
// RUN: env -u TILELIFT_LIFT_ALWAYS %run --remarks --lift-always %s 2>&1 | grep -c "remark: lifted" | grep -x 16
//
// Copies that are expected to be slower by TMA stay loops, with a warning that says the figures.

// CHECK: profit.cu:[[#@LINE+5]]:3: warning: this copy of 'little' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread waits for 4 bytes, and by TMA it goes on 350 ns later than after a load; 'lift(always)' lifts it all the same [-Wtilelift-predicted-loss]
// TEXT-NOT: little_tma
__global__ void little(float *out, const float *in) {
  __shared__ float little[256];
#pragma tma load
  little[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = little[255 - threadIdx.x];
}

// TEXT: __global__ void insisted_tma(
__global__ void insisted(float *out, const float *in) {
  __shared__ float little[256];
#pragma tma load lift(always)
  little[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = little[255 - threadIdx.x];
}

// Together, four accesses are worth the wait.
// TEXT: __global__ void together_tma(
__global__ void together(float *out, const float *in, const float *more) {
  __shared__ float a[512], b[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 256)
    a[i] = in[blockIdx.x * 512 + i];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 256)
    b[i] = more[blockIdx.x * 512 + i];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = a[511 - threadIdx.x] + b[threadIdx.x];
}

// Rows that are looked up, and short.
// CHECK: warning: this copy of 'picked' stays a loop: by TMA it is expected to take 0.45 us instead of 0.08 us, since it is 16 copies of 128 bytes, and an SM begins one in 28 ns; 'lift(always)' lifts it all the same
// CHECK: remark: lifted: gather of 8 rows: 1-D bulk copies of 512 bytes from 'in' to 'long_rows'
// ALWAYS: remark: each row of 'picked' is a copy of its own, which takes an SM as long for 128 bytes as for 512 [-Wtilelift-short-rows]
// ALWAYS-NOT: each row of 'long_rows'
// TEXT: __global__ void rows_tma(
// TEXT: // tma load: stays a loop
// TEXT-NEXT: for (int i = t; i < 512; i += 256)
__global__ void rows(float *out, const float *in, const int *__restrict__ indices) {
  __shared__ float picked[16][32], long_rows[8][128];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += 256)
    picked[i / 32][i % 32] = in[indices[i / 32] * 128 + i % 32];
#pragma tma load
  for (int i = t; i < 1024; i += 256)
    long_rows[i / 128][i % 128] = in[indices[i / 128] * 128 + i % 128];
  __syncthreads();
  out[t] = picked[t % 8][t / 8] + long_rows[t % 8][t / 8];
}

// Without padding, four threads meet in a bank.
// CHECK: warning: this copy of 'padded' stays a loop: by TMA it is expected to take 4.0 passes of shared memory for an access instead of 1.0, since the rows that TMA brings lie otherwise, and a warp's access meets more elements of one bank;
// TEXT-NOT: turned_tma
__global__ void turned(float *out, const float *in, int w) {
  __shared__ float padded[32][33];
  int x = threadIdx.x, y = threadIdx.y;
#pragma tma load
  for (int r = y; r < 32; r += 8)
    padded[r][x] = in[(blockIdx.y * 32 + r) * w + blockIdx.x * 32 + x];
  __syncthreads();
  for (int r = y; r < 32; r += 8)
    out[(blockIdx.x * 32 + r) * w + blockIdx.y * 32 + x] = padded[x][r];
}

// A round waits for 16 bytes of a thread, and cannot be made ahead, as the loop writes to what it copies.
// CHECK: warning: this copy of 'vectors' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread waits for 16 bytes
// TEXT-NOT: rounds_tma
__global__ void rounds(float4 *a, int n) {
  __shared__ float4 vectors[256];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    vectors[threadIdx.x] = a[i * 256 + threadIdx.x];
    __syncthreads();
    a[i * 256 + 256 + threadIdx.x] = vectors[255 - threadIdx.x];
    __syncthreads();
  }
}

// A round ahead, nobody waits for it.
// CHECK: remark: the copies of this loop are made up to
// TEXT: __global__ void ahead_tma(
__global__ void ahead(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[256];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.x] = in[i * 256 + threadIdx.x];
    __syncthreads();
    out[i * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

// Ahead, too, but each round has barriers for those in which the threads copy.
// CHECK: warning: this copy of 'sometimes' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread waits for 4 bytes
// TEXT-NOT: sometimes_tma
__global__ void sometimes(float *__restrict__ out, const float *__restrict__ in, int n, int pitch) {
  __shared__ float sometimes[256];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    sometimes[threadIdx.x] = in[i * pitch + threadIdx.x];
    __syncthreads();
    out[i * 256 + threadIdx.x] = sometimes[255 - threadIdx.x];
    __syncthreads();
  }
}

// One of two instances would be slower, and both have one text.
// CHECK: warning: this copy of 'line' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread waits for 4 bytes
// TEXT-NOT: instances_tma
template <int Size> __global__ void instances(float *out, const float *in) {
  __shared__ float line[Size];
#pragma tma load
  for (int i = threadIdx.x; i < Size; i += 256)
    line[i] = in[blockIdx.x * Size + i];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = line[Size - 1 - threadIdx.x];
}

// A block that only carries a tile to another place lives no longer than its copies take. Its two accesses are under one
// guard, which is asked once, so they are on their way together.
// CHECK: warning: this copy of 'carried' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread waits for 8 bytes
// CHECK: warning: this copy of 'carried' stays a loop: by TMA it is expected to take 1.05 us instead of 0.70 us, since each thread stores 8 bytes
// TEXT-NOT: carried_tma
__global__ void carried(float *out, const float *in, int w, int h) {
  __shared__ float carried[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma tma load
  for (int i = 0; i < 32; i += 16)
    if (x < w && y < h)
      carried[threadIdx.y + i][threadIdx.x] = in[(y + i) * w + x];
  __syncthreads();
#pragma tma store
  for (int i = 0; i < 32; i += 16)
    if (x < w && y < h)
      out[(y + i) * w + x] = carried[threadIdx.y + i][threadIdx.x];
}

// The same with work in between.
// TEXT: __global__ void worked_tma(
__global__ void worked(float *out, const float *in, int w) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma tma load
  for (int i = 0; i < 32; i += 16)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * w + x];
  __syncthreads();
  for (int i = 1; i < 32; ++i)
    tile[threadIdx.y][i] += tile[threadIdx.y][i - 1];
  __syncthreads();
#pragma tma store
  for (int i = 0; i < 32; i += 16)
    out[(y + i) * w + x] = tile[threadIdx.y + i][threadIdx.x];
}

void run(float *out, const float *in, float4 *a) {
  little<<<3, 256>>>(out, in);
  insisted<<<3, 256>>>(out, in);
  together<<<3, 256>>>(out, in, in);
  rows<<<1, 256>>>(out, in, nullptr);
  turned<<<dim3(2, 2), dim3(32, 8)>>>(out, in, 64);
  rounds<<<1, 256>>>(a, 4);
  ahead<<<1, 256>>>(out, in, 4);
  sometimes<<<1, 256>>>(out, in, 4, 257);
  instances<256><<<1, 256>>>(out, in);
  instances<2048><<<1, 256>>>(out, in);
  carried<<<dim3(2, 2), dim3(32, 16)>>>(out, in, 64, 64);
  worked<<<dim3(2, 2), dim3(32, 16)>>>(out, in, 64);
}
int main() {}
