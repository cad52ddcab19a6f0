//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a C compiler adds to each program it links: where the program starts, and a few functions
// that are in each program itself. Standalone installations link the programs of `tilelift run`
// with it, on machines that have no compiler.
//===----------------------------------------------------------------------===//

#include <cstddef>

extern "C" {

using Function = void (*)();
using Initializer = void (*)(int, char **, char **);

int programMain(int, char **, char **) asm("main");
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      void (*begin)(int, char **, char **), void (*end)(), void (*endOfLoader)(),
                      void *stack);
int __cxa_atexit(void (*)(void *), void *, void *);

// The linker defines these around the program's own lists of functions.
#pragma GCC visibility push(hidden)
extern Initializer __preinit_array_start[], __preinit_array_end[], __init_array_start[],
    __init_array_end[];
extern Function __fini_array_start[], __fini_array_end[];
#pragma GCC visibility pop

/// What functions that are to be called at the end are registered for: this program.
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;

__attribute__((visibility("hidden"))) int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void *)>(function), nullptr, __dso_handle);
}

static void begin(int argc, char **argv, char **environment) {
  for (Initializer *each = __preinit_array_start; each != __preinit_array_end; ++each)
    (*each)(argc, argv, environment);
  for (Initializer *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(argc, argv, environment);
}

static void end() {
  for (Function *each = __fini_array_end; each != __fini_array_start;)
    (*--each)();
}

/// `stack` is where the loader left the number of arguments, and then the arguments.
[[noreturn]] __attribute__((used, visibility("hidden"))) void
tilelift_program_start(void **stack, Function endOfLoader) {
  const int argc = int(reinterpret_cast<ptrdiff_t>(stack[0]));
  __libc_start_main(programMain, argc, reinterpret_cast<char **>(stack + 1), begin, end,
                    endOfLoader, stack);
  __builtin_trap();
}
}

#if defined(__x86_64__)
asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  and $-16, %rsp\n"
    "  call tilelift_program_start\n");
#elif defined(__aarch64__)
asm(".globl _start\n"
    ".type _start, %function\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x1, x0\n"
    "  mov x0, sp\n"
    "  bl tilelift_program_start\n");
#else
#error "programs start in another way on this machine"
#endif
