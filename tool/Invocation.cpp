//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Invocation.h"

#include "tool/CudaToolkit.h"
#include "tool/Installation.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Loads and stores with cache hints that nvcc knows and Clang's headers lack. A hint changes no
/// value; the text of the program keeps it.
constexpr const char *missingHeader = "/tilelift/missing_intrinsics.h";
constexpr const char *missingIntrinsics = R"(
#pragma GCC system_header
template <typename Type> struct __tilelift_same { using type = Type; };
#define __TILELIFT_LOAD(name)                                                                      \
  template <typename Type> __attribute__((device)) inline Type name(const Type *from) {            \
    return *from;                                                                                  \
  }
#define __TILELIFT_STORE(name)                                                                     \
  template <typename Type>                                                                         \
  __attribute__((device)) inline void name(Type *to, typename __tilelift_same<Type>::type value) { \
    *to = value;                                                                                   \
  }
__TILELIFT_LOAD(__ldca)
__TILELIFT_LOAD(__ldlu)
__TILELIFT_STORE(__stwb)
__TILELIFT_STORE(__stcg)
__TILELIFT_STORE(__stcs)
#undef __TILELIFT_LOAD
#undef __TILELIFT_STORE
)";

/// Clang includes a header of cuRAND's ahead of every file, to make it read as nvcc does. NVIDIA's
/// packages of the toolkit's parts need not have it, and then no program includes it.
constexpr const char *absentFolder = "/tilelift/absent";
constexpr const char *absentHeader = "/tilelift/absent/curand_mtgp32_kernel.h";

bool isNvcc(StringRef compiler) { return sys::path::filename(compiler).contains("nvcc"); }

/// What of a compile command says how the source reads.
std::vector<std::string> sourceFlags(const std::vector<std::string> &command, StringRef file) {
  std::vector<std::string> flags;
  bool nvcc = !command.empty() && isNvcc(command[0]);
  for (size_t i = 1; i < command.size(); ++i) {
    StringRef flag = command[i];
    auto takesValue = [&](StringRef name) { return flag == name && i + 1 < command.size(); };
    if (flag == "-c" || flag == "--" || flag == file ||
        sys::path::filename(flag) == sys::path::filename(file) || flag.starts_with("-M")) {
      if (flag == "-MF" || flag == "-MT" || flag == "-MQ")
        ++i;
      continue;
    }
    if (takesValue("-o")) {
      ++i;
      continue;
    }
    bool separate = false, wanted = !nvcc;
    for (StringRef name : {"-I", "-isystem", "-D", "-U", "-include", "-iquote"}) {
      separate |= takesValue(name);
      wanted |= flag.starts_with(name);
    }
    wanted |= flag.starts_with("-std=");
    if (nvcc && flag == "-x")
      ++i;
    if (!wanted)
      continue;
    flags.push_back(command[i]);
    if (separate)
      flags.push_back(command[++i]);
  }
  return flags;
}

/// Makes the files and folders that flags name relative to a folder absolute. The tool's own folder
/// stays the one that its files and its output are relative to.
void seeFrom(StringRef folder, std::vector<std::string> &flags) {
  auto absolute = [&](StringRef name, bool isFile) {
    SmallString<256> path(name);
    sys::path::make_absolute(folder, path);
    // A forced include may as well be looked for in the folders of headers.
    return isFile && !sys::fs::exists(path) ? name.str() : std::string(path);
  };
  for (size_t i = 0; i < flags.size(); ++i)
    for (StringRef flag : {"-isystem", "-iquote", "-include", "-I"}) {
      if (!StringRef(flags[i]).starts_with(flag))
        continue;
      if (flags[i] != flag)
        flags[i] =
            flag.str() + absolute(StringRef(flags[i]).drop_front(flag.size()), flag == "-include");
      else if (++i < flags.size())
        flags[i] = absolute(flags[i], flag == "-include");
      break;
    }
}

