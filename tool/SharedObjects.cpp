//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/SharedObjects.h"

#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInvocation.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr StringRef shared = "__shared__";
constexpr StringRef insteadOfShared = "static    ";
static_assert(shared.size() == insteadOfShared.size(), "what follows stays where it is");

/// The word that makes the variable at `name` a shared one, if the text shows it.
std::optional<size_t> wordBefore(StringRef text, size_t name) {
  size_t word = text.take_front(name).rfind(shared);
  bool isOfDeclaration =
      word != StringRef::npos && text.slice(word, name).find_first_of(";{}") == StringRef::npos;
  return isOfDeclaration ? std::optional(word) : std::nullopt;
}

} // namespace

void SharedObjects::note(const clang::Diagnostic &error) {
  if (error.getID() != diag::err_shared_var_init || !error.hasSourceManager())
    return;
  const SourceManager &sources = error.getSourceManager();
  auto [file, name] = sources.getDecomposedSpellingLoc(error.getLocation());
  OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  StringRef content = sources.getBufferData(file);
  std::optional<size_t> word = wordBefore(content, name);
  if (!entry || !word)
    return;
  SmallString<256> path(entry->getName());
  sources.getFileManager().makeAbsolutePath(path);
  Text &text = texts[std::string(path)];
  text.asWritten = content.str();
  text.words.push_back(*word);
}

void SharedObjects::hide(CompilerInvocation &invocation, vfs::OverlayFileSystem &files) {
  invocation.getLangOpts().GPUAllowDeviceInit = true;
  auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (auto &[path, text] : texts) {
    text.asRead = text.asWritten;
    for (size_t word : text.words)
      text.asRead.replace(word, shared.size(), insteadOfShared);
    memory->addFileNoOwn(path, 0, MemoryBufferRef(text.asRead, path));
  }
  files.pushOverlay(memory);
}

void SharedObjects::restore() {
  for (auto &[path, text] : texts)
    if (!text.asRead.empty())
      llvm::copy(text.asWritten, text.asRead.begin());
}

} // namespace tilelift
