//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "text/Formatted.h"

#include "clang/Format/Format.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::string formatted(const std::string &text, StringRef file) {
  Expected<format::FormatStyle> style = format::getStyle("file", file, "LLVM", text);
  if (!style) {
    consumeError(style.takeError());
    return text;
  }
  style->ColumnLimit = std::max(style->ColumnLimit, 100u);
  style->FixNamespaceComments = false; // the rest of the line would be part of the comment
  style->SortIncludes = format::FormatStyle::SortIncludesOptions();
  tooling::Replacements changes =
      format::reformat(*style, text, tooling::Range(0, unsigned(text.size())), file);
  Expected<std::string> result = tooling::applyAllReplacements(text, changes);
  if (!result) {
    consumeError(result.takeError());
    return text;
  }
  return *result;
}

} // namespace tilelift
