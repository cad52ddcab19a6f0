//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Gates.h"

#include "directive/PragmaReader.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;

namespace tilelift {

llvm::StringRef mainFileText(CompilerInstance &compiler) {
  SourceManager &sources = compiler.getSourceManager();
  std::optional<llvm::StringRef> text = sources.getBufferDataOrNone(sources.getMainFileID());
  return text.value_or(llvm::StringRef());
}

Gate gateFor(CompilerInstance &compiler) {
  const LangOptions &language = compiler.getLangOpts();
  const FrontendOptions &frontend = compiler.getFrontendOpts();
  if (!language.CUDA || !language.CurrentModule.empty() || language.isCompilingModule() ||
      !frontend.CodeCompletionAt.FileName.empty() || frontend.Inputs.empty())
    return Gate::Closed;
  const FrontendInputFile &input = frontend.Inputs[0];
  if (input.getKind().getFormat() != InputKind::Source || input.getKind().isHeader() ||
      frontend.ProgramAction == frontend::GeneratePCH)
    return Gate::Closed;
  if (!mayHaveDirectives(input.isFile() ? input.getFile() : "", mainFileText(compiler),
                         compiler.getVirtualFileSystem()))
    return Gate::Closed;
  if (input.getKind().isPreprocessed())
    return Gate::Preprocessed;
  const SourceManager &sources = compiler.getSourceManager();
  if (!input.isFile() || input.getFile() == "-" ||
      !sources.getFileEntryRefForID(sources.getMainFileID()))
    return Gate::StandardInput;
  return Gate::Open;
}

} // namespace tilelift
