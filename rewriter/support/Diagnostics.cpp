//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

struct Row {
  DiagnosticId id;
  Severity severity;
  StringRef name; ///< with underscores
};

const Row table[] = {
#define DIAGNOSTIC(id, severity, text) {DiagnosticId::id, Severity::severity, #id},
#include "support/Diagnostics.def"
#undef DIAGNOSTIC
};

} // namespace

std::string nameOf(DiagnosticId id) {
  std::string name = table[size_t(id)].name.str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::optional<std::string> DiagnosticOptions::apply(StringRef flag) {
  bool no = flag.consume_front("no-");
  bool error = flag.consume_front("error=");
  flag.consume_front("tilelift-");
  const Row *info = llvm::find_if(table, [&](const Row &row) { return nameOf(row.id) == flag; });
  if (info == std::end(table)) {
    std::vector<std::string> names;
    for (const Row &row : table)
      names.push_back(nameOf(row.id));
    std::optional<StringRef> meant =
        closest(flag, SmallVector<StringRef, 0>(names.begin(), names.end()));
    return formatv("unknown diagnostic '{0}'{1}", flag,
                   meant ? formatv("; did you mean '{0}'?", *meant).str() : "")
        .str();
  }
  if (error)
    severities[info->id] = no ? std::min(info->severity, Severity::Warning) : Severity::Error;
  else
    severities[info->id] = no ? Severity::Ignored : std::max(info->severity, Severity::Warning);
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
