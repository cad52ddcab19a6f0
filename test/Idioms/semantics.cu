// What statements around a copy compute is what C++ says, to the letter: types that wrap
// around, what is evaluated once, whose object it is. Each of these was a wrong address once,
// or is close to one that was; test/generate/preludes.py finds more of them.
//
// RUN: %run --compare --schedules=1 --remarks %s 2>&1 | %FileCheck %s
// CHECK-COUNT-16: remark: lifted{{.*}}: tile copy of 8 x {{.*}} from 'in' to 'tile'
// CHECK-COUNT-32: case memory

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define PLACE (threadIdx.y * 64 + threadIdx.x)
#define SHOW                                                                                      \
  __syncthreads();                                                                                \
  out[threadIdx.y * 32 + threadIdx.x] = tile[7 - threadIdx.y][threadIdx.x]

// A flag is true or false, not the lowest bit.
__global__ void flags(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  bool one = false;
  one |= 2;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + (one ? 8 : 4)];
  SHOW;
}

__global__ void wraps(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  signed char c = 127;
  c++;
  unsigned char u = 255;
  ++u;
  short s = -32768;
  s--;
  unsigned short h = 65535;
  h += 5;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + (c + 136) + u + (s - 32767) + h];
  SHOW;
}

union Parts {
  int whole;
  short half[2];
};

__global__ void parts(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  Parts p;
  p.whole = 65536 * 8 + 4;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + p.half[0] + p.half[1]];
  SHOW;
}

struct Pair {
  int x, y;
};
__device__ Pair pair(int i) {
  Pair p;
  p.x = 4 * i;
  p.y = i;
  return p;
}
__device__ int both(const Pair &a, const Pair &b) { return a.x + 2 * b.x; }

// Each call has an object of its own.
__global__ void results(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + both(pair(1), pair(2))];
  SHOW;
}

__global__ void chosen(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  Pair p = n > 3 ? pair(1) : pair(2);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(threadIdx.y + p.y) * 64 + threadIdx.x];
  SHOW;
}

namespace mine {
__device__ int min(int a, int b) { return a > b ? a : b; }
} // namespace mine

__global__ void own_minimum(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + mine::min(4, 8)];
  SHOW;
}

__global__ void own_index(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  dim3 blockIdx(4, 0, 0);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + blockIdx.x];
  SHOW;
}

// Variables that nobody asks for may be set by what changes others.
__global__ void declared(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int i = 4, j = ({
        i += 4;
        i;
      });
  int k = i++, l = (i += 3, 5);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + i];
  SHOW;
  out[threadIdx.y * 32 + threadIdx.x] += j + k + l;
}

struct Held {
  int v;
  __device__ Held() : v(4) {}
  __device__ Held(const Held &o) : v(o.v) {}
};
__device__ int taken(Held held) {
  held.v += 4;
  return held.v;
}

__global__ void by_value(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  {
    Held held;
    int more = taken(held);
    tile[threadIdx.y][threadIdx.x] = in[PLACE + held.v * 2 + more];
  }
  SHOW;
}

__device__ int &either(bool first, int &a, int &b) { return first ? a : b; }

__global__ void references(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  {
    int a = 0, b = 4;
    either(n > 2, a, b) += 8;
    int &r = n > 100 ? a : b;
    r += 4;
    tile[threadIdx.y][threadIdx.x] = in[PLACE + a + 2 * b];
  }
  SHOW;
}

__global__ void loops(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int i = 0;
  do {
    i += 2;
    if (i == 6)
      continue;
    i += 2;
  } while (i < 8);
  for (int k = 10, m = 0; k-- > 7; m++)
    i += m * 4;
  if (int m = i - 4; m > 3)
    i = m;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + i];
  SHOW;
}

__global__ void bits(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  unsigned u = 0;
  u -= 4;
  int x = -w, y = ~n, rest = -7 / 2 + (-7 % 4);
  long long big = 1ll << 33;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] =
      in[PLACE + (u + 8) + (x + 64) * 4 + (y + 5) * 4 + int(big >> 31) + (rest + 6) * 4];
  SHOW;
}

// blockIdx.x is unsigned, the int that has its value is not.
__global__ void signs(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int b = blockIdx.x;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + 4 * ((b - 120) % 50 + 50)];
  SHOW;
}

// An array's other name.
__global__ void pointed(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  {
    int two[2] = {4, 8}, *one = two;
    *one++ = 12;
    tile[threadIdx.y][threadIdx.x] = in[PLACE + two[0] + *one];
  }
  SHOW;
}

__global__ void short_ways(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
  int i = 0;
  (n > 2) && (i += 4);
  (n > 2) || (i += 8);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + i];
  SHOW;
}

// Each call of a function that calls itself has variables of its own.
__device__ int sum(int n) {
  int rest = n == 0 ? 0 : sum(n - 1);
  return rest + n;
}

__global__ void recursion(float *out, const float *in, int w, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[PLACE + sum(3) * 4];
  SHOW;
}

#define RUN(kernel) kernel<<<1, dim3(32, 8)>>>(numbers(256), numbers(1024), 64, 4)

int main() {
  RUN(flags);
  RUN(wraps);
  RUN(parts);
  RUN(results);
  RUN(chosen);
  RUN(own_minimum);
  RUN(own_index);
  RUN(declared);
  RUN(by_value);
  RUN(references);
  RUN(loops);
  RUN(bits);
  RUN(signs);
  RUN(pointed);
  RUN(short_ways);
  RUN(recursion);
  return finish();
}
