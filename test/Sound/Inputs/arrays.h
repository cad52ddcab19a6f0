// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device arrays with known contents for small kernels, and a main function that launches all of
// them, the one whose number is given, or, with numbers behind a minus sign, all but those. With
// 'h' it prints what each leaves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { T = 128, N = 8192 };

struct Arrays {
  float *out, *buf, *in, *more; // -1; j % 53; j % 97; 7 * j % 31
  int *ints;                    // 5 * j % 128
  unsigned *words;              // 0
};

struct Case {
  const char *name;
  void (*launch)(const Arrays &);
};

inline void fill(const Arrays &a) {
  static float floats[4][N];
  static int ints[N];
  static unsigned words[N];
  for (int j = 0; j < N; ++j) {
    floats[0][j] = -1;
    floats[1][j] = j % 53;
    floats[2][j] = j % 97;
    floats[3][j] = 7 * j % 31;
    ints[j] = 5 * j % 128;
    words[j] = 0;
  }
  float *to[4] = {a.out, a.buf, a.in, a.more};
  for (int i = 0; i < 4; ++i)
    cudaMemcpy(to[i], floats[i], sizeof floats[i], cudaMemcpyHostToDevice);
  cudaMemcpy(a.ints, ints, sizeof ints, cudaMemcpyHostToDevice);
  cudaMemcpy(a.words, words, sizeof words, cudaMemcpyHostToDevice);
}

// Of all arrays, in which every word counts.
inline unsigned long long hash_of(const Arrays &a) {
  static unsigned words[N];
  unsigned long long hash = 14695981039346656037ull;
  const void *arrays[] = {a.out, a.buf, a.in, a.more, a.ints, a.words};
  for (const void *array : arrays) {
    cudaMemcpy(words, array, sizeof words, cudaMemcpyDeviceToHost);
    for (unsigned word : words)
      hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}

template <int Count> int run_cases(const Case (&cases)[Count], int argc, char **argv) {
  Arrays a;
  cudaMalloc((void **)&a.out, N * sizeof(float));
  cudaMalloc((void **)&a.buf, N * sizeof(float));
  cudaMalloc((void **)&a.in, N * sizeof(float));
  cudaMalloc((void **)&a.more, N * sizeof(float));
  cudaMalloc((void **)&a.ints, N * sizeof(int));
  cudaMalloc((void **)&a.words, N * sizeof(unsigned));
  if (argc > 1 && argv[1][0] == 'l') {
    for (int i = 0; i < Count; ++i)
      printf("%d %s\n", i, cases[i].name);
    return 0;
  }
  for (int i = 0; i < Count; ++i) {
    bool prints = argc > 1 && argv[1][0] == 'h';
    if (argc > 1 && argv[1][0] != '-' && !prints && atoi(argv[1]) != i)
      continue;
    bool skipped = false;
    for (int k = 1; k < argc; ++k)
      skipped |= argv[k][0] == '-' && atoi(argv[k] + 1) == i;
    if (skipped)
      continue;
    fill(a);
    cases[i].launch(a);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
      printf("%s: %s\n", cases[i].name, cudaGetErrorString(e));
      return 1;
    }
    if (prints)
      printf("%s %016llx\n", cases[i].name, hash_of(a));
  }
  return 0;
}
