#include <cuda.h>
int number() { return nowhere; }
__global__ void kernel(CUtensorMap map) { asm volatile("prefetch.tensormap [%0];" ::"l"(&map)); }
// What nvcc takes and Clang does not, beside what neither does.
struct Tiles {
  alignas(128) float a[32];
};
__global__ void whole() {
  extern __shared__ Tiles tiles;
  tiles.a[threadIdx.x] = nowhere;
}
