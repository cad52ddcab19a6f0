// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many tridiagonal systems, one for each block, its diagonals in shared memory: parallel cyclic
// reduction with a thread for each equation, and cyclic reduction with a thread for every other.

#include "field.cuh"

#define SYSTEM_SIZE 512

// parallel cyclic reduction; one piece of dynamic shared memory for all five arrays
__global__ void pcrKernel(float *d_a, float *d_b, float *d_c, float *d_d, float *d_x) {
  extern __shared__ float shared[];
  const int system_size = blockDim.x;
  int thid = threadIdx.x;
  int blid = blockIdx.x;

  float *a = shared;
  float *b = &a[system_size];
  float *c = &b[system_size];
  float *d = &c[system_size];
  float *x = &d[system_size];

#pragma tma load
  {
    a[thid] = d_a[thid + blid * system_size];
    b[thid] = d_b[thid + blid * system_size];
    c[thid] = d_c[thid + blid * system_size];
    d[thid] = d_d[thid + blid * system_size];
  }
  __syncthreads();

  for (int delta = 1; delta < system_size; delta *= 2) {
    int right = min(thid + delta, system_size - 1);
    int left = max(thid - delta, 0);
    float alpha = thid - delta >= 0 ? a[thid] / b[left] : 0.0f;
    float gamma = thid + delta < system_size ? c[thid] / b[right] : 0.0f;
    float bNew = b[thid] - c[left] * alpha - a[right] * gamma;
    float dNew = d[thid] - d[left] * alpha - d[right] * gamma;
    float aNew = -a[left] * alpha;
    float cNew = -c[right] * gamma;
    __syncthreads();
    a[thid] = aNew;
    b[thid] = bNew;
    c[thid] = cNew;
    d[thid] = dNew;
    __syncthreads();
  }
  x[thid] = d[thid] / b[thid];
  __syncthreads();

#pragma tma store
  d_x[thid + blid * system_size] = x[thid];
}

// cyclic reduction in place: half as many threads as equations
__global__ void crKernel(const float *__restrict__ d_a, const float *__restrict__ d_b,
                         const float *__restrict__ d_c, const float *__restrict__ d_d,
                         float *__restrict__ d_x) {
  __shared__ float a[SYSTEM_SIZE], b[SYSTEM_SIZE], c[SYSTEM_SIZE], d[SYSTEM_SIZE], x[SYSTEM_SIZE];
  int thid = threadIdx.x;
  const int numThreads = SYSTEM_SIZE / 2;
  const int offset = blockIdx.x * SYSTEM_SIZE;

#pragma tma load
  {
    a[thid] = d_a[thid + offset];
    a[thid + blockDim.x] = d_a[thid + blockDim.x + offset];
  }
#pragma tma load
  {
    b[thid] = d_b[thid + offset];
    b[thid + blockDim.x] = d_b[thid + blockDim.x + offset];
  }
#pragma tma load
  {
    c[thid] = d_c[thid + offset];
    c[thid + blockDim.x] = d_c[thid + blockDim.x + offset];
  }
#pragma tma load
  {
    d[thid] = d_d[thid + offset];
    d[thid + blockDim.x] = d_d[thid + blockDim.x + offset];
  }
  __syncthreads();

  int stride = 1;
  int active = numThreads;
  // forward elimination
  for (; active > 1; active /= 2) {
    const int delta = stride;
    stride *= 2;
    if (thid < active) {
      int i = stride * thid + stride - 1;
      int left = i - delta;
      int right = i + delta < SYSTEM_SIZE ? i + delta : SYSTEM_SIZE - 1;
      float k1 = a[i] / b[left];
      float k2 = i == SYSTEM_SIZE - 1 ? 0.0f : c[i] / b[right];
      b[i] = b[i] - c[left] * k1 - a[right] * k2;
      d[i] = d[i] - d[left] * k1 - d[right] * k2;
      a[i] = -a[left] * k1;
      c[i] = i == SYSTEM_SIZE - 1 ? 0.0f : -c[right] * k2;
    }
    __syncthreads();
  }
  // two equations are left
  if (thid == 0) {
    int i = stride - 1, j = 2 * stride - 1;
    float det = b[j] * b[i] - c[i] * a[j];
    x[i] = (b[j] * d[i] - c[i] * d[j]) / det;
    x[j] = (d[j] * b[i] - d[i] * a[j]) / det;
  }
  // back substitution
  for (active = 2; active <= numThreads; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (thid < active) {
      int i = stride * 2 * thid + stride - 1;
      if (i == stride - 1)
        x[i] = (d[i] - c[i] * x[i + stride]) / b[i];
      else
        x[i] = (d[i] - a[i] * x[i - stride] - c[i] * x[i + stride]) / b[i];
    }
  }
  __syncthreads();

#pragma tma store
  {
    d_x[thid + offset] = x[thid];
    d_x[thid + blockDim.x + offset] = x[thid + blockDim.x];
  }
}

// Systems whose diagonal is larger than what is beside it.
__global__ void make_systems(float *a, float *b, float *c, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    a[i] = i % size == 0 ? 0.0f : -0.3f * a[i];
    c[i] = i % size == size - 1 ? 0.0f : -0.3f * c[i];
    b[i] += 2.0f;
  }
}

int main() {
  const int systems = field::pick(32768, 3), n = systems * SYSTEM_SIZE;
  Buffer a(n * 4ul, 1), b(n * 4ul, 2), c(n * 4ul, 3), d(n * 4ul, 4), x(n * 4ul, 5);
  make_systems<<<256, 256>>>(a.as<float>(), b.as<float>(), c.as<float>(), n, SYSTEM_SIZE);
  field::measure("tridiagonal-pcr", x, [&] {
    pcrKernel<<<systems, SYSTEM_SIZE, SYSTEM_SIZE * 5 * sizeof(float)>>>(
        a.as<float>(), b.as<float>(), c.as<float>(), d.as<float>(), x.as<float>());
  });
  field::measure("tridiagonal-cr", x, [&] {
    crKernel<<<systems, SYSTEM_SIZE / 2>>>(a.as<float>(), b.as<float>(), c.as<float>(),
                                           d.as<float>(), x.as<float>());
  });
}