std::unique_ptr<tooling::CompilationDatabase> databaseOf(const ToolOptions &options) {
  std::string problem;
  std::unique_ptr<tooling::CompilationDatabase> database =
      tooling::CompilationDatabase::loadFromDirectory(options.databaseFolder, problem);
  if (database)
    return database;
  errs() << "tilelift: error: " << problem << "\n";
  exit(2);
}

std::vector<std::string> flagsFor(const std::string &file, const ToolOptions &options) {
  if (options.databaseFolder.empty())
    return options.compilerFlags;
  std::unique_ptr<tooling::CompilationDatabase> database = databaseOf(options);
  SmallString<256> path(file);
  sys::fs::make_absolute(path);
  std::vector<tooling::CompileCommand> commands = database->getCompileCommands(path);
  std::vector<std::string> flags = options.compilerFlags;
  if (commands.empty()) {
    errs() << "tilelift: warning: '" << file << "' is not in the compile database of '"
           << options.databaseFolder << "'\n";
    return flags;
  }
  std::vector<std::string> own = sourceFlags(commands[0].CommandLine, commands[0].Filename);
  seeFrom(commands[0].Directory, own);
  flags.insert(flags.begin(), own.begin(), own.end());
  return flags;
}

} // namespace

IntrusiveRefCntPtr<vfs::OverlayFileSystem>
filesWith(const std::map<std::string, std::string> &texts) {
  auto files = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(vfs::getRealFileSystem());
  auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto &[file, text] : texts) {
    SmallString<256> path(file);
    sys::fs::make_absolute(path);
    memory->addFile(path, 0, MemoryBuffer::getMemBufferCopy(text, path));
  }
  memory->addFile(missingHeader, 0, MemoryBuffer::getMemBuffer(missingIntrinsics, missingHeader));
  memory->addFile(absentHeader, 0, MemoryBuffer::getMemBuffer("", absentHeader));
  files->pushOverlay(memory);
  return files;
}

std::vector<std::string> databaseFiles(const ToolOptions &options) {
  std::vector<std::string> files;
  for (const tooling::CompileCommand &command : databaseOf(options)->getAllCompileCommands()) {
    bool isCuda = sys::path::extension(command.Filename) == ".cu" ||
                  llvm::is_contained(command.CommandLine, "cuda") ||
                  llvm::is_contained(command.CommandLine, "cu");
    SmallString<256> path(command.Filename);
    sys::path::make_absolute(command.Directory, path);
    if (isCuda && !llvm::is_contained(files, path.str()))
      files.push_back(std::string(path));
  }
  return files;
}

