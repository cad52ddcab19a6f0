// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a barrier expects of four rows, where rows are what a map takes, or are not.

#include <tilelift/rules.h>

#include <cstdio>

int main() {
  std::printf("%u bytes\n", tilelift::gather4_bytes<COLUMNS, tilelift::element_type::TYPE>);
}
