// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrences over a sequence in which the threads of a block share a short line at each step: the
// wkv operator of RWKV with a head of 64, and a selective scan with a state of 64 whose B and C are
// the same for all channels.

#include "field.cuh"

#define _N_ 64

// A block of _N_ threads for one head of one sequence, the thread's column of the state in
// registers.
__global__ void __launch_bounds__(_N_)
    wkv6_forward(const int B, const int T, const int C, const int H, const float *__restrict__ _r,
                 const float *__restrict__ _k, const float *__restrict__ _v,
                 const float *__restrict__ _w, const float *__restrict__ _u,
                 float *__restrict__ _y) {
  const int b = blockIdx.x / H;
  const int h = blockIdx.x % H;
  const int i = threadIdx.x;
  _u += h * _N_;

  __shared__ float r[_N_], k[_N_], u[_N_], w[_N_];
  float state[_N_] = {0};

  __syncthreads();
#pragma tma load
  u[i] = _u[i];
  __syncthreads();

  for (int t = b * T * C + h * _N_ + i; t < (b + 1) * T * C + h * _N_ + i; t += C) {
    __syncthreads();
#pragma tma load fallback(loop)
    w[i] = _w[t];
#pragma tma load fallback(loop)
    r[i] = _r[t];
#pragma tma load fallback(loop)
    k[i] = _k[t];
    __syncthreads();

    const float v = _v[t];
    float y = 0;

#pragma unroll
    for (int j = 0; j < _N_; j += 4) {
      const float4 &r_ = (float4 &)(r[j]);
      const float4 &k_ = (float4 &)(k[j]);
      const float4 &w_ = (float4 &)(w[j]);
      const float4 &u_ = (float4 &)(u[j]);
      float4 &s = (float4 &)(state[j]);
      float4 x;

      x.x = k_.x * v;
      x.y = k_.y * v;
      x.z = k_.z * v;
      x.w = k_.w * v;

      y += r_.x * (u_.x * x.x + s.x);
      y += r_.y * (u_.y * x.y + s.y);
      y += r_.z * (u_.z * x.z + s.z);
      y += r_.w * (u_.w * x.w + s.w);

      s.x = s.x * w_.x + x.x;
      s.y = s.y * w_.y + x.y;
      s.z = s.z * w_.z + x.z;
      s.w = s.w * w_.w + x.w;
    }
    _y[t] = y;
  }
}

// The seventh version: rows of the state instead of columns, and a decay that its input gives.
__global__ void wkv7_forward(int T, int H, const float *__restrict__ w_,
                             const float *__restrict__ q_, const float *__restrict__ k_,
                             const float *__restrict__ v_, const float *__restrict__ a_,
                             const float *__restrict__ b_, float *__restrict__ y_) {
  constexpr int C = _N_;
  int bb = blockIdx.y, hh = blockIdx.x, i = threadIdx.x;

  float state[C] = {0};
  __shared__ float q[C], k[C], w[C], a[C], b[C];

  for (int t = 0; t < T; t++) {
    int ind = bb * T * H * C + t * H * C + hh * C + i;
    __syncthreads();
#pragma tma load
    {
      q[i] = q_[ind];
      k[i] = k_[ind];
      a[i] = a_[ind];
      b[i] = b_[ind];
    }
    w[i] = __expf(-__expf(w_[ind]));
    __syncthreads();

    float sa = 0;
#pragma unroll
    for (int j = 0; j < C; j++) {
      sa += a[j] * state[j];
    }

    float v = v_[ind];
    float y = 0;
#pragma unroll
    for (int j = 0; j < C; j++) {
      float &s = state[j];
      s = s * w[j] + sa * b[j] + k[j] * v;
      y += s * q[j];
    }
    y_[ind] = y;
  }
}

__global__ void scale(float *p, size_t n, float factor) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] *= factor;
}

// h = exp(delta * A) * h + delta * B * x, y = C . h + D * x; a thread for each channel.
template <int DSTATE, int CHANNELS>
__global__ void selective_scan_fwd(const float *__restrict__ x, const float *__restrict__ delta,
                                   const float *__restrict__ A, const float *__restrict__ B,
                                   const float *__restrict__ C, const float *__restrict__ D,
                                   float *__restrict__ out, int L, int dim) {
  __shared__ float s_B[DSTATE];
  __shared__ float s_C[DSTATE];
  const int batch = blockIdx.y;
  const int d = blockIdx.x * CHANNELS + threadIdx.x;

  float h[DSTATE];
  float a[DSTATE];
#pragma unroll
  for (int n = 0; n < DSTATE; n++) {
    h[n] = 0.0f;
    a[n] = d < dim ? -A[n * dim + d] : 0.0f;
  }
  const float skip = d < dim ? D[d] : 0.0f;

  for (int l = 0; l < L; l++) {
    const size_t step = (size_t)batch * L + l;
#pragma tma load
    if (threadIdx.x < DSTATE) {
      s_B[threadIdx.x] = B[step * DSTATE + threadIdx.x];
    }
#pragma tma load
    if (threadIdx.x < DSTATE) {
      s_C[threadIdx.x] = C[step * DSTATE + threadIdx.x];
    }
    __syncthreads();
    if (d < dim) {
      const float xt = x[step * dim + d], dt = delta[step * dim + d];
      float y = skip * xt;
#pragma unroll
      for (int n = 0; n < DSTATE; n++) {
        h[n] = __expf(dt * a[n]) * h[n] + dt * s_B[n] * xt;
        y += h[n] * s_C[n];
      }
      out[step * dim + d] = y;
    }
    __syncthreads();
  }
}

