// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ways to launch cost the host: by turns in batches that the device keeps up with, so that
// all find the same clocks. Each launch has another height than the one before.

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

template <typename Launch> struct way {
  const char *name;
  Launch launch;
};
template <typename Launch> way(const char *, Launch) -> way<Launch>;

/// Of each way, the microseconds that a launch takes more than a plain one.
template <typename Plain, typename Wait, typename... Ways>
void by_turns(const Plain &plain, const Wait &wait, const Ways &...ways) {
  std::vector<double> first, more[sizeof...(Ways)];
  for (int batch = 0; batch < 400; ++batch) {
    first.push_back(microseconds(plain, wait));
    size_t i = 0;
    (more[i++].push_back(microseconds(ways.launch, wait) - first.back()), ...);
  }
  std::printf("%.3f us plain", median(first));
  size_t i = 0;
  (std::printf(", %+.3f us %s", median(more[i++]), ways.name), ...);
  std::printf("; error %d\n", int(wait()));
}

#endif
