// RUN: %verify %s
//
// Statements that are no copies, or do more than copy.

__global__ void nothing(float *out, const float *in) {
#pragma tma load threads(64)
  out[threadIdx.x] = in[threadIdx.x]; // expected-error {{this statement writes to 'out', besides copying to shared memory}}
}

__global__ void no_store(float *out, const float *in) {
  float sum = 0;
#pragma tma load threads(64)
  for (int i = 0; i < 4; ++i) // expected-error {{this statement stores nothing to shared memory [-Wtilelift-not-a-copy]}}
    sum += in[i];
}

__global__ void scaled(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = 2 * in[threadIdx.x]; // expected-error {{'part[0]' is not a copy: the value is a product [-Wtilelift-computed-value]}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void converted(float *out, const int *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x]; // expected-error {{'part[0]' is not a copy: the value is converted from 'int' to 'float'}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void accumulated(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] += in[threadIdx.x]; // expected-error {{'part[0]' is not a copy: the value is a sum}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void from_shared(float *out, const float *in) {
  __shared__ float part[64], other[64];
  other[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#pragma tma load threads(64)
  part[threadIdx.x] = other[63 - threadIdx.x]; // expected-error {{'part[0]' is not a copy: the value is read from shared memory}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void constant(float *out) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = 0; // expected-error {{'part[0]' is not a copy: the value is always the same number}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void with_barrier(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    part[i] = in[i];
    __syncthreads(); // expected-error {{'__syncthreads()' is not followed in an annotated copy [-Wtilelift-unsupported-statement]}}
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void with_volatile(float *out, const volatile float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x]; // expected-error {{this access is volatile: it has to be made as it is written, and not by TMA; where barriers order what threads do to the memory, 'volatile' can go [-Wtilelift-volatile-access]}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void with_memcpy_of_any_size(float *out, const float *in, int bytes) {
  __shared__ float part[64];
#pragma tma load threads(64)
  memcpy(&part[threadIdx.x], &in[threadIdx.x], bytes); // expected-error {{a memcpy of a size that is not constant is not followed in an annotated copy}}
  out[threadIdx.x] = part[threadIdx.x];
}

__device__ void elsewhere(float *to, const float *from);

__global__ void with_call(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  elsewhere(part, in); // expected-error {{this statement calls 'elsewhere', whose body is not visible, besides copying to shared memory [-Wtilelift-side-effect]}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void with_switch(float *out, const float *in, int mode) {
  __shared__ float part[64];
#pragma tma load threads(64)
  switch (mode) { // expected-error {{'switch' is not followed in an annotated copy}}
  default:
    part[threadIdx.x] = in[threadIdx.x];
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void runtime_trips(float *out, const float *in, int n) {
  __shared__ float part[64];
#pragma tma load threads(64)
  for (int i = threadIdx.x; i != n; i += n) // expected-error {{this loop's trip count depends on 'i != n': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}} expected-note {{no launch gives the argument 'n' as a constant: make it one, or a template parameter}}
    if (i < 0)
      part[0] = in[i];
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void index_kept(float *out, const float *in) {
  __shared__ float part[64];
  int i = threadIdx.x;
#pragma tma load threads(64)
  for (; i < 64; i += blockDim.x) // expected-error {{'i' is set by the annotated statement and used after it [-Wtilelift-variable-escapes]}}
    part[i] = in[i];
  out[i] = part[threadIdx.x];
}

__global__ void loaded_condition(float *out, const float *in, const float *weights) {
  __shared__ float part[64];
#pragma tma load threads(64)
  if (weights[threadIdx.x] > 0.f) // expected-error {{the condition 'weights[threadIdx.x] > 0.f' is not followed: it depends on more than indices and arguments [-Wtilelift-unknown-index]}}
    part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

template <int N> __global__ void unused_template(float *out, const float *in) {
  __shared__ float part[N];
#pragma tma load threads(64) // expected-error {{template 'unused_template' is instantiated nowhere in this file, so the copy cannot be checked [-Wtilelift-never-instantiated]}}
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

// A branch that is never taken, of one instance or of all.
template <bool Second> __global__ void maybe_second(float *out, const float *in, int n) {
  __shared__ float part[64];
  if (Second) { // expected-note {{no thread goes on from here}}
    const int m = n - 1;
#pragma tma load threads(64)
    part[threadIdx.x] = threadIdx.x < m ? in[threadIdx.x] : 0.f; // expected-error {{no thread gets to this copy, so it cannot be checked [-Wtilelift-never-reached]}} expected-note {{in the instantiation 'maybe_second<false>'}}
    out[threadIdx.x] = part[threadIdx.x];
  }
}
template __global__ void maybe_second<false>(float *, const float *, int);

__global__ void declared_outside(float *out, const float *in) {
  __shared__ float part[60];
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x]; // expected-error {{'part' is written at byte 240, it has 240 [-Wtilelift-outside-the-tile]}} expected-note {{to lift it, store only where 'threadIdx.x < 60'}}
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void chosen(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
#pragma tma load threads(64)
  part[threadIdx.x] = in[i < n ? 2 * i : 3 * i]; // expected-error {{'part[0]' is read from different places of 'in', depending on a condition [-Wtilelift-several-places]}}
  out[threadIdx.x] = part[threadIdx.x];
}

extern __shared__ float everybodys[];

__device__ float first_of_all() { return everybodys[0]; }

__global__ void outside(float *out, const float *in) {
#pragma tma load threads(64)
  everybodys[threadIdx.x] = in[threadIdx.x]; // expected-error {{a tile in dynamic shared memory that other functions name, too ('everybodys') is not available yet}}
  out[threadIdx.x] = everybodys[threadIdx.x] + first_of_all();
}

// The next round goes on where the copy's own loop ended.
__global__ void carried(float *out, const float *in, int n) {
  __shared__ float part[64];
  const float *from = in;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(64)
    { // expected-error {{'from' is set by the annotated statement and used after it [-Wtilelift-variable-escapes]}}
      part[threadIdx.x] = from[threadIdx.x];
      from += 64;
    }
    out[threadIdx.x] += part[63 - threadIdx.x];
  }
}

// And so it does where the statement sets what it starts from.
__global__ void set_for_the_next(float *out, const float *in, int n) {
  __shared__ float part[64];
  int from = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(64)
    { // expected-error {{'from' is set by the annotated statement and used after it [-Wtilelift-variable-escapes]}}
      part[threadIdx.x] = in[from + threadIdx.x];
      from = k * 64;
    }
    out[threadIdx.x] += part[63 - threadIdx.x];
  }
}

__global__ void set_back_in_some_rounds(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    for (; i < 64; i += 32) // expected-error {{this loop's trip count depends on 'i < 64': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}}
      part[i] = in[i];
    out[threadIdx.x] += part[63 - threadIdx.x];
    if (k % 2 == 0)
      i = threadIdx.x;
  }
}

__global__ void set_back_but_for_the_last(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    for (; i < 64; i += 32) // expected-error {{this loop's trip count depends on 'i < 64': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}}
      part[i] = in[i];
    out[threadIdx.x] += part[63 - threadIdx.x];
    if (in[k] > 0)
      continue;
    i = threadIdx.x;
  }
}

__global__ void set_back_and_moved_on(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k, ++i) {
#pragma tma load threads(32)
    for (; i < 64; i += 32) // expected-error {{this loop's trip count depends on 'i < 64': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}}
      part[i] = in[i];
    out[threadIdx.x] += part[63 - threadIdx.x];
    i = threadIdx.x;
  }
}

__global__ void set_back_to_something_else(float *out, const float *in, int n) {
  __shared__ float part[64];
  int i = threadIdx.x;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    for (; i < 64; i += 32) // expected-error {{this loop's trip count depends on 'i < 64': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}}
      part[i] = in[i];
    out[threadIdx.x] += part[63 - threadIdx.x];
    i = threadIdx.x + 32;
  }
}

