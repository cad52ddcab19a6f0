//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies whose rows are looked up one by one: one call for all of them, which is told
// where each row is.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "spelling/NamedParts.h"

using namespace llvm;

namespace tilelift {

std::string KernelWriter::rowName(size_t copy) const {
  const Plan &plan = copies()[copy].plan;
  return plan.symbols[plan.gather->row].spelling;
}

std::string KernelWriter::rowCount(size_t copy, CodeText &code) {
  std::vector<int64_t> counts;
  for (const Plan *plan : plansOf(copy))
    counts.push_back(plan->gather->count);
  return code.number(counts, copyNames[copy].tile + "_rows");
}

/// A condition on a row, as people write it: what is taken away stands on the other side.
std::string KernelWriter::presentCondition(size_t copy, CodeText &code, size_t i) {
  const PresenceText text = presenceText(plansOf(copy), i, code, copyNames[copy].tile);
  const std::string less = known(text.less), more = known(text.more);
  if (less == "0")
    return more + (text.isStrict ? " > 0" : " >= 0");
  return less + (text.isStrict ? " < " : " <= ") + more;
}

/// What holds of a row that is there, each condition after those that say whether it may
/// be looked up: all of them, or the first ones.
std::string KernelWriter::presentText(size_t copy, CodeText &code, unsigned first) {
  const Plan &plan = *plansOf(copy).front();
  std::string text;
  for (size_t i = 0; plan.gather && i < plan.gather->present.size() && i < first; ++i)
    text += (text.empty() ? "" : " && ") + presentCondition(copy, code, i);
  return text;
}

/// Whether conditions hold of all rows, each where so many of those hold that say whether a row is
/// there.
std::string KernelWriter::inAllRows(size_t copy, CodeText &code,
                                    const std::map<unsigned, std::string> &conditions) {
  std::string text;
  for (const auto &[behind, asked] : conditions) {
    const std::string present = presentText(copy, code, behind);
    std::string condition = present.empty() ? asked : "!(" + present + ") || (" + asked + ")";
    if (conditions.size() > 1 && !present.empty())
      condition = "(" + condition + ")";
    text += (text.empty() ? "" : " && ") + condition;
  }
  return "tilelift::in_all_rows<" + rowCount(copy, code) + ">([&](int " + rowName(copy) +
         ") { return " + text + "; })";
}

/// Whether any of these copies is made only if its rows lie apart: asking is a barrier.
bool KernelWriter::asksWhetherApart(size_t first, size_t last) const {
  return llvm::any_of(ArrayRef(copies()).slice(first, last - first + 1),
                      [](const PlannedCopy &copy) {
                        return llvm::any_of(copy.plan.copyChecks, [](const Check &check) {
                          return check.subject == Check::Subject::Apart;
                        });
                      });
}

/// The coordinate in the outermost dimension at which the box of an absent row starts: as far below
/// zero as the box is long, so that all of it lies outside of the tensor.
std::string KernelWriter::nowhereText(size_t copy, CodeText &code) const {
  return code.number([](const Plan &plan) { return -plan.dims().back().box.count(); },
                     copyNames[copy].tile + "_nowhere");
}

/// Whether no two rows lie in one place, even in part.
std::string KernelWriter::apartText(size_t copy, CodeText &code) {
  const Plan &first = *plansOf(copy).front();
  const std::string present = presentText(copy, code), exists = rowName(copy) + "_exists";
  std::string where, sizes;
  for (size_t d = 0; d < first.dims().size() && first.hasMap(); ++d) {
    std::string start = known(code.inKernel(
        code.each([&](const Plan &plan) { return plan.dims()[d].coordinate.count(); }),
        copyNames[copy].tile + "_start_" + std::to_string(d)));
    if (!present.empty() && d + 1 == first.dims().size())
      start = ifPresent(copy, start, nowhereText(copy, code));
    else if (!present.empty() && first.isLookedUp(d))
      start = ifPresent(copy, start, "0");
    where += (d == 0 ? "" : ", ") + start;
    sizes += ", " + code.number([&](const Plan &plan) { return plan.dims()[d].box.count(); },
                                copyNames[copy].tile + "_extent");
  }
  if (!first.hasMap()) {
    const std::string address =
        known(code.pointer(code.each([](const Plan &plan) { return plan.offset().count(); }),
                           copyNames[copy].tile + "_offset"));
    where = present.empty() ? address : ifPresent(copy, address, "nullptr");
    sizes = ", " + planIn(texts[textOf[copy]]) + "::" + copyNames[copy].bytes;
  } else {
    where = "{{" + where + "}}";
  }
  const std::string type = first.hasMap()
                               ? "tilelift::corner<" + std::to_string(first.dims().size()) + ">"
                               : "const void *";
  return "tilelift::are_apart<" + rowCount(copy, code) + sizes + ">(" +
         planIn(texts[textOf[copy]]) + "::block, [&](int " + rowName(copy) + ") -> " + type +
         " { " + (present.empty() ? "" : "const bool " + exists + " = " + present + "; ") +
         "return " + where + "; })";
}

/// `where` is the corner of a row's box, or its address.
std::string KernelWriter::rowsText(size_t copy, CodeText &code, const std::string &place,
                                   const std::string &present, const std::string &where,
                                   const std::string &indent) {
  const PlannedCopy &own = copies()[copy];
  const CopyNames &name = copyNames[copy];
  const Plan &first = *plansOf(copy).front();
  std::vector<int64_t> distances;
  for (const Plan *plan : plansOf(copy))
    distances.push_back(plan->gather->distance.count());
  std::string bytes = planIn(texts[textOf[copy]]) + "::" + name.bytes;
  std::string type = first.hasMap()
                         ? "tilelift::corner<" + std::to_string(first.dims().size()) + ">"
                         : "const void *";
  bool isReduction = first.reduction.has_value();
  const Ring *ring = ringOf(copy);
  std::string numbers = isReduction && !first.hasMap() ? numberOf(copy) + ", " : "";
  const std::string inner = indent + "    ";
  return indent + "tilelift::" +
         (isReduction     ? "reduce_"
          : isStore(copy) ? "store_"
                          : "load_") +
         (first.hasMap() ? "rows<" : "byte_rows<") + numbers + rowCount(copy, code) + ", " + bytes +
         (ring && ring->isByWarp ? ", 32" : "") + ">(\n" + inner +
         (isReduction ? operationOf(copy) + ", " : "") + place + ", " +
         code.number(distances, name.tile + "_distance") + ", " +
         (first.hasMap() ? name.map + ", " : "") + (isStore(copy) ? "" : barrierOf(copy) + ", ") +
         "[&](int " + rowName(copy) + ") -> " + type + " {\n" +
         (present.empty()
              ? ""
              : inner + "  const bool " + rowName(copy) + "_exists = " + present + ";\n") +
         inner + "  return " + where + ";\n" + inner + "}" +
         policyArgument(own.directive->clauses.cache) + ");\n";
}

} // namespace tilelift
