// RUN: %verify %s
//
// Loops whose copies cannot be made ahead of their rounds.

__device__ int limit;

// Nothing to keep in flight.
__global__ void empty(float *out, const float *in, int n) {
#pragma tma pipeline stages(2)
  // expected-error@-1 {{this loop makes no copy that is lifted: there is nothing to keep in flight [-Wtilelift-pipeline-empty]}}
  for (int i = 0; i < n; ++i)
    out[threadIdx.x] += in[i];
}

// The number of stages.
__global__ void stages(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64], other[64];
  constexpr int none = 0;
#pragma tma pipeline stages(0) // expected-error {{'0' is no value of clause 'stages': expected a number from 1 to 64 [-Wtilelift-bad-clause-value]}}
  for (int i = 0; i < n; ++i)
    out[i] = 1;
#pragma tma pipeline stages(none) // expected-error {{'none', which is '0' is no value of clause 'stages': expected a number from 1 to 64}}
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
#pragma tma pipeline stages(many) // expected-error {{'many' in clause 'stages' is no constant that is visible here [-Wtilelift-unknown-constant]}}
  for (int i = 0; i < n; ++i) {
#pragma tma load
    other[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = other[63 - threadIdx.x];
    __syncthreads();
  }
}

// What is no loop with a condition in front.
__global__ void no_loop(float *out, const float *in, int n) {
  __shared__ float part[64];
#pragma tma pipeline // expected-error {{'#pragma tma pipeline' speaks of a 'for' or 'while' loop [-Wtilelift-misplaced-pragma]}}
  do {
#pragma tma load
    part[threadIdx.x] = in[n * 64 + threadIdx.x];
    __syncthreads();
    out[n * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  } while (--n > 0);
}

// What L2 could fetch only if it were known.
__global__ void fetched(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ rows, int n) {
  __shared__ float tile[8][64], alone[512];
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(512) prefetch(2)
    tile[threadIdx.x / 64][threadIdx.x % 64] = in[rows[k * 8 + threadIdx.x / 64] * 64 + threadIdx.x % 64]; // expected-error {{'tile' cannot be fetched rounds before it is copied: its rows are looked up one by one [-Wtilelift-no-prefetch]}}
    __syncthreads();
    out[k * 512 + threadIdx.x] = tile[7 - threadIdx.x / 64][threadIdx.x % 64];
    __syncthreads();
  }
#pragma tma load threads(512) prefetch(2)
  alone[threadIdx.x] = in[threadIdx.x]; // expected-error {{'alone' cannot be fetched rounds before it is copied: that takes a loop with '#pragma tma pipeline' around the copy [-Wtilelift-no-prefetch]}}
  __syncthreads();
  out[threadIdx.x] = alone[511 - threadIdx.x];
}

// Whether there is another round is not to be told in advance.
__global__ void endless(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0;; ++i) { // expected-error {{tiles cannot be filled ahead of their round: the loop has no condition that says whether another round follows [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
    if (i == n)
      break;
  }
}

__global__ void left_early(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    if (part[0] == 0.f)
      break; // expected-error {{tiles cannot be filled ahead of their round: the loop may be left here, with tiles on their way [-Wtilelift-not-ahead]}}
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void counted_in_the_condition(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  while (--n > 0) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition changes a variable [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[n * 64 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void condition_in_memory(float *__restrict__ out, const float *__restrict__ in, const int *n, int *seen) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < *n; ++i) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition reads memory that the kernel may write to [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    seen[i] = 1;
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void condition_of_others(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < limit; ++i) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition reads memory that the kernel may write to [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    limit = n;
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void doubled(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 1; i < n; i *= 2) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition depends on 'i', which is not known to move by the same in each round [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void measured(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline
  for (int i = 0; sum < n; ++i, sum += 1) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition depends on 'sum', which is no integer [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
  }
}

// Where the next tile comes from is not to be told in advance.
__global__ void looked_up(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ next, int n) {
  __shared__ float part[64];
  int row = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[row * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: 'row' is not known before its round [-Wtilelift-not-ahead]}}
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    __syncthreads();
    row = next[row];
  }
}

// Rounds that do not get to the copy, or begin before the loop in ways of their own.
__global__ void some_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      out[i] = 0;
      continue; // expected-note {{they may end here}}
    }
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: some rounds may end before they get to the copy [-Wtilelift-not-ahead]}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void one_after_the_other(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 1, j = i + 1; j < n; ++i, ++j) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition depends on 'j', which is not known to move by the same in each round}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void moved_before(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  int i = 0;
#pragma tma pipeline
  while (i < n) {
    i += 2;
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: 'i' is not known before its round}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// A tile that is used in another round than its own.
__global__ void used_before(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (i > 0)
      sum += part[63 - threadIdx.x]; // expected-note {{it is used here}}
    __syncthreads();
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'part' is used outside of the round that fills it: a tile that is filled ahead lives from the copy to the end of its round [-Wtilelift-tile-leaves-round]}}
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void used_after(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'part' is used outside of the round that fills it}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] += part[threadIdx.x]; // expected-note {{it is used here}}
}

