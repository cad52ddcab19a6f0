// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -arch=compute_90a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=SHARED < %t.ptx
// RUN: %nvcc -arch=compute_100a -ptx %t.cu -o %t.100.ptx && %FileCheck %s --check-prefix=SHARED < %t.100.ptx
// RUN: %nvcc -arch=compute_90 -ptx %t.cu -o %t.slow.ptx && %FileCheck %s --check-prefix=ALONE < %t.slow.ptx
// RUN: %nvcc -arch=compute_120a -ptx %t.cu -o %t.desk.ptx && %FileCheck %s --check-prefix=ALONE < %t.desk.ptx
//
// Tiles that several blocks get at once: the cluster's shape, where leaders meet, and which
// part each of them loads. Where multicast is slow, each block loads for itself.

// SHARED: barrier.cluster.arrive.release
// SHARED: mbarrier.arrive.shared::cluster.b64 _, [other];
// SHARED: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint
// SHARED: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint
// ALONE-NOT: cluster.arrive
// ALONE-NOT: multicast

// CHECK-LABEL: struct product_tma_plan {
// CHECK: static constexpr tilelift::block_size cluster = {2, 4, 1};
// CHECK-NEXT: using peers_x = tilelift::peers<1, 2, 4, 1>;
// CHECK-NEXT: using peers_y = tilelift::peers<2, 2, 4, 1>;
// CHECK-NEXT: using as_box = tilelift::box<float, 16, 8>;
// CHECK: using bs_box = tilelift::box<float, 16, 4>;
// CHECK-LABEL: void product_tma(
// CHECK: tilelift::ring<3> as_place = tilelift::begin(as_full);
// CHECK-NEXT: __shared__ tilelift::meeting<product_tma_plan::peers_x> as_meeting_x[3];
// CHECK-NEXT: tilelift::begin(as_meeting_x);
// CHECK-NEXT: __shared__ tilelift::meeting<product_tma_plan::peers_y> as_meeting_y[3];
// CHECK-NEXT: tilelift::begin(as_meeting_y);
// CHECK: const int tma_slot = as_place.claim(as_full, 2 * product_tma_plan::as_box::bytes + 4 * product_tma_plan::bs_box::bytes);
// CHECK-NEXT: tilelift::meet(as_meeting_x[tma_slot], as_meeting_y[tma_slot]);
// CHECK-NEXT: for (int piece_1 = 0; piece_1 < 2; ++piece_1)
// CHECK-NEXT: if (tilelift::is_mine<product_tma_plan::peers_x>(piece_1))
// CHECK-NEXT: tilelift::load_for_all<product_tma_plan::peers_x>(tilelift::advance(as_ring[tma_slot], (piece_1) * int(product_tma_plan::as_box::bytes)), as_map, {k0_ahead, 16 * int(blockIdx.y) + piece_1 * 8}, as_full[tma_slot]);
// CHECK-NEXT: for (int piece_1 = 0; piece_1 < 4; ++piece_1)
// CHECK-NEXT: if (tilelift::is_mine<product_tma_plan::peers_y>(piece_1))
// CHECK-NEXT: tilelift::load_for_all<product_tma_plan::peers_y>(
// CHECK: // tma load: tile copy of 16 x 16 f32 (1024 bytes) from 'a' to 'as' in 2 pieces, to 2 blocks at once
// CHECK-LABEL: product_tma_launch(
// CHECK: launch.in_clusters(product_tma_plan::cluster);
// CHECK-NEXT: if (launch.can_lift(
__global__ void product(float *__restrict__ c, const float *__restrict__ a,
                        const float *__restrict__ b, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int k0 = 0; k0 < k; k0 += 16) {
#pragma tma load multicast(x)
    as[ty][tx] = a[(blockIdx.y * 16 + ty) * k + k0 + tx];
#pragma tma load multicast(y, 4) cache(evict_last)
    bs[ty][tx] = b[(k0 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
}

// Without a pipeline, the leader does not start before all blocks are there. Contiguous bytes
// are cut into parts as well; what cannot be cut, the first block loads.
// CHECK-LABEL: struct once_tma_plan<2> {
// CHECK: using peers_x = tilelift::peers<1, 2, 1, 1>;
// CHECK: static constexpr unsigned line_bytes = 512;
// CHECK-LABEL: struct once_tma_plan<4> {
// CHECK: using peers_x = tilelift::peers<1, 4, 1, 1>;
// CHECK: static constexpr unsigned line_bytes = 256;
// CHECK-LABEL: void once_tma(
// CHECK: unsigned tma_phase = tilelift::begin(tma_barrier);
// CHECK-NEXT: __shared__ tilelift::meeting<typename once_tma_plan<N>::peers_x> tma_meeting_x;
// CHECK-NEXT: tilelift::begin(tma_meeting_x);
// CHECK: if (tilelift::leader(once_tma_plan<N>::block)) {
// CHECK-NEXT: tilelift::expect(tma_barrier, once_tma_plan<N>::line_pieces * once_tma_plan<N>::line_bytes + once_tma_plan<N>::few_bytes);
// CHECK-NEXT: tilelift::meet(tma_meeting_x);
// CHECK-NEXT: for (int row_0 = 0; row_0 < once_tma_plan<N>::line_rows; ++row_0)
// CHECK-NEXT: if (tilelift::is_mine<typename once_tma_plan<N>::peers_x>(row_0))
// CHECK-NEXT: tilelift::load_bytes_for_all<typename once_tma_plan<N>::peers_x>(
// CHECK: if (tilelift::is_mine<typename once_tma_plan<N>::peers_x>(0))
// CHECK-NEXT: tilelift::load_bytes_for_all<typename once_tma_plan<N>::peers_x>(
template <int N> __global__ void once(int *out, const int *__restrict__ in) {
  __shared__ int line[256], few[4];
  int t = threadIdx.x;
#pragma tma load multicast(x, N)
  line[t] = in[blockIdx.y * 256 + t];
#pragma tma load multicast(x, N)
  if (t < 4)
    few[t] = in[blockIdx.y * 4 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = line[255 - t] + few[t % 4];
}

void launch(float *c, const float *a, const float *b, int n) {
  product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n, n);
  once<2><<<dim3(4, 4), 256>>>((int *)c, (const int *)a);
  once<4><<<dim3(4, 4), 256>>>((int *)c, (const int *)a);
}
