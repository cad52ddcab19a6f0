// RUN: %verify %s
//
// What `const` does not keep: mutable members, casts, and assembly behind a pointer to constants.

struct Cursor {
  mutable int row;
  int pitch;
};
__device__ void bump(const Cursor *cursor) { cursor->row += 32; }
__device__ void bump_row(const int *row) { *const_cast<int *>(row) += 32; }
__device__ void put(const int *row, int value) { asm volatile("st.u32 [%0], %1;" ::"l"(row), "r"(value) : "memory"); }

__global__ void by_pointer(float *out, const float *in, int pitch, int n) {
  __shared__ float tile[32][32];
  Cursor c{0, pitch};
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[(c.row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed: it depends on 'c', which may be changed through a pointer, a reference or a lambda [-Wtilelift-unknown-index]}}
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
    __syncthreads();
    bump(&c);
  }
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

// By pointers that are kept, in objects, through results, constructors, numbers and pointers to pointers, and in
// functions that call each other.
struct Rows {
  const int *first;
};
struct Bumped {
  __device__ Bumped(const int &row) { const_cast<int &>(row) += 32; }
  __device__ Bumped(const int *rows) { const_cast<int *>(rows)[0] += 32; }
};
__device__ void bump_of(Rows rows) { *const_cast<int *>(rows.first) += 32; }
__device__ const int &itself(const int &row) { return row; }
__device__ void bump_at(const int &row) { *(int *)(unsigned long long)&row += 32; }
__device__ void bump_all(const int *const *rows) { **(int **)rows += 32; }
__device__ void bump_odd(const int &row, int n);
__device__ void bump_later(const int &row);
__device__ void bump_even(const int &row, int n) {
  if (n > 0)
    bump_odd(row, n - 1);
}
__device__ void bump_odd(const int &row, int n) {
  bump_even(row, n - 1);
  const_cast<int &>(row) += 32;
}

__global__ void by_kept_pointer(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  const int *kept = rows;
  bump_first(kept);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_object(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  bump_of(Rows{rows});
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_result(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  const_cast<int &>(itself(row)) += 32;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_constructor(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  Bumped bumped(row);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_number(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  bump_at(row);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_pointers(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  const int *all[1] = {rows};
  bump_all(all);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_turns(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  bump_even(row, 3);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed: it depends on 'row', which may be changed through a pointer, a reference or a lambda [-Wtilelift-unknown-index]}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_declaration(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int row = 0;
  bump_later(row);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void by_constructor_of_an_array(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 64};
  Bumped bumped(rows);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(rows[0] + threadIdx.y) * pitch + threadIdx.x]; // expected-error {{the address of this load is not followed}}
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__device__ void bump_later(const int &row) { const_cast<int &>(row) += 32; }

// Who keeps the promise is trusted: nothing is said here.
struct View {
  const float *data;
  int pitch;
  __device__ float4 four(int i) const { return *(float4 *)(data + i); }
  __device__ unsigned place(const void *shared) const { return unsigned(__cvta_generic_to_shared(shared)) + pitch; }
};
__device__ float4 four(const float *data, const int &i) { return *(float4 *)(data + i); }
__device__ void stream(float *to, const float &value) { asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory"); }
__device__ float sum_of(const float *two) { return two[0] + two[1]; }

__global__ void only_read(float *out, const float *in, View view, int n) {
  __shared__ float tile[32][32];
  int rows[2] = {0, 32};
  float last[2] = {0, 0};
  float4 all = *(float4 *)in;
  if (first(n) > 100)
    return;
  for (int r = 0; r < n; ++r) {
    float4 more = four(in, r), most = view.four(r);
    unsigned place = view.place(&tile[0][0]);
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[(r * 32 + rows[1] + threadIdx.y) * view.pitch + threadIdx.x];
    __syncthreads();
    last[1] = tile[threadIdx.y][threadIdx.x] + more.x + most.x + place;
    __syncthreads();
  }
  stream(out + threadIdx.y * 32 + threadIdx.x, sum_of(last) + all.x);
}

void run_all(float *out, const float *in) {
  by_cast_of_a_reference<<<1, dim3(32, 32)>>>(out, in, 32);
  by_cast_of_an_array<<<1, dim3(32, 32)>>>(out, in, 32);
  by_cast_in_place<<<1, dim3(32, 32)>>>(out, in, 32);
  by_kept_pointer<<<1, dim3(32, 32)>>>(out, in, 32);
  by_object<<<1, dim3(32, 32)>>>(out, in, 32);
  by_result<<<1, dim3(32, 32)>>>(out, in, 32);
  by_constructor<<<1, dim3(32, 32)>>>(out, in, 32);
  by_number<<<1, dim3(32, 32)>>>(out, in, 32);
  by_pointers<<<1, dim3(32, 32)>>>(out, in, 32);
  by_turns<<<1, dim3(32, 32)>>>(out, in, 32);
  by_declaration<<<1, dim3(32, 32)>>>(out, in, 32);
  by_constructor_of_an_array<<<1, dim3(32, 32)>>>(out, in, 32);
  only_read<<<1, dim3(32, 32)>>>(out, in, View{in, 32}, 4);
}
