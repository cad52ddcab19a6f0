//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"

#include "relation/Transposed.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

const char *nameOf(verdict outcome) {
  switch (outcome) {
  case verdict::holds: return "holds";
  case verdict::fails: return "fails";
  case verdict::open: return "at launch";
  }
  return "";
}

const char *nameOf(CopyKind kind) {
  return kind == CopyKind::Load ? "load" : kind == CopyKind::Store ? "store" : "reduce";
}

const char *nameOf(Mode mode) {
  return mode == Mode::Tile ? "tile" : mode == Mode::Im2col ? "im2col" : "bulk";
}

json::Array checksToJson(const std::vector<Check> &checks, const Symbols &symbols) {
  json::Array list;
  for (const Check &check : checks)
    list.push_back(
        json::Object{{"rule", name_of(check.rule)}, {"condition", print(check, symbols)}});
  return list;
}

void addPixels(json::Object &object, const PixelAccess &pixels, const Symbols &symbols) {
  json::Array walks;
  for (const Walk &walk : pixels.walks) {
    walks.push_back(json::Object{
        {"count", walk.count ? json::Value(symbols.print(*walk.count)) : json::Value(nullptr)},
        {"step", symbols.print(walk.step.count())},
        {"first", symbols.print(walk.first.count())},
        {"offset", symbols.print(walk.offset.count())}});
  }
  object["walks"] = std::move(walks);
  object["pixel"] = symbols.print(pixels.pixel);
  object["pixels"] = pixels.pixels;
  object["pixelPieces"] = pixels.pieces;
  object["inLines"] = pixels.inLines;
}

/// The same tests, with whatever numbers.
bool sameChecks(const std::vector<Check> &a, const std::vector<Check> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Check &x, const Check &y) {
    return x.rule == y.rule && (x.multiple == 1) == (y.multiple == 1) &&
           (x.within.low == Interval::lowest) == (y.within.low == Interval::lowest) &&
           (x.within.high == Interval::highest) == (y.within.high == Interval::highest) &&
           x.subject == y.subject && x.conditionsBefore == y.conditionsBefore;
  });
}

} // namespace

const MapAccess *Plan::map() const {
  if (const auto *tile = std::get_if<TileAccess>(&access))
    return tile;
  return pixels();
}

MapAccess *Plan::map() { return const_cast<MapAccess *>(std::as_const(*this).map()); }

ArrayRef<PlanDimension> Plan::dims() const {
  return map() ? ArrayRef(map()->dims) : ArrayRef<PlanDimension>();
}

ArrayRef<Walk> Plan::walks() const {
  return pixels() ? ArrayRef(pixels()->walks) : ArrayRef<Walk>();
}

ArrayRef<RowDigit> Plan::rows() const {
  return bulk() ? ArrayRef(bulk()->rows) : ArrayRef<RowDigit>();
}

int64_t Plan::pieces() const {
  int64_t total = pixels() ? pixels()->pieces : 1;
  for (const PlanDimension &dim : dims())
    total *= dim.pieces;
  for (const RowDigit &row : rows())
    total *= row.count;
  return gather ? total * gather->count : total;
}

SmallVector<int64_t, 3> Plan::extentsWithRows() const {
  const int64_t length = layout.rowLength.count();
  if (!layout.folded)
    return tileExtents;
  return {(tileExtents[0] + length - 1) / length, length};
}

bool Plan::looksUp() const {
  for (SymbolId id = 0; id < symbols.size(); ++id)
    if (symbols[id].isLookedUp)
      return true;
  return looksUpShared || !base.indices.empty();
}

Bytes Plan::placeOf(Bytes byte) const {
  if (!layout.moved)
    return byte;
  const int64_t size = tileElementSize;
  const Bytes inElement = byte % Bytes(size);
  TileElements element = tileElementsIn(byte - inElement, size);
  if (layout.transposed) // the extents are those of the tile as it lies
    element = TileElements(exchanged(element.count(), tileExtents.back(), tileExtents.end()[-2]));
  const TileElements length = layout.folded ? layout.rowLength : TileElements(tileExtents.back());
  const Bytes span(span_of(layout.swizzle));
  const int64_t row = element / length;
  const Bytes inRow = bytesOf(layout.lead + element % length, size) + inElement;
  const Bytes place = layout.panel == Bytes()
                          ? row * bytesOf(layout.pitch, size) + inRow
                          : inRow / span * layout.panel + row * span + inRow % span;
  if (span == Bytes())
    return place;
  return Bytes(place.count() ^ (place.count() >> 3 & (span.count() - 16)));
}

