// RUN: %verify %s
//
// Statements that do not store a tile, or not as TMA can.

__device__ void use(float *tile) { tile[threadIdx.x] = 1; }

__global__ void nothing(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma store
  part[threadIdx.x] = in[threadIdx.x]; // expected-error {{this statement writes to 'part', besides copying from shared to global memory [-Wtilelift-side-effect]}}
  __syncthreads();
#pragma tma store
  if (blockIdx.x > 1) // expected-error {{this statement stores nothing from shared to global memory [-Wtilelift-not-a-copy]}}
    ;
#pragma tma reduce
  for (int i = 0; i < 4; ++i) // expected-error {{this statement combines nothing from shared into global memory [-Wtilelift-not-a-copy]}}
    ;
}

// What is stored is not what is in the tile.
__global__ void computed(float *out, const float *in, float factor) {
  __shared__ float part[64];
  part[63 - threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#pragma tma store
  out[threadIdx.x] = part[threadIdx.x] * factor; // expected-error {{what is stored to 'out' is not a copy: the value is a product [-Wtilelift-computed-value]}}
#pragma tma store
  out[threadIdx.x] = threadIdx.x < 60 ? part[threadIdx.x] : 0.f; // expected-error {{what is stored to 'out' is not a copy: the value is always the same number}}
#pragma tma store
  out[threadIdx.x] = in[threadIdx.x]; // expected-error {{what is stored to 'out' is not a copy: the value is read from global memory}}
#pragma tma store
  out[threadIdx.x] += part[threadIdx.x]; // expected-error {{what is stored to 'out' is not a copy: the value is combined with what is there: '#pragma tma reduce' does that}}
#pragma tma reduce
  out[threadIdx.x] = part[threadIdx.x]; // expected-error {{what is stored to 'out' is not a copy: the value overwrites what is there: '#pragma tma store' does that}}
#pragma tma reduce
  out[threadIdx.x] -= part[threadIdx.x]; // expected-error {{what is stored to 'out' is not a copy: the value is a difference}}
#pragma tma reduce
  out[threadIdx.x] = out[threadIdx.x + 64] + part[threadIdx.x]; // expected-error {{what is stored to 'out' is not a copy: the value is combined with what is in another place}}
}

// Nor does it subtract.
__global__ void subtracts(int *sums) {
  __shared__ int part[64];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma reduce
  atomicSub(&sums[threadIdx.x], part[threadIdx.x]); // expected-error {{TMA has nothing that does what 'atomicSub' does: it adds, takes the minimum or the maximum, increments, decrements, and combines bits by and, or and xor [-Wtilelift-no-such-atomic]}}
}

// TMA adds floats, but does not compare them.
__global__ void floats(float *out, double *sums) {
  __shared__ float part[64];
  __shared__ double wide[64];
  part[63 - threadIdx.x] = out[threadIdx.x + 64];
  wide[63 - threadIdx.x] = part[threadIdx.x ^ 1];
  __syncthreads();
#pragma tma reduce
  out[threadIdx.x] = fminf(out[threadIdx.x], part[threadIdx.x]); // expected-error {{TMA has no 'min' of f32, only of u32, i32, u64, i64, f16, bf16 [-Wtilelift-no-such-reduction]}}
#pragma tma reduce
  sums[threadIdx.x] = max(wide[threadIdx.x], sums[threadIdx.x]); // expected-error {{TMA has no 'max' of f64, only of u32, i32, u64, i64, f16, bf16}}
}

// Some elements go to several places, others nowhere.
__global__ void places(float *out, float *other, int n) {
  __shared__ float part[64], rows[4][64];
  part[63 - threadIdx.x] = n;
  for (int r = 0; r < 4; ++r)
    rows[r][threadIdx.x] = n + r;
  __syncthreads();
#pragma tma store
  out[threadIdx.x] = part[threadIdx.x / 2]; // expected-error {{byte 0 of 'part' is stored by thread 0 and again by thread 1 [-Wtilelift-clashing-stores]}}
#pragma tma store
  {
    out[threadIdx.x] = part[threadIdx.x];
    out[threadIdx.x + 64] = part[threadIdx.x]; // expected-error {{byte 0 of 'part' is stored by thread 0 and again by thread 0}}
  }
#pragma tma reduce
  for (int i = 0; i < 2; ++i)
    out[threadIdx.x] += part[threadIdx.x]; // expected-error {{byte 0 of 'part' is combined by thread 0 and again by thread 0}}
#pragma tma store
  for (int r = 0; r < 4; ++r)
    if (r != 2)
      out[r * n + threadIdx.x] = rows[r][threadIdx.x]; // expected-error {{'rows[2][0]' is not stored, 'rows[3][0]' is: TMA stores a tile without gaps [-Wtilelift-gap-in-tile]}}
#pragma tma store
  (threadIdx.x % 2 ? out : other)[threadIdx.x] = part[threadIdx.x]; // expected-error {{'part' goes to 'other' or to 'out', element by element: give each an array of its own [-Wtilelift-two-sources]}}
#pragma tma store
  for (int r = 0; r < 4; ++r)
    out[threadIdx.x * n + 2 * r] = rows[r][threadIdx.x]; // expected-error {{'rows[0][0]' and 'rows[0][1]' lie side by side in shared memory but n * 4 bytes apart in 'out'}}
#pragma tma store
  for (int r = 0; r < 4; ++r)
    out[r * r * n + threadIdx.x] = rows[r][threadIdx.x]; // expected-error {{is stored to 'out' + n * 36 bytes, evenly spaced rows would give n * 20 bytes [-Wtilelift-uneven-steps]}}
#pragma tma store
  out[threadIdx.x] = part[threadIdx.x + 4]; // expected-error {{'part' is stored at byte 256, it has 256 [-Wtilelift-outside-the-tile]}}
}

// Two tiles at once, to what may be one place.
__global__ void several(float *a, float *b) {
  __shared__ float one[64], two[64];
  one[63 - threadIdx.x] = two[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma store
  { // expected-error {{'a' and 'b' may be the same memory, and TMA stores to them in any order: declare one of them '__restrict__', or store to them in two statements [-Wtilelift-stores-may-meet]}}
    a[threadIdx.x] = one[threadIdx.x];
    b[threadIdx.x] = two[threadIdx.x];
  }
}

__global__ void halves(float *__restrict__ a, int w) {
  __shared__ float one[64], two[64];
  one[63 - threadIdx.x] = two[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma store
  { // expected-error {{two tiles go to 'a', and TMA stores them in any order: store them in two statements [-Wtilelift-stores-may-meet]}}
    a[threadIdx.x] = one[threadIdx.x];
    a[w + threadIdx.x] = two[threadIdx.x];
  }
}

// One dimension needs long rows, the other one, which runs backwards, a negative pitch.
__global__ void backwards(float *out, int pitch) {
  __shared__ float part[2][16][32];
  for (int i = threadIdx.x; i < 1024; i += 64)
    part[i / 512][i / 32 % 16][i % 32] = i;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 1024; i += 64) // expected-error {{this copy would lift only where 'pitch >= 32' and 'pitch <= -1', which exclude each other [-Wtilelift-never-holds]}}
    out[(20 + i / 32 % 16 - i / 512 * 20) * pitch + i % 32] = part[i / 512][i / 32 % 16][i % 32];
}

// TMA stores 16 bytes at a time.
__global__ void whole(float *out, int w) {
  __shared__ float rows[8][32], parts[8][36];
  for (int r = 0; r < 8; ++r)
    rows[r][threadIdx.x] = parts[r][threadIdx.x] = r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r) // expected-error {{rows of 'rows' start in 'out' behind a multiple of 16 bytes, by 4 bytes: TMA stores whole 16 bytes, and would overwrite what is next to them [-Wtilelift-store-not-whole]}}
    out[r * w + threadIdx.x + 1] = rows[r][threadIdx.x];
#pragma tma store
  for (int r = 0; r < 8; ++r) // expected-error {{rows of 'parts' have 120 bytes: TMA stores whole 16 bytes, and would overwrite what is next to them}}
    if (threadIdx.x < 30)
      out[r * w + threadIdx.x] = parts[r][threadIdx.x];
}

// Rows have to be laid out anew, and somebody relies on them.
__global__ void escaping(float *out, int w) {
  __shared__ float tile[32][33];
  use(&tile[0][0]); // expected-error {{'tile' has to be laid out with rows of 128 bytes instead of 132, but it is passed to 'use' [-Wtilelift-layout-escapes]}}
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 32; ++r)
    out[r * w + threadIdx.x] = tile[r][threadIdx.x];
}

