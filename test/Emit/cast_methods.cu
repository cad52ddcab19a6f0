// RUN: %tilelift %s -o %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// A method is followed, also where it casts away that its object is constant.

struct Walk {
  int row;
  __device__ void on() const { const_cast<Walk *>(this)->row += 32; }
};

__global__ void walk(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  Walk walk{0};
  walk.on();
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(walk.row + threadIdx.y) * pitch + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

void run(float *out, const float *in) { walk<<<1, dim3(32, 32)>>>(out, in, 32); }

// CHECK: tilelift::load(tile, tile_map, {0, 32}, tma_barrier);