/// Apart from dimensions.
static bool sameAccess(const Plan &a, const Plan &b) {
  auto sameWalk = [](const Walk &x, const Walk &y) {
    return x.count.has_value() == y.count.has_value();
  };
  auto isCut = [](const Plan &plan) { return plan.pixels() && plan.pixels()->pieces != 1; };
  return a.mode() == b.mode() && a.inLines() == b.inLines() && isCut(a) == isCut(b) &&
         std::equal(a.walks().begin(), a.walks().end(), b.walks().begin(), b.walks().end(),
                    sameWalk) &&
         a.rows().size() == b.rows().size();
}

bool sameOperations(const Plan &a, const Plan &b) {
  auto sameDimension = [](const PlanDimension &x, const PlanDimension &y) {
    return x.extent.has_value() == y.extent.has_value() &&
           x.lastLength.has_value() == y.lastLength.has_value() &&
           (x.pieces == 1) == (y.pieces == 1);
  };
  return a.kind == b.kind && sameAccess(a, b) && a.base.spelling == b.base.spelling &&
         a.base.code == b.base.code &&
         std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end(),
                    sameDimension) &&
         sameChecks(a.copyChecks, b.copyChecks) && a.gather.has_value() == b.gather.has_value() &&
         (!a.gather || (sameChecks(a.gather->present, b.gather->present) &&
                        a.gather->byFours == b.gather->byFours)) &&
         sameChecks(a.launchChecks, b.launchChecks) && a.peerAxes() == b.peerAxes() &&
         a.layout.destination == b.layout.destination &&
         (a.layout.panel == Bytes()) == (b.layout.panel == Bytes()) &&
         a.layout.slot.count().isZero() == b.layout.slot.count().isZero();
}

/// What has to be true, where a check asks for no more than that: of a number that is one or
/// zero, that it is one.
static std::optional<std::string> truthAskedBy(const Check &check, const Symbols &symbols) {
  if (check.multiple != 1 || check.within.low == Interval::lowest)
    return std::nullopt;
  Polynomial least = check.value - Polynomial(check.within.low - 1);
  ArrayRef<Term> terms = least.getTerms();
  if (terms.size() != 1 || terms[0].factors.size() != 1 || terms[0].coefficient != 1)
    return std::nullopt;
  const Symbol &truth = symbols[terms[0].factors[0]];
  StringRef text = truth.spelling;
  if (!(truth.range == Interval{0, 1}) || !text.consume_front("(") || !text.consume_back(")"))
    return std::nullopt;
  return text.str();
}

std::string print(const Check &check, const Symbols &symbols) {
  if (std::optional<std::string> truth = truthAskedBy(check, symbols))
    return *truth;
  if (check.subject == Check::Subject::Apart)
    return "no two of its rows are the same";
  if (check.subject == Check::Subject::Target)
    return "the device copies four rows at once, as compute capability 10.0 does";
  bool ofAddress = check.subject == Check::Subject::Address;
  std::string value = ofAddress ? "the address" : symbols.print(check.value);
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : " and ") + part; };
  if (check.within.isSingle())
    return value + " is " + std::to_string(check.within.low);
  if (check.multiple != 1)
    add(value + " is a multiple of " + std::to_string(check.multiple));
  if (check.within.low != Interval::lowest)
    add(value + " >= " + std::to_string(check.within.low));
  if (check.within.high != Interval::highest)
    add(value + " <= " + std::to_string(check.within.high));
  return text;
}

Bytes Plan::tileBytes() const {
  return std::accumulate(tileExtents.begin(), tileExtents.end(), Bytes(tileElementSize),
                         std::multiplies<>());
}

Bytes Plan::sharedBytes() const {
  const Bytes one = std::max(tileBytes(), layout.bytes);
  return stages == 1 ? one : stages * roundUp(one, layout.alignment());
}

