// The command itself: arguments, exit status, options, what it cannot run.
//
// RUN: %not 7 %run %s one "two words" > %t.out
// RUN: %FileCheck --check-prefix=OUT %s < %t.out
// OUT: 2: one, two words, lifted
//
// RUN: %not 7 %run --plain -DNAME=1 %s one > %t.out
// RUN: %FileCheck --check-prefix=PLAIN %s < %t.out
// PLAIN: 1: one, plain, defined
//
// RUN: rm -rf %t.keep && %not 7 %run --keep=%t.keep %s && ls %t.keep | %FileCheck --check-prefix=KEEP %s
// KEEP: program
//
// RUN: %not 2 %tilelift run 2>&1 | %FileCheck --check-prefix=NOTHING %s
// NOTHING: tilelift: error: no program to run
// RUN: %not 2 %run --plian %s 2>&1 | %FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: tilelift: error: unknown option '--plian'; did you mean '--plain'?
// RUN: %not 2 %run --seed=x %s 2>&1 | %FileCheck --check-prefix=NUMBER %s
// NUMBER: tilelift run: for the --seed option: 'x' value invalid
// RUN: %python -c "open('%t.letters.cu', 'w', encoding='utf8').write('__global__ void gr\u00f6sse(int *p) { *p = 1; } int main() { gr\u00f6sse<<<1, 1>>>(nullptr); }')"
// RUN: %not 2 %run --plain %t.letters.cu 2>&1 | %FileCheck --check-prefix=LETTERS %s
// LETTERS: 1:17: error{{:}} 'gr{{.*}}sse' is no name that PTX can have: it has letters outside of ASCII
// RUN: %not 2 %run %t.none 2>&1 | %FileCheck --check-prefix=NONE %s
// NONE: tilelift: error: cannot read
// RUN: %tilelift run --help | %FileCheck --check-prefix=HELP %s
// HELP: tilelift run --compare program.cu
// HELP: USAGE: tilelift run [options]
// HELP-DAG: --compare
// HELP-DAG: --seed=<number>
// HELP-DAG: --schedules=<number>
// HELP-DAG: --jobs=<number>
// HELP-DAG: --keep=<folder>
// HELP-DAG: --arch=<sm_NN>
//
// RUN: %not 2 %run -DMISSING %s 2>&1 | %FileCheck --check-prefix=MISSING %s
// MISSING: command.cu:[[@LINE+47]]:3: error: the emulator has no 'cudaIpcCloseMemHandle' [run-function]
// RUN: %not 1 %run -DREFUSED %s 2>&1 | %FileCheck --check-prefix=REFUSED %s
// REFUSED: error: {{.*}} [-Wtilelift-
// RUN: %not 2 %run -DBROKEN %s 2>&1 | %FileCheck --check-prefix=BROKEN %s
// BROKEN: command.cu:{{.*}}: error: use of undeclared identifier 'nothing'
// BROKEN-NOT: undeclared
// RUN: %not 2 %run -DMANAGED %s 2>&1 | %FileCheck --check-prefix=MANAGED %s
// MANAGED: command.cu:{{.*}}: error: clang has no '__managed__' variables; allocate the memory with cudaMallocManaged
// MANAGED: warning: 'managed' attribute ignored
//
// RUN: %not 3 %run -DRACE %s 2>&1 | %FileCheck --check-prefix=RACE %s
// RACE: error: write of 'tile' + 128 bytes races with a read by thread (31, 0, 0): {{.*}} [race]
// RACE: error: read of 'tile' + 124 bytes races with a write by thread (31, 0, 0): {{.*}} [race]
// RUN: %run -DRACE -Wno-race %s 2>&1 | count 1

#include <cstdio>
#include <cuda_runtime.h>

#ifdef MANAGED
__device__ __managed__ int counter;
#endif

__global__ void copy(float *out, const float *in) {
  __shared__ float tile[64];
#ifdef REFUSED
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x] * 2;
#else
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
#endif
#ifndef RACE
  __syncthreads();
#else
  tile[threadIdx.x] += 1;
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main(int argc, char **argv) {
#ifdef BROKEN
  nothing();
#endif
#ifdef MANAGED
  counter = 0;
#endif
#ifdef MISSING
  cudaIpcCloseMemHandle(nullptr);
#endif
  float *in, *out;
  cudaMalloc(&in, 64 * 4);
  cudaMalloc(&out, 64 * 4);
  copy<<<1, 64>>>(out, in);
  std::printf("%d:", argc - 1);
  for (int i = 1; i < argc; ++i)
    std::printf(" %s,", argv[i]);
#ifdef TILELIFT_TILELIFT_CUH
  std::printf(" lifted");
#else
  std::printf(" plain");
#endif
#ifdef NAME
  std::printf(", defined");
#endif
  std::printf("\n");
#ifdef RACE
  return 0;
#else
  return 7;
#endif
}
