//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Lint.h"

#include "lint/Findings.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// What of it the user can see, the innermost first.
std::vector<Note> Findings::wayTo(SourceLocation where, const Frame &frame) const {
  const SourceManager &sources = functions.context.getSourceManager();
  std::vector<Note> way{{placeOf(sources, where), "copied here"}};
  for (const Frame *at = &frame; at && at->call; at = at->caller.get())
    way.push_back({placeOf(sources, at->call->getBeginLoc()), "called here"});
  llvm::erase_if(way, [](const Note &note) { return !note.place.isKnown(); });
  return way;
}

void Findings::add(Diagnostic diagnostic, ArrayRef<Note> way, Reach reach) {
  if (reach == Reach::Perhaps)
    diagnostic.severity = std::min(diagnostic.severity, Severity::Warning);
  diagnostic.notes.insert(diagnostic.notes.end(), way.begin(), way.end());
  for (const Diagnostic &known : all)
    if (known.id == diagnostic.id && known.place == diagnostic.place &&
        known.text == diagnostic.text)
      return;
  all.push_back(std::move(diagnostic));
}

void Findings::add(Diagnostic diagnostic, SourceLocation where, const Frame &frame, Reach reach) {
  const std::vector<Note> way = wayTo(where, frame);
  if (way.empty())
    return;
  diagnostic.place = way.front().place;
  add(std::move(diagnostic), ArrayRef(way).drop_front(), reach);
}

void Findings::addOf(SourceLocation declared, Diagnostic diagnostic, SourceLocation where,
                     const Frame &frame, Reach reach) {
  diagnostic.place = placeOf(functions.context.getSourceManager(), declared);
  if (diagnostic.place.isKnown())
    add(std::move(diagnostic), wayTo(where, frame), reach);
}

void Findings::addOf(SourceLocation called, const Frame &way, Diagnostic diagnostic,
                     SourceLocation where, const Frame &frame, Reach reach) {
  std::vector<Note> notes = wayTo(called, way);
  if (notes.empty())
    return;
  diagnostic.place = notes.front().place;
  notes.erase(notes.begin());
  llvm::append_range(notes, wayTo(where, frame));
  add(std::move(diagnostic), notes, reach);
}

std::vector<Diagnostic> lint(ASTContext &context, int capability) {
  const Functions functions(context);
  Findings findings(functions);
  const std::vector<EncodedMap> maps = lintEncodeCalls(functions, capability, findings);
  lintDeviceCode(functions, maps, findings);
  std::vector<Diagnostic> all = findings.take();
  llvm::stable_sort(all, [](const Diagnostic &a, const Diagnostic &b) {
    return a.place.offset < b.place.offset;
  });
  return all;
}

} // namespace tilelift
