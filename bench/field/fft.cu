// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many FFTs of 1024 points, each in the shared memory of a block: once by radix 2 with the order of
// bits reversed by the threads that read, and once by radix 4 between two buffers. The step between
// rows and columns of a large FFT multiplies by twiddles and turns tiles.

#include "field.cuh"

#define FFT_LEN 1024
#define FFT_LOG 10
#define TILE_DIM 32
#define BLOCK_ROWS 8

__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 cadd(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float2 csub(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}

// radix 2, decimation in frequency: the input as it is, the output in the reversed order of bits
__global__ void fft_dif_radix2(const float2 *d_input, float2 *d_output, const float2 *twiddle) {
  __shared__ float2 s_input[FFT_LEN];
  const int base = blockIdx.x * FFT_LEN;

#pragma tma load
  {
    s_input[threadIdx.x] = d_input[base + threadIdx.x];
    s_input[threadIdx.x + FFT_LEN / 2] = d_input[base + threadIdx.x + FFT_LEN / 2];
  }
  __syncthreads();

  for (int half = FFT_LEN / 2; half >= 1; half >>= 1) {
    const int k = threadIdx.x & (half - 1);
    const int i = 2 * (threadIdx.x - k) + k;
    const float2 a = s_input[i], b = s_input[i + half];
    s_input[i] = cadd(a, b);
    s_input[i + half] = cmul(csub(a, b), twiddle[k * (FFT_LEN / 2 / half)]);
    __syncthreads();
  }

#pragma tma store
  {
    d_output[base + threadIdx.x] = s_input[threadIdx.x];
    d_output[base + threadIdx.x + FFT_LEN / 2] = s_input[threadIdx.x + FFT_LEN / 2];
  }
}

// radix 2, decimation in time, what is read goes to the place with its bits reversed
__global__ void fft_dit_reversed(const float2 *d_input, float2 *d_output, const float2 *twiddle) {
  __shared__ float2 s[FFT_LEN];
  const int base = blockIdx.x * FFT_LEN;
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < FFT_LEN; i += blockDim.x)
    s[__brev(i) >> (32 - FFT_LOG)] = d_input[base + i];
  __syncthreads();

  for (int half = 1; half < FFT_LEN; half *= 2) {
    for (int t = threadIdx.x; t < FFT_LEN / 2; t += blockDim.x) {
      const int k = t & (half - 1), i = 2 * (t - k) + k;
      const float2 a = s[i], b = cmul(s[i + half], twiddle[k * (FFT_LEN / 2 / half)]);
      s[i] = cadd(a, b);
      s[i + half] = csub(a, b);
    }
    __syncthreads();
  }
#pragma tma store
  for (int i = threadIdx.x; i < FFT_LEN; i += blockDim.x)
    d_output[base + i] = s[i];
}

// radix 4, between two buffers (Stockham), twiddles in shared memory, too
__global__ void __launch_bounds__(256)
    fft_stockham_radix4(const float2 *__restrict__ in, float2 *__restrict__ out,
                        const float2 *__restrict__ twiddle) {
  __shared__ float2 buffer[2][FFT_LEN];
  __shared__ float2 w[FFT_LEN];
  const int tid = threadIdx.x;

#pragma tma load
  for (int i = 0; i < 4; i++)
    w[tid + i * 256] = twiddle[tid + i * 256];
#pragma tma load
  for (int i = 0; i < 4; i++)
    buffer[0][tid + i * 256] = in[blockIdx.x * FFT_LEN + tid + i * 256];
  __syncthreads();

  int from = 0;
  for (int p = 1; p < FFT_LEN; p *= 4) {
    const int k = tid & (p - 1);
    const int step = k * (FFT_LEN / 4 / p);
    const float2 a = buffer[from][tid], b = cmul(buffer[from][tid + 256], w[step]);
    const float2 c = cmul(buffer[from][tid + 512], w[2 * step]);
    const float2 d = cmul(buffer[from][tid + 768], w[3 * step]);
    const float2 e = cadd(a, c), f = csub(a, c), g = cadd(b, d), h = csub(b, d);
    const int j = ((tid - k) << 2) + k;
    float2 *to = buffer[1 - from];
    to[j] = cadd(e, g);
    to[j + p] = make_float2(f.x + h.y, f.y - h.x);
    to[j + 2 * p] = csub(e, g);
    to[j + 3 * p] = make_float2(f.x - h.y, f.y + h.x);
    from = 1 - from;
    __syncthreads();
  }
#pragma tma store
  for (int i = 0; i < 4; i++)
    out[blockIdx.x * FFT_LEN + tid + i * 256] = buffer[1][tid + i * 256];
}

// between the two halves of a large FFT: columns become rows, times exp(-2 pi i xy / n)
__global__ void twiddle_transpose(const float2 *idata, float2 *odata, int width, int height) {
  __shared__ float2 tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
#pragma tma load
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    const float turn = -2.0f * (float(x) * (y + j) / (float(width) * height));
    float sine, cosine;
    sincospif(turn, &sine, &cosine);
    odata[(y + j) * height + x] =
        cmul(tile[threadIdx.x][threadIdx.y + j], make_float2(cosine, sine));
  }
}

// exp(-2 pi i k / 1024)
__global__ void init_twiddles(float2 *twiddle) {
  for (int k = threadIdx.x; k < FFT_LEN; k += blockDim.x)
    twiddle[k] = make_float2(cospif(-2.0f * k / FFT_LEN), sinpif(-2.0f * k / FFT_LEN));
}

int main() {
  const int batch = field::pick(16384, 3);
  const size_t bytes = size_t(batch) * FFT_LEN * sizeof(float2);
  Buffer in(bytes, 1), out(bytes, 2), twiddle(FFT_LEN * sizeof(float2), 3);
  init_twiddles<<<1, 256>>>(twiddle.as<float2>());
  field::measure("fft-dif", out, [&] {
    fft_dif_radix2<<<batch, FFT_LEN / 2>>>(in.as<float2>(), out.as<float2>(), twiddle.as<float2>());
  });
  field::measure("fft-reversed", out, [&] {
    fft_dit_reversed<<<batch, 256>>>(in.as<float2>(), out.as<float2>(), twiddle.as<float2>());
  });
  field::measure("fft-stockham", out, [&] {
    fft_stockham_radix4<<<batch, 256>>>(in.as<float2>(), out.as<float2>(), twiddle.as<float2>());
  });
  const int width = field::pick(4096, 64), height = field::pick(4096, 32);
  field::measure("fft-transpose", out, [&] {
    twiddle_transpose<<<dim3(width / TILE_DIM, height / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(
        in.as<float2>(), out.as<float2>(), width, height);
  });
}