// A tile that is more than what was copied for its round.
__global__ void left_out(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; i += 64) {
#pragma tma load
    if (i + threadIdx.x < n) // expected-error {{'part' may keep values from one round to the next, which the tiles of a ring do not: the guard leaves cells out; write zero there, or say 'outside(any)' if nobody reads them [-Wtilelift-tile-keeps-values]}}
      part[threadIdx.x] = in[i + threadIdx.x];
    __syncthreads();
    out[i + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void scratch(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[128];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'part' may keep values from one round to the next, which the tiles of a ring do not: it is written elsewhere, too, and the copy does not fill all of it [-Wtilelift-tile-keeps-values]}}
    __syncthreads();
    float sum = part[63 - threadIdx.x] + (i > 0 ? part[64 + threadIdx.x] : 0.f);
    part[64 + threadIdx.x] = sum;
    out[i * 64 + threadIdx.x] = sum;
    __syncthreads();
  }
}

// Between two rounds as well.
__global__ void written_by_step(float *out, const float *in, int n) {
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i, out[threadIdx.x] = sum) { // expected-note {{it may be written here}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop, which a copy ahead of its round would miss: declare 'in' '__restrict__', or copy without a pipeline [-Wtilelift-written-in-loop]}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
}

// To declare a variable `__restrict__` that has the address of something else would not do; it is tried here.
__device__ float results[4096];
__global__ void written_through_a_variable(float *out, const float *in, int n) {
  __shared__ float part[64];
  float *__restrict__ result = results + blockIdx.x * 64;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop, which a copy ahead of its round would miss: declare 'in' '__restrict__', or copy without a pipeline [-Wtilelift-written-in-loop]}}
    __syncthreads();
    result[threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it may be written here}}
    __syncthreads();
  }
  out[threadIdx.x] = n;
}
// What is read may change until its round.
__global__ void written(float *out, const float *in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop, which a copy ahead of its round would miss: declare 'in' '__restrict__', or copy without a pipeline [-Wtilelift-written-in-loop]}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it may be written here}}
    __syncthreads();
  }
}

// What another kernel writes that is waited for, is no promise of this one.
__global__ void written_by_another_kernel(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (i == 1) asm volatile("griddepcontrol.wait;" ::: "memory"); // expected-note {{others may have written to it by then}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop, which a copy ahead of its round would miss: copy without a pipeline [-Wtilelift-written-in-loop]}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// What cannot be ahead of its round, L2 cannot fetch ahead of it either.
__global__ void fetched_in_its_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    int row = i == 0 ? 1 : i == n - 1 ? n - 2 : i;
#pragma tma load threads(64) prefetch(2)
    part[threadIdx.x] = in[row * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: 'row' is not known before its round [-Wtilelift-not-ahead]}} expected-error {{'part' cannot be fetched rounds before it is copied: its tiles are not filled ahead of their rounds [-Wtilelift-no-prefetch]}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// Another round would have to declare it once more.
__global__ void declared_in_head(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  while (const int left = n) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition declares 'left' [-Wtilelift-not-ahead]}}
#pragma tma load
    part[threadIdx.x] = in[left * 64 + threadIdx.x];
    __syncthreads();
    out[left * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
    --n;
  }
}

// What is written through the pointer that is read from is written, whatever the qualifiers say.
__global__ void written_in_place(float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop, which a copy ahead of its round would miss: copy without a pipeline [-Wtilelift-written-in-loop]}}
    __syncthreads();
    in[(i + 2) * 64 + threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it may be written here}}
    __syncthreads();
  }
}

