// RUN: %verify %s
//
// Tiles of pixels that im2col does not fill like that.

// Channels are columns here, of a tile that cannot be transposed.
__global__ void across(float *out, const float *in, int n, int h, int w, int q) {
  __shared__ float tile[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{'tile' is filled by the digits of a flat index, but not as im2col fills it: each row has to be the channels of one pixel, and the next row those of the next [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % q - 1;
    tile[i % 32][i / 32] = x >= 0 && x < w ? in[(m / q * w + x) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  const float *row = tile[0];
  out[threadIdx.x] = row[threadIdx.x % 32];
}

// Every other pixel, and another value outside.
__global__ void gaps(float *out, const float *in, int w, int q) {
  __shared__ float tile[32][32], ones[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{each row has to be the channels of one pixel, and the next row those of the next [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 64 + i / 32 * 2, x = m % q - 1;
    tile[i / 32][i % 32] = x >= 0 && x < w ? in[(m / q * w + x) * 32 + i % 32] : 0.f;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{'ones' is filled by the digits of a flat index, but not as im2col fills it: what its guard leaves out is not zero [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % q - 1;
    ones[i / 32][i % 32] = x >= 0 && x < w ? in[(m / q * w + x) * 32 + i % 32] : 1.f;
  }
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x % 32] + ones[0][threadIdx.x % 32];
}

// Guards that are no box of coordinates, and do not move as the address does.
__global__ void guards(float *out, const float *in, int w, int q, int s) {
  __shared__ float triangle[32][32], skipped[32][32], some[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{ties coordinates to each other [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % q;
    triangle[i / 32][i % 32] = x < m / q ? in[(m / q * w + x) * 32 + i % 32] : 0.f;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{its guard moves on by 's' from pixel to pixel, the address by '128' bytes [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % q;
    skipped[i / 32][i % 32] = x * s < w ? in[(m / q * w + x) * 32 + i % 32] : 0.f;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{mixes pixels and channels [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % q;
    some[i / 32][i % 32] = x + i % 32 < w ? in[(m / q * w + x) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  out[threadIdx.x] = triangle[0][0] + skipped[0][1] + some[0][2];
}

// In unsigned numbers, the index of a row before the image wraps around; only the block knows the image.
__global__ void may_wrap(float *out, const float *in, int n, int h, int w, int c, int hh, int ww) {
  __shared__ float tile[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{nothing that is known at launch keeps its index between 0 and 4294967264, behind which it wraps around: compute it in signed numbers [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, y = m / ww - 1, x = m % ww - 1;
    bool inside = m / ww < hh && y >= 0 && x >= 0 && y < h && x < w;
    tile[i / 32][i % 32] = inside ? in[((blockIdx.y % n * h + y) * w + x) * c + i % 32] : 0.f;
  }
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// The last digit is a row that begins before the tensor, and may be any.
__global__ void endless(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{nothing that is known at launch says how many pixels there are [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % w, y = m / w - 1;
    tile[i / 32][i % 32] = y >= 0 && y < h ? in[(y * w + x) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// The gradient of a convolution with a stride: between the pixels that it reads there are gaps.
__global__ void strided(float *out, const float *dy, int n, int h, int w, int p, int q, int stride) {
  __shared__ float tile[32][32];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 1024; i += 128) {
    const int m = blockIdx.x * 32 + i / 32, y = m / w % h, x = m % w;
    const bool inside = m < n * h * w && y % stride == 0 && x % stride == 0 && y / stride < p && x / stride < q;
    tile[i / 32][i % 32] = inside ? dy[((m / (h * w) * p + y / stride) * q + x / stride) * 32 + i % 32] : 0.f; // expected-error {{the guard of 'tile[1][0]' does not follow the tile's shape}}
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}

// More dimensions besides channels and images.
__global__ void many(float *out, const float *in, int a, int b, int c, int d) {
  __shared__ float tile[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{its pixels have 4 dimensions, im2col has at most 3 [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, x = m % a - 1, y = m / a % b - 1, z = m / (a * b) % c - 1;
    int t = m / (a * b * c) % d - 1, n = m / (a * b * c * d);
    bool inside = x >= 0 && x < a && y >= 0 && y < b && z >= 0 && z < c && t >= 0 && t < d;
    tile[i / 32][i % 32] = inside ? in[((((n * d + t) * c + z) * b + y) * a + x) * 32 + i % 32] : 0.f;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += 128) { // expected-error {{its pixels have 6 dimensions, im2col has at most 3 [-Wtilelift-not-im2col]}}
    int m = blockIdx.x * 32 + i / 32, place = 0, size = 1;
    bool inside = true;
    for (int k = 0; k < 6; ++k, m /= d, size *= a) {
      inside = inside && m % d >= 1;
      place += m % d * size;
    }
    tile[i / 32][i % 32] = inside ? in[(m * size + place) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

void run(float *out, const float *in, int n) {
  across<<<n, 128>>>(out, in, n, n, n, n);
  gaps<<<n, 128>>>(out, in, n, n);
  guards<<<n, 128>>>(out, in, n, n, n);
  endless<<<n, 128>>>(out, in, n, n);
  may_wrap<<<dim3(n, n), 128>>>(out, in, n, n, n, 32, n, n);
  many<<<n, 128>>>(out, in, n, n, n, n);
}