/// "from 'in' to 'tile'", whichever way.
static std::string endsOf(const Plan &plan) {
  bool isLoad = plan.kind == CopyKind::Load;
  return std::string(plan.reduction ? " of '" : " from '") +
         (isLoad ? plan.base.spelling : plan.tile) + (plan.reduction ? "' into '" : "' to '") +
         (isLoad ? plan.tile : plan.base.spelling) + "'";
}

static std::string bulkSummary(const Plan &plan) {
  const int64_t copies = plan.pieces();
  std::string what = copies == 1   ? "1-D bulk copy"
                     : plan.gather ? "1-D bulk copies"
                                   : std::to_string(copies) + " 1-D bulk copies";
  if (plan.reduction)
    what = std::string("1-D bulk reduction by '") + name_of(plan.reduction->operation) + "'";
  return what + " of " + std::to_string((plan.expectedBytes / copies).count()) + " bytes" +
         endsOf(plan) +
         (plan.gather                   ? ""
          : copies > 1                  ? ", a row each"
          : plan.kind == CopyKind::Load ? ", contiguous and unguarded"
                                        : ", contiguous");
}

/// The end of a plan's summary, such as "f32 (1024 bytes) from 'in' to 'tile' in 2 pieces".
static std::string contentsOf(const Plan &plan) {
  const int64_t pieces = plan.pieces() / (plan.gather ? plan.gather->count : 1);
  return std::string(name_of(plan.element)) + " (" + std::to_string(plan.expectedBytes.count()) +
         " bytes)" + endsOf(plan) + (pieces > 1 ? " in " + std::to_string(pieces) + " pieces" : "");
}

static std::string im2colSummary(const Plan &plan, const PixelAccess &pixels) {
  return "im2col copy of " + std::to_string(pixels.pixels) + " pixels " +
         (pixels.inLines ? "of a line x " : "x ") + std::to_string(pixels.dims[0].box.count()) +
         " channels " + contentsOf(plan);
}

static std::string tileSummary(const Plan &plan) {
  std::string text = plan.reduction ? std::string("tile reduction by '") +
                                          name_of(plan.reduction->operation) + "' of "
                     : plan.gather  ? "tile copies of "
                                    : "tile copy of ";
  for (const PlanDimension &dim : reverse(plan.dims()))
    text += (&dim == &plan.dims().back() ? "" : " x ") + std::to_string(dim.box.count());
  return text + " " + contentsOf(plan);
}

/// How the tile lies in shared memory, where not as it is declared.
static std::string layoutSummary(const SharedLayout &layout) {
  std::string text = layout.transposed ? ", transposed" : "";
  if (layout.moved)
    text += ", rows of " + std::to_string(layout.pitch.count()) + " elements, starting at " +
            std::to_string(layout.lead.count()) + (layout.folded ? ", found by division" : "");
  if (unsigned span = span_of(layout.swizzle))
    text += std::string(layout.panel != Bytes() ? ", cut and" : ",") + " swizzled by " +
            std::to_string(span) + " bytes" + (layout.moved ? "" : ", as it is written");
  return text;
}

std::string summary(const Plan &plan) {
  std::string text = plan.bulk()     ? bulkSummary(plan)
                     : plan.pixels() ? im2colSummary(plan, *plan.pixels())
                                     : tileSummary(plan);
  if (plan.gather)
    text = (plan.kind == CopyKind::Load ? "gather of " : "scatter of ") +
           std::to_string(plan.gather->count) + " rows: " + text;
  text += layoutSummary(plan.layout);
  if (plan.peerCount() > 1)
    text += ", to " + std::to_string(plan.peerCount()) + " blocks at once";
  return text;
}

