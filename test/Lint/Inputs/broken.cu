#include <cuda.h>
int number() { return nowhere; }
__global__ void kernel(CUtensorMap map) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
               :: "r"(0), "l"(&map), "r"(0), "r"(0));
}
// What nvcc takes and Clang does not, beside what neither does.
struct Tiles {
  alignas(128) float a[32];
};
__global__ void whole() {
  extern __shared__ Tiles tiles;
  tiles.a[threadIdx.x] = nowhere;
}
struct Own {
  Own own;
  float b[32];
};
__global__ void owned(Own own) {
  __shared__ Own inside;
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
               :: "r"((unsigned)__cvta_generic_to_shared(inside.b)), "l"(&own), "r"(0), "r"(0));
}
