// RUN: %nvcc -cudart none -I%S/Inputs -gencode arch=compute_90,code=sm_90 %s %S/Inputs/fake_cuda.cpp -o %t
// RUN: %t | %FileCheck %s
//
// Tensor maps as objects against a runtime that records: whose they are, what is said of requests
// that break rules, and that nothing changes where an address cannot be replaced.

#include "fake_cuda.h"

#include <tilelift/tensor_map.h>

#include <cstdio>
#include <cstring>
#include <map>

using tilelift::tensor_map;
using tilelift::tensor_map_options;
using tilelift::tensor_view;

/// How often the runtime was asked where a function of the driver's is.
std::map<std::string, int> asked;

template <typename Action> void attempt(Action action) {
  try {
    action();
  } catch (const tilelift::tensor_map_error &error) {
    std::printf("%d broken: %s\n", int(error.violations().size()), error.what());
  } catch (const std::invalid_argument &error) {
    std::printf("invalid: %s\n", error.what());
  } catch (const std::runtime_error &error) {
    std::printf("error: %s\n", error.what());
  }
  std::string calls;
  for (const std::string &call : fake().calls)
    if (call.compare(0, 5, "entry") != 0)
      calls += call;
    else
      ++asked[call];
  fake().calls.clear();
  std::printf("driver: %s\n", calls.c_str());
}

struct Complex {
  float re, im;
};
struct Short {
  short both[2];
};
struct Flags {
  bool all[4];
};

// As DLPack has one.
struct SmallTensor {
  void *data;
  struct {
    int device_type, device_id;
  } device;
  int ndim;
  struct {
    unsigned char code, bits;
    unsigned short lanes;
  } dtype;
  long long *shape, *strides;
  unsigned long long byte_offset;
};

