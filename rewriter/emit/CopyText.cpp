//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in the place of an annotated statement: the conditions, the leader's
// part with one operation for each box, and the wait.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "directive/PragmaReader.h"
#include "spelling/NamedParts.h"
#include "writable/Assumptions.h"

#include <map>

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Of a loop over the pieces of a dimension, in each of the plans.
struct PieceCounter {
  std::string name;
  std::vector<int64_t> pieces;
};

namespace {

/// The head of a loop, whose body is indented further.
std::string loopText(const std::string &counter, const std::string &count, std::string &indent) {
  std::string text = indent + "for (int " + counter + " = 0; " + counter + " < " + count + "; ++" +
                     counter + ")\n";
  indent += "  ";
  return text;
}

} // namespace

std::string policyArgument(CacheHint hint) {
  switch (hint) {
  case CacheHint::None: return "";
  case CacheHint::EvictFirst: return ", tilelift::cache_policy::evict_first";
  case CacheHint::EvictLast: return ", tilelift::cache_policy::evict_last";
  case CacheHint::EvictNormal: return ", tilelift::cache_policy::evict_normal";
  }
  return "";
}

/// The statements of copies that wait together, of which `last` is the last one, may have closed
/// groups of cp.async copies. Returns the calls that close them instead.
std::string KernelWriter::groupsClosedWith(size_t last, const std::string &indent) const {
  size_t first = last;
  while (orders.copies[first].joinsPrevious)
    --first;
  std::string text;
  SmallVector<const Stmt *, 2> seen;
  for (size_t i = first; i <= last; ++i) {
    const CopyOrder &order = orders.copies[i];
    if (llvm::is_contained(seen, copies()[i].statement))
      continue;
    seen.push_back(copies()[i].statement);
    if (hasGroups() && order.closesGroup)
      text += "\n" + indent + names.groups + ".close();";
    if (order.lostGroups == LostGroups::One)
      text += "\n" + indent + "tilelift::close_copy_group();";
    else if (order.lostGroups == LostGroups::Some)
      text += "\n" + indent + "tilelift::wait_for_copy_groups();";
  }
  return text;
}

/// What each thread does behind copies that wait together, of which this one is the last.
std::string KernelWriter::waitText(size_t copy, const std::string &indent) const {
  const std::string closed = groupsClosedWith(copy, indent);
  if (!hasGroups())
    return indent + "tilelift::wait(" + names.barrier + ", " + names.phase + ");" + closed;
  std::string text = indent + names.groups + ".issue();" + closed;
  if (!orders.copies[copy].isDeferred)
    text += "\n" + indent + names.groups + ".wait();";
  return text;
}

/// The bytes of a copy and of those that wait with it.
std::string KernelWriter::expectedBytes(size_t first) {
  std::string bytes, plan_ = planIn(texts[textOf[first]]) + "::";
  for (size_t i = first; i < copyNames.size(); ++i) {
    if (i > first && !orders.copies[i].joinsPrevious)
      break;
    std::vector<int64_t> pieces;
    for (const Plan *plan : plansOf(i))
      pieces.push_back(plan->pieces());
    std::string one = plan_ + copyNames[i].bytes;
    if (llvm::any_of(pieces, [](int64_t number) { return number > 1; }))
      one = codeOf(i, false).number(pieces, copyNames[i].tile + "_pieces") + " * " + one;
    bytes += (bytes.empty() ? "" : " + ") + one;
  }
  return bytes;
}

