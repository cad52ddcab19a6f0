//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that LLVM's archives call, and that glibc's shared library has only had since the
// versions named here. With these, a standalone library runs with the glibc of TILELIFT_GLIBC and
// later.
//
// The declarations of glibc's headers would clash with some of these, so they are declared here.
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <sys/syscall.h>

extern "C" {

struct stat;
int __xstat(int version, const char *path, struct stat *into);
int __lxstat(int version, const char *path, struct stat *into);
int __fxstat(int version, int file, struct stat *into);
long syscall(long number, ...);

/// The layout of `struct stat`, by the number that glibc has for it.
#if defined(__x86_64__)
constexpr int statVersion = 1;
#else
constexpr int statVersion = 0;
#endif

// A function that each shared library has itself, as what it registers ends with that library.
int __cxa_atexit(void (*)(void *), void *, void *);
extern void *__dso_handle;
int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void *)>(function), nullptr, __dso_handle);
}

// 2.33; before that, inline functions of the headers.
int stat(const char *path, struct stat *into) { return __xstat(statVersion, path, into); }
int lstat(const char *path, struct stat *into) { return __lxstat(statVersion, path, into); }
int fstat(int file, struct stat *into) { return __fxstat(statVersion, file, into); }
int stat64(const char *path, struct stat *into) { return __xstat(statVersion, path, into); }
int lstat64(const char *path, struct stat *into) { return __lxstat(statVersion, path, into); }
int fstat64(int file, struct stat *into) { return __fxstat(statVersion, file, into); }

// 2.33. LLVM asks how much memory is in use for statistics that nobody prints.
struct memory_counts {
  size_t numbers[10];
};
memory_counts mallinfo2() { return {}; }

// 2.32. False: there may be other threads.
char __libc_single_threaded = 0;

// 2.35. The unwinder looks for an object by dl_iterate_phdr if this finds none.
int _dl_find_object(void *, void *) { return -1; }

// 2.25.
int getentropy(void *into, size_t length) {
  return syscall(SYS_getrandom, into, length, 0) == long(length) ? 0 : -1;
}

// 2.36.
uint32_t arc4random() {
  uint32_t number = 0;
  while (getentropy(&number, sizeof number) != 0) {
  }
  return number;
}
}