// What is loaded starts elsewhere than what is stored, and only the inside is.
__global__ void clashing(float *out, const float *in, int w) {
  __shared__ float tile[8][32], halo[8][34];
#pragma tma load
  for (int r = 0; r < 8; ++r)
    tile[r][threadIdx.x] = in[r * w + blockIdx.x * 32 + threadIdx.x + 1];
  for (int r = 0; r < 8; ++r)
    halo[r][threadIdx.x] = r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r) // expected-error {{'tile' takes part in several copies that need different layouts: rows of 32 elements starting at 0 here, of 36 starting at 1 before [-Wtilelift-layouts-clash]}}
    out[r * w + blockIdx.x * 32 + threadIdx.x] = tile[r][threadIdx.x];
}
__global__ void inside(float *out, int w) {
  __shared__ float halo[8][34]; // expected-error {{'halo' has to be laid out with rows of 128 bytes instead of 136, but the rest of its rows may be used [-Wtilelift-layout-escapes]}}
  for (int r = 0; r < 8; ++r)
    halo[r][threadIdx.x + 2] = r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r)
    out[r * w + blockIdx.x * 32 + threadIdx.x] = halo[r][threadIdx.x + 1];
}

// A guard of the value, and a store for some threads only.
__global__ void guarded(float *out) {
  __shared__ float part[64];
  part[63 - threadIdx.x] = out[threadIdx.x + 64];
  __syncthreads();
#pragma tma store
  if (part[threadIdx.x] > 0) // expected-error {{the condition 'part[threadIdx.x] > 0' is not followed: it depends on more than indices and arguments [-Wtilelift-unknown-index]}}
    out[threadIdx.x] = part[threadIdx.x];
  if (threadIdx.x < 32) { // expected-note {{thread 32 does not go on from here}}
#pragma tma store
    out[threadIdx.x] = part[threadIdx.x]; // expected-error {{some threads of the block may not reach this copy}}
  }
}

