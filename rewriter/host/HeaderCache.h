//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang reads CUDA's own headers ahead of every CUDA file, which takes longer than most files
// themselves. Where the environment names a folder (TILELIFT_HEADER_CACHE), these headers are
// parsed once for each set of flags and kept there as a precompiled header.
//
// Beside a precompiled header stand the date and the size of each file that it was made of. Where
// one of them is another now, the header is made anew.
// The user's headers are never part of it. The runtime's are, for files that are known to include
// them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_HOST_HEADERCACHE_H
#define TILELIFT_HOST_HEADERCACHE_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class ASTContext;
class CompilerInvocation;
class Decl;
} // namespace clang

namespace tilelift {

enum class CachedHeaders { Cuda, CudaAndRuntime };

/// Has the invocation take CUDA's headers from the cache, if there is a cache and the invocation
/// reads them first. Returns whether it does. Where the cache cannot be written, or the headers do
/// not parse, the invocation stays as it is, and reads them itself.
bool useHeaderCache(clang::CompilerInvocation &invocation,
                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                    CachedHeaders headers = CachedHeaders::Cuda);

/// Visits the declarations at the top of a file and its headers; those of headers from the cache
/// only if something of the file uses them, as it would take long to load all.
void forEachTopDeclaration(clang::ASTContext &context, bool usesHeaderCache,
                           llvm::function_ref<void(clang::Decl *)> visit);

} // namespace tilelift

#endif
