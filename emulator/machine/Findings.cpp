//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Findings.h"

#include "machine/Program.h"

#include <cstdio>

namespace tilelift::emulator {

namespace {

std::string triple(const uint32_t (&index)[3]) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
         std::to_string(index[2]) + ")";
}

} // namespace

Findings::Findings(const Program &program, std::set<std::string> silenced)
    : program(program), silenced(std::move(silenced)) {}

std::string Findings::place(uint32_t number) const {
  const Site *site = program.site(number);
  if (!site || !site->line)
    return "";
  return std::string(site->file) + ":" + std::to_string(site->line) + ":" +
         std::to_string(site->column) + ": ";
}

void Findings::report(const Finding &finding) {
  if (silenced.count(finding.id))
    return;
  std::string kernel = finding.where.kernel ? qualifiedName(finding.where.kernel) : "";
  std::string where = place(finding.site);
  std::lock_guard lock(mutex);
  Seen &same = seen[where + finding.id + kernel + (where.empty() ? finding.text : "")];
  if (same.times++ > 0)
    return;
  ++printed;
  same.headline = where + "note: " + finding.id;
  std::fflush(stdout); // so that both come in the order in which they happened
  std::fprintf(stderr, "%serror: %s [%s]\n", where.c_str(), finding.text.c_str(), finding.id);
  if (!kernel.empty())
    std::fprintf(stderr, "  in kernel '%s', block %s%s\n", kernel.c_str(),
                 triple(finding.where.block).c_str(),
                 finding.where.hasThread ? (", thread " + triple(finding.where.thread)).c_str()
                                         : "");
  for (const Finding::Note &note : finding.notes)
    std::fprintf(stderr, "%snote: %s\n", place(note.site).c_str(), note.text.c_str());
}

void Findings::summarize() {
  std::lock_guard lock(mutex);
  for (const auto &[key, same] : seen)
    if (same.times > 1)
      std::fprintf(stderr, "%s: %llu more of these\n", same.headline.c_str(),
                   static_cast<unsigned long long>(same.times - 1));
}

} // namespace tilelift::emulator
