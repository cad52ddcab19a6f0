// Mistakes with copies by the TMA unit that hardware answers with a hang, a
// fault or wrong numbers. Each kernel makes one.
//
// RUN: %not 3 %run --plain %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out

#include <cstdio>
#include <cuda_runtime.h>
#include <tilelift/tilelift.cuh>

using box = tilelift::box<float, 32, 8>;

// CHECK-LABEL: case too many bytes expected
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: 64 of 64 threads wait for 'ready' forever: it expects 1040 bytes, 1024 bytes came [bytes-mismatch]
// CHECK-NEXT: in kernel 'too_many', block (0, 0, 0), thread (0, 0, 0)
__global__ void too_many(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes + 16), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case too few bytes expected
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: 'ready' lets its threads go after 1024 bytes, but the copies of this phase bring 2048 [bytes-mismatch]
// CHECK: [[@LINE+9]]:{{[0-9]+}}: note: the last copy is issued here
// CHECK: error: the block ends before a copy was waited for [exit-in-flight]
__global__ void too_few(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[2][8][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader()) {
    tilelift::expect(ready, box::bytes);
    tilelift::load(tile[0], map, {0, 0}, ready);
    tilelift::load(tile[1], map, {0, 8}, ready);
  }
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][0][threadIdx.x % 32];
}