// What is combined has to lie in a tile as it is.
__global__ void inverted(unsigned *out, unsigned flag) {
  __shared__ unsigned part[64];
  part[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma reduce
  atomicAnd(&out[threadIdx.x], ~part[threadIdx.x]); // expected-error {{what is stored to 'out' is not a copy: the value is computed by 'atomicAnd' from '~part[threadIdx.x]', which is not an element of shared memory [-Wtilelift-computed-value]}}
#pragma tma reduce
  atomicAnd(&out[threadIdx.x], flag); // expected-error {{what is stored to 'out' is not a copy: the value is computed by 'atomicAnd' from 'flag', which is not an element of shared memory [-Wtilelift-computed-value]}}
}

// The language.
__global__ void clauses(float *out) {
  __shared__ float part[64];
  part[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma store outside(any) // expected-error {{unknown clause 'outside' on '#pragma tma store'}}
  out[threadIdx.x] = part[threadIdx.x];
#pragma tma reduce cache(evict_first) // expected-error {{unknown clause 'cache' on '#pragma tma reduce'}}
  out[threadIdx.x] += part[threadIdx.x];
}

void launch(float *out, const float *in, double *sums) {
  nothing<<<1, 64>>>(out, in);
  computed<<<1, 64>>>(out, in, 2.f);
  subtracts<<<1, 64>>>((int *)out);
  floats<<<1, 64>>>(out, sums);
  places<<<1, 64>>>(out, out + 100, 64);
  several<<<1, 64>>>(out, out + 64);
  halves<<<1, 64>>>(out, 64);
  backwards<<<1, 64>>>(out, 32);
  backwards<<<1, 64>>>(out, 64);
  whole<<<1, 32>>>(out, 64);
  escaping<<<1, 32>>>(out, 64);
  clashing<<<1, 32>>>(out, in, 64);
  inside<<<1, 32>>>(out, 64);
  guarded<<<1, 64>>>(out);
  inverted<<<1, 64>>>((unsigned *)out, 3);
  clauses<<<1, 64>>>(out);
}