__global__ void staged(float *out, const float *in, int stage) {
  __shared__ float part[2][64];
#pragma tma load threads(64)
  part[stage * (threadIdx.x % 2)][threadIdx.x] = in[threadIdx.x]; // expected-error {{the place in 'part' is not followed: it depends on 'stage * 256'}} expected-note {{no launch gives the argument 'stage' as a constant: make it one, or a template parameter}}
  out[threadIdx.x] = part[stage][threadIdx.x];
}

// Which of the tensors it is, the copy alone knows.
struct Group { const float *in[3]; };
__global__ void one_of_a_group(float *out, const Group group, int id) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = group.in[id][threadIdx.x]; // expected-error {{the address of this load is not followed: it is looked up in 'group[...]' by an index that may be negative, which an unsigned argument is not [-Wtilelift-unknown-index]}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// It is the index that is converted, not the element.
__device__ float4 pixel_at(const float4 *data, int x, int n) {
  x = max(0.f, min(float(n - 1), float(x))); // expected-error {{'part[0]' is not a copy: the value lies at an address that is converted to 'int' [-Wtilelift-computed-value]}}
  return data[x];
}
__global__ void index_of_float(float4 *out, const float4 *in, int n) {
  __shared__ float4 part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = pixel_at(in, threadIdx.x, n);
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// The program keeps the address as a number.
__global__ void address_as_number(float *out, unsigned long long address) {
  __shared__ float part[64];
  const float *in = reinterpret_cast<const float *>(address);
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x]; // expected-error {{the address of this load is not followed: it is made of the number 'address', and not of a pointer [-Wtilelift-unknown-index]}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// How far two arguments are apart, only their difference says.
__global__ void up_to_a_pointer(int *out, const int *first, const int *last) {
  __shared__ int part[64], other[64];
  const int *at = first + blockIdx.x * 64 + threadIdx.x;
#pragma tma load threads(64)
  part[threadIdx.x] = at < last ? *at : 0; // expected-error {{'part[0]' is not a copy: the value depends on 'at < last', which compares two pointers, and how far they are apart is not known [-Wtilelift-computed-value]}}
#pragma tma load threads(64)
  if (at < last) other[threadIdx.x] = *at; else other[threadIdx.x] = 0; // expected-error {{the condition 'at < last' is not followed: it compares two pointers, and how far they are apart is not known [-Wtilelift-unknown-index]}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + other[63 - threadIdx.x];
}

// They copy something only for numbers for which they are not followed: unsigned ones that come out as negative ones, or
// come around.
__global__ void only_where_negative(float *out, const float *in, unsigned n) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = int(n) < 0 ? in[threadIdx.x] : 0.f; // expected-error {{'part[0]' is not a copy: the value is always the same number where it is followed, which is where 'n <= 2147483647' [-Wtilelift-computed-value]}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
__global__ void only_where_it_comes_around(float *out, const float *in, unsigned n) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = n + 5 < 3 ? in[threadIdx.x] : 0.f; // expected-error {{'part[0]' is not a copy: the value is always the same number where it is followed, which is where 'n <= 2147483642'}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
__global__ void only_of_words_with_the_bit(float *out, const float *in, const unsigned *__restrict__ bits) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = int(bits[blockIdx.x]) < 0 ? in[threadIdx.x] : 0.f; // expected-error {{'part[0]' is not a copy: the value is always the same number where it is followed, which is where 'bits[blockIdx.x] <= 2147483647'}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
