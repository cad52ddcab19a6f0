// RUN: %verify %s
//
// A lifted kernel is a second text beside the plain one. What would be another thing there keeps a kernel from that.

__global__ void counts(float *out, const float *in) {
  __shared__ float tile[512];
  int number = __COUNTER__; // expected-error {{a lifted function that uses __COUNTER__ is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + number;
}

__global__ void says_its_name(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + sizeof(__func__); // expected-error {{a lifted function that uses __func__ is not available yet [-Wtilelift-not-available-yet]}}
}

__global__ void remembers(float *out, const float *in) {
  __shared__ float tile[512];
  static int calls = 0; // expected-error {{a static variable in a lifted function ('calls': the lifted copy would have its own) is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + calls++;
}

// A lambda of the lifted kernel is of another type, and so is what is made for it.
template <class F> __device__ int &calls_of(F) {
  static int calls = 0; // expected-error {{a static variable that there is once for each local type of a kernel ('calls': the lifted copy would have its own) is not available yet [-Wtilelift-not-available-yet]}}
  return calls;
}
__global__ void remembers_by_type(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  auto one = [] { return 1; };
  out[threadIdx.x] = tile[511 - threadIdx.x] + calls_of(one)++;
}
template <class T> struct Counted { static __device__ int count; }; // expected-error {{a static variable that there is once for each local type of a kernel ('count': the lifted copy would have its own) is not available yet [-Wtilelift-not-available-yet]}}
template <class T> __device__ int Counted<T>::count = 0;
__global__ void remembers_in_a_class(float *out, const float *in) {
  struct Own {};
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + Counted<Own>::count++;
}

