//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Resources.h"

#include "tool/CudaToolkit.h"
#include "tool/Installation.h"
#include "tool/Invocation.h"
#include "tool/run/Compile.h"

#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

struct Resources {
  std::string registers = "0", shared = "0", spilled = "0";
};

std::string compileToPtx(const std::string &file, const std::map<std::string, std::string> &texts,
                         const ToolOptions &options, const std::string &arch) {
  initializeTargets();
  ToolOptions own = options;
  own.verify = false;
  for (const char *flag : {"-Wno-unknown-cuda-version", "-w"})
    own.compilerFlags.push_back(flag);
  own.compilerFlags.push_back("-isystem" + runtimeHeaders());
  auto files = filesWith(texts);
  Invocation invocation = makeInvocation(
      file, own, files, {"--cuda-device-only", "--offload-arch=" + arch, "-S", "-O3"});
  return invocation ? compileDevice(invocation, files).ptx : "";
}

ErrorOr<std::string> findAssembler(const ToolOptions &options) {
  const std::string toolkit = findToolkit(options.cudaPath).path;
  ErrorOr<std::string> beside = sys::findProgramByName("ptxas", {toolkit + "/bin"});
  return beside || !options.cudaPath.empty() ? beside : sys::findProgramByName("ptxas");
}

/// What ptxas prints of the code; what it makes of it is of no use.
std::string assemble(StringRef ptx, const std::string &arch, const ToolOptions &options,
                     std::string &problem) {
  ErrorOr<std::string> assembler = findAssembler(options);
  if (!assembler) {
    problem = "'--remarks=resources' needs the toolkit's ptxas; --cuda-path=<folder> says where "
              "the toolkit is";
    return "";
  }
  SmallString<128> input, output, binary;
  for (auto [path, suffix] : {std::pair(&input, "ptx"), {&output, "txt"}, {&binary, "cubin"}})
    if (std::error_code failed = sys::fs::createTemporaryFile("tilelift", suffix, *path)) {
      problem = "cannot write '" + std::string(*path) + "': " + failed.message();
      return "";
    }
  FileRemover removers[] = {FileRemover(input), FileRemover(output), FileRemover(binary)};
  std::error_code failed;
  raw_fd_ostream(input, failed) << ptx;
  std::string option = "-arch=" + arch;
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output), StringRef(output)};
  int status = sys::ExecuteAndWait(*assembler, {*assembler, "-v", option, "-o", binary, input},
                                   std::nullopt, redirects, 0, 0, &problem);
  ErrorOr<std::unique_ptr<MemoryBuffer>> printed = MemoryBuffer::getFile(output);
  std::string text = printed ? (*printed)->getBuffer().str() : "";
  if (status != 0 && problem.empty())
    problem = "ptxas does not take the code of the lifted program: " + text;
  return text;
}

/// Of each kernel, by its name as a human reads it.
std::map<std::string, Resources> readResources(StringRef printed) {
  Regex entry("Compiling entry function '([^']*)'"), spills("([0-9]+) bytes spill stores"),
      registers("Used ([0-9]+) registers"), shared("([0-9]+) bytes smem");
  std::map<std::string, Resources> kernels;
  std::string name;
  SmallVector<StringRef, 2> match;
  for (StringRef line : split(printed, '\n')) {
    if (entry.match(line, &match))
      kernels[name = demangle(match[1])] = {};
    if (name.empty())
      continue;
    if (spills.match(line, &match))
      kernels[name].spilled = match[1].str();
    if (registers.match(line, &match))
      kernels[name].registers = match[1].str();
    if (shared.match(line, &match))
      kernels[name].shared = match[1].str();
  }
  return kernels;
}

/// Where a text has a name, and not as a part of another one.
size_t findName(StringRef text, StringRef name) {
  auto isPart = [&](size_t at) {
    return at < text.size() && (isAlnum(text[at]) || text[at] == '_');
  };
  size_t at = text.find(name);
  while (at != StringRef::npos && (isPart(at - 1) || isPart(at + name.size())))
    at = text.find(name, at + 1);
  return at;
}

/// What the kernel would be called which `name` is the lifted one of: "void blur<4>(float*)"
/// with the arguments of "void blur_tma<4>(float*, CUtensorMap)"; or nothing.
std::optional<std::string> nameBefore(StringRef name, const LiftedKernel &kernel) {
  size_t at = findName(name, kernel.lifted);
  if (at == StringRef::npos)
    return std::nullopt;
  return (name.take_front(at) + kernel.name + name.drop_front(at + kernel.lifted.size())).str();
}

/// Whether the names are the same, up to arguments that the lifted kernel has more.
bool isOriginal(StringRef name, StringRef before) {
  return name == before ||
         (name.consume_back(")") && before.starts_with(name) &&
          (name.ends_with("(") || before[name.size()] == ',' || before[name.size()] == ')'));
}

/// "blur<4>" of "void blur<4>(float*)".
StringRef shortName(StringRef name, StringRef kernel) {
  return name.drop_front(findName(name, kernel)).take_until([](char c) { return c == '('; });
}

Diagnostic remarkOn(const LiftedKernel &kernel, StringRef name, const Resources &lifted,
                    const Resources &plain, StringRef arch) {
  Diagnostic remark =
      diagnose(diag::resources, kernel.place, shortName(name, kernel.name), lifted.registers,
               lifted.shared, plain.registers, plain.shared, arch);
  if (lifted.spilled != "0" || plain.spilled != "0")
    remark.notes.push_back({kernel.place, "the lifted kernel spills " + lifted.spilled +
                                              " bytes of registers, the plain one " +
                                              plain.spilled});
  return remark;
}

} // namespace

std::vector<Diagnostic> resourcesOf(const std::string &file,
                                    const std::map<std::string, std::string> &texts,
                                    ArrayRef<LiftedKernel> kernels, const ToolOptions &options,
                                    std::string &problem) {
  std::string arch = StringRef(options.arch).rtrim("af").str() + "a";
  std::string ptx = compileToPtx(file, texts, options, arch);
  std::vector<Diagnostic> remarks;
  if (ptx.empty()) {
    problem = "the lifted program does not compile for " + arch;
    return remarks;
  }
  std::map<std::string, Resources> compiled = readResources(assemble(ptx, arch, options, problem));
  for (const LiftedKernel &kernel : kernels)
    for (const auto &[name, after] : compiled)
      if (std::optional<std::string> before = nameBefore(name, kernel))
        for (const auto &[other, plain] : compiled)
          if (isOriginal(other, *before))
            remarks.push_back(remarkOn(kernel, other, after, plain, arch));
  return remarks;
}

} // namespace tilelift
