// RUN: %verify %s -std=c++20
//
// Functions and lambdas with copies that are also called where no call in the text names them. A lambda's text is one
// for all of its calls: the copy of the call that can be seen would be made in the others as well, into its own tile.

template <class F> struct AtExit {
  F f;
  float *to;
  const float *from;
  __device__ ~AtExit() { f(to, from); }
};

__global__ void by_a_destructor(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called by a destructor or an initialiser, which is not followed [-Wtilelift-calls-unseen]}}
  };
  load(tile, in);
  { // expected-note {{the kernel gets there here}}
    AtExit<decltype(load)> last{load, other, in + 512};
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

template <class F> struct AtStart {
  F f;
  float *to;
  const float *from;
  int done = (f(to, from), 1);
};

__global__ void by_an_initialiser(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called by a destructor or an initialiser, which is not followed [-Wtilelift-calls-unseen]}}
  };
  load(tile, in);
  AtStart<decltype(load)> first{load, other, in + 512}; // expected-note {{the kernel gets there here}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

template <class F> __device__ void indirect(F &f, float *to, const float *from) { f(to, from); }

__global__ void by_a_pointer_to_a_caller(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called through a pointer, which is not followed [-Wtilelift-calls-unseen]}}
  };
  load(tile, in);
  void (*f)(decltype(load) &, float *, const float *) = indirect<decltype(load)>;
  f(load, other, in + 512); // expected-note {{the kernel gets there here}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

__global__ void by_a_pointer_to_a_member(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called through a pointer, which is not followed [-Wtilelift-calls-unseen]}}
  };
  load(tile, in);
  auto member = &decltype(load)::operator();
  (load.*member)(other, in + 512);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

// A lambda that captures what the lifted text needs is no pointer to a function any more.
__global__ void converted(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called through a pointer, which is not followed [-Wtilelift-calls-unseen]}}
  };
  void (*second)(float *, const float *) = load;
  load(tile, in);
  second(other, in + 512); // expected-note {{the kernel gets there here}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

struct Base {
  __device__ virtual void run(float *to, const float *from) = 0;
};
template <class F> struct Derived : Base {
  F f;
  __device__ explicit Derived(F f) : f(f) {}
  __device__ void run(float *to, const float *from) override { f(to, from); }
};

__global__ void by_a_virtual_function(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) {
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-error {{the lambda that makes this copy is also called through a pointer, which is not followed [-Wtilelift-calls-unseen]}}
  };
  load(tile, in);
  Derived<decltype(load)> derived(load);
  Base *base = &derived;
  base->run(other, in + 512);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + other[threadIdx.x ^ 2];
}

// Of a method, the destructor calls the one that was written: the copy stays a loop there, and that is said.
struct Store {
  float *tile, *to;
  __device__ void flush() {
#pragma tma store threads(128)
    to[threadIdx.x] = tile[threadIdx.x]; // expected-error {{'flush', which makes this copy, is also called by a destructor or an initialiser, which is not followed [-Wtilelift-calls-unseen]}}
  }
  __device__ ~Store() { flush(); }
};
__global__ void method(float *out, const float *in) { // expected-note {{the kernel gets there here}}
  __shared__ __align__(128) float tile[128];
  tile[threadIdx.x ^ 1] = in[threadIdx.x];
  __syncthreads();
  Store first{tile, out};
  first.flush();
  __syncthreads();
}

// A lifted lambda captures, and cannot be made of its type alone any more, nor has it the size that it had.
template <class F> __device__ void made_anew(float *to, const float *from) { F{}(to, from); }
__global__ void of_its_type(float *out, const float *in) {
  __shared__ __align__(128) float tile[128], other[128];
  auto load = [](float *to, const float *from) { // expected-error {{a copy in a lambda without captures that is made anew, assigned, converted to a pointer or asked for its size is not available yet}}
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  };
  made_anew<decltype(load)>(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void of_its_size(float *out, const float *in) {
  __shared__ __align__(128) float tile[128];
  auto load = [](float *to, const float *from) { // expected-error {{a copy in a lambda without captures that is made anew, assigned, converted to a pointer or asked for its size is not available yet}}
#pragma tma load threads(128)
    to[threadIdx.x] = from[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  };
  load(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1] + sizeof load;
}

// Calls that the text names are followed, wherever they stand.
template <class F> __device__ void twice(F f) {
  f(0);
  f(1);
}
__global__ void followed(float *out, const float *in) {
  __shared__ __align__(128) float tile[128];
  float sum = 0;
  twice([&](int k) {
    __syncthreads();
#pragma tma load threads(128)
    tile[threadIdx.x] = in[k * 512 + threadIdx.x];
    __syncthreads();
    sum = sum * 2 + tile[threadIdx.x ^ 1];
  });
  out[threadIdx.x] = sum;
}

void launch(float *out, const float *in) {
  by_a_destructor<<<1, 128>>>(out, in);
  by_an_initialiser<<<1, 128>>>(out, in);
  by_a_pointer_to_a_caller<<<1, 128>>>(out, in);
  by_a_pointer_to_a_member<<<1, 128>>>(out, in);
  converted<<<1, 128>>>(out, in);
  by_a_virtual_function<<<1, 128>>>(out, in);
  method<<<1, 128>>>(out, in);
  of_its_type<<<1, 128>>>(out, in);
  of_its_size<<<1, 128>>>(out, in);
  followed<<<1, 128>>>(out, in);
}