// The same with 32 steps of B and C at once.
template <int DSTATE, int CHANNELS, int STEPS>
__global__ void
selective_scan_chunked_fwd(const float *__restrict__ x, const float *__restrict__ delta,
                           const float *__restrict__ A, const float *__restrict__ B,
                           const float *__restrict__ C, float *__restrict__ out, int L, int dim) {
  __shared__ float s_B[STEPS][DSTATE];
  __shared__ float s_C[STEPS][DSTATE];
  const int batch = blockIdx.y;
  const int d = blockIdx.x * CHANNELS + threadIdx.x;

  float h[DSTATE] = {0.0f}, a[DSTATE];
#pragma unroll
  for (int n = 0; n < DSTATE; n++)
    a[n] = d < dim ? -A[n * dim + d] : 0.0f;

  for (int l0 = 0; l0 < L; l0 += STEPS) {
    __syncthreads();
#pragma tma load
    for (int i = threadIdx.x; i < STEPS * DSTATE; i += CHANNELS) {
      const int l = l0 + i / DSTATE, n = i % DSTATE;
      if (l < L) {
        s_B[i / DSTATE][n] = B[((size_t)batch * L + l) * DSTATE + n];
        s_C[i / DSTATE][n] = C[((size_t)batch * L + l) * DSTATE + n];
      }
    }
    __syncthreads();
    for (int l = 0; l < STEPS && l0 + l < L; l++) {
      if (d < dim) {
        const size_t at = ((size_t)batch * L + l0 + l) * dim + d;
        const float xt = x[at], dt = delta[at];
        float y = 0.0f;
#pragma unroll
        for (int n = 0; n < DSTATE; n++) {
          h[n] = __expf(dt * a[n]) * h[n] + dt * s_B[l][n] * xt;
          y += h[n] * s_C[l][n];
        }
        out[at] = y;
      }
    }
  }
}

int main() {
  {
    const int B = field::pick(8, 1), T = field::pick(1024, 20), H = field::pick(32, 2);
    const int C = H * _N_;
    const size_t bytes = size_t(B) * T * C * 4;
    Buffer r(bytes, 1), k(bytes, 2), v(bytes, 3), w(bytes, 4), u(C * 4, 5), y(bytes, 6);
    // Decays above one would grow without end.
    scale<<<blocks_for(bytes / 4), 256>>>(w.as<float>(), bytes / 4, 0.45f);
    field::measure("rwkv-wkv6", y, [&] {
      wkv6_forward<<<dim3(B * H), dim3(_N_)>>>(B, T, C, H, r.as<float>(), k.as<float>(),
                                               v.as<float>(), w.as<float>(), u.as<float>(),
                                               y.as<float>());
    });
    Buffer a(bytes, 7), b(bytes, 8);
    scale<<<blocks_for(bytes / 4), 256>>>(a.as<float>(), bytes / 4, -0.05f);
    scale<<<blocks_for(bytes / 4), 256>>>(b.as<float>(), bytes / 4, 0.05f);
    field::measure("rwkv-wkv7", y, [&] {
      wkv7_forward<<<dim3(H, B), dim3(_N_)>>>(T, H, w.as<float>(), r.as<float>(), k.as<float>(),
                                              v.as<float>(), a.as<float>(), b.as<float>(),
                                              y.as<float>());
    });
  }
  {
    const int dim = field::pick(2000, 200), L = field::pick(1024, 50), batch = field::pick(16, 2);
    const size_t bytes = size_t(batch) * L * dim * 4, lines = size_t(batch) * L * 64 * 4;
    Buffer x(bytes, 1), delta(bytes, 2), a(dim * 64 * 4, 3), b(lines, 4), c(lines, 5);
    Buffer d(dim * 4, 6), out(bytes, 7);
    const dim3 grid((dim + 127) / 128, batch);
    field::measure("selective-scan-step", out, [&] {
      selective_scan_fwd<64, 128><<<grid, 128>>>(x.as<float>(), delta.as<float>(), a.as<float>(),
                                                 b.as<float>(), c.as<float>(), d.as<float>(),
                                                 out.as<float>(), L, dim);
    });
    field::measure("selective-scan-chunk", out, [&] {
      selective_scan_chunked_fwd<64, 128, 32>
          <<<grid, 128>>>(x.as<float>(), delta.as<float>(), a.as<float>(), b.as<float>(),
                          c.as<float>(), out.as<float>(), L, dim);
    });
  }
}
