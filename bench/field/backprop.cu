// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of a network that learns by back-propagation, with 16 hidden units: products of inputs
// and weights in a tile of 16 x 16 that is summed as a tree, and the weights' adjustment. Arrays
// have one element more at their beginning, for the threshold.

#include "field.cuh"

#define WIDTH 16
#define HEIGHT 16
#define ETA 0.3f
#define MOMENTUM 0.3f

__global__ void bpnn_layerforward_CUDA(float *input_cuda, float *input_hidden_cuda,
                                       float *product_cuda, float *hidden_partial_sum, int in,
                                       int hid) {
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  int index = (hid + 1) * HEIGHT * by + (hid + 1) * ty + tx + 1 + (hid + 1);
  int index_in = HEIGHT * by + ty + 1;

  __shared__ float input_node[HEIGHT];
  __shared__ float weight_matrix[HEIGHT][WIDTH];

#pragma tma load fallback(loop)
  if (tx == 0)
    input_node[ty] = input_cuda[index_in];
  __syncthreads();

#pragma tma load fallback(loop)
  weight_matrix[ty][tx] = input_hidden_cuda[index];
  __syncthreads();

  weight_matrix[ty][tx] = weight_matrix[ty][tx] * input_node[ty];
  __syncthreads();

  for (int i = 1; i <= __log2f(HEIGHT); i++) {
    int power_two = __powf(2, i);
    if (ty % power_two == 0)
      weight_matrix[ty][tx] = weight_matrix[ty][tx] + weight_matrix[ty + power_two / 2][tx];
    __syncthreads();
  }

#pragma tma store fallback(loop)
  product_cuda[index] = weight_matrix[ty][tx];
  __syncthreads();

  if (tx == 0)
    hidden_partial_sum[by * hid + ty] = weight_matrix[tx][ty];
}

// The weights go out with what each delta adds, through a tile of the old ones.
__global__ void bpnn_adjust_weights_cuda(const float *delta, int hid, const float *ly, int in,
                                         const float *w, const float *oldw, float *neww) {
  __shared__ float node[HEIGHT];
  __shared__ float error[WIDTH];
  __shared__ float change[HEIGHT][WIDTH];

  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int index = (hid + 1) * HEIGHT * by + (hid + 1) * ty + tx + 1 + (hid + 1);

#pragma tma load fallback(loop)
  if (ty == 0)
    node[tx] = ly[HEIGHT * by + tx + 1];
#pragma tma load fallback(loop)
  if (ty == 1)
    error[tx] = delta[tx + 1];
#pragma tma load fallback(loop)
  change[ty][tx] = oldw[index];
  __syncthreads();

  float step = ETA * error[tx] * node[ty] + MOMENTUM * change[ty][tx];
  neww[index] = w[index] + step;
}

int main() {
  const int hid = 16, in = field::pick(1000000, 64), num_blocks = in / HEIGHT;
  const size_t weights = size_t(in + 1) * (hid + 1);
  Buffer input((in + 1) * 4ul, 1), weight(weights * 4, 2), product(weights * 4, 3);
  Buffer sums(size_t(num_blocks) * hid * 4, 4), delta((hid + 1) * 4, 5), old(weights * 4, 6);
  dim3 grid(1, num_blocks);
  dim3 threads(WIDTH, HEIGHT);
  field::measure("backprop-forward", sums, [&] {
    bpnn_layerforward_CUDA<<<grid, threads>>>(input.as<float>(), weight.as<float>(),
                                              product.as<float>(), sums.as<float>(), in, hid);
  });
  field::measure("backprop-adjust", product, [&] {
    bpnn_adjust_weights_cuda<<<grid, threads>>>(delta.as<float>(), hid, input.as<float>(), in,
                                                weight.as<float>(), old.as<float>(),
                                                product.as<float>());
  });
}
