// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges map requests that are read from standard input, one in a line, and prints the rules that
// each breaks in one line. What is written in other languages is held against it.
//
//   mode element swizzle interleave fill capability address rank (extent stride step)*
//   boxes: one number for each dimension; pixels: channels pixels (lower upper)*
//
// Names are "tensor" and "tile".
#include "tilelift/rules.h"

#include <iostream>
#include <sstream>

using namespace tilelift;

namespace {

quantity number(std::istream &in) {
  int64_t value = 0;
  in >> value;
  return quantity::exactly(value);
}

template <typename Value> Value numbered(std::istream &in) {
  int value = 0;
  in >> value;
  return Value(value);
}

void readMap(std::istream &in, map_request &request) {
  request.tensor = "tensor";
  request.tile = "tile";
  request.type = numbered<element_type>(in);
  request.swizzle = numbered<swizzle_mode>(in);
  request.interleave = numbered<interleave_layout>(in);
  request.fill = numbered<outside_fill>(in);
  in >> request.capability;
  request.address = number(in);
  in >> request.rank;
  for (int d = 0; d < request.rank; ++d) {
    request.dims[d].extent = number(in);
    request.dims[d].stride = number(in);
    request.dims[d].step = number(in);
  }
}

template <typename Request> std::string judged(const Request &request) {
  std::string all;
  check(request, [&](const finding &found) {
    if (found.outcome == verdict::fails)
      all += (all.empty() ? "" : "; ") + found.text + " [" + name_of(found.rule) + "]";
  });
  return all;
}

std::string judgedLine(std::istream &in) {
  std::string mode;
  in >> mode;
  if (mode == "tile") {
    tile_request request;
    readMap(in, request);
    for (int d = 0; d < request.rank; ++d)
      request.dims[d].box = number(in);
    return judged(request);
  }
  im2col_request request;
  request.mode = mode == "w"      ? im2col_mode::w
                 : mode == "w128" ? im2col_mode::w128
                                  : im2col_mode::im2col;
  readMap(in, request);
  request.channels = number(in);
  request.pixels = number(in);
  for (int i = 0; i < request.corners(); ++i) {
    request.lower[i] = number(in);
    request.upper[i] = number(in);
  }
  return judged(request);
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::cout << judgedLine(in) << "\n";
  }
}
