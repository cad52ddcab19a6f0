// RUN: %verify %s
//
// A lifted kernel is a second text beside the plain one. What would be another thing there keeps a kernel from that.

__global__ void counts(float *out, const float *in) {
  __shared__ float tile[512];
  int number = __COUNTER__; // expected-error {{a kernel that counts by __COUNTER__ is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + number;
}

__global__ void says_its_name(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + sizeof(__func__); // expected-error {{a kernel that asks for its own name (by __func__) is not available yet [-Wtilelift-not-available-yet]}}
}

__global__ void remembers(float *out, const float *in) {
  __shared__ float tile[512];
  static int calls = 0; // expected-error {{a static variable of a kernel ('calls': the lifted kernel would have one of its own) is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + calls++;
}

class Scale {
  float by;
  friend __global__ void befriended(float *, const float *, Scale);

public:
  explicit Scale(float by) : by(by) {}
};
__global__ void befriended(float *out, const float *in, Scale scale) { // expected-error {{a copy in a friend of a class ('befriended') is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] * scale.by;
}

__global__ void generic(float *out, const float *in) {
  __shared__ float tile[512];
  float sum = 0;
  auto add = [&](auto k) {
#pragma tma load threads(128) // expected-error {{a copy in a generic lambda that is called with different types is not available yet [-Wtilelift-not-available-yet]}}
    for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[k * 512 + i];
    __syncthreads();
    sum += tile[511 - threadIdx.x];
    __syncthreads();
  };
  add(1);
  add(2l);
  out[threadIdx.x] = sum;
}

template <int row> __device__ void fetch(float (*tile)[128], const float *in) {
#pragma tma load threads(128)
  tile[row][threadIdx.x] = in[row * 128 + threadIdx.x];
}
template <int... rows> __device__ void fetch_all(float (*tile)[128], const float *in) {
  (fetch<rows>(tile, in), ...); // expected-error {{a copy in a function that a fold expression calls is not available yet [-Wtilelift-not-available-yet]}}
}
__global__ void folded(float *out, const float *in) {
  __shared__ __align__(128) float tile[4][128];
  fetch_all<3, 1, 0, 2>(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 4][127 - threadIdx.x];
}

template <class... P> __global__ void of_a_pack(float *out, const P *...in) { // expected-error {{a copy that depends on one of the pack of parameters 'in' is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[256];
  float sum = 0;
  auto add = [&](const float *from) {
#pragma tma load threads(128)
    for (int i = threadIdx.x; i < 256; i += 128) tile[i] = from[i];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  };
  (add(in), ...);
  out[threadIdx.x] = sum;
}
template __global__ void of_a_pack<float, float>(float *, const float *, const float *);

#ifndef WITH_BIAS
__global__ void torn(float *out, const float *in) { // expected-error {{an #if of which only one end is in the kernel is not available yet [-Wtilelift-not-available-yet]}}
  const float bias = 0;
#else
__global__ void torn(float *out, const float *in, float bias) {
#endif
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + bias;
}

__global__ void torn_copy(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
#ifndef WITH_BIAS
  for (int i = threadIdx.x; i < 512; i += 128) // expected-error {{an #if of which only one end is in the copy is not available yet [-Wtilelift-not-available-yet]}}
#else
  for (int i = threadIdx.x; i < 256; i += 128)
#endif
    tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

#define block 128
__global__ void of_a_short_name(float *out, const float *in) { // expected-error {{a program whose macro 'block' changes words of the lifted text is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += block) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}
