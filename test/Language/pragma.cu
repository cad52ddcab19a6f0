// RUN: %verify %s
//
// Mistakes in a pragma: each at its own column, with a suggestion.

__global__ void directives(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma laod
  // expected-error@-1 {{unknown directive 'laod' after '#pragma tma'; did you mean 'load'? [-Wtilelift-unknown-directive]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma
  // expected-error@-1 {{unknown directive '' after '#pragma tma'; expected 'load', 'store', 'reduce' or 'pipeline'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma store promote(128)
  // expected-error@-1 {{unknown clause 'promote' on '#pragma tma store' [-Wtilelift-unknown-clause]}}
  out[threadIdx.x] = part[threadIdx.x];
#pragma tma reduce swizzle(48)
  // expected-error@-1 {{'48' is no value of clause 'swizzle': expected 'auto', 'none', '32', '64' or '128'}}
  out[threadIdx.x] += part[threadIdx.x];
#pragma tma pipeline stages(3)
  // expected-error@-1 {{this loop makes no copy that is lifted: there is nothing to keep in flight}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
#pragma tma pipeline stages(1, 2)
  // expected-error@-1 {{expected ')' in '#pragma tma pipeline'}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
#pragma tma pipeline stages(65)
  // expected-error@-1 {{'65' is no value of clause 'stages': expected a number from 1 to 64}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
#pragma tma pipeline stages()
  // expected-error@-1 {{expected a number in 'stages(...)' in '#pragma tma pipeline'}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
#pragma tma pipeline warp(consumer)
  // expected-error@-1 {{'consumer' is no value of clause 'warp': expected 'producer' [-Wtilelift-bad-clause-value]}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
}

__global__ void clauses(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load treads(64)
  // expected-error@-1 {{unknown clause 'treads' on '#pragma tma load'; did you mean 'threads'? [-Wtilelift-unknown-clause]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load stages(2)
  // expected-error@-1 {{unknown clause 'stages' on '#pragma tma load'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load promote(64) promote(128)
  // expected-error@-1 {{clause 'promote' is given twice [-Wtilelift-repeated-clause]}}
  // expected-note@-2 {{first given here}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load promote(65)
  // expected-error@-1 {{'65' is no value of clause 'promote': expected 'none', '64', '128' or '256'; did you mean '64'? [-Wtilelift-bad-clause-value]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads(2048)
  // expected-error@-1 {{'2048' is no value of clause 'threads': expected a number from 1 to 1024}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads(8, 8, 1, 1)
  // expected-error@-1 {{a block has three dimensions}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads 64
  // expected-error@-1 {{expected '(' after 'threads' in '#pragma tma load' [-Wtilelift-malformed-clause]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads(64
  // expected-error@-1 {{expected ')' in '#pragma tma load'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads()
  // expected-error@-1 {{expected a number in 'threads(...)' in '#pragma tma load'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load swizzle(256)
  // expected-error@-1 {{'256' is no value of clause 'swizzle': expected 'auto', 'none', '32', '64' or '128'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(w)
  // expected-error@-1 {{'w' is no value of clause 'multicast': expected 'x', 'y' or 'z'; did you mean 'x'?}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(x, 9)
  // expected-error@-1 {{'9' is no value of clause 'multicast': expected a number from 1 to 8}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(x, y, x)
  // expected-error@-1 {{'x' is no value of clause 'multicast': it is named before}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(x, 2, 2)
  // expected-error@-1 {{'2' is no value of clause 'multicast': expected 'x', 'y' or 'z'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(x,
  // expected-error@-1 {{expected a number in 'multicast(...)' in '#pragma tma load'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load prefetch(0)
  // expected-error@-1 {{'0' is no value of clause 'prefetch': expected a number from 1 to 64}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(3)
  // expected-error@-1 {{expected the name of what stays in L2 in '#pragma tma load' [-Wtilelift-malformed-clause]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in, 1.5f)
  // expected-error@-1 {{'1.5f' is no value of clause 'persist': expected the share that stays in L2, above 0 and up to 1 [-Wtilelift-bad-clause-value]}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in, 0x1p-1)
  // expected-error@-1 {{'0x1p-1' is no value of clause 'persist'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in, 0.5ff)
  // expected-error@-1 {{'0.5ff' is no value of clause 'persist'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in, 0)
  // expected-error@-1 {{'0' is no value of clause 'persist'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in.)
  // expected-error@-1 {{expected the name of what stays in L2}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in,)
  // expected-error@-1 {{'' is no value of clause 'persist'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load persist(in, 0.5, 2)
  // expected-error@-1 {{expected ')' in '#pragma tma load'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma pipeline persist(in)
  // expected-error@-1 {{unknown clause 'persist' on '#pragma tma pipeline'}}
  for (int i = 0; i < 4; ++i)
    out[i] = part[i];
#pragma tma store multicast(x)
  // expected-error@-1 {{unknown clause 'multicast' on '#pragma tma store'}}
  part[threadIdx.x] = in[threadIdx.x];
#pragma tma load threads(NOTHING)
  // expected-error@-1 {{'NOTHING' in clause 'threads' is no constant that is visible here [-Wtilelift-unknown-constant]}}
  part[threadIdx.x] = in[threadIdx.x];
}

#pragma tma load
// expected-error@-1 {{'#pragma tma load' is not followed by a statement of a kernel [-Wtilelift-misplaced-pragma]}}
int number;

__global__ void at_the_end(float *out) {
  out[0] = 0;
#pragma tma load
  // expected-error@-1 {{'#pragma tma load' is not followed by a statement of a kernel}}
}

void host(float *out, const float *in) {
#pragma tma load
  // expected-error@-1 {{'#pragma tma load' stands in host code: it speaks of a statement of a kernel}}
  out[0] = in[0];
}

__device__ void helper(float *out, const float *in) {
#pragma tma load
  // expected-error@-1 {{no call in a kernel that this file instantiates leads to 'helper', so the copy cannot be checked}}
  out[0] = in[0];
}