/// Where in shared memory a copy's first box lies.
std::string KernelWriter::placeInTile(size_t copy, CodeText &code) {
  const PlannedCopy &own = copies()[copy];
  std::optional<std::string> slot;
  if (declares(texts[textOf[copy]], own.tile))
    slot = code.inKernel(code.each([](const Plan &plan) { return plan.layout.slot.count(); }),
                         own.plan.tile + "_slot");
  if (!slot)
    return known(code.place(code.each([](const Plan &plan) {
      return (plan.layout.slot + plan.layout.destination).count();
    }),
                            own.plan.tile + "_place"));
  std::string name = ringOf(copy) ? slotOf(copy, names.slot) : own.plan.tile;
  std::string to = isDynamic(own.tile)                  ? startOfDynamicMemory()
                   : moved(copy)                        ? name + ".data()"
                   : own.tile->getType()->isArrayType() ? name
                                                        : "&" + name;
  std::string bytes = *slot == "0" ? "" : *slot;
  if (int64_t constant = own.plan.layout.destination.count(); constant != 0)
    bytes = std::to_string(constant) + (bytes.empty() ? "" : " + " + bytes);
  return bytes.empty() ? to : "tilelift::advance(" + to + ", " + bytes + ")";
}

/// How elements are combined, as the kernel says it.
std::string KernelWriter::operationOf(size_t copy) const {
  if (copyNames[copy].operation.empty())
    return operatorOf(*copies()[copy].plan.reduction);
  const FunctionText &text = texts[textOf[copy]];
  bool dependent = text.pattern->isTemplated() || textOf[copy] != 0;
  return (dependent ? "typename " : "") + planIn(text) + "::" + copyNames[copy].operation + "{}";
}

/// What a bulk reduction counts in.
std::string KernelWriter::numberOf(size_t copy) const {
  const CopyNames &own = copyNames[copy];
  if (own.number.empty())
    return numberNameOf(*copies()[copy].plan.reduction);
  const FunctionText &text = texts[textOf[copy]];
  bool dependent = text.pattern->isTemplated() || textOf[copy] != 0;
  return (dependent ? "typename " : "") + planIn(text) + "::" + own.number;
}

/// One operation, between a place in shared memory and one of the tensor: a box's
/// coordinates or, for bulk copies, an address.
std::string KernelWriter::operationText(size_t copy, const std::string &place,
                                        const std::string &tensor) const {
  const PlannedCopy &own = copies()[copy];
  const CopyNames &name = copyNames[copy];
  std::string policy = policyArgument(own.directive->clauses.cache);
  std::string bytes = planIn(texts[textOf[copy]]) + "::" + name.bytes;
  if (own.plan.bulk() && own.plan.reduction)
    return "tilelift::reduce_bytes<" + numberOf(copy) + ">(" + operationOf(copy) + ", " + tensor +
           ", " + place + ", " + bytes;
  if (own.plan.bulk())
    return isStore(copy) ? "tilelift::store_bytes(" + tensor + ", " + place + ", " + bytes + policy
                         : loadOf(copy, "load_bytes") + place + ", " + tensor + ", " + bytes +
                               ", " + barrierOf(copy) + policy;
  if (own.plan.pixels())
    return loadOf(copy, "load_pixels", own.plan.inLines() ? "tilelift::in_lines" : "") + place +
           ", " + name.map + ", " + tensor + ", " + barrierOf(copy) + policy;
  std::string box = name.map + ", {" + tensor + "}, ";
  if (!isStore(copy))
    return loadOf(copy, "load") + place + ", " + box + barrierOf(copy) + policy;
  std::string call =
      own.plan.reduction ? "tilelift::reduce(" + operationOf(copy) + ", " : "tilelift::store(";
  return call + box + place + policy;
}

/// The same, into L2.
std::string KernelWriter::prefetchText(size_t copy, const std::string &tensor) const {
  const Plan &plan = copies()[copy].plan;
  const CopyNames &name = copyNames[copy];
  std::string policy = policyArgument(copies()[copy].directive->clauses.cache);
  if (plan.bulk())
    return "tilelift::prefetch_bytes(" + tensor + ", " + planIn(texts[textOf[copy]]) +
           "::" + name.bytes + policy;
  if (plan.pixels())
    return std::string("tilelift::prefetch_pixels") +
           (plan.inLines() ? "<tilelift::in_lines>(" : "(") + name.map + ", " + tensor + policy;
  return "tilelift::prefetch(" + name.map + ", {" + tensor + "}" + policy;
}