// The condition of the copy is the condition of its use, but stands there once more.
__global__ void used_outside_if(float *__restrict__ out, const float *in, int n, bool both) {
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (both) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{a pipeline of a copy in an 'if' whose tile is used outside of that 'if' is not available yet}}
    }
    __syncthreads();
    if (both)
      sum += part[63 - threadIdx.x]; // expected-note {{it is used here}}
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void told(float *__restrict__ out, const float *in, const volatile int *flags, int n) {
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    while (flags[i] == 0) { // expected-note {{others may have written to it by then}}
    }
    __syncthreads();
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{'in' may be written in the loop}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Conditions that nobody can ask ahead of their round, and tiles that are used without them.
__global__ void asked_of_memory(float *__restrict__ out, const float *__restrict__ in, int *numbers, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (numbers[i] > 0) { // expected-note {{it stands here}}
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: the condition of the copy reads memory that the kernel may write to [-Wtilelift-not-ahead]}}
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
      numbers[i] = 0;
      __syncthreads();
    }
  }
}
__global__ void of_the_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  int odd = 0;
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    odd = 1 - odd;
    if (odd == 1) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{tiles cannot be filled ahead of their round: 'odd', which its condition names, is not known before its round [-Wtilelift-not-ahead]}}
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
      __syncthreads();
    }
  }
}
__global__ void used_behind(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
    if (i % 2 == 0) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{a pipeline of a copy in an 'if' whose tile is used outside of that 'if' is not available yet}}
    }
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x]; // expected-note {{it is used here}}
    __syncthreads();
  }
}

// Not available yet.

__global__ void dynamic(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ float memory[];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    memory[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{a pipeline of tiles in dynamic shared memory is not available yet}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = memory[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void by_hand(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[2][64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[i % 2][threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{a pipeline of tiles that have stages already is not available yet}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[i % 2][63 - threadIdx.x];
  }
}

__global__ void behind_unroll(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma unroll 2
#pragma tma pipeline // expected-error {{a pipeline behind another pragma of the loop is not available yet}}
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void no_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  if (n < 9)
#pragma tma pipeline // expected-error {{a pipeline of a loop that does not stand in a block is not available yet}}
    for (int i = 0; i < n; ++i) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x];
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
      __syncthreads();
    }
}

__global__ void captured(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    auto reversed = [=] { return part[63 - threadIdx.x]; }; // expected-error {{a tile of a ring in a lambda that does not capture all by reference is not available yet}}
    out[i * 64 + threadIdx.x] = reversed();
    __syncthreads();
  }
}

__global__ void within(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline // expected-note {{the outer one is here}}
  for (int j = 0; j < n; ++j)
#pragma tma pipeline // expected-error {{'#pragma tma pipeline' stands within a statement that has one already}} expected-error {{a pipeline of a loop that does not stand in a block is not available yet}}
    for (int i = 0; i < n; ++i) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{a pipeline of a copy in another loop, in a statement without braces, or in an 'if' that declares a variable is not available yet}}
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
      __syncthreads();
    }
}

__device__ void all_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline // expected-error {{a pipeline in a function that a kernel calls is not available yet}}
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void in_a_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  all_rows(out, in, n);
}

