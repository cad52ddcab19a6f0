//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The third host of the rewriter, beside the tool and the plugin: a function for C.
//===----------------------------------------------------------------------===//

#include "tilelift.h"

#include "tilelift/version.h"
#include "tool/Installation.h"
#include "tool/LiftSource.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace tilelift;

struct tilelift_result {
  Lifted lifted;
  std::string source;
};

namespace {

/// As much of it as the caller knows, and zeros.
template <typename Struct> Struct known(const Struct *given) {
  Struct all = {};
  if (given)
    std::memcpy(&all, given, std::min(given->size, sizeof all));
  return all;
}

std::string orElse(const char *text, const char *other) { return text && *text ? text : other; }

void fail(Lifted &lifted, const std::string &problem) {
  lifted.status = failed;
  lifted.messages += "tilelift: error: " + problem + "\n";
  lifted.messageList.push_back({Severity::Error, "", problem, "", 0, 0});
}

/// Or what is wrong with them.
std::optional<std::string> read(const tilelift_options &given, ToolOptions &options) {
  options.arch = orElse(given.arch, firstArchWithTma);
  if (std::optional<std::string> wrong = wrongArch(options.arch))
    return wrong;
  options.cudaPath = orElse(given.cuda_path, "");
  for (const char *flag : ArrayRef(given.flags, given.flag_count))
    options.compilerFlags.push_back(flag);
  for (const char *block : ArrayRef(given.blocks, given.block_count))
    if (std::optional<std::string> wrong = options.setBlock(block))
      return wrong;
  if (given.remarks)
    options.diagnostics.showRemarks();
  for (const char *warning : ArrayRef(given.warnings, given.warning_count))
    if (std::optional<std::string> wrong = options.diagnostics.apply(warning))
      return wrong;
  options.selection.liftsAlways |= given.lift_always != 0;
  options.selection.hasOnlyAskedRings = given.only_asked_pipelines != 0;
  options.setEmit(given.whole_file ? Emit::Cuda : Emit::Device);
  return std::nullopt;
}

} // namespace

tilelift_result *tilelift_lift(const char *source, size_t length, const tilelift_options *options) {
  auto *result = new tilelift_result;
  const tilelift_options given = known(options);
  const std::string name = orElse(given.file_name, "kernel.cu");
  ToolOptions own;
  own.files = {name};
  if (std::optional<std::string> wrong = read(given, own)) {
    fail(result->lifted, *wrong);
    return result;
  }
  own.texts[name] = std::string(source ? source : "", source ? length : 0);
  result->lifted = liftSource(name, own);
  if (std::optional<std::string> wrong = wrongBlocks(result->lifted, own))
    fail(result->lifted, *wrong);
  else if (result->lifted.files.size() > 1)
    fail(result->lifted, "'" + result->lifted.files[1].path +
                             "' has copies, too: they have to be in the source itself");
  else if (result->lifted.files.size() == 1 && !result->lifted.hasErrors)
    result->source = result->lifted.files.front().after;
  return result;
}

tilelift_status tilelift_result_status(const tilelift_result *result) {
  return tilelift_status(result->lifted.status);
}

const char *tilelift_result_text(const tilelift_result *result, tilelift_text kind) {
  const std::optional<Emission> &emission = result->lifted.emission;
  switch (kind) {
  case TILELIFT_SOURCE: return result->source.c_str();
  case TILELIFT_MANIFEST: return emission ? emission->manifest.c_str() : "";
  case TILELIFT_PYTHON: return emission ? emission->python.c_str() : "";
  case TILELIFT_DRIVER: return emission ? emission->driver.c_str() : "";
  case TILELIFT_MESSAGES: return result->lifted.messages.c_str();
  }
  return "";
}

size_t tilelift_result_diagnostics(const tilelift_result *result) {
  return result->lifted.messageList.size();
}

int tilelift_result_diagnostic(const tilelift_result *result, size_t number,
                               tilelift_diagnostic *diagnostic) {
  if (number >= result->lifted.messageList.size())
    return 0;
  const Message &message = result->lifted.messageList[number];
  const tilelift_diagnostic all = {
      diagnostic->size,   int32_t(message.severity), message.line,        message.column,
      message.id.c_str(), message.text.c_str(),      message.file.c_str()};
  std::memcpy(diagnostic, &all, std::min(diagnostic->size, sizeof all));
  return 1;
}

void tilelift_result_free(tilelift_result *result) { delete result; }

const char *tilelift_version(void) { return TILELIFT_VERSION_STRING; }

const char *tilelift_include_path(void) {
  static const std::string path = runtimeHeaders();
  return path.c_str();
}
