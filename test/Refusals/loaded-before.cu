// RUN: %verify %s
//
// Registers keep what an array held when it was loaded; TMA would load what it holds now.

__global__ void own_writes(float *out, float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  in[threadIdx.x] = 0; // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{'in' is loaded before this statement, and may be written until then: declare what is written '__restrict__', or load it here}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

__global__ void writes_of_others(float *out, const float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  out[threadIdx.x] = 2 * v; // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
  __syncthreads();
  out[threadIdx.x] += part[63 - threadIdx.x];
}

// Loaded once, written in each round.
__global__ void rounds(float *out, const float *in, int n) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(64)
    part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it may be written here}}
    __syncthreads();
  }
}

// Loaded for the next round, which is another load by the time it is stored.
__global__ void written_rounds_ago(float *__restrict__ out, float *in, int n) {
  __shared__ float part[64];
  float last = 0;
  for (int k = 0; k < n; ++k) {
    float next = in[k * 64 + threadIdx.x]; // expected-note {{it is loaded here}}
#pragma tma load threads(64)
    part[threadIdx.x] = last; // expected-error {{[-Wtilelift-loaded-before]}}
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
    in[k * 64 + threadIdx.x] = 1; // expected-note {{it may be written here}}
    last = next;
  }
}

// The function that stores first writes.
__device__ void mark_and_store(float *part, float v, float *marks) {
  marks[threadIdx.x] = 1; // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
}

__global__ void written_by_a_function(float *out, const float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  mark_and_store(part, v, out);
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

__device__ void store_to(float *p) { *p = 1; }

__global__ void written_by_a_call(float *out, const float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  store_to(out); // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

__global__ void written_by_assembly(float *out, const float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  asm volatile("st.global.f32 [%0], %1;" ::"l"(out + threadIdx.x), "f"(v)); // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
  __syncthreads();
  out[threadIdx.x] += part[63 - threadIdx.x];
}

__global__ void written_atomically(float *out, const float *in) {
  __shared__ float part[64];
  float v = in[threadIdx.x]; // expected-note {{it is loaded here}}
  atomicAdd(out, v); // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
  __syncthreads();
  out[threadIdx.x + 1] = part[63 - threadIdx.x];
}

__device__ float table[64];

__global__ void a_variable(float *__restrict__ out) {
  __shared__ float part[64];
  float v = table[threadIdx.x]; // expected-note {{it is loaded here}}
  table[threadIdx.x] = 0; // expected-note {{it may be written here}}
#pragma tma load threads(64)
  part[threadIdx.x] = v; // expected-error {{'table' is loaded before this statement}}
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

// Each round loads for the next one, and writes.
__global__ void ahead(float *out, const float *in, int n) {
  __shared__ float part[64];
  float v = in[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load threads(64)
    part[threadIdx.x] = v; // expected-error {{[-Wtilelift-loaded-before]}}
    __syncthreads();
    if (k + 1 < n) // expected-note {{it is loaded here}}
      v = in[(k + 1) * 64 + threadIdx.x];
    out[k * 64 + threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it may be written here}}
  }
}

// The last value of a round is not what its load has brought.
__global__ void changed_ahead(float *__restrict__ out, const float *in, int n) {
  __shared__ float part[64];
  float v = in[threadIdx.x];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
#pragma tma load threads(64)
    part[threadIdx.x] = v;
    __syncthreads();
    v = in[(k + 1) * 64 + threadIdx.x]; // expected-error {{'part[0]' is not a copy: the value is changed by the loop around the copy}}
    v += part[63 - threadIdx.x];
  }
  out[threadIdx.x] = v;
}

// An integer counts, but where it started nobody can say any more.
__global__ void counted_from_memory(float *__restrict__ out, const float *in, const int *lengths) {
  __shared__ float part[64];
  float v = 0;
  const float *p = in;
  for (int left = lengths[blockIdx.x]; left > 0; --left) {
#pragma tma load threads(64)
    part[threadIdx.x] = p[threadIdx.x]; // expected-error {{the address of this load is not followed: it is moved by the loop around the copy, whose counter 'left' starts at a value that has no name at the copy [-Wtilelift-unknown-index]}}
    __syncthreads();
    v += part[63 - threadIdx.x];
    p += 64;
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

// Nobody knows how far a pointer is where it alone counts.
__global__ void counted_by_a_pointer(float *__restrict__ out, const float *in, int n) {
  __shared__ float part[64];
  float v = 0;
  for (const float *p = in, *end = in + n * 64; p < end; p += 64) {
#pragma tma load threads(64)
    part[threadIdx.x] = p[threadIdx.x]; // expected-error {{the address of this load is not followed: it is moved by the loop around the copy, in which no integer counts the rounds by a constant [-Wtilelift-unknown-index]}}
    __syncthreads();
    v += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

// A counter of 16 bits may have come around, and does not tell how many rounds there were.
__global__ void counted_by_a_short(float *__restrict__ out, const float *in, short n, int w) {
  __shared__ float part[64];
  float v = 0;
  const float *p = in;
  for (short k = 0; k < n; ++k, p += w) {
#pragma tma load threads(64)
    part[threadIdx.x] = p[threadIdx.x]; // expected-error {{the address of this load is not followed: it is moved by the loop around the copy, whose counter 'k' has fewer than 32 bits and may come around [-Wtilelift-unknown-index]}}
    __syncthreads();
    v += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = v;
}

// What changes of the object is not what the copy asks for, but an object is followed as a whole.
struct Loader {
  float *to;
  const float *from;
  int count;
  __device__ void load(int k) {
#pragma tma load threads(64)
    to[threadIdx.x] = from[k * 64 + threadIdx.x]; // expected-error {{the address of this load is not followed: it depends on a part of 'loader', which the loop around the copy changes}}
    ++count;
  }
};
__global__ void counting(float *out, const float *in) {
  __shared__ float part[64];
  Loader loader{part, in, 0};
  for (int k = 0; k < 4; ++k) {
    loader.load(k);
    __syncthreads();
    out[k * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
  out[256] = loader.count;
}