// The others of the kernel are told.
__global__ void beside_a_ring_too_large(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[4096], other[64];
  float sum = 0;
#pragma tma load threads(64)
  other[threadIdx.x] = in[threadIdx.x]; // expected-error {{this copy is lifted together with the others of 'beside_a_ring_too_large' or not at all, and one of them is refused [-Wtilelift-refused-together]}}
#pragma tma pipeline stages(15)
  for (int i = 0; i < n; ++i) {
#pragma tma load threads(64) fallback(loop)
    for (int j = threadIdx.x; j < 4096; j += 64) // expected-warning {{this copy stays a plain loop: 'part' grows to 245760 bytes in 15 stages}}
      part[j] = in[i * 4096 + j];
    __syncthreads();
    sum += part[4095 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum + other[63 - threadIdx.x];
}

// Too much of them.
__global__ void too_large(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[4096];
#pragma tma pipeline stages(15)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    for (int j = threadIdx.x; j < 4096; j += 64) // expected-error {{'part' grows to 245760 bytes in 15 stages: the shared memory of a block would be 246008 bytes, which may have 232448 [-Wtilelift-shared-size]}}
      part[j] = in[i * 4096 + j];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// Nothing can be put in front of dynamic memory that another function names.
extern __shared__ float everybodys[];
__device__ float last() { return everybodys[63]; }
__global__ void no_room(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[4096];
  everybodys[threadIdx.x] = n;
#pragma tma pipeline stages(4)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    for (int j = threadIdx.x; j < 4096; j += 64) // expected-error {{'part' grows to 65536 bytes in 4 stages: the static shared memory of a block would be 65696 bytes, which may have 49152 [-Wtilelift-shared-size]}}
      part[j] = in[i * 4096 + j];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x] + last();
    __syncthreads();
  }
}

void run(float *out, const float *in, int *numbers) {
  no_room<<<1, 64, 256>>>(out, in, 5);
  empty<<<1, 64>>>(out, in, 5);
  stages<<<1, 64>>>(out, in, 5);
  no_loop<<<1, 64>>>(out, in, 5);
  fetched<<<1, 512>>>(out, in, numbers, 5);
  endless<<<1, 64>>>(out, in, 5);
  left_early<<<1, 64>>>(out, in, 5);
  counted_in_the_condition<<<1, 64>>>(out, in, 5);
  condition_in_memory<<<1, 64>>>(out, in, numbers, numbers);
  condition_of_others<<<1, 64>>>(out, in, 5);
  doubled<<<1, 64>>>(out, in, 5);
  measured<<<1, 64>>>(out, in, 5);
  looked_up<<<1, 64>>>(out, in, numbers, 5);
  used_before<<<1, 64>>>(out, in, 5);
  used_behind<<<1, 64>>>(out, in, 5);
  left_out<<<1, 64>>>(out, in, 5);
  scratch<<<1, 64>>>(out, in, 5);
  written<<<1, 64>>>(out, in, 5);
  written_through_a_variable<<<1, 64>>>(out, in, 5);
  written_by_step<<<1, 64>>>(out, in, 5);
  told<<<1, 64>>>(out, in, numbers, 5);
  asked_of_memory<<<1, 64>>>(out, in, numbers, 5);
  of_the_round<<<1, 64>>>(out, in, 5);
  used_after<<<1, 64>>>(out, in, 5);
  dynamic<<<1, 64>>>(out, in, 5);
  by_hand<<<1, 64>>>(out, in, 5);
  in_a_function<<<1, 64>>>(out, in, 5);
  too_large<<<1, 64>>>(out, in, 5);
  some_rounds<<<1, 64>>>(out, in, 5);
  one_after_the_other<<<1, 64>>>(out, in, 5);
  moved_before<<<1, 64>>>(out, in, 5);
  behind_unroll<<<1, 64>>>(out, in, 5);
  no_block<<<1, 64>>>(out, in, 5);
  captured<<<1, 64>>>(out, in, 5);
  within<<<1, 64>>>(out, in, 5);
}

// Where a counter starts has to be said once more.
struct Counts { int first, last; };
__global__ void starts_at_a_binding(float *__restrict__ out, const float *__restrict__ in, Counts counts) {
  __shared__ float part[64];
  const auto [first, last] = counts;
#pragma tma pipeline stages(2)
  for (int k = last - 1; k >= 0; k -= 1) { // expected-error {{tiles cannot be filled ahead of their round: the loop's condition depends on 'k', whose start names 'last', which is a part of a structured binding [-Wtilelift-not-ahead]}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    out[k * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// Only its function can name the type.
__global__ void of_a_local_class(float *__restrict__ out, const float *__restrict__ in, int n) {
  struct Line { float v[60]; };
  __shared__ Line line; // expected-error {{a ring of 'line', whose type has no name outside of its function and whose size is no multiple of 128 bytes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(60)
    line.v[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    out[k * 64 + threadIdx.x] = line.v[59 - threadIdx.x];
    __syncthreads();
  }
}

void runMore(float *out, const float *in, float *both) {
  written_in_place<<<1, 64>>>(both, 5);
  written_by_another_kernel<<<1, 64>>>(both, both + 640, 5);
  fetched_in_its_round<<<1, 64>>>(both, both + 640, 5);
  declared_in_head<<<1, 64>>>(out, in, 5);
  used_outside_if<<<1, 64>>>(out, in, 5, true);
  starts_at_a_binding<<<1, 64>>>(out, in, {0, 5});
  of_a_local_class<<<1, 60>>>(out, in, 5);
}