json::Value toJson(const Plan &plan) {
  const Symbols &symbols = plan.symbols;
  json::Array dims, rows, boxStarts;
  if (const MapAccess *map = plan.map())
    for (const Position &start : map->boxStarts)
      boxStarts.push_back(symbols.print(start.count()));
  for (const RowDigit &row : plan.rows())
    rows.push_back(json::Object{{"count", row.count},
                                {"stride", symbols.print(row.stride.count())},
                                {"distance", row.distance.count()}});
  for (const PlanDimension &dim : plan.dims())
    dims.push_back(
        json::Object{{"extent", dim.extent ? json::Value(symbols.print(dim.extent->count()))
                                           : json::Value(nullptr)},
                     {"stride", symbols.print(dim.stride.count())},
                     {"box", dim.box.count()},
                     {"pieces", dim.pieces},
                     {"coordinate", symbols.print(dim.coordinate.count())}});
  json::Array verdicts;
  for (const finding &each : plan.findings)
    verdicts.push_back(
        json::Object{{"rule", name_of(each.rule)}, {"verdict", nameOf(each.outcome)}});
  json::Object object{{"kernel", plan.kernel},
                      {"tile", plan.tile},
                      {"tensor", plan.base.spelling},
                      {"kind", nameOf(plan.kind)},
                      {"mode", nameOf(plan.mode())},
                      {"element", name_of(plan.element)},
                      {"offset", symbols.print(plan.offset().count())},
                      {"readsStart", plan.map() && plan.map()->readsStart},
                      {"boxStarts", std::move(boxStarts)},
                      {"dimensions", std::move(dims)},
                      {"rows", std::move(rows)},
                      {"bytes", plan.expectedBytes.count()},
                      {"stages", plan.stages},
                      {"layout", json::Object{{"moved", plan.layout.moved},
                                              {"transposed", plan.layout.transposed},
                                              {"readAtOnce", plan.layout.readAtOnce},
                                              {"folded", plan.layout.folded},
                                              {"rowLength", plan.layout.rowLength.count()},
                                              {"pitch", plan.layout.pitch.count()},
                                              {"lead", plan.layout.lead.count()},
                                              {"destination", plan.layout.destination.count()},
                                              {"swizzle", span_of(plan.layout.swizzle)},
                                              {"panel", plan.layout.panel.count()},
                                              {"slot", symbols.print(plan.layout.slot.count())},
                                              {"bytes", plan.layout.bytes.count()}}},
                      {"block", json::Array{plan.block[0], plan.block[1], plan.block[2]}},
                      {"atLaunch", checksToJson(plan.launchChecks, symbols)},
                      {"atCopy", checksToJson(plan.copyChecks, symbols)},
                      {"rules", std::move(verdicts)}};
  if (const PixelAccess *pixels = plan.pixels())
    addPixels(object, *pixels, symbols);
  if (const auto &gather = plan.gather)
    object["gather"] = json::Object{{"count", gather->count},
                                    {"row", symbols[gather->row].spelling},
                                    {"distance", gather->distance.count()},
                                    {"byFours", gather->byFours},
                                    {"present", checksToJson(gather->present, symbols)}};
  return object;
}

json::Value toJson(const CopyRelation &relation) {
  const Symbols &symbols = relation.symbols;
  json::Array cells;
  for (const Cell &cell : relation.cells) {
    json::Array cases;
    for (const Case &each : cell.cases) {
      const Source &source = *each.source;
      std::string from;
      switch (source.kind) {
      case Source::Kind::Untouched: from = "untouched"; break;
      case Source::Kind::Constant: from = "constant " + toString(source.bits, 10, false); break;
      case Source::Kind::Load:
        from = relation.bases[source.base].spelling + " + " + symbols.print(source.offset);
        break;
      case Source::Kind::Shared: break; // on its way only
      case Source::Kind::Other: from = "other: " + source.text; break;
      }
      const char *end = relation.kind == CopyKind::Load ? "from" : "to";
      cases.push_back(json::Object{{"when", each.guard.printAll(symbols)}, {end, from}});
    }
    cells.push_back(json::Object{{"byte", cell.offset},
                                 {"size", cell.size},
                                 {"thread", cell.thread},
                                 {"cases", std::move(cases)}});
  }
  json::Array requirements;
  for (const Requirement &each : relation.requirements)
    requirements.push_back(
        print(Check{rule_id::index_range, each.value, each.within, 1, {}}, symbols));
  json::Array extents;
  for (int64_t extent : relation.tile.extents)
    extents.push_back(extent);
  return json::Object{
      {"kernel", relation.kernel},
      {"tile", relation.tile.name},
      {"kind", nameOf(relation.kind)},
      {"element", relation.tile.elementType},
      {"extents", std::move(extents)},
      {"block", json::Array{relation.block[0], relation.block[1], relation.block[2]}},
      {"requirements", std::move(requirements)},
      {"cells", std::move(cells)}};
}

} // namespace tilelift
