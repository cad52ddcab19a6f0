// Nodes that lifted launches were captured into, and how a program gives them other arguments.
//
// RUN: %not 3 %run %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out
// RUN: %run --plain %s | %FileCheck --check-prefix=PLAIN %s

#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 64) {
    int y = blockIdx.y * 8 + i / 32, x = blockIdx.x * 32 + i % 32;
    tile[i / 32][i % 32] = x < w && y < h ? in[y * w + x] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64) {
    int y = blockIdx.y * 8 + i / 32, x = blockIdx.x * 32 + i % 32;
    if (x < w && y < h)
      out[y * w + x] = tile[i / 32][i % 32] + 1;
  }
}

int w = 64, h = 16;
float *first, *second, *out;
cudaStream_t stream;
cudaGraphExec_t exec;

cudaGraph_t capture(const float *in) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<dim3(2, 2), 64, 0, stream>>>(out, in, w, h);
  cudaStreamEndCapture(stream, &graph);
  return graph;
}

void launch(const char *name, cudaError_t error) {
  float answer = -1;
  cudaMemset(out, 0, w * h * 4);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&answer, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%s: %s, %g\n", name, cudaGetErrorString(error), answer);
}

float *filled(float value) {
  float *memory, host[64 * 16];
  cudaMalloc(&memory, sizeof host);
  for (float &each : host)
    each = value;
  cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  return memory;
}

int main() {
  first = filled(10), second = filled(20), out = filled(0);
  cudaStreamCreate(&stream);
  cudaGraph_t graph = capture(first);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphNode_t node;
  size_t count = 1;
  cudaGraphGetNodes(graph, &node, &count);
  // OUT: captured: no error, 11
  // PLAIN: captured: no error, 11
  launch("captured", cudaSuccess);

  // The whole graph from a launch that is captured anew: TMA with the new map.
  // OUT: captured anew: no error, 21
  // PLAIN: captured anew: no error, 21
  cudaGraphExecUpdateResultInfo info;
  launch("captured anew", cudaGraphExecUpdate(exec, capture(second), &info));
  launch("and back", cudaGraphExecUpdate(exec, capture(first), &info));

  // What the program passes to its own kernel is too little for the lifted one: no byte of it
  // is used, and the node stays as it was.
  // CHECK: graph-updates.cu:[[@LINE+10]]:{{[0-9]+}}: warning: 'cudaGraphExecKernelNodeSetParams' changes a node of a graph, and the node of a lifted launch has the lifted kernel, with the tensor maps, the block and the shared memory that its launcher gave it, and nobody checks its arguments any more: capture the launch anew and call 'cudaGraphExecUpdate', or name the plain kernel in 'func' [-Wtilelift-node-update]
  // CHECK: graph-updates.cu:[[@LINE+15]]:{{[0-9]+}}: {{warning}}: the address of 'add' is used here
  // CHECK: graph-updates.cu:[[@LINE+15]]:{{[0-9]+}}: warning: 'cudaGraphExecKernelNodeSetParams' changes a node of a graph
  // CHECK: error: a node of a graph is given fewer arguments than 'add_tma' takes: argument 5 of 5, 'tile_map', {{leads nowhere|is no tensor map, as the node has one there}} [node-arguments]
  // OUT: own arguments: invalid argument, 11
  // PLAIN: own arguments: no error, 21
  cudaKernelNodeParams parameters;
  cudaGraphKernelNodeGetParams(node, &parameters);
  void *arguments[] = {&out, &second, &w, &h};
  parameters.kernelParams = arguments;
  cudaError_t error = cudaGraphExecKernelNodeSetParams(exec, node, &parameters);
  launch("own arguments", error);

  // The plain kernel takes them.
  // OUT: plain kernel: no error, 21
  // PLAIN: plain kernel: no error, 21
  parameters.func = reinterpret_cast<void *>(add);
  error = cudaGraphExecKernelNodeSetParams(exec, node, &parameters);
  launch("plain kernel", error);
  return 0;
}
