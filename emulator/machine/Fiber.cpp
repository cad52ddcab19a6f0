//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ucontext would do, but it saves the signal mask with a system call at every
// turn; a block has a thousand turns between two barriers.
//===----------------------------------------------------------------------===//

#include "machine/Fiber.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define TILELIFT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILELIFT_SANITIZED 1
#endif
#endif
#ifdef TILELIFT_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilelift::emulator {

Stack::Stack() {
  void *got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (got == MAP_FAILED) {
    std::perror("tilelift: no memory for the stack of a thread");
    std::exit(125);
  }
  memory = static_cast<char *>(got);
  mprotect(memory, belowBytes, PROT_NONE);
}

Stack::~Stack() {
  if (memory)
    munmap(memory, bytes);
}

Stack &Stack::operator=(Stack &&other) noexcept {
  std::swap(memory, other.memory);
  return *this;
}

// The registers that a callee keeps, and the place to return to.
#if defined(__x86_64__)
asm(R"(
.text
.globl tilelift_switch
.type tilelift_switch, @function
tilelift_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tilelift_switch, .-tilelift_switch
.globl tilelift_start
.type tilelift_start, @function
tilelift_start:
  movq %r12, %rdi
  callq *%r13
  ud2
.size tilelift_start, .-tilelift_start
)");
constexpr size_t savedWords = 7, argumentWord = 3, entryWord = 2, returnWord = 6;
#elif defined(__aarch64__)
asm(R"(
.text
.globl tilelift_switch
.type tilelift_switch, %function
tilelift_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.globl tilelift_start
.type tilelift_start, %function
tilelift_start:
  mov x0, x19
  blr x20
  brk #0
)");
constexpr size_t savedWords = 20, argumentWord = 0, entryWord = 1, returnWord = 11;
#else
#error "the emulator knows how to switch stacks on x86-64 and AArch64"
#endif

extern "C" void tilelift_start();
extern "C" void tilelift_switch(Context *save, Context load);

void switchTo(Context *save, Context load, [[maybe_unused]] StackBounds stack,
              [[maybe_unused]] bool comesBack) {
#ifdef TILELIFT_SANITIZED
  void *frames = nullptr;
  __sanitizer_start_switch_fiber(comesBack ? &frames : nullptr, stack.bottom, stack.size);
#endif
  tilelift_switch(save, load);
#ifdef TILELIFT_SANITIZED
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
}

StackBounds arrive() {
  StackBounds from;
#ifdef TILELIFT_SANITIZED
  __sanitizer_finish_switch_fiber(nullptr, &from.bottom, &from.size);
#endif
  return from;
}

Context prepare(const Stack &stack, void (*entry)(void *), void *argument) {
#ifdef TILELIFT_SANITIZED
  // Nothing was unwound when the stack's last fiber was given up.
  __asan_unpoison_memory_region(stack.bounds().bottom, stack.bounds().size);
#endif
  // At a function's start the stack is 16 bytes aligned but for the return address.
  void **words = reinterpret_cast<void **>(stack.top()) - 8 - savedWords;
  std::memset(words, 0, (savedWords + 8) * sizeof(void *));
  words[argumentWord] = argument;
  words[entryWord] = reinterpret_cast<void *>(entry);
  words[returnWord] = reinterpret_cast<void *>(tilelift_start);
  return words;
}

} // namespace tilelift::emulator
