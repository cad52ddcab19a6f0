// RUN: %tilelift lint --verify %s -- -ferror-limit=0
//
// Calls that encode tensor maps, by hand: what breaks a rule for sure, whatever way the numbers
// take there, and nothing else.

#include <array>
#include <cstdint>
#include <cuda.h>
#include <vector>

constexpr auto F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
constexpr auto NONE = CU_TENSOR_MAP_INTERLEAVE_NONE;
constexpr auto PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE;
constexpr auto L2 = CU_TENSOR_MAP_L2_PROMOTION_NONE;
constexpr auto ZERO = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
// As programs get it from the driver.
extern decltype(&cuTensorMapEncodeTiled) encode;

// Every rule that is broken, of the numbers that stand there.
CUresult all(CUtensorMap *map, float *tensor) {
  const cuuint64_t sizes[] = {1000, 0}, strides[] = {4004};
  const cuuint32_t box[] = {3, 300}, steps[] = {1, 9};
  return cuTensorMapEncodeTiled( // expected-error {{the extent of 'tensor' in dimension 1 is 0 elements, allowed are 1 to 2^31 (extent-range) [-Wtilelift-rule-violated]}} expected-error {{the stride of 'tensor' in dimension 1 is 4004 bytes, which is no multiple of 16 (stride-16)}} expected-error {{the box of 'map' has 300 elements in dimension 1, allowed are 1 to 256 (box-range)}} expected-error {{a row of the box of 'map' has 12 bytes, which is no multiple of 16 (inner-box-16)}} expected-error {{step-range}}
      map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}

// Numbers that only a run has: nothing to say.
CUresult open(CUtensorMap *map, float *tensor, int w, int h) {
  cuuint64_t sizes[] = {cuuint64_t(w), cuuint64_t(h)}, strides[] = {w * sizeof(float)};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}

// A function of the program's, which is wrong in some of its calls: once for each way.
template <int Columns>
CUresult make(CUtensorMap *map, float *tensor, uint64_t width, uint64_t height, uint32_t rows) {
  std::array<cuuint64_t, 2> sizes{width, height};
  std::array<cuuint64_t, 1> strides;
  strides[0] = width * sizeof(float);
  uint32_t box[2], steps[2] = {1, 1};
  box[0] = Columns;
  box[1] = rows;
  return encode(map, F32, 2, tensor, sizes.data(), strides.data(), box, // expected-error {{the stride of 'tensor' in dimension 1 is 4088 (width * sizeof(float)) bytes, which is no multiple of 16 (stride-16)}} expected-error {{a row of the box of 'map' has 256 bytes, the swizzle has room for 128 (swizzle-span)}} expected-error {{the box of 'map' has 512 (twice) elements in dimension 1}}
                steps, NONE, CU_TENSOR_MAP_SWIZZLE_128B, L2, ZERO);
}
constexpr int Rows = 256;
bool several(CUtensorMap *map, float *tensor, int n) {
  int twice = Rows * 2;
  return make<32>(map, tensor, 1024, n, 8) == CUDA_SUCCESS &&
         make<32>(map, tensor, 1022, n, 8) == CUDA_SUCCESS && // expected-note {{called here}}
         make<64>(map, tensor, 1024, n, 8) == CUDA_SUCCESS && // expected-note {{called here}}
         make<32>(map, tensor, n * 4, n, twice) == CUDA_SUCCESS; // expected-note {{called here}}
}

// What changes on the way, or in some cases, is not known.
CUresult changed(CUtensorMap *map, float *tensor, int n, bool tall) {
  cuuint64_t sizes[] = {1000, 0}, strides[] = {4004};
  cuuint32_t box[2] = {3, 300}, steps[] = {1, 1};
  sizes[1] = cuuint64_t(n);
  for (int i = 0; i < 1; ++i)
    strides[i] = 4000;
  if (tall)
    box[1] = 8;
  box[0] = 4;
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}
void fill(cuuint64_t *sizes);
CUresult given(CUtensorMap *map, float *tensor) {
  cuuint64_t sizes[2] = {0, 0}, strides[] = {4000};
  cuuint32_t box[2] = {4, 8}, steps[] = {1, 1};
  fill(sizes);
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}
CUresult grown(CUtensorMap *map, float *tensor) {
  std::vector<cuuint64_t> sizes = {64}, strides = {256};
  std::vector<cuuint32_t> box = {4, 8}, steps = {1, 1};
  sizes.push_back(64);
  return encode(map, F32, 2, tensor, sizes.data(), strides.data(), box.data(), steps.data(), NONE, PLAIN, L2, ZERO);
}

// What a function looks at before it gets there.
CUresult careful(CUtensorMap *map, float *tensor, uint64_t width, unsigned columns, bool swizzled) {
  cuuint64_t sizes[] = {width, 64}, strides[] = {width * sizeof(float)};
  cuuint32_t box[] = {columns, 8}, steps[] = {1, 1};
  if (strides[0] % 16 != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (width * sizeof(float) % 16 != 0 || columns > 256) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (swizzled && columns <= 32)
    return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, CU_TENSOR_MAP_SWIZZLE_128B, L2, ZERO);
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{a row of the box of 'map' has 20 bytes, which is no multiple of 16}}
}
bool callers(CUtensorMap *map, float *tensor) {
  return careful(map, tensor, 1022, 32, true) || careful(map, tensor, 1024, 512, true) ||
         careful(map, tensor, 1024, 64, true) ||
         careful(map, tensor, 1024, 5, false); // expected-note {{called here}}
}

