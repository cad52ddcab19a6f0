//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

const DiagnosticInfo table[] = {
#define DIAGNOSTIC(id, severity, text) {#id, Severity::severity, text},
#include "support/Diagnostics.def"
};

} // namespace

ArrayRef<DiagnosticInfo> diagnosticTable() { return table; }

const DiagnosticInfo *findDiagnostic(StringRef id) {
  const DiagnosticInfo *found =
      llvm::find_if(table, [&](const DiagnosticInfo &info) { return info.id == id; });
  return found == std::end(table) ? nullptr : found;
}

std::optional<std::string> DiagnosticOptions::apply(StringRef flag) {
  bool no = flag.consume_front("no-");
  bool error = flag.consume_front("error=");
  flag.consume_front("tilelift-");
  const DiagnosticInfo *info = findDiagnostic(flag);
  if (!info) {
    SmallVector<StringRef, 64> ids;
    for (const DiagnosticInfo &each : table)
      ids.push_back(each.id);
    std::optional<StringRef> meant = closest(flag, ids);
    return formatv("unknown diagnostic '{0}'{1}", flag,
                   meant ? formatv("; did you mean '{0}'?", *meant).str() : "")
        .str();
  }
  if (error)
    severities[flag] = no ? std::min(info->severity, Severity::Warning) : Severity::Error;
  else
    severities[flag] = no ? Severity::Ignored : std::max(info->severity, Severity::Warning);
  return std::nullopt;
}

Severity DiagnosticOptions::severityOf(const Diagnostic &diagnostic) const {
  auto set = severities.find(diagnostic.id);
  if (set != severities.end())
    return set->second;
  if (diagnostic.severity == Severity::Remark && !remarks)
    return Severity::Ignored;
  return diagnostic.severity;
}

std::optional<StringRef> closest(StringRef word, ArrayRef<StringRef> candidates) {
  std::optional<StringRef> best;
  unsigned bestDistance = unsigned(word.size() / 3 + 2);
  for (StringRef candidate : candidates) {
    unsigned distance = StringRef(word.lower()).edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace tilelift
