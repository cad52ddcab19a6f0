// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Molecular dynamics in boxes of 100 particles: a block has a box, goes through the boxes beside
// it, which are looked up, and has the particles of both in shared memory. A structure for the
// dimensions and one for a box, as such programs pass them.

#include "field.cuh"

#define NUMBER_PAR_PER_BOX 100
#define NUMBER_THREADS 128
#define fp float
#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))

struct THREE_VECTOR {
  fp x, y, z;
};

struct FOUR_VECTOR {
  fp v, x, y, z;
};

struct nei_str {
  int x, y, z;
  int number;
  long offset;
};

struct box_str {
  int x, y, z;
  int number;
  long offset; // of the box's first particle
  int nn;      // number of neighbours
  nei_str nei[26];
};

struct par_str {
  fp alpha;
};

struct dim_str {
  long number_boxes;
};

__global__ void kernel_gpu_cuda(par_str d_par_gpu, dim_str d_dim_gpu, box_str *d_box_gpu,
                                FOUR_VECTOR *d_rv_gpu, fp *d_qv_gpu, FOUR_VECTOR *d_fv_gpu) {
  int bx = blockIdx.x;
  int tx = threadIdx.x;
  int wtx = tx;

  if (bx < d_dim_gpu.number_boxes) {
    fp a2 = 2.0f * d_par_gpu.alpha * d_par_gpu.alpha;

    // home box
    int first_i;
    FOUR_VECTOR *rA;
    FOUR_VECTOR *fA;
    __shared__ FOUR_VECTOR rA_shared[100];

    // neighbour box
    int pointer;
    int k = 0;
    int first_j;
    FOUR_VECTOR *rB;
    fp *qB;
    int j = 0;
    __shared__ FOUR_VECTOR rB_shared[100];
    __shared__ fp qB_shared[100];

    first_i = d_box_gpu[bx].offset;
    rA = &d_rv_gpu[first_i];
    fA = &d_fv_gpu[first_i];

#pragma tma load fallback(loop)
    while (wtx < NUMBER_PAR_PER_BOX) {
      rA_shared[wtx] = rA[wtx];
      wtx = wtx + NUMBER_THREADS;
    }
    wtx = tx;
    __syncthreads();

    FOUR_VECTOR sum = {0, 0, 0, 0};
    // the home box and all around it
    for (k = 0; k < (1 + d_box_gpu[bx].nn); k++) {
      if (k == 0)
        pointer = bx;
      else
        pointer = d_box_gpu[bx].nei[k - 1].number;

      first_j = d_box_gpu[pointer].offset;
      rB = &d_rv_gpu[first_j];
      qB = &d_qv_gpu[first_j];

#pragma tma load fallback(loop)
      while (wtx < NUMBER_PAR_PER_BOX) {
        rB_shared[wtx] = rB[wtx];
        qB_shared[wtx] = qB[wtx];
        wtx = wtx + NUMBER_THREADS;
      }
      wtx = tx;
      __syncthreads();

      while (wtx < NUMBER_PAR_PER_BOX) {
        for (j = 0; j < NUMBER_PAR_PER_BOX; j++) {
          fp r2 = rA_shared[wtx].v + rB_shared[j].v - DOT(rA_shared[wtx], rB_shared[j]);
          fp u2 = a2 * r2;
          fp vij = expf(-u2);
          fp fs = 2 * vij;
          THREE_VECTOR d;
          d.x = rA_shared[wtx].x - rB_shared[j].x;
          d.y = rA_shared[wtx].y - rB_shared[j].y;
          d.z = rA_shared[wtx].z - rB_shared[j].z;
          sum.v += qB_shared[j] * vij;
          sum.x += qB_shared[j] * (fs * d.x);
          sum.y += qB_shared[j] * (fs * d.y);
          sum.z += qB_shared[j] * (fs * d.z);
        }
        wtx = wtx + NUMBER_THREADS;
      }
      wtx = tx;
      __syncthreads();
    }
    if (tx < NUMBER_PAR_PER_BOX)
      fA[tx] = sum;
  }
}

int main() {
  const int boxes1d = field::pick(20, 2), number_boxes = boxes1d * boxes1d * boxes1d;
  std::vector<box_str> boxes(number_boxes);
  for (int z = 0, nh = 0; z < boxes1d; z++)
    for (int y = 0; y < boxes1d; y++)
      for (int x = 0; x < boxes1d; x++, nh++) {
        box_str &box = boxes[nh];
        box.x = x, box.y = y, box.z = z, box.number = nh, box.nn = 0;
        box.offset = long(nh) * NUMBER_PAR_PER_BOX;
        for (int dz = -1; dz <= 1; dz++)
          for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
              const int nx = x + dx, ny = y + dy, nz = z + dz;
              if (nx < 0 || ny < 0 || nz < 0 || nx >= boxes1d || ny >= boxes1d || nz >= boxes1d ||
                  (dx == 0 && dy == 0 && dz == 0))
                continue;
              nei_str &nei = box.nei[box.nn++];
              nei.x = nx, nei.y = ny, nei.z = nz;
              nei.number = (nz * boxes1d + ny) * boxes1d + nx;
              nei.offset = long(nei.number) * NUMBER_PAR_PER_BOX;
            }
      }
  const size_t particles = size_t(number_boxes) * NUMBER_PAR_PER_BOX;
  Buffer box(boxes.size() * sizeof(box_str), 1), rv(particles * sizeof(FOUR_VECTOR), 2);
  Buffer qv(particles * sizeof(fp), 3), fv(particles * sizeof(FOUR_VECTOR), 4);
  CHECK(cudaMemcpy(box.as<box_str>(), boxes.data(), boxes.size() * sizeof(box_str),
                   cudaMemcpyHostToDevice));
  par_str par = {0.5f};
  dim_str dim = {number_boxes};
  field::measure("lavamd", fv, [&] {
    kernel_gpu_cuda<<<number_boxes, NUMBER_THREADS>>>(
        par, dim, box.as<box_str>(), rv.as<FOUR_VECTOR>(), qv.as<fp>(), fv.as<FOUR_VECTOR>());
  });
}
