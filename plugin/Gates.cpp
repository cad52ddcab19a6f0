//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Gates.h"

#include "host/LiftFile.h"
#include "host/LookAhead.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;

namespace tilelift {

llvm::StringRef mainFileText(CompilerInstance &compiler) {
  SourceManager &sources = compiler.getSourceManager();
  std::optional<llvm::StringRef> text = sources.getBufferDataOrNone(sources.getMainFileID());
  return text.value_or(llvm::StringRef());
}

const char *inputOf(Gate gate) {
  switch (gate) {
  case Gate::PreprocessedInput: return "preprocessed input";
  case Gate::StandardInput: return "standard input";
  case Gate::PrecompiledHeader: return "a precompiled header";
  case Gate::Open:
  case Gate::Closed: break;
  }
  return "";
}

Gate gateFor(CompilerInstance &compiler) {
  const LangOptions &language = compiler.getLangOpts();
  const FrontendOptions &frontend = compiler.getFrontendOpts();
  if (!language.CUDA || !language.CurrentModule.empty() || language.isCompilingModule() ||
      !frontend.CodeCompletionAt.FileName.empty() || frontend.Inputs.empty())
    return Gate::Closed;
  const FrontendInputFile &input = frontend.Inputs[0];
  if (input.getKind().getFormat() != InputKind::Source)
    return Gate::Closed;
  if (!mayHaveDirectives(input.isFile() ? input.getFile() : "", mainFileText(compiler),
                         compiler.getInvocation(), compiler.getVirtualFileSystem()))
    return Gate::Closed;
  if (input.getKind().isHeader() || frontend.ProgramAction == frontend::GeneratePCH)
    return Gate::PrecompiledHeader;
  if (input.getKind().isPreprocessed())
    return Gate::PreprocessedInput;
  const SourceManager &sources = compiler.getSourceManager();
  if (!input.isFile() || input.getFile() == "-" || isStream(input.getFile()) ||
      !sources.getFileEntryRefForID(sources.getMainFileID()))
    return Gate::StandardInput;
  return Gate::Open;
}

} // namespace tilelift