/// Where in shared memory a piece lies: one behind the other, or in the panel of its part of
/// the rows.
std::string KernelWriter::placeOfPiece(size_t copy, CodeText &code, const std::string &place,
                                       const std::string &piece) {
  const Plan &first = *plansOf(copy).front();
  const std::string bytes =
      "int(" + planIn(texts[textOf[copy]]) + "::" + copyNames[copy].bytes + ")";
  if (piece.empty())
    return place;
  std::string distance = "(" + piece + ") * " + bytes;
  if (first.layout.panel != Bytes())
    distance = "piece_0 * " +
               code.number([](const Plan &plan) { return plan.layout.panel.count(); },
                           copyNames[copy].tile + "_panel") +
               (first.pixels() && first.pixels()->pieces > 1 ? " + piece_1 * " + bytes : "");
  return "tilelift::advance(" + place + ", " + distance + ")";
}

/// The number of the first pixel, and how they are walked through.
std::string KernelWriter::walksText(size_t copy, CodeText &code, const std::string &ahead) {
  const Plan &first = *plansOf(copy).front();
  const std::string hint = copyNames[copy].tile + "_walk";
  auto named = [&](function_ref<Polynomial(const Plan &)> value) {
    return known(code.inKernel(code.each(value), hint));
  };
  const std::string pixel = named([](const Plan &plan) { return plan.pixels()->pixel; });
  std::string walks;
  for (size_t i = 0; i < first.walks().size(); ++i) {
    auto part = [&](SymbolicElements Walk::*of) {
      return named([&](const Plan &plan) { return (plan.walks()[i].*of).count(); });
    };
    const std::string step = part(&Walk::step), start = part(&Walk::first),
                      offset = part(&Walk::offset);
    std::string count = "tilelift::endless";
    if (first.walks()[i].count)
      count = named([&](const Plan &plan) { return *plan.walks()[i].count; });
    walks += (i == 0 ? "{" : ", {") + count + ", " + step + ", " + start + ", " + offset + "}";
  }
  return ", " + pixel + ahead + ", {" + walks + "}";
}

/// What the number of a piece adds to where the first one starts; nothing where there is only one.
std::string KernelWriter::cutText(size_t copy, CodeText &code, const std::string &counter,
                                  function_ref<int64_t(const Plan &)> pieces,
                                  function_ref<int64_t(const Plan &)> size,
                                  std::vector<PieceCounter> &counters) {
  const std::vector<const Plan *> plans = plansOf(copy);
  if (pieces(*plans.front()) == 1)
    return "";
  counters.push_back({counter, {}});
  for (const Plan *plan : plans)
    counters.back().pieces.push_back(pieces(*plan));
  return " + " + counter + " * " + code.number(size, copyNames[copy].tile + "_part");
}

/// Where the box of a piece starts in each dimension.
std::string KernelWriter::coordinatesText(size_t copy, CodeText &code, bool mayBeAbsent,
                                          std::vector<PieceCounter> &counters) {
  const Plan &first = *plansOf(copy).front();
  std::string coordinates;
  for (size_t d = 0; d < first.dims().size(); ++d) {
    bool isWalked = d > 0 && d <= first.walks().size();
    if (isWalked)
      continue;
    std::string start = known(code.inKernel(
        code.each([&](const Plan &plan) { return plan.dims()[d].coordinate.count(); }),
        copyNames[copy].tile + "_start_" + std::to_string(d)));
    start += cutText(
        copy, code, source.unused("piece_" + std::to_string(d)),
        [&](const Plan &plan) { return plan.dims()[d].pieces; },
        [&](const Plan &plan) { return plan.dims()[d].boxOfPiece().count(); }, counters);
    if (mayBeAbsent && d + 1 == first.dims().size())
      start = ifPresent(copy, start, nowhereText(copy, code));
    else if (mayBeAbsent && first.isLookedUp(d)) // nor is it looked up
      start = ifPresent(copy, start, "0");
    coordinates += (d == 0 ? "" : ", ") + start;
  }
  if (!first.pixels())
    return coordinates;
  const std::string ahead = cutText(
      copy, code, source.unused("piece_1"), [](const Plan &plan) { return plan.pixels()->pieces; },
      [](const Plan &plan) { return plan.pixels()->pixelsOfPiece(); }, counters);
  return coordinates + walksText(copy, code, ahead);
}

