// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two ways to launch cost the host: by turns in batches that the device keeps up with, so that
// both find the same clocks. Each launch has another height than the one before.

#ifndef TURNS_H
#define TURNS_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

template <typename Launch, typename Wait>
double microseconds(const Launch &launch, const Wait &wait) {
  constexpr int launches = 200;
  wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    launch(32 + i % 8);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(end - start).count() / launches;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Prints the microseconds of a launch of each as medians over the batches, and the median of their
/// differences.
template <typename Plain, typename Lifted, typename Wait>
void by_turns(const Plain &plain, const Lifted &lifted, const Wait &wait) {
  std::vector<double> first, second, more;
  for (int batch = 0; batch < 400; ++batch) {
    first.push_back(microseconds(plain, wait));
    second.push_back(microseconds(lifted, wait));
    more.push_back(second.back() - first.back());
  }
  std::printf("%.3f us plain, %.3f us lifted, %+.3f us; error %d\n", median(first), median(second),
              median(more), int(wait()));
}

#endif
