// RUN: %verify %s
//
// What `const` does not keep: mutable members, casts, and assembly behind a pointer to constants.

struct Cursor {
  mutable int row;
  int pitch;
};
__device__ void bump(const Cursor *cursor) { cursor->row += 32; }
__device__ void bump_it(const Cursor &cursor) { cursor.row += 32; }
__device__ void bump_row(const int *row) { *const_cast<int *>(row) += 32; }
__device__ void put(const int *row, int value) { asm volatile("st.u32 [%0], %1;" ::"l"(row), "r"(value) : "memory"); }

__global__ void by_pointer(float *out, const float *in, int pitch, int n) {
  __shared__ float tile[32][32];
  Cursor c{0, pitch};
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[(c.row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed: it may be changed through a pointer, a reference or a lambda [-Wtilelift-unknown-index]}}
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
    __syncthreads();
    bump(&c);
  }
}

__global__ void by_reference(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  Cursor c{int(blockIdx.y) * 32, pitch};
  bump_it(c);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(c.row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_cast(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  bump_row(&row);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_assembly(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  put(&row, threadIdx.y);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

void run(float *out, const float *in) {
  by_pointer<<<1, dim3(32, 32)>>>(out, in, 32, 4);
  by_reference<<<1, dim3(32, 32)>>>(out, in, 32);
  by_cast<<<1, dim3(32, 32)>>>(out, in, 32);
  by_assembly<<<1, dim3(32, 32)>>>(out, in, 32);
}

// The same through references and arrays, and in functions that functions call.
__device__ void bump_reference(const int &row) { const_cast<int &>(row) += 32; }
__device__ void bump_further(const int &row) { bump_reference(row); }
__device__ void bump_first(const int *rows) { *(int *)rows += 32; }
__device__ int first(const int &row) { return row; }

__global__ void by_cast_of_a_reference(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  bump_further(row);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_cast_of_an_array(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  bump_first(rows);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_cast_in_place(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  const int *kept = rows;
  const_cast<int *>(kept)[0] = 32;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// Who keeps the promise is trusted: nothing is said here.
__global__ void only_read(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 32;
  if (first(row) > 100)
    return;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

void run_all(float *out, const float *in) {
  by_cast_of_a_reference<<<1, dim3(32, 32)>>>(out, in, 32);
  by_cast_of_an_array<<<1, dim3(32, 32)>>>(out, in, 32);
  by_cast_in_place<<<1, dim3(32, 32)>>>(out, in, 32);
  only_read<<<1, dim3(32, 32)>>>(out, in, 32);
}