// What wraps around, or is cut, is another number.
CUresult wrapped(CUtensorMap *map, float *tensor) {
  unsigned small = 3;
  uint64_t large = (1ull << 32) + 64;
  cuuint64_t sizes[] = {64, (unsigned)large}, strides[] = {(small - 4) * 16u};
  cuuint32_t box[] = {32, (cuuint32_t)large}, steps[] = {1, 1};
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}

// Parameters that change, what is no local, what is set later.
CUresult by_vector(CUtensorMap *map, float *tensor, std::vector<cuuint64_t> sizes, std::array<cuuint32_t, 2> box, const cuuint64_t *strides) {
  cuuint32_t steps[] = {1, 1};
  sizes.push_back(64);
  if (box[1] == 0)
    box[1] = 8;
  strides += 1;
  return encode(map, F32, 2, tensor, sizes.data(), strides, box.data(), steps, NONE, PLAIN, L2, ZERO);
}
cuuint64_t everywhere[2] = {0, 0};
CUresult others(CUtensorMap *map, float *tensor) {
  static cuuint64_t kept[2] = {0, 0};
  static std::vector<cuuint64_t> grows = {64};
  const cuuint64_t two[1][2] = {{64, 256}}, strides[] = {4, 256};
  cuuint32_t box[2], steps[] = {1, 1};
  box[0] = 32;
  box[1] = 8;
  kept[0] = kept[1] = everywhere[0] = everywhere[1] = 64;
  grows.push_back(64);
  CUresult a = encode(map, F32, 2, tensor, kept, strides + 1, box, steps, NONE, PLAIN, L2, ZERO);
  CUresult b = encode(map, F32, 2, tensor, everywhere, strides + 1, box, steps, NONE, PLAIN, L2, ZERO);
  CUresult c = encode(map, F32, 2, tensor, grows.data(), strides + 1, box, steps, NONE, PLAIN, L2, ZERO);
  CUresult d = encode(map, F32, 2, tensor, (const cuuint64_t *)two, strides + 1, box, steps, NONE, PLAIN, L2, ZERO);
  box[0] = 5;
  return a ? a : b ? b : c ? c : d ? d : by_vector(map, tensor, {64}, {32, 0}, strides);
}
int itself(CUtensorMap *map, float *tensor) {
  int n = n;
  cuuint64_t *strides = strides + 1, sizes[] = {64, (cuuint64_t)n};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
}