// CHECK-LABEL: case nobody arrives
// CHECK: [[@LINE+4]]:{{[0-9]+}}: error: 64 of 64 threads wait for 'ready' forever: 1 of 1 arrivals are missing [never-completes]
__global__ void nobody(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  unsigned phase = tilelift::begin(ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = phase;
}

// CHECK-LABEL: case read before the wait
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: read of 'tile' before its copy was waited for [read-in-flight]
// CHECK: [[@LINE+6]]:{{[0-9]+}}: note: the copy is issued here
__global__ void early(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
  tilelift::wait(ready, phase);
}

// CHECK-LABEL: case no fence before a copy
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: copy to 'tile' without a proxy fence after the write by thread (0, 0, 0) [missing-proxy-fence]
// CHECK: [[@LINE+4]]:{{[0-9]+}}: note: the write is here; fence.proxy.async must follow it in that thread
__global__ void unfenced(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  tile[0][threadIdx.x % 32 + threadIdx.x / 32 * 32] = 1;
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case overwritten while it is read
// CHECK: [[@LINE+13]]:{{[0-9]+}}: error: read of 'tile' + 4 bytes before its copy was waited for [read-in-flight]
// CHECK: [[@LINE+9]]:{{[0-9]+}}: note: the copy is issued here
__global__ void reuse(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  float sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (tilelift::leader()) {
      tilelift::expect(ready, box::bytes);
      tilelift::load(tile, map, {0, i * 8}, ready);
    }
    tilelift::wait(ready, phase);
    sum += tile[threadIdx.x / 32][threadIdx.x % 32];
  }
  out[threadIdx.x] = sum;
}

// CHECK-LABEL: case inner coordinate
// CHECK: error: copy to 'tile': {{.*}}[inner-coordinate-16]
// OUT: inner coordinate: an illegal instruction was encountered
__global__ void coordinate(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {1, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case shared address
// CHECK: error: copy to 'tile' + 16 bytes: {{.*}}[shared-128]
// OUT: shared address: misaligned address
__global__ void address(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[16][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(&tile[0][4], map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[1][threadIdx.x % 32];
}

// CHECK-LABEL: case barrier not initialised
// CHECK: error: the barrier object 'ready' is used, but nobody has initialised it [barrier-not-initialised]
__global__ void uninitialised(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = 0;
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case barrier used too early
// CHECK: error: the barrier object 'ready' is used before its initialisation by thread (0, 0, 0) is known here [barrier-not-initialised]
__global__ void unordered(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = 0;
  if (tilelift::leader()) {
    tilelift::set_up(ready);
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  }
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case map in local memory
// CHECK: error: the tensor map is in local memory: its parameter must be const __grid_constant__ [tensor-map]
__global__ void local_map(float *out, const float *in, CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32] + float(reinterpret_cast<volatile char &>(map));
}

__device__ void store(const CUtensorMap *map, const void *tile, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(tilelift::detail::shared_address(tile)), "r"(x), "r"(y) : "memory");
}

// CHECK-LABEL: case store without a fence
// CHECK: error: store from 'tile' without a proxy fence after the write by thread (0, 0, 0) [missing-proxy-fence]
__global__ void store_unfenced(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = 1;
  __syncthreads();
  if (tilelift::leader()) {
    store(&map, tile, 0, 0);
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

// CHECK-LABEL: case source changed
// CHECK: error: write of 'tile'{{.*}} while a store may still read it: its group was not waited for [source-changed]
__global__ void changed(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (tilelift::leader()) {
    store(&map, tile, 0, 0);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  __syncthreads();
  tile[0][threadIdx.x % 32 + threadIdx.x / 32 * 32] = 2;
  if (tilelift::leader())
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// CHECK-LABEL: case negative store
// CHECK: error: store from 'tile': {{.*}}[store-coordinate]
__global__ void negative(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (tilelift::leader()) {
    store(&map, tile, 0, -1);
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

// CHECK-LABEL: case exit too early
// CHECK: error: the block ends before a copy was waited for [exit-in-flight]
__global__ void leave(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
}

// CHECK-LABEL: case global memory without a fence
// CHECK: error: copy of global memory that this kernel has written, without a proxy fence after the write [missing-proxy-fence]
// CHECK: note: what the copy may have missed is read here
__global__ void global_unfenced(float *out, float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  in[threadIdx.x] = 3;
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case surplus of global memory without a fence
// CHECK-NOT: missing-proxy-fence
__global__ void surplus_unfenced(float *out, float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  in[threadIdx.x] = 3; // two rows, which nobody reads
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[2 + threadIdx.x / 32][threadIdx.x % 32];
}

// CHECK-LABEL: case too many arrivals
// CHECK: error: overwriting by a copy of 'tile' while a copy to it is under way [write-in-flight]
// CHECK: error: more threads arrive at 'ready' than the 1 that it was initialised for [too-many-arrivals]
__global__ void arrivals(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  __shared__ tilelift::barrier ready;
  __shared__ alignas(128) float tile[8][32];
  unsigned phase = tilelift::begin(ready);
  if (threadIdx.x < 2)
    tilelift::expect(ready, box::bytes);
  if (tilelift::leader())
    tilelift::load(tile, map, {0, 0}, ready), tilelift::load(tile, map, {0, 0}, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

float *in, *out;
CUtensorMap map;

// CHECK-LABEL: case prefetch of part of a row
// CHECK: [[@LINE+3]]:{{[0-9]+}}: error: prefetch: the innermost coordinate is 2, f32 needs a multiple of 4 [inner-coordinate-16]
__global__ void fetched_box(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  if (tilelift::leader())
    tilelift::prefetch(map, {2, 0});
}

// CHECK-LABEL: case prefetch from an odd address
// CHECK: [[@LINE+3]]:{{[0-9]+}}: error: prefetch: the source address {{[0-9]+}} is no multiple of 16 bytes [bulk-address-16]
__global__ void fetched_bytes(float *out, const float *in, const __grid_constant__ CUtensorMap map) {
  if (tilelift::leader())
    tilelift::prefetch_bytes(in + 1, 64);
}

void reset() {
  cudaDeviceReset();
  cudaMalloc(&in, 64 * 64 * 4);
  cudaMalloc(&out, 64 * 4);
  tilelift::launch launch("test", {1, 64}, {64, 1, 1});
  map = launch.map<box>(tilelift::element_type::f32, "tile", "in", in,
                        {{64, "64"}, {64, "64", 256, "256"}});
}

template <typename Kernel> void run(const char *name, Kernel kernel) {
  std::fprintf(stderr, "case %s\n", name);
  kernel<<<1, 64>>>(out, in, map);
  std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
  reset(); // errors of kernels are sticky
}

int main() {
  reset();
  run("too many bytes expected", too_many);
  run("too few bytes expected", too_few);
  run("nobody arrives", nobody);
  run("read before the wait", early);
  run("no fence before a copy", unfenced);
  run("overwritten while it is read", reuse);
  run("inner coordinate", coordinate);
  run("shared address", address);
  run("barrier not initialised", uninitialised);
  run("barrier used too early", unordered);
  run("map in local memory", local_map);
  run("store without a fence", store_unfenced);
  run("source changed", changed);
  run("negative store", negative);
  run("exit too early", leave);
  run("global memory without a fence", global_unfenced);
  run("surplus of global memory without a fence", surplus_unfenced);
  run("too many arrivals", arrivals);
  run("prefetch of part of a row", fetched_box);
  run("prefetch from an odd address", fetched_bytes);
  return 0;
}