/// The operations of one copy.
std::string KernelWriter::callText(size_t copy, const std::string &indent, bool isFar) {
  std::vector<const Plan *> plans = plansOf(copy);
  const Plan &first = *plans.front();
  const CopyNames &own = copyNames[copy];
  CodeText code = isFar ? farCodeOf(copy) : codeOf(copy, ringOf(copy));
  std::string place = isFar ? "" : placeInTile(copy, code);
  if (first.bulk())
    return bulkText(copy, place, indent, isFar);
  const std::string present = presentText(copy, code);
  std::vector<PieceCounter> counters;
  const std::string coordinates = coordinatesText(copy, code, !present.empty(), counters);
  std::string loops, piece, inner = indent;
  std::vector<int64_t> strides(plans.size(), 1); // between pieces, in pieces
  for (const PieceCounter &each : counters) {
    piece += piece.empty() ? each.name
                           : " + " + code.number(strides, own.tile + "_pieces") + " * " + each.name;
    for (size_t i = 0; i < plans.size(); ++i)
      strides[i] *= each.pieces[i];
  }
  for (const PieceCounter &each : llvm::reverse(counters))
    loops += loopText(each.name, code.number(each.pieces, own.tile + "_pieces"), inner);
  place = placeOfPiece(copy, code, place, piece);
  if (first.gather)
    return loops + rowsText(copy, code, place, present, "{{" + coordinates + "}}", inner);
  return loops + inner + ifMine(copy, piece, inner) +
         (isFar ? prefetchText(copy, coordinates) : operationText(copy, place, coordinates)) +
         ");\n";
}

/// Contiguous bytes, or one row after the other.
std::string KernelWriter::bulkText(size_t copy, std::string place, const std::string &indent,
                                   bool isFar) {
  std::vector<const Plan *> plans = plansOf(copy);
  const Plan &first = *plans.front();
  const CopyNames &own = copyNames[copy];
  CodeText code = isFar ? farCodeOf(copy) : codeOf(copy, ringOf(copy));
  std::string address = known(code.pointer(
      code.each([](const Plan &plan) { return plan.offset().count(); }), own.tile + "_offset"));
  std::string loops, distance, piece, inner = indent;
  for (size_t d = first.rows().size(); d-- > 0;) {
    std::string counter = source.unused("row_" + std::to_string(d));
    std::vector<int64_t> counts, distances;
    for (const Plan *plan : plans) {
      counts.push_back(plan->rows()[d].count);
      distances.push_back(plan->rows()[d].distance.count());
    }
    const std::string stride = known(code.inKernelWide(
        code.each([&](const Plan &plan) { return plan.rows()[d].stride.count(); }),
        own.tile + "_stride"));
    loops += loopText(counter, code.number(counts, own.tile + "_rows"), inner);
    piece = piece.empty()
                ? counter
                : "(" + piece + ") * " + code.number(counts, own.tile + "_rows") + " + " + counter;
    address = "tilelift::row_at(" + address + ", " + counter + " * (" + stride + "))";
    distance += (distance.empty() ? "" : " + ") + counter + " * " +
                code.number(distances, own.tile + "_distance");
  }
  if (!distance.empty())
    place = "tilelift::advance(" + place + ", " + distance + ")";
  if (first.gather) {
    std::string present = presentText(copy, code);
    return rowsText(copy, code, place, present,
                    present.empty() ? address : ifPresent(copy, address, "nullptr"), indent);
  }
  return loops + inner + ifMine(copy, piece, inner) +
         (isFar ? prefetchText(copy, address) : operationText(copy, place, address)) + ");\n";
}

