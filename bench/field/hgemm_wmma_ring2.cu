// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of hgemm_wmma_ring.cuh in two stages, for matrices that need not be whole tiles.

#define K_STAGE 2
#include "hgemm_wmma_ring.cuh"

int main() { measureRing("hgemm-wmma-ring-2"); }
