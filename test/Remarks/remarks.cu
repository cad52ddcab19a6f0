// RUN: %not 1 %tilelift --remarks %s -o %t.cu 2>&1 | %FileCheck %s
// RUN: %clang-plugin -fplugin-arg-tilelift-remarks --offload-arch=sm_90a -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %not 1 %tilelift -Wno-tilelift-instance-differs -Wno-tilelift-other-block-size -Wno-tilelift-launch-not-lifted -Wno-tilelift-address-not-followed %s -o %t.cu 2>&1 | count 0
//
// What became of each copy and each launch, from both hosts.

// CHECK: remarks.cu:[[#@LINE+6]]:3: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile' [-Wtilelift-lifted-under-guard]
// CHECK: note: at launch: each outer stride is a multiple of 16 bytes
// CHECK: note: at the copy: start * blockIdx.x is a multiple of 4
__global__ void guarded(float *out, const float *in, int w, int start) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * start + threadIdx.x];
  __syncthreads();
  out[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * start + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x];
}

// CHECK: remarks.cu:[[#@LINE+8]]:5: remark: lifted: 1-D bulk copy of 1024 bytes from 'in' to 'part', contiguous and unguarded [-Wtilelift-lifted]
// CHECK: note: at launch: the tensor starts on a multiple of 16 bytes
// CHECK: remarks.cu:[[#@LINE+6]]:5: remark: a __syncthreads() is added before the copy: threads may still be reading the tile [-Wtilelift-barrier-added]
template <int N> __global__ void own(float *out, const float *in) {
  __shared__ float part[N];
  float sum = 0;
  for (int round = 0; round < 8; ++round) {
#pragma tma load
    part[threadIdx.x] = in[(blockIdx.x * 8 + round) * N + threadIdx.x];
    sum += part[threadIdx.x];
  }
  out[blockIdx.x * N + threadIdx.x] = sum;
}

// CHECK: remarks.cu:[[#@LINE+6]]:3: remark: lifted: 1-D bulk copy of 1024 bytes
// CHECK: remarks.cu:[[#@LINE+5]]:3: warning: this copy stays a plain loop in 'differs<12>', whose lifted text would not be that of 'differs<8>': the instantiations share one [-Wtilelift-instance-differs]
// CHECK: remarks.cu:[[#@LINE+5]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
template <int Pitch> __global__ void differs(float *out, const float *in) {
  __shared__ float tile[32][8];
#pragma tma load
  tile[threadIdx.x / 8][threadIdx.x % 8] = in[threadIdx.x / 8 * Pitch + threadIdx.x % 8];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x / 8][threadIdx.x % 8];
}

#define LAUNCH(kernel) kernel<<<8, 256>>>(out, in)

void run(float *out, const float *in, int w) {
  guarded<<<dim3(4, 4), dim3(32, 8)>>>(out, in, w, 32);
  own<256><<<8, 256>>>(out, in);
  // CHECK: remarks.cu:[[#@LINE+1]]:3: warning: 'own' is launched here with a block of 128; the copy was checked for 256, so this launch runs the plain kernel [-Wtilelift-other-block-size]
  own<256><<<8, 128>>>(out, in);
  differs<8><<<1, 256>>>(out, in);
  differs<12><<<1, 256>>>(out, in);
  // CHECK: remarks.cu:[[#@LINE+1]]:3: remark: this macro launches 'differs': what it is expanded to is written in its place, with the launcher [-Wtilelift-macro-written-out]
  LAUNCH(differs<8>);
  // CHECK: remarks.cu:[[#@LINE+1]]:18: {{warning}}: the address of 'own' is used here
  auto *kernel = own<256>;
  (void)kernel;
}
