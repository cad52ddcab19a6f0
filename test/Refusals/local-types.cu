// RUN: %verify %s -std=c++20
//
// Memory that there is once for each type, where the type is one of the function's own or is made of such a one: the
// lifted function has other types, and so has other memory.

template <class... Types> struct Pack {};
template <class Type> __device__ int count[128]; // expected-error 5 {{a static variable that there is once for each local type of a kernel ('count': the lifted copy would have its own) is not available yet}}
template <auto Value> __device__ int counted[128]; // expected-error 2 {{a static variable that there is once for each local type of a kernel ('counted': the lifted copy would have its own) is not available yet}}
template <class Type> struct Base {
  static __device__ int calls; // expected-error {{a static variable that there is once for each local type of a kernel ('calls': the lifted copy would have its own) is not available yet}}
  __device__ int call() { return calls++; }
};
template <class Type> __device__ int Base<Type>::calls;

#define COPY                                                                                                           \
  __syncthreads();                                                                                                     \
  out[threadIdx.x] = tile[threadIdx.x ^ 3] + number

__global__ void packed(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own {};
  int number = count<Pack<int, Pack<Own>>>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void pointed(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own {};
  int number = count<const Own *&>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void passed(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own {};
  int number = count<void (*)(Own, int)>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void a_member(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own {};
  int number = count<int Own::*>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void an_array(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own {};
  int number = count<Own[3]>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void an_enumerator(float *out, const float *in) {
  __shared__ float tile[128];
  enum Own { one };
  int number = counted<one>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void a_closure(float *out, const float *in) {
  __shared__ float tile[128];
  int number = counted<[] {}>[threadIdx.x]++;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}
__global__ void a_base(float *out, const float *in) {
  __shared__ float tile[128];
  struct Own : Base<Own *> {};
  int number = Own().call();
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  COPY;
}

// Shared memory of such a type is in the way where a function gets more than one lifted copy.
template <class Type> __device__ float *scratch() {
  __shared__ float values[128];
  return values;
}
__device__ float through(float *tile, const float *in, bool isFirst) { // expected-error {{a copy in a function that has shared memory of its own and is called in ways that differ is not available yet}}
  struct Own {};
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  float *values = scratch<Own>();
  if (isFirst) values[threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  return values[127 - threadIdx.x];
}
__global__ void twice(float *out, const float *in) {
  __shared__ float one[128], two[128];
  through(one, in, true);
  out[threadIdx.x] = through(two, in + 128, false);
}
__device__ float through_once(float *tile, const float *in) {
  struct Own {};
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float *values = scratch<Own>();
  values[threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  return values[127 - threadIdx.x];
}
__global__ void once(float *out, const float *in) { // expected-warning {{launched nowhere}}
  __shared__ float one[128];
  out[threadIdx.x] = through_once(one, in);
}
