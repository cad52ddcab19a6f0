// RUN: %verify %s
//
// What cannot stay in L2, and why.

struct Tables {
  const float *weights;
};

__global__ void another(float *out, const float *in, const float *table) {
  __shared__ float tile[64];
#pragma tma load persist(table) // expected-error {{'table' cannot stay in L2: the copy goes through 'in' [-Wtilelift-no-persistence]}}
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void second(float *out, const float *in, const float *table) {
  __shared__ float tile[64], other[64];
#pragma tma load persist(in) // expected-note {{asked for here}}
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
#pragma tma load persist(table, 0.5) // expected-error {{'table' cannot stay in L2: a launch keeps one tensor there, and has 'in' [-Wtilelift-no-persistence]}}
  other[threadIdx.x] = table[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x] + other[63 - threadIdx.x];
}

// Where the host does not know.
__global__ void chosen(float *out, const float *const *__restrict__ tables) {
  __shared__ float tile[64];
  const float *table = tables[blockIdx.y];
#pragma tma load persist(table) // expected-error {{'table' cannot stay in L2: the copy goes through 'tables[blockIdx.y]' [-Wtilelift-no-persistence]}}
  tile[threadIdx.x] = table[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// Members of objects, and what the kernel writes to.
__global__ void fine(float *out, Tables tables) {
  __shared__ float tile[64];
#pragma tma load persist(tables.weights, .25f)
  tile[threadIdx.x] = tables.weights[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void written(float *out, const float *in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[63 - threadIdx.x];
  __syncthreads();
#pragma tma store persist(out)
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}

void run(float *out, const float *in, const float *const *tables) {
  another<<<1, 64>>>(out, in, in);
  second<<<1, 64>>>(out, in, in);
  chosen<<<1, 64>>>(out, tables);
  fine<<<1, 64>>>(out, Tables{in});
  written<<<1, 64>>>(out, in);
}