// By switches and operators; and what is looked at by a function, which perhaps says no.
bool fits(uint64_t width);
CUresult ranked(CUtensorMap *map, float *tensor, int rank, uint64_t width) {
  cuuint64_t sizes[] = {width, 64}, strides[] = {width * 4};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  if (!fits(width))
    return CUDA_ERROR_INVALID_VALUE;
  switch (rank) {
  case 2:
    return encode(map, F32, 2, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-warning {{the stride of 'tensor' in dimension 1 is 4088 (width * 4) bytes}}
  case 3:
    return encode(map, F32, 3, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO);
  }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult chosen(CUtensorMap *map, float *tensor, int rank) {
  cuuint64_t sizes[] = {64, 64}, strides[] = {256};
  cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  return rank == 1 ? encode(map, F32, 1, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO)
                   : encode(map, F32, 4, tensor, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{'sizes' is too short: for rank 4}} expected-error {{'strides' is too short}} expected-error {{'steps' is too short}}
}
bool ranks(CUtensorMap *map, float *tensor) {
  return ranked(map, tensor, 2, 1022) || // expected-note {{called here}}
         chosen(map, tensor, 1) || chosen(map, tensor, 4); // expected-note 3 {{called here}}
}

// Functions of the program's own.
void make_map(CUtensorMap *, void *data, uint64_t x, uint64_t y, uint64_t z, uint64_t sy, uint64_t sz, uint32_t bx, uint32_t by, uint32_t bz, CUtensorMapSwizzle, CUtensorMapL2promotion);
void own(CUtensorMap *map, float *tensor) { make_map(map, tensor, 64, 2, 3, 4, 5, 6, 7, 8, PLAIN, L2); }

// Part of an array, arrays that are too short, no address, no rank of TMA's.
CUresult places(CUtensorMap *map, float *tensor, int n) {
  cuuint64_t numbers[] = {64, 32, 4, 8}, one[] = {64};
  cuuint32_t box[] = {4, 8}, steps[] = {1, 1};
  CUresult a = encode(map, F32, 2, tensor, numbers, &numbers[2], box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{the stride of 'tensor' in dimension 1 is 4 bytes, which is no multiple of 16}}
  CUresult b = encode(map, F32, 2, nullptr, one, numbers, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{'one' is too short: for rank 2, 'cuTensorMapEncodeTiled' reads 2 elements of it, and it has 1 [-Wtilelift-array-too-short]}}
  CUresult c = encode(map, F32, 2, nullptr, numbers, numbers + 3, box, steps + 1, NONE, PLAIN, L2, ZERO); // expected-error {{'steps + 1' is too short: for rank 2, 'cuTensorMapEncodeTiled' reads 2 elements of it, and it has 1}}
  CUresult d = encode(map, F32, 2, nullptr, numbers, numbers, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{'nullptr' is null (address-null)}}
  CUresult e = encode(map, F32, 6, tensor, numbers, numbers, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{(rank)}}
  CUresult f = encode(map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, numbers, numbers, box, steps, NONE, PLAIN, L2, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA); // expected-error {{(nan-fill)}}
  return a ? a : b ? b : c ? c : d ? d : e ? e : f;
}

// im2col: corners have as many bits as the rank leaves them, channels and pixels a limit.
CUresult pixels(CUtensorMap *map, void *images) {
  cuuint64_t sizes[] = {64, 56, 56, 32}, strides[] = {128, 7168, 401408};
  cuuint32_t steps[] = {1, 1, 1, 1};
  int lower[] = {-1, -200}, upper[] = {-1, -1};
  return cuTensorMapEncodeIm2col(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, images, sizes, strides, lower, upper, 512, 2000, steps, NONE, PLAIN, L2, ZERO); // expected-error {{512 channels, allowed are 1 to 256 (channel-range)}} expected-error {{2000 pixels, allowed are 1 to 1024 (pixel-range)}} expected-error {{(corner-range)}} expected-error {{(box-bytes)}}
}

// What the driver says is for somebody to look at.
void unseen(CUtensorMap *map, float *tensor, cuuint64_t *sizes, cuuint32_t *box) {
  encode(map, F32, 2, tensor, sizes, sizes, box, box, NONE, PLAIN, L2, ZERO); // expected-warning {{nobody looks at what 'cuTensorMapEncodeTiled' returns: a map that the driver refuses is no map, and copies through it end the kernel [-Wtilelift-map-not-checked]}}
  if (encode(map, F32, 2, tensor, sizes, sizes, box, box, NONE, PLAIN, L2, ZERO))
    (void)encode(map, F32, 2, tensor, sizes, sizes, box, box, NONE, PLAIN, L2, ZERO);
}