int main() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  float *const in = reinterpret_cast<float *>(0x10000);
  const tensor_view plane(in, {48, 64});

  // Row-major to the driver's order; strides are bytes, of all dimensions but the innermost.
  attempt([&] { std::puts(tensor_map::tiled(plane, {8, 32}).text().c_str()); });
  // CHECK: tiled, rank 2, f32, box 8 x 32, swizzle 0
  // CHECK-NEXT: driver: encode type 7 rank 2 at 65536 extents {64,48} strides {256} box {32,8} steps {1,1} promotion 0
  attempt([&] {
    tensor_map_options options;
    options.element_strides = {1, 2, 1};
    options.promotion = tilelift::l2_promotion::b256;
    tensor_map::tiled(tensor_view(in, {5, 48, 64}, {65536, 512, 4}), {1, 8, 32}, options);
  });
  // CHECK-NEXT: driver: encode type 7 rank 3 at 65536 extents {64,48,5} strides {512,65536} box {32,8,1} steps {1,2,1} promotion 3
  const tensor_view images(reinterpret_cast<unsigned short *>(0x10000), {2, 14, 10, 128});
  attempt([&] {
    tensor_map_options options;
    options.type = tilelift::element_type::f16;
    options.element_strides = {1, 2, 2, 1};
    options.swizzle = tilelift::swizzle_mode::b128;
    std::puts(tensor_map::im2col(images, {-1, -3}, {-4, -6}, 64, 32, options).text().c_str());
  });
  // CHECK-NEXT: im2col, rank 4, f16, 64 channels of 32 pixels, swizzle 128
  // CHECK-NEXT: driver: encode im2col type 6 rank 4 at 65536 extents {128,10,14,2} strides {256,2560,35840} lower {-3,-1} upper {-6,-4} channels 64 pixels 32 steps {1,2,2,1} swizzle 3 promotion 0

  // All that is broken, and the driver is not asked.
  attempt([&] { tensor_map::tiled(tensor_view(in + 1, {48, 65}), {8, 300}); });
  // CHECK-NEXT: 3 broken: the map of 'tensor' starts at 65540, which is no multiple of 16 bytes [address-16]; the stride of 'tensor' in dimension 1 is 260 bytes, which is no multiple of 16 [stride-16]; the box of 'tile' has 300 elements in innermost dimension, allowed are 1 to 256 [box-range]
  // CHECK-NEXT: driver: {{$}}
  attempt([&] { tensor_map::im2col(images, {-200, 0}, {0, 0}, 64, 2000); });
  // CHECK-NEXT: 3 broken: the lower corner of 'tile' is -200 in dimension 2, allowed are -128 to 127 [corner-range]; the copy to 'tile' has 2000 pixels, allowed are 1 to 1024 [pixel-range]; the box of 'tile' has 256000 bytes, a block has at most 232448 bytes of shared memory [box-bytes]
  // CHECK-NEXT: driver: {{$}}

  // What is no request at all.
  attempt([&] { tensor_map::tiled(plane, {8}); });
  // CHECK-NEXT: invalid: 'box' has 1 numbers, the tensor asks for 2
  // CHECK-NEXT: driver
  attempt([&] { tensor_map::im2col(plane, {}, {}, 64, 32); });
  // CHECK-NEXT: invalid: the tensor has 2 dimensions, a map that is im2col has 3 to 5
  // CHECK-NEXT: driver
  attempt([&] { tensor_map::tiled(tensor_view(in, {1, 1, 1, 1, 4, 4}), {1, 1, 1, 1, 4, 4}); });
  // CHECK-NEXT: invalid: the tensor has 6 dimensions, a map that is tiled has 1 to 5
  // CHECK-NEXT: driver
  attempt([&] { tensor_map::tiled(tensor_view(in, {48, 64}, {4, 192}), {8, 32}); });
  // CHECK-NEXT: invalid: elements of a row are 192 bytes apart, and have 4: TMA copies rows that are dense
  // CHECK-NEXT: driver
  attempt([&] { tensor_view(in, {48, 64}, {256}); });
  // CHECK-NEXT: invalid: a tensor of 2 dimensions has 1 strides
  // CHECK-NEXT: driver
  const tensor_view structs(reinterpret_cast<Complex *>(0x10000), {48, 64});
  attempt([&] { tensor_map::tiled(structs, {8, 32}); });
  // CHECK-NEXT: invalid: the tensor's type is none of TMA's; 'type' says which to take it for: u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz, u4_align8, u4_align16, u6_align16{{$}}
  // CHECK-NEXT: driver
  attempt([&] {
    tensor_map_options options;
    options.type = tilelift::element_type::f32;
    tensor_map::tiled(structs, {8, 32}, options);
  });
  // CHECK-NEXT: invalid: an element of the tensor has 8 bytes, a f32 has 4: extents would count something else
  // CHECK-NEXT: driver
  attempt([&] { tensor_map::im2col_wide(images, -1, -1, 64, 32); });
  // CHECK-NEXT: error: im2col wide needs compute capability 10.0, the device has 9.0
  // CHECK-NEXT: driver: {{$}}
  attempt([&] {
    tensor_view elsewhere = plane;
    elsewhere.device = 1;
    tensor_map::tiled(elsewhere, {8, 32});
  });
  // CHECK-NEXT: invalid: the tensor is on device 1, the current one is 0
  // CHECK-NEXT: driver: {{$}}

  // An address is replaced wholly or not at all, and the memory is kept as long as it is used.
  tensor_view owned = plane;
  owned.owner = std::make_shared<int>(1);
  const std::weak_ptr<const void> kept = owned.owner;
  tensor_map map = tensor_map::tiled(owned, {8, 32});
  owned = tensor_view();
  const CUtensorMap before = map;
  const auto same = [&] {
    std::printf("kept %d, at %p, %s\n", !kept.expired(), map.address(),
                std::memcmp(&before, &static_cast<const CUtensorMap &>(map), sizeof before) == 0
                    ? "the same bytes"
                    : "other bytes");
  };
  fake().calls.clear();
  attempt([&] { map.replace_address(tensor_view(in + 1, {48, 64})); });
  same();
  // CHECK-NEXT: 1 broken: the map of 'tensor' starts at 65540, which is no multiple of 16 bytes [address-16]
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: kept 1, at 0x10000, the same bytes
  attempt([&] { map.replace_address(tensor_view(in, {64, 48})); });
  same();
  // CHECK-NEXT: invalid: the tensor has other extents, strides or elements than the map's
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: kept 1, at 0x10000, the same bytes
  attempt([&] { map.replace_address(tensor_view(reinterpret_cast<int *>(0x20000), {48, 64})); });
  same();
  // CHECK-NEXT: invalid: elements of the tensor are i32, those of the map f32
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: kept 1, at 0x10000, the same bytes
  attempt([&] { map.replace_address(tensor_view(reinterpret_cast<Short *>(0x20000), {48, 64})); });
  same();
  // CHECK-NEXT: invalid: elements of the tensor are of 4 bytes, those of the map f32
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: kept 1, at 0x10000, the same bytes
  fake().encode_result = CUDA_ERROR_INVALID_VALUE;
  attempt([&] { map.replace_address(tensor_view(in + 64, {48, 64})); });
  same();
  // CHECK-NEXT: error: the map cannot be made: the driver refuses it with error 1, although every known rule holds
  // CHECK-NEXT: driver: encode type 7 rank 2 at 65792
  // CHECK-NEXT: kept 1, at 0x10000, the same bytes
  fake().encode_result = CUDA_SUCCESS;
  attempt([&] { map.replace_address(tensor_view(in + 64, {48, 64})); });
  std::printf("kept %d, at %p\n", !kept.expired(), map.address());
  // CHECK-NEXT: driver: encode type 7 rank 2 at 65792
  // CHECK-NEXT: kept 0, at 0x10100

  // What the map takes elements for is as good as what its tensor does, and nothing else is.
  attempt([&] {
    tensor_map_options options;
    options.type = tilelift::element_type::u32;
    tensor_map bits = tensor_map::tiled(plane, {8, 32}, options);
    bits.replace_address(tensor_view(reinterpret_cast<unsigned *>(0x20000), {48, 64}));
    bits.replace_address(tensor_view(in, {48, 64}));
    bits.replace_address(tensor_view(reinterpret_cast<int *>(0x30000), {48, 64}));
  });
  // CHECK-NEXT: invalid: elements of the tensor are i32, those of the map f32
  // CHECK-NEXT: driver: encode type 2 rank 2 at 65536 {{.*}}encode type 2 rank 2 at 131072 {{.*}}encode type 2 rank 2 at 65536 extents {64,48} strides {256} box {32,8} steps {1,1} promotion 0{{$}}

  // Where TMA has a type for neither, elements are still those of the program.
  attempt([&] {
    tensor_map_options options;
    options.type = tilelift::element_type::u32;
    tensor_map pairs =
        tensor_map::tiled(tensor_view(reinterpret_cast<Short *>(0x10000), {48, 64}), {8, 32}, options);
    pairs.replace_address(tensor_view(reinterpret_cast<Short *>(0x20000), {48, 64}));
    pairs.replace_address(tensor_view(reinterpret_cast<Flags *>(0x20000), {48, 64}));
  });
  // CHECK-NEXT: invalid: elements of the tensor are {{.*}}Flags, those of the map {{.*}}Short{{$}}
  // CHECK-NEXT: driver: encode type 2 rank 2 at 65536 {{.*}}encode type 2 rank 2 at 131072

  // It is of the context in which it was made.
  fake().context = reinterpret_cast<CUcontext>(0x2000);
  attempt([&] { (void)static_cast<const CUtensorMap &>(map); });
  // CHECK-NEXT: error: the map was made in another context, on device 0
  // CHECK-NEXT: driver
  attempt([&] { map.replace_address(plane); });
  // CHECK-NEXT: error: the map was made in another context, on device 0
  // CHECK-NEXT: driver: {{$}}
  fake().context = nullptr;
  attempt([&] { tensor_map::tiled(plane, {8, 32}); });
  // CHECK-NEXT: error: there is no current CUDA context
  // CHECK-NEXT: driver: {{$}}

  // Pixels of one line each, which Blackwell has maps for; swizzled, if nothing else is said.
  fake().context = reinterpret_cast<CUcontext>(0x1000);
  fake().device = 1;
  fake().major = 10;
  attempt([&] {
    tensor_map::im2col_wide(images, -1, -2, 64, 32);
    std::puts(tensor_map::im2col_wide(images, -1, -2, 64, 32, tilelift::im2col_mode::w128).text().c_str());
  });
  // CHECK-NEXT: im2col wide w128, rank 4, u16, 64 channels of 32 pixels, swizzle 128
  // CHECK-NEXT: driver: encode wide type 1 rank 4 at 65536 extents {128,10,14,2} strides {256,2560,35840} lower -1 upper -2 channels 64 pixels 32 steps {1,1,1,1} mode 0 swizzle 3{{.*}} mode 1 swizzle 3
  attempt([&] { tensor_map::im2col_wide(images, -1, -2, 64, 32, tilelift::im2col_mode::im2col); });
  // CHECK-NEXT: invalid: 'mode' is im2col; wide ones are w, w128
  // CHECK-NEXT: driver: {{$}}
  attempt([&] {
    tensor_map_options options;
    options.swizzle = tilelift::swizzle_mode::b32;
    tensor_map::im2col_wide(images, -1, -2, 16, 32, tilelift::im2col_mode::w, options);
  });
  // CHECK-NEXT: 1 broken: im2col wide goes with no interleaving, and with swizzles 64B, 128B and 128B_ATOM_32B [wide-layout]
  // CHECK-NEXT: driver: {{$}}

  // Packed elements are counted one by one, and boxes of them, whatever the tensor counts: four of
  // six bits are three bytes. What is no whole number of them is none of 128, either.
  const auto packed = [](const auto &tensor, tilelift::element_type type) {
    tensor_map_options options;
    options.type = type;
    tensor_map::tiled(tensor, {8, 128}, options);
  };
  const auto bytes = [](long long columns, std::vector<long long> strides = {}) {
    return tensor_view(reinterpret_cast<unsigned char *>(0x10000), {48, columns}, strides);
  };
  attempt([&] { packed(bytes(192), tilelift::element_type::u6_align16); });
  attempt([&] { packed(bytes(128), tilelift::element_type::u4_align16); });
  attempt([&] { packed(tensor_view(reinterpret_cast<int *>(0x10000), {48, 48}), tilelift::element_type::u6_align16); });
  // CHECK-NEXT: driver: encode type 15 rank 2 at 65536 extents {256,48} strides {192} box {128,8}
  // CHECK-NEXT: driver: encode type 14 rank 2 at 65536 extents {256,48} strides {128} box {128,8}
  // CHECK-NEXT: driver: encode type 15 rank 2 at 65536 extents {256,48} strides {192} box {128,8}
  attempt([&] { packed(bytes(97, {128, 1}), tilelift::element_type::u6_align16); });
  attempt([&] { packed(bytes(95, {128, 1}), tilelift::element_type::u6_align16); });
  // CHECK-NEXT: 1 broken: the rows of 'tensor' have 129 elements, which is no multiple of 128 [packed-extent]
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: 1 broken: the rows of 'tensor' have 126 elements, which is no multiple of 128 [packed-extent]
  // CHECK-NEXT: driver: {{$}}
  attempt([&] {
    tensor_map_options options;
    options.type = tilelift::element_type::u6_align16;
    tensor_map::im2col(tensor_view(reinterpret_cast<unsigned char *>(0x10000), {2, 14, 10, 192}), {-1, -1}, {-1, -1}, 128, 32, options);
  });
  // CHECK-NEXT: driver: encode im2col type 15 rank 4 at 65536 extents {256,10,14,2} strides {192,1920,26880}

  // Tensors of DLPack's count them by themselves.
  long long shape[] = {48, 256}, steps[] = {512, 1};
  SmallTensor small = {reinterpret_cast<void *>(0x10000), {2, 1}, 2, {15, 6, 1}, shape, nullptr, 0};
  attempt([&] { packed(small, tilelift::element_type::u6_align16); });
  small.strides = steps;
  attempt([&] { packed(small, tilelift::element_type::u6_align16); });
  small.dtype.bits = 4;
  attempt([&] { packed(small, tilelift::element_type::u4_align16); });
  attempt([&] { packed(small, tilelift::element_type::u8); });
  steps[1] = 2;
  attempt([&] { packed(small, tilelift::element_type::u4_align16); });
  // CHECK-NEXT: driver: encode type 15 rank 2 at 65536 extents {256,48} strides {192} box {128,8}
  // CHECK-NEXT: driver: encode type 15 rank 2 at 65536 extents {256,48} strides {384} box {128,8}
  // CHECK-NEXT: driver: encode type 14 rank 2 at 65536 extents {256,48} strides {256} box {128,8}
  // CHECK-NEXT: invalid: an element of the tensor has 4 bits, a u8 has 8: extents would count something else
  // CHECK-NEXT: driver: {{$}}
  // CHECK-NEXT: invalid: elements of a row are 2 bytes apart, and have 1: TMA copies rows that are dense
  // CHECK-NEXT: driver: {{$}}

  // Whoever makes maps, and however many: each function of the driver's is looked for once.
  for (const auto &[entry, times] : asked)
    std::printf("%s: %d\n", entry.c_str(), times);
  // CHECK-NEXT: entry point cuCtxGetCurrent 4000: 1
  // CHECK-NEXT: entry point cuTensorMapEncodeIm2col 12000: 1
  // CHECK-NEXT: entry point cuTensorMapEncodeIm2colWide 12080: 1
  // CHECK-NEXT: entry point cuTensorMapEncodeTiled 12000: 1
  // CHECK-NOT: {{.}}
}
