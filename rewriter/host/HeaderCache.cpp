//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "host/HeaderCache.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Files = IntrusiveRefCntPtr<vfs::FileSystem>;

/// What the driver includes ahead of a CUDA file, and what includes all of the toolkit's headers.
constexpr const char *wrapper = "__clang_cuda_runtime_wrapper.h";

std::string in(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  sys::fs::make_absolute(path);
  return std::string(path);
}

/// The file that is precompiled.
struct Source {
  const char *name;
  std::string text;
};

Source sourceOf(CachedHeaders headers) {
  const std::string cuda = std::string("#include <") + wrapper + ">\n";
  if (headers == CachedHeaders::Cuda)
    return {"cuda.cu", cuda};
  return {"runtime.cu", cuda + "#include <tilelift/tilelift.cuh>\n"};
}

/// Writes the file, unless it is there: precompiled headers rely on its date.
bool writeSource(const std::string &path, StringRef text) {
  if (sys::fs::exists(path))
    return true;
  std::error_code problem;
  raw_fd_ostream out(path, problem, sys::fs::CD_CreateNew);
  if (problem)
    return problem == std::errc::file_exists;
  out << text;
  return true;
}

/// The invocation that precompiles the headers: the flags of the other, for another file. What does
/// not change how a header is read is left out.
CompilerInvocation precompiling(const CompilerInvocation &of, const std::string &source) {
  CompilerInvocation result(of);
  result.getPreprocessorOpts().Includes.clear();
  result.getDiagnosticOpts().VerifyDiagnostics = false;
  result.getDependencyOutputOpts() = DependencyOutputOptions();
  result.getLangOpts().CUID.clear(); // tells files of one program apart
  FrontendOptions &frontend = result.getFrontendOpts();
  frontend.Inputs = {FrontendInputFile(source, InputKind(Language::CUDA))};
  frontend.OutputFile.clear();
  frontend.ProgramAction = frontend::GeneratePCH;
  frontend.Plugins.clear();
  frontend.AddPluginActions.clear();
  frontend.PluginArgs.clear();
  CodeGenOptions &code = result.getCodeGenOpts();
  code.MainFileName.clear();
  code.DebugCompilationDir.clear();
  code.CoverageCompilationDir.clear();
  code.CudaGpuBinaryFileName.clear();
  return result;
}

/// A name for all that the headers' meaning depends on.
std::string keyOf(const CompilerInvocation &invocation) {
  std::string all = getClangFullVersion();
  invocation.generateCC1CommandLine([&](const Twine &argument) {
    all += '\0';
    all += argument.str();
  });
  return utohexstr(xxh3_64bits(all), /*LowerCase=*/true, 16);
}

/// Where the date and the size of all files are kept that a precompiled header was made of.
std::string stampOf(const std::string &header) { return header + ".files"; }

std::string describe(const vfs::Status &file, StringRef name) {
  return std::to_string(file.getLastModificationTime().time_since_epoch().count()) + " " +
         std::to_string(file.getSize()) + " " + name.str();
}

/// Whether all files that the precompiled header was made of are as they were.
bool isUpToDate(const std::string &header, vfs::FileSystem &files) {
  auto stamp = files.getBufferForFile(stampOf(header));
  if (!stamp || !files.exists(header))
    return false;
  SmallVector<StringRef, 512> lines;
  (*stamp)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  return !lines.empty() && llvm::all_of(lines, [&](StringRef line) {
    const StringRef name = line.split(' ').second.split(' ').second;
    ErrorOr<vfs::Status> file = files.status(name);
    return file && describe(*file, name) == line;
  });
}

/// The stamp comes last, and by a rename: a header with a stamp is whole.
bool writeStamp(const std::string &header, SourceManager &sources, vfs::FileSystem &files) {
  std::string text;
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const StringRef name = file->first.getName();
    ErrorOr<vfs::Status> status = files.status(name);
    if (!status)
      return false;
    text += describe(*status, name) + "\n";
  }
  Error problem = writeToOutput(stampOf(header), [&](raw_ostream &out) {
    out << text;
    return Error::success();
  });
  const bool isWritten = !problem;
  consumeError(std::move(problem));
  return isWritten;
}

bool make(const std::string &header, const CompilerInvocation &maker, const Files &files) {
  auto invocation = std::make_shared<CompilerInvocation>(maker);
  invocation->getFrontendOpts().OutputFile = header;
  CompilerInstance compiler(invocation);
  IgnoringDiagConsumer ignoring;
  compiler.setVirtualFileSystem(files);
  compiler.setVerboseOutputStream(std::make_unique<raw_null_ostream>()); // no "1 error generated"
  compiler.createDiagnostics(&ignoring, /*ShouldOwnClient=*/false);
  if (!compiler.createTarget())
    return false;
  compiler.createFileManager();
  compiler.createSourceManager();
  GeneratePCHAction action;
  const bool made = compiler.ExecuteAction(action) && !ignoring.getNumErrors();
  return made && writeStamp(header, compiler.getSourceManager(), *files);
}

bool readsWrapperFirst(const PreprocessorOptions &options) {
  return options.ImplicitPCHInclude.empty() && !options.Includes.empty() &&
         options.Includes.front() == wrapper;
}

} // namespace

bool useHeaderCache(CompilerInvocation &invocation, Files files, CachedHeaders headers) {
  const char *folder = getenv("TILELIFT_HEADER_CACHE");
  PreprocessorOptions &options = invocation.getPreprocessorOpts();
  if (!folder || !*folder || !readsWrapperFirst(options))
    return false;
  const Source source = sourceOf(headers);
  const std::string path = in(folder, source.name);
  if (sys::fs::create_directories(folder) || !writeSource(path, source.text))
    return false;
  const CompilerInvocation maker = precompiling(invocation, path);
  const std::string header = in(folder, keyOf(maker) + ".pch");
  if (!isUpToDate(header, *files) && !make(header, maker, files))
    return false;
  options.ImplicitPCHInclude = header;
  options.Includes.erase(options.Includes.begin());
  return true;
}

void forEachTopDeclaration(ASTContext &context, bool usesHeaderCache,
                           function_ref<void(Decl *)> visit) {
  const TranslationUnitDecl *all = context.getTranslationUnitDecl();
  for (Decl *each : usesHeaderCache ? all->noload_decls() : all->decls())
    visit(each);
}

} // namespace tilelift