void launch_early(float *out, const float *in) {
  extern __global__ void declared_in_a_block(float *, const float *); // expected-error {{a kernel that is declared inside of a function is not available yet [-Wtilelift-not-available-yet]}}
  declared_in_a_block<<<1, 128>>>(out, in);
}
__global__ void declared_in_a_block(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

class Scale {
  float by;
  friend __global__ void befriended(float *, const float *, Scale);

public:
  explicit Scale(float by) : by(by) {}
};
__global__ void befriended(float *out, const float *in, Scale scale) { // expected-error {{a copy in a function that is declared as a friend ('befriended') is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] * scale.by;
}

__global__ void generic(float *out, const float *in) {
  __shared__ float tile[512];
  float sum = 0;
  auto add = [&](auto k) {
#pragma tma load threads(128) // expected-error {{a copy in a lambda of which there are several instances, one for each type or each part of a fold expression, is not available yet [-Wtilelift-not-available-yet]}}
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
  tile[row][threadIdx.x] = in[row * 128 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
}
template <int... rows> __device__ void fetch_all(float (*tile)[128], const float *in) {
  (fetch<rows>(tile, in), ...); // expected-error {{a copy in a function that one call of the text stands for several times, as in a fold expression or a generic lambda, is not available yet [-Wtilelift-not-available-yet]}}
}
__global__ void folded(float *out, const float *in) {
  __shared__ __align__(128) float tile[4][128];
  fetch_all<3, 1, 0, 2>(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 4][127 - threadIdx.x];
}

struct Base {
  __device__ void fetch(float *to, const float *from) const {
#pragma tma load threads(128)
    for (int i = threadIdx.x; i < 256; i += 128) to[i] = from[i]; // expected-note {{so this copy is not lifted}}
  }
};
struct Derived : private Base {
  using Base::fetch;
};
__global__ void by_a_name_that_is_brought(float *out, const float *in) {
  __shared__ float tile[256];
  Derived().fetch(tile, in); // expected-error {{a copy in a method called through a using-declaration is not available yet [-Wtilelift-not-available-yet]}}
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

inline constexpr auto fetch_somehow = [] __device__ (float *to, const float *from) { // expected-error {{a copy in a lambda defined outside of the kernel and the functions that it calls is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 256; i += 128) to[i] = from[i]; // expected-note {{so this copy is not lifted}}
};
__global__ void by_a_lambda_of_the_file(float *out, const float *in) {
  __shared__ float tile[256];
  fetch_somehow(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

template <class... P> __global__ void of_a_pack(float *out, const P *...in) {
  __shared__ float tile[256];
  float sum = 0;
  auto add = [&](const float *from) {
#pragma tma load threads(128)
    for (int i = threadIdx.x; i < 256; i += 128) tile[i] = from[i]; // expected-error {{the address of this load is not followed: it is one of the arguments that are all called 'in'}} expected-note {{in the instantiation 'of_a_pack<float, float>'}}
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  };
  (add(in), ...);
  out[threadIdx.x] = sum;
}
template __global__ void of_a_pack<float, float>(float *, const float *, const float *);

#ifndef WITH_BIAS
__global__ void torn(float *out, const float *in) { // expected-error {{an #if block that starts or ends inside of the function, but not both, is not available yet [-Wtilelift-not-available-yet]}}
  const float bias = 0;
#else
__global__ void torn(float *out, const float *in, float bias) {
#endif
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + bias;
}

__global__ void torn_copy(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) { // expected-error {{an #if block that starts or ends inside of the copy, but not both, is not available yet [-Wtilelift-not-available-yet]}}
    tile[i] = in[i];
#ifndef WITH_BIAS
  }
#else
    tile[i] += 1; }
#endif
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

#define block 128
__global__ void of_a_short_name(float *out, const float *in) { // expected-error {{a macro named 'block', which clashes with a name in the generated code, is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += block) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

#undef block

// What the lifted text says besides the names of its own: types and attributes of CUDA, words of C++.
#define cudaError_t int
__global__ void of_a_type(float *out, const float *in) { // expected-error {{a macro named 'cudaError_t', which clashes with a name in the generated code, is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}
#undef cudaError_t
#define dim3 Dimensions
__global__ void of_another_type(float *out, const float *in) { // expected-error {{a macro named 'dim3', which clashes with a name in the generated code, is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}
#undef dim3
// A macro of the kernel's own text means there what it means in the lifted one.
#define THREADS 128
#define Element float
__global__ void of_the_kernel(Element *out, const Element *in) { // expected-warning {{launched nowhere in this file}}
  __shared__ Element tile[512];
#pragma tma load threads(THREADS)
  for (int i = threadIdx.x; i < 512; i += THREADS) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

template <int lifted> __global__ void named_as_a_member(float *out, const float *in) { // expected-error {{a template parameter named 'lifted', which clashes with a name in the generated code, is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[128 * lifted];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 128 * lifted; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
template __global__ void named_as_a_member<4>(float *, const float *);

__global__ void size_of_the_grid(float *out, const float *in, int gridDim) { // expected-error {{a kernel with a parameter named 'gridDim' is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + gridDim;
}

namespace outside { __global__ void defined_elsewhere(float *out, const float *in); }
__global__ void outside::defined_elsewhere(float *out, const float *in) { // expected-error {{a copy in a function defined outside of its namespace ('defined_elsewhere') is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

__global__ void one_of_two_parameters(float *out, const float *in // expected-error {{an #if block in the declaration of a kernel is not available yet [-Wtilelift-not-available-yet]}}
#ifdef EXTRA
  , int extra
#endif
) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

__global__ void one_of_two_statements(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
// expected-error@-1 {{an #if block that starts or goes on between a pragma and its statement is not available yet [-Wtilelift-not-available-yet]}}
#ifdef ZEROS
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = 0;
#else
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
#endif
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}

namespace own {
struct dim3 { int x, y, z; };
__global__ void beside_another_dim3(float *out, const float *in) { // expected-error {{a program that calls something else 'dim3' is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x];
}
} // namespace own

// A replaced statement moves what stands behind it on its line.
__global__ void asks_for_a_column(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  const int column = __builtin_COLUMN(); // expected-error {{a lifted function that asks for a column of its text is not available yet [-Wtilelift-not-available-yet]}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + column;
}
__global__ void asks_for_its_name(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i]; // expected-note {{so this copy is not lifted}}
  const char *name = __builtin_FUNCTION(); // expected-error {{a lifted function that asks for its own name is not available yet [-Wtilelift-not-available-yet]}}
  __syncthreads();
  out[threadIdx.x] = tile[511 - threadIdx.x] + name[0];
}
