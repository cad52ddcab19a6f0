//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/LiftCommand.h"

#include "tool/FixSource.h"
#include "tool/LiftSource.h"
#include "tool/OutputFiles.h"
#include "tool/UnifiedDiff.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

bool writeFile(StringRef path, StringRef text) {
  std::error_code problem;
  ToolOutputFile out(path, problem, sys::fs::OF_None);
  if (problem) {
    errs() << "tilelift: error: cannot write '" << path << "': " << problem.message() << "\n";
    return false;
  }
  out.os() << text;
  out.keep();
  return true;
}

struct Result {
  std::string source;
  Lifted lifted;
};

std::string placeOf(const LiftedFile &file, const Result &result, const ToolOptions &options) {
  if (&file == &result.lifted.files.front())
    return outputPath(options, result.source);
  auto place = result.lifted.places.find(file.path);
  return place == result.lifted.places.end() ? file.path : place->second;
}

/// Several sources may change one header, if they change it in the same way.
bool claimAll(const Result &result, const ToolOptions &options, StringMap<std::string> &texts) {
  for (const LiftedFile &file : result.lifted.files) {
    std::string path = placeOf(file, result, options);
    if (path.empty() || texts.try_emplace(path, file.after).first->second == file.after)
      continue;
    errs() << "tilelift: error: '" << path << "' is lifted in another way for '" << result.source
           << "' than for a file before: lift it into a folder of its own\n";
    return false;
  }
  return true;
}

bool writeFiles(const Result &result, const ToolOptions &options) {
  for (const LiftedFile &file : result.lifted.files) {
    std::string path = placeOf(file, result, options);
    if (path.empty()) {
      outs() << file.after;
      continue;
    }
    if (options.inPlace && file.before == file.after)
      continue;
    sys::fs::create_directories(sys::path::parent_path(path));
    if (!writeFile(path, file.after))
      return false;
  }
  return true;
}

/// What `--fix` has changed goes back to the files themselves.
bool writeMended(const ToolOptions &options) {
  if (options.check || options.diff)
    return true;
  return llvm::all_of(options.texts, [](const auto &mended) {
    return mended.first == "<stdin>" || writeFile(mended.first, mended.second);
  });
}

/// What a text is to be compared with.
std::string original(const LiftedFile &file, const ToolOptions &options) {
  auto disk = options.texts.count(file.path) ? MemoryBuffer::getFile(file.path)
                                             : ErrorOr<std::unique_ptr<MemoryBuffer>>(nullptr);
  return disk && *disk ? (*disk)->getBuffer().str() : file.before;
}

bool writeResult(const Result &result, const ToolOptions &options, StringMap<std::string> &texts) {
  const Lifted &lifted = result.lifted;
  if (options.check || options.verify || options.lint)
    return true;
  if (options.dumpRelation || options.dumpPlan || options.dumpEffects) {
    outs() << lifted.dump;
    return true;
  }
  if (!options.diff)
    return claimAll(result, options, texts) && writeFiles(result, options);
  for (const LiftedFile &file : lifted.files)
    outs() << unifiedDiff(&file == &lifted.files.front() ? result.source : file.path,
                          original(file, options), file.after);
  return true;
}

} // namespace

int liftCommand(ToolOptions options) {
  if (options.fix)
    options = fixSources(std::move(options));
  ExitStatus status = allLifted;
  std::vector<Result> results;
  // All are read before any is written: in place, they may share headers.
  std::vector<Lifted> lifted = liftProgram(options.files, options);
  if (std::optional<std::string> wrong = wrongBlocks(lifted, options)) {
    errs() << "tilelift: error: " << *wrong << "\n";
    return failed;
  }
  for (size_t i = 0; i < lifted.size(); ++i) {
    errs() << lifted[i].messages;
    status = worse(status, lifted[i].status);
    if (lifted[i].status == allLifted || lifted[i].isChanged() || !lifted[i].dump.empty())
      results.push_back({options.files[i], std::move(lifted[i])});
  }
  if (!writeMended(options))
    status = failed;
  StringMap<std::string> texts;
  for (const Result &result : results)
    if (!writeResult(result, options, texts))
      status = failed;
  return status;
}

} // namespace tilelift
