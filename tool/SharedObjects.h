//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects with constructors in shared memory, as in
// `__shared__ cuda::barrier<cuda::thread_scope_block> ready;`.
//
// nvcc has them, and leaves it to the program to give them their first value;
// to Clang they are an error. A file that declares some is parsed once more with
// `static` in place of `__shared__`: still one object for all threads, of which
// nothing is known. What is lifted, and written, is the text as the user wrote it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_SHAREDOBJECTS_H
#define TILELIFT_TOOL_SHAREDOBJECTS_H

#include "llvm/Support/VirtualFileSystem.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class Diagnostic;
} // namespace clang

namespace tilelift {

class SharedObjects {
public:
  /// Remembers the declaration, if an error is about one of these.
  void note(const clang::Diagnostic &error);
  bool empty() const { return texts.empty(); }

  /// Has the compiler read the files without them.
  void hide(clang::CompilerInvocation &invocation, llvm::vfs::OverlayFileSystem &files);
  /// Puts `__shared__` back into the texts that the compiler has read, so that what is lifted is
  /// the user's text.
  void restore();

private:
  struct Text {
    std::string asWritten;
    std::string asRead;
    std::vector<size_t> words;
  };
  /// By absolute path.
  std::map<std::string, Text> texts;
};

} // namespace tilelift

#endif
