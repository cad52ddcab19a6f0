// C++20, tabs, and the libraries that kernels are written with: größer als man denkt.
#include <concepts>
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/array>
#include <thrust/device_vector.h>

namespace cg = cooperative_groups;

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T, int N> __global__ void total(T *out, const T *in, int n) {
	__shared__ T tile[N];
	using Reduce = cub::BlockReduce<T, N>;
	__shared__ typename Reduce::TempStorage storage;
	auto block = cg::this_thread_block();
#if __CUDA_ARCH__ >= 800
	int start = blockIdx.x * N;
#else
	int start = N * blockIdx.x;
#endif
#pragma tma load
	tile[threadIdx.x] = start + int(threadIdx.x) < n ? in[start + threadIdx.x] : T(0);
	block.sync();
	T sum = Reduce(storage).Sum(tile[N - 1 - threadIdx.x]);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

int main() {
	thrust::device_vector<int> in(1000, 3), out(8);
	total<int, 128><<<8, 128>>>(thrust::raw_pointer_cast(out.data()), thrust::raw_pointer_cast(in.data()), 1000);
	return cudaDeviceSynchronize();
}