namespace {

/// The flags by which Clang finds the CUDA toolkit and CCCL, unless the program's own say where
/// they are, or that it has none. Nothing, with a message, if there is no toolkit.
std::optional<std::vector<std::string>> toolkitFlags(const ToolOptions &options,
                                                     const std::vector<std::string> &flags,
                                                     vfs::FileSystem &files,
                                                     raw_ostream &messages) {
  if (llvm::is_contained(flags, "-nocudainc"))
    return std::vector<std::string>();
  std::string asked = options.cudaPath;
  for (StringRef flag : flags)
    if (flag.consume_front("--cuda-path="))
      asked = flag.str();
  const CudaToolkit toolkit = findToolkit(asked);
  if (toolkit.path.empty()) {
    messages << "tilelift: error: " << missingToolkit(asked) << "\n";
    return std::nullopt;
  }
  std::vector<std::string> found = {"--cuda-path=" + toolkit.path};
  if (!toolkit.hasDeviceLibrary)
    found.push_back("-nocudalib");
  // CCCL lies in a folder of its own since CUDA 13.
  if (const std::string cccl = toolkit.path + "/include/cccl"; files.exists(cccl))
    found.push_back("-isystem" + cccl);
  if (files.exists(missingHeader))
    found.insert(found.end(), {"-include", missingHeader});
  if (!files.exists(toolkit.path + "/include/curand_mtgp32_kernel.h"))
    found.push_back(std::string("-idirafter") + absentFolder);
  return found;
}

std::unique_ptr<CompilerInvocation> parse(const std::vector<std::string> &arguments,
                                          IntrusiveRefCntPtr<vfs::FileSystem> files,
                                          raw_ostream &messages) {
  std::vector<const char *> raw;
  for (const std::string &argument : arguments)
    raw.push_back(argument.c_str());
  // The invocation goes on pointing to the first one.
  static const std::string program = clangProgram();
  raw[0] = program.c_str();

  clang::DiagnosticOptions diagnosticOptions;
  IntrusiveRefCntPtr<DiagnosticsEngine> engine = CompilerInstance::createDiagnostics(
      *files, diagnosticOptions, new TextDiagnosticPrinter(messages, diagnosticOptions));
  engine->setIgnoreAllWarnings(true);
  CreateInvocationOptions how;
  how.Diags = engine;
  how.VFS = files;
  std::unique_ptr<CompilerInvocation> invocation = createInvocation(raw, how);
  return engine->hasErrorOccurred() ? nullptr : std::move(invocation);
}

/// Whether one of the folders in which headers are looked for has one of that name.
bool findsHeader(const CompilerInvocation &invocation, vfs::FileSystem &files, const Twine &name) {
  return llvm::any_of(invocation.getHeaderSearchOpts().UserEntries,
                      [&](const HeaderSearchOptions::Entry &entry) {
                        return files.exists(entry.Path + "/" + name);
                      });
}

/// The flags for headers of a host and of a C++ library that the installation brings along, where
/// the machine has none.
std::vector<std::string> ownHeaderFlags(const CompilerInvocation &invocation,
                                        vfs::FileSystem &files) {
  const std::string host = hostFolder();
  if (host.empty() ||
      (findsHeader(invocation, files, "cstddef") && findsHeader(invocation, files, "stdlib.h")))
    return {};
  // Before CUDA 13.5, its headers refuse libc++ on x86 unless they are told that it is known.
  return {"-nostdinc++", "-isystem" + host + "/c++", "-idirafter" + host + "/include",
          "-D_ALLOW_UNSUPPORTED_LIBCPP"};
}

} // namespace

std::shared_ptr<CompilerInvocation> makeInvocation(const std::string &file,
                                                   const ToolOptions &options,
                                                   IntrusiveRefCntPtr<vfs::FileSystem> files,
                                                   const std::vector<std::string> &action,
                                                   raw_ostream &messages) {
  std::vector<std::string> arguments = {
      clangProgram(), "-x", "cuda", "-Wno-unknown-cuda-version", "-resource-dir", clangResources()};
  arguments.insert(arguments.end(), action.begin(), action.end());
  const std::vector<std::string> flags = flagsFor(file, options);
  const auto toolkit = toolkitFlags(options, flags, *files, messages);
  if (!toolkit)
    return nullptr;
  llvm::append_range(arguments, flags);
  llvm::append_range(arguments, *toolkit);
  arguments.push_back(file);
  std::unique_ptr<CompilerInvocation> invocation = parse(arguments, files, messages);
  if (!invocation)
    return nullptr;
  if (std::vector<std::string> own = ownHeaderFlags(*invocation, *files); !own.empty()) {
    arguments.insert(arguments.end() - 1, own.begin(), own.end());
    invocation = parse(arguments, files, messages);
    if (!invocation)
      return nullptr;
  }
  invocation->getDiagnosticOpts().VerifyDiagnostics = options.verify;
  if (options.verify)
    invocation->getDiagnosticOpts().VerifyPrefixes = {"expected"};
  return std::shared_ptr<CompilerInvocation>(std::move(invocation));
}

bool usesOwnHeaders(const CompilerInvocation &invocation) {
  const std::string own = hostFolder() + "/c++";
  return llvm::any_of(invocation.getHeaderSearchOpts().UserEntries,
                      [&](const HeaderSearchOptions::Entry &entry) { return entry.Path == own; });
}

bool isOfTool(StringRef file) { return file == missingHeader || file == absentHeader; }

} // namespace tilelift
