//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code calls beside instructions: printf, assert, malloc, free; and
// how it ends: exit, trap, what the emulator cannot do. Device functions get
// their parameters and give their results in one piece each.
//===----------------------------------------------------------------------===//

#include "machine/Access.h"
#include "machine/Team.h"

#include <chrono>
#include <cstdio>
#include <cstring>

namespace tilelift::emulator {

namespace {

template <typename Value> Value parameter(const char *parameters, size_t offset) {
  Value value;
  std::memcpy(&value, parameters + offset, sizeof value);
  return value;
}

/// Formats one conversion after the other; arguments lie aligned to their size.
std::string formatted(const char *format, const char *arguments) {
  std::string text;
  size_t at = 0;
  auto next = [&](auto kind) {
    using Value = decltype(kind);
    at = (at + sizeof(Value) - 1) / sizeof(Value) * sizeof(Value);
    Value value = parameter<Value>(arguments, at);
    at += sizeof(Value);
    return value;
  };
  for (const char *c = format; *c;) {
    if (*c != '%') {
      text += *c++;
      continue;
    }
    std::string one(1, *c++);
    while (*c && std::strchr("-+ #0123456789.*", *c)) {
      if (*c == '*')
        one += std::to_string(next(int()));
      else
        one += *c;
      ++c;
    }
    bool isLong = false;
    while (*c && std::strchr("hljztL", *c)) {
      isLong |= *c != 'h' && *c != 'L';
      one += *c++;
    }
    char kind = *c ? *c++ : '%';
    one += kind;
    char buffer[512] = "";
    if (kind == '%')
      std::snprintf(buffer, sizeof buffer, "%%");
    else if (kind == 's')
      std::snprintf(buffer, sizeof buffer, one.c_str(), next(static_cast<const char *>(nullptr)));
    else if (kind == 'p')
      std::snprintf(buffer, sizeof buffer, one.c_str(), next(static_cast<void *>(nullptr)));
    else if (std::strchr("eEfFgGaA", kind))
      std::snprintf(buffer, sizeof buffer, one.c_str(), next(double()));
    else if (isLong)
      std::snprintf(buffer, sizeof buffer, one.c_str(), next(0ll));
    else
      std::snprintf(buffer, sizeof buffer, one.c_str(), next(int()));
    text += buffer;
  }
  return text;
}

} // namespace

extern "C" {

void tilelift_vprintf(Thread *, char *result, const char *parameters) {
  auto format = parameter<const char *>(parameters, 0);
  auto arguments = parameter<const char *>(parameters, 8);
  std::string text = formatted(format, arguments);
  std::fwrite(text.data(), 1, text.size(), stdout); // one call: lines of threads do not mix
  int written = int(text.size());
  std::memcpy(result, &written, sizeof written);
}

void tilelift___assertfail(Thread *thread, char *, const char *parameters) {
  auto condition = parameter<const char *>(parameters, 0);
  auto file = parameter<const char *>(parameters, 8);
  auto line = parameter<uint32_t>(parameters, 16);
  auto function = parameter<const char *>(parameters, 24);
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file, line, function, thread->ctaid[0], thread->ctaid[1], thread->ctaid[2],
               thread->tid[0], thread->tid[1], thread->tid[2], condition);
  teamOf(thread).fault(*thread, Outcome::assertFailed);
}

void tilelift_malloc(Thread *thread, char *result, const char *parameters) {
  Machine &machine = teamOf(thread).grid.machine;
  char *memory = machine.allocateFromDevice(parameter<uint64_t>(parameters, 0));
  std::memcpy(result, &memory, sizeof memory);
}

void tilelift_free(Thread *thread, char *, const char *parameters) {
  teamOf(thread).grid.machine.releaseFromDevice(parameter<void *>(parameters, 0));
}

void tilelift_exit(Thread *thread, uint32_t) { teamOf(thread).exit(*thread); }

void tilelift_trap(Thread *thread, uint32_t site) {
  thread->block->report(*thread, {"trap", "the kernel stops itself with a trap", site, {}, {}});
  teamOf(thread).fault(*thread, Outcome::trapped);
}

void tilelift_sleep(Thread *thread, uint32_t) { teamOf(thread).yield(*thread, true); }

void tilelift_unsupported(Thread *thread, const char *what, uint32_t site) {
  notEmulated(thread, what, site);
}

uint64_t tilelift_timer(Thread *, uint32_t) {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch() /
                  std::chrono::nanoseconds(1));
}

uint64_t tilelift_clock(Thread *thread, uint32_t site) {
  teamOf(thread).yield(*thread, true); // whoever looks at the clock may wait for somebody
  return tilelift_timer(thread, site);
}

void tilelift_register_module(Module *module) { machine().program.add(*module, machine().memory); }

} // extern "C"

} // namespace tilelift::emulator