/// One condition of a copy, of all of its instantiations.
std::string KernelWriter::conditionText(size_t copy, CodeText &code, size_t i) {
  std::vector<const Plan *> plans = plansOf(copy);
  const Check &check = plans.front()->copyChecks[i];
  const std::string &hint = copyNames[copy].tile;
  if (check.subject == Check::Subject::Target)
    return "tilelift::scatters_by_fours()";
  if (check.subject == Check::Subject::Apart)
    return apartText(copy, code);
  std::string conditions;
  auto add = [&](const std::string &condition) {
    conditions += (conditions.empty() ? "" : " && ") + condition;
  };
  const std::string value = known(checkedText(plans, i, code, hint));
  if (check.subject == Check::Subject::Address)
    return "tilelift::is_aligned(" + value + ")";
  auto limit = [&](function_ref<int64_t(const Check &)> part, StringRef suffix) {
    std::vector<int64_t> numbers;
    for (const Plan *plan : plans)
      numbers.push_back(part(plan->copyChecks[i]));
    return code.number(numbers, hint + suffix.str());
  };
  if (check.multiple != 1)
    add("(" + value + ") % " + limit([](const Check &c) { return c.multiple; }, "_multiple") +
        " == 0");
  if (check.within.low != Interval::lowest)
    add(value + " >= " + limit([](const Check &c) { return c.within.low; }, "_low"));
  if (check.within.high != Interval::highest)
    add(value + " <= " + limit([](const Check &c) { return c.within.high; }, "_high"));
  return conditions;
}

std::string KernelWriter::checksText(size_t copy, CodeText code) {
  const Plan &plan = *plansOf(copy).front();
  std::string conditions, apart;
  std::map<unsigned, std::string> ofRows; // by the conditions of a row behind which they are asked
  for (size_t i = 0; i < plan.copyChecks.size(); ++i) {
    const Check &check = plan.copyChecks[i];
    std::string &all = check.subject == Check::Subject::Apart ? apart
                       : plan.isOfRow(check.value)            ? ofRows[check.conditionsBefore]
                                                              : conditions;
    all += (all.empty() ? "" : " && ") + conditionText(copy, code, i);
  }
  if (!ofRows.empty())
    conditions += (conditions.empty() ? "" : " && ") + inAllRows(copy, code, ofRows);
  if (!apart.empty()) // all rows may be looked up by then
    conditions += (conditions.empty() ? "" : " && ") + apart;
  return conditions;
}

/// What is ordered before some copies: the threads' work on the tiles and the tensors.
std::string KernelWriter::orderText(size_t first, size_t last, const std::string &indent) const {
  auto any = [&](bool CopyOrder::*fact) { return anyOrder(first, last, fact); };
  bool sourceWritten = any(&CopyOrder::sourceWritten), written = any(&CopyOrder::writtenBefore);
  std::string text;
  if (hasGroups() && !orders.copies[first].joinsPrevious)
    text += indent + names.groups + ".reserve();\n";
  if (sourceWritten)
    text += indent + "tilelift::fence_all_before_tma();\n";
  else if (written)
    text += indent + "tilelift::fence_before_tma();\n";
  if (any(&CopyOrder::needsBarrier) || written || sourceWritten)
    text += indent + blockBarrier() + "\n";
  text += indent + "if (tilelift::leader(" + planIn(texts[textOf[first]]) + "::block)) {\n";
  if (first == 0 && startsFirst())
    text += indent + "  tilelift::set_up(" + names.barrier + ");\n";
  if (any(&CopyOrder::readBefore) && !written && !sourceWritten)
    text += indent + "  tilelift::fence_before_tma();\n";
  return text;
}

bool KernelWriter::anyOrder(size_t first, size_t last, bool CopyOrder::*fact) const {
  return llvm::any_of(ArrayRef(orders.copies).slice(first, last - first + 1),
                      [&](const CopyOrder &order) { return order.*fact; });
}

/// The leader's part of the copies that a statement makes, and what comes before it.
std::string KernelWriter::issueText(size_t first, size_t last, const std::string &indent) {
  std::string text = orderText(first, last, indent);
  if (!orders.copies[first].joinsPrevious)
    text +=
        indent + "  tilelift::expect(" + barrierOf(first) + ", " + expectedBytes(first) + ");\n";
  text += meetText(first, last, indent + "  ");
  for (size_t i = first; i <= last; ++i)
    text += callText(i, indent + "  ");
  return text + indent + "}";
}

