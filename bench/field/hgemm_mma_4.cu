// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of hgemm_mma_stages.cuh in four stages. Its authors set the number by a macro, or
// have a file for each.

#define K_STAGE 4
#include "hgemm_mma_stages.cuh"

int main() { mmaAsyncStage("hgemm-mma-skew-4"); }
