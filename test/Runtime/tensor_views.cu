// RUN: %run --plain %s | %FileCheck %s
//
// Tensor maps of mdspans, of DLPack's tensors and by hand: the bytes that the driver's own function
// makes of the same numbers, and a kernel that takes one by value.

#include <tilelift/tensor_map.h>
#include <tilelift/tilelift.cuh>

#include <cuda/std/mdspan>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>

using tilelift::tensor_map;
using tilelift::tensor_map_options;
using tilelift::tensor_view;

// As DLPack has them.
struct DLDevice {
  int device_type, device_id;
};
struct DLDataType {
  unsigned char code, bits;
  unsigned short lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int ndim;
  DLDataType dtype;
  long long *shape, *strides;
  unsigned long long byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *);
};

__global__ void copy_tile(float *out, const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ __align__(128) float tile[8][32];
  __shared__ tilelift::barrier barrier;
  unsigned phase = 0;
  if (threadIdx.x == 0) {
    tilelift::set_up(barrier);
    tilelift::expect(barrier, sizeof tile);
    tilelift::load(tile, map, {x, y}, barrier);
  }
  __syncthreads();
  tilelift::wait(barrier, phase);
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[i] = tile[i / 32][i % 32];
}

void compare(const char *name, const CUtensorMap &ours, const CUtensorMap &theirs) {
  std::printf("%s: %s\n", name, std::memcmp(&ours, &theirs, sizeof ours) == 0 ? "the same" : "other bytes");
}

/// What the driver makes of a plane of floats.
CUtensorMap plane_of(float *address, cuuint64_t columns, cuuint64_t rows, cuuint64_t stride) {
  CUtensorMap map;
  const cuuint64_t extents[] = {columns, rows}, strides[] = {stride};
  const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, extents, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

void from_views(float *in) {
  const CUtensorMap expected = plane_of(in, 64, 48, 256);
  compare("by hand", tensor_map::tiled(tensor_view(in, {48, 64}), {8, 32}), expected);
  using extents = cuda::std::extents<int, 48, cuda::std::dynamic_extent>;
  compare("mdspan", tensor_map::tiled(cuda::std::mdspan<float, extents>(in, 64), {8, 32}), expected);
  using strided = cuda::std::mdspan<const float, extents, cuda::std::layout_stride>;
  const cuda::std::array<int, 2> strides{128, 1};
  compare("mdspan with strides", tensor_map::tiled(strided(in, {extents(64), strides}), {8, 32}),
          plane_of(in, 64, 48, 512));
  // CHECK: by hand: the same
  // CHECK-NEXT: mdspan: the same
  // CHECK-NEXT: mdspan with strides: the same

  long long shape[] = {48, 64}, steps[] = {128, 1};
  DLTensor tensor = {in, {2, 0}, 2, {2, 32, 1}, shape, nullptr, 1024};
  compare("DLPack", tensor_map::tiled(tensor, {8, 32}), plane_of(in + 256, 64, 48, 256));
  tensor.strides = steps;
  compare("DLPack with strides", tensor_map::tiled(tensor, {8, 32}), plane_of(in + 256, 64, 48, 512));
  // CHECK-NEXT: DLPack: the same
  // CHECK-NEXT: DLPack with strides: the same

  // The map owns what manages itself, and whoever copies it.
  DLManagedTensor managed = {tensor, nullptr, [](DLManagedTensor *) { std::puts("deleted"); }};
  {
    const tensor_map first = tensor_map::tiled(&managed, {8, 32});
    { const tensor_map second = first; }
    std::puts("still there");
  }
  // CHECK-NEXT: still there
  // CHECK-NEXT: deleted
  managed.dl_tensor.device.device_type = 1;
  try {
    tensor_map::tiled(&managed, {8, 32});
  } catch (const std::invalid_argument &error) {
    std::puts(error.what());
  }
  // CHECK-NEXT: deleted
  // CHECK-NEXT: the tensor is in memory that the device cannot reach (DLPack's kind 1)
}

void of_pixels(__half *images) {
  tensor_map_options options;
  options.element_strides = {1, 2, 2, 1};
  options.swizzle = tilelift::swizzle_mode::b128;
  options.fill = tilelift::outside_fill::nan;
  const tensor_view view(images, {2, 14, 10, 128});
  CUtensorMap map;
  const cuuint64_t extents[] = {128, 10, 14, 2}, strides[] = {256, 2560, 35840};
  const cuuint32_t steps[] = {1, 2, 2, 1};
  const int lower[] = {-3, -1}, upper[] = {-6, -4};
  cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, images, extents, strides, lower, upper, 64, 32,
                          steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  compare("im2col", tensor_map::im2col(view, {-1, -3}, {-4, -6}, 64, 32, options), map);
  // CHECK: im2col: the same
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 1 << 20);
  cudaMallocManaged(&out, 1024);
  for (int i = 0; i < 48 * 64; ++i)
    in[i] = float(i);
  from_views(in);
  of_pixels(reinterpret_cast<__half *>(in));

  // As a kernel's argument; columns and rows outside are zeros.
  copy_tile<<<1, 128>>>(out, tensor_map::tiled(tensor_view(in, {48, 64}), {8, 32}), 40, 44);
  int wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < 256; ++i)
    wrong += out[i] != (i / 32 < 4 && i % 32 < 24 ? float((44 + i / 32) * 64 + 40 + i % 32) : 0.f);
  std::printf("copied, %d wrong\n", wrong);
  // CHECK: copied, 0 wrong
}