bool KernelWriter::anyOrder(size_t first, size_t last, bool StoreOrder::*fact) const {
  return llvm::any_of(ArrayRef(orders.stores).slice(first, last - first + 1),
                      [&](const StoreOrder &order) { return order.*fact; });
}

/// What each thread does before the barrier ahead of some stores.
std::string KernelWriter::storeFence(size_t first, size_t last, const std::string &indent) const {
  if (!anyOrder(first, last, &StoreOrder::needsBarrier))
    return "";
  return indent + (anyOrder(first, last, &StoreOrder::fencesAll)
                       ? "tilelift::fence_all_before_tma();\n"
                       : "tilelift::fence_before_tma();\n");
}

/// The leader's part of some stores, and what comes before it. Once they are made, the block goes
/// on, unless somebody would be in their way. Where rows had to lie apart, asking was the barrier.
std::string KernelWriter::storeText(size_t first, size_t last, const std::string &indent) {
  auto any = [&](bool StoreOrder::*fact) { return anyOrder(first, last, fact); };
  std::string text;
  if (any(&StoreOrder::needsBarrier) && !asksWhetherApart(first, last))
    text += storeFence(first, last, indent) + indent + blockBarrier() + "\n";
  text += indent + "if (tilelift::leader(" + planIn(texts[textOf[first]]) + "::block)) {\n";
  for (size_t i = first; i <= last; ++i)
    text += callText(i, indent + "  ");
  text += indent + "  tilelift::commit_stores();\n" + indent + "}";
  if (any(&StoreOrder::waitsHere)) {
    text += "\n" + indent +
            (any(&StoreOrder::needsResult)
                 ? "tilelift::finish_stores();\n"
                 : "tilelift::finish_reads" + pendingReads(copies()[first].statement) + "();\n");
    text += indent + blockBarrier();
  }
  return text;
}

/// A round of which the tile takes turns with another one may leave its store to be read.
std::string KernelWriter::pendingReads(const Stmt *wait) const {
  const Stmt *loop = pipelineAround(wait);
  bool hasTwoTiles = loop && llvm::any_of(copies(), [&](const PlannedCopy &copy) {
                       return copy.hasTwoTiles && pipelineAround(copy.statement) == loop;
                     });
  return hasTwoTiles ? "<1>" : "";
}

/// Adds fences and waits for stores in front of the program's own barriers.
void KernelWriter::dutyEdits(FunctionText &text) {
  unsigned begin = source.beginOf(text.pattern);
  unsigned end = source.endOfToken(text.pattern->getBody()->getEndLoc());
  // A function that is called twice has each of its barriers twice.
  std::map<unsigned, BarrierDuty> duties;
  for (const BarrierDuty &duty : orders.duties) {
    BarrierDuty &all = duties[source.offsetOf(duty.barrier->getBeginLoc())];
    all.barrier = duty.barrier;
    for (bool BarrierDuty::*part : {&BarrierDuty::fences, &BarrierDuty::fencesAll,
                                    &BarrierDuty::waits, &BarrierDuty::waitsForResult})
      all.*part |= duty.*part;
  }
  for (const auto &[at, duty] : duties) {
    if (at < begin || at >= end)
      continue;
    std::string indent = source.indentationAt(at), calls;
    auto add = [&](bool isDue, const std::string &call) {
      if (isDue)
        calls += "tilelift::" + call + "();\n" + indent;
    };
    add(duty.waitsForResult, "finish_stores");
    add(duty.waits && !duty.waitsForResult, "finish_reads" + pendingReads(duty.barrier));
    add(duty.fencesAll, "fence_all_before_tma");
    add(duty.fences && !duty.fencesAll, "fence_before_tma");
    text.edits.push_back(insertion(at, calls));
  }
}

} // namespace tilelift
