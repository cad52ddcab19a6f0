// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table that indices pick: the sum of a bag of them, brought to shared memory first; a
// gather through shared memory, as with vectors that are worked on in between; and the gradient,
// which adds rows to the table.

#include "field.cuh"

#define EMBEDDING_DIM 128
#define BAG_TILE 16

// A block for each bag, which has any number of rows
__global__ void embedding_bag_sum(const float *__restrict__ table,
                                  const long long *__restrict__ indices,
                                  const int *__restrict__ offsets, float *__restrict__ output) {
  __shared__ float rows[BAG_TILE][EMBEDDING_DIM];
  const int bag = blockIdx.x;
  const int begin = offsets[bag], end = offsets[bag + 1];
  float sum = 0.0f;
  for (int start = begin; start < end; start += BAG_TILE) {
    __syncthreads();
#pragma tma load
    for (int i = threadIdx.x; i < BAG_TILE * EMBEDDING_DIM; i += blockDim.x) {
      const int r = i / EMBEDDING_DIM, c = i % EMBEDDING_DIM;
      if (start + r < end)
        rows[r][c] = table[indices[start + r] * EMBEDDING_DIM + c];
      else
        rows[r][c] = 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < BAG_TILE; r++)
      sum += rows[r][threadIdx.x];
  }
  output[(size_t)bag * EMBEDDING_DIM + threadIdx.x] = sum;
}

// A warp for each row, vectors of four floats; the block scales its rows to length one
template <int WARPS, int ROWS_PER_WARP>
__global__ void gather_normalized(const float *__restrict__ table, const int *__restrict__ indices,
                                  float *__restrict__ output, int count) {
  constexpr int ROWS = WARPS * ROWS_PER_WARP;
  __shared__ alignas(16) float buf[ROWS][EMBEDDING_DIM];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = blockIdx.x * ROWS;

#pragma tma load
  for (int r = warp; r < ROWS; r += WARPS) {
    const int row = first + r < count ? indices[first + r] : -1;
    float4 value = make_float4(0, 0, 0, 0);
    if (row >= 0)
      value = reinterpret_cast<const float4 *>(table + (size_t)row * EMBEDDING_DIM)[lane];
    reinterpret_cast<float4 *>(buf[r])[lane] = value;
  }
  __syncthreads();

  for (int r = warp; r < ROWS; r += WARPS) {
    float4 *row = reinterpret_cast<float4 *>(buf[r]);
    float4 v = row[lane];
    float norm = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int o = 16; o > 0; o >>= 1)
      norm += __shfl_xor_sync(0xffffffff, norm, o);
    const float scale = rsqrtf(norm + 1e-12f);
    v.x *= scale, v.y *= scale, v.z *= scale, v.w *= scale;
    row[lane] = v;
  }
  __syncthreads();

#pragma tma store
  for (int r = warp; r < ROWS; r += WARPS) {
    if (first + r < count)
      reinterpret_cast<float4 *>(output + (size_t)(first + r) * EMBEDDING_DIM)[lane] =
          reinterpret_cast<float4 *>(buf[r])[lane];
  }
}

// Counts (whole numbers, so that the order does not matter) that go to the rows of the table
__global__ void scatter_add_rows(const int *__restrict__ grads, const int *__restrict__ indices,
                                 int *__restrict__ table_grad, int count) {
  __shared__ int tile[8][EMBEDDING_DIM];
  const int first = blockIdx.x * 8;
#pragma tma load
  for (int i = threadIdx.x; i < 8 * EMBEDDING_DIM; i += blockDim.x) {
    const int r = i / EMBEDDING_DIM, c = i % EMBEDDING_DIM;
    tile[r][c] = first + r < count ? grads[(size_t)(first + r) * EMBEDDING_DIM + c] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 8 * EMBEDDING_DIM; i += blockDim.x)
    tile[i / EMBEDDING_DIM][i % EMBEDDING_DIM] >>= 4;
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 8 * EMBEDDING_DIM; i += blockDim.x) {
    const int r = i / EMBEDDING_DIM, c = i % EMBEDDING_DIM;
    if (first + r < count)
      atomicAdd(&table_grad[(size_t)indices[first + r] * EMBEDDING_DIM + c], tile[r][c]);
  }
}

int main() {
  const int rows = field::pick(1000000, 300), bags = field::pick(32768, 30);
  const int vocabulary = field::pick(50000, 100);
  std::vector<int> offsets(1, 0), index32, tokens;
  std::vector<long long> indices;
  for (int i = 0; i < bags; i++)
    offsets.push_back(offsets.back() + 8 + i * 7 % 41);
  for (int i = 0; i < offsets.back(); i++) {
    indices.push_back((i * 2654435761ull >> 5) % rows);
    index32.push_back(int(indices.back()));
    tokens.push_back(index32.back() % vocabulary);
  }
  const int count = field::pick(int(index32.size()), 203);
  Buffer table(size_t(rows) * EMBEDDING_DIM * 4, 1), offs(offsets.size() * 4, 2);
  Buffer idx(indices.size() * 8, 3), idx32(index32.size() * 4, 4);
  Buffer out(size_t(index32.size()) * EMBEDDING_DIM * 4, 5);
  CHECK(cudaMemcpy(offs.as<int>(), offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(idx.as<char>(), indices.data(), indices.size() * 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(idx32.as<int>(), index32.data(), index32.size() * 4, cudaMemcpyHostToDevice));

  field::measure("embedding-bag", out, [&] {
    embedding_bag_sum<<<bags, EMBEDDING_DIM>>>(table.as<float>(), idx.as<long long>(),
                                               offs.as<int>(), out.as<float>());
  });
  field::measure("embedding-gather", out, [&] {
    gather_normalized<8, 4>
        <<<(count + 31) / 32, 256>>>(table.as<float>(), idx32.as<int>(), out.as<float>(), count);
  });
  const size_t grad_bytes = size_t(vocabulary) * EMBEDDING_DIM * 4;
  Buffer grad(grad_bytes, 6);
  CHECK(cudaMemcpy(idx32.as<int>(), tokens.data(), tokens.size() * 4, cudaMemcpyHostToDevice));
  field::measure("embedding-scatter-add", grad, [&] {
    CHECK(cudaMemsetAsync(grad.as<char>(), 0, grad_bytes));
    scatter_add_rows<<<(count + 7) / 8, 256>>>(out.as<int>(), idx32.as<int>(), grad.as<int>(),
                                               count);
  });
}
