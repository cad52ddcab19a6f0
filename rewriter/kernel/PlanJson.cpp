//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/PlanJson.h"

#include "kernel/InstanceNames.h"
#include "plan/Profit.h"
#include "support/Locations.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class PlanPrinter {
public:
  PlanPrinter(const KernelPlan &kernel, const CopyOrders &orders, const SourceManager &sources)
      : kernel(kernel), orders(orders), sources(sources) {}

  json::Value print() const {
    json::Array instances, plain;
    for (const InstancePlan &instance : kernel.instances)
      instances.push_back(print(instance));
    for (const Directive *directive : kernel.plain)
      plain.push_back(lineOf(directive->begin));
    return json::Object{{"kernel", kernel.pattern->getQualifiedNameAsString()},
                        {"instances", std::move(instances)},
                        {"copyOrders", copyOrders()},
                        {"storeOrders", storeOrders()},
                        {"droppedBarriers", droppedBarriers()},
                        {"barrierDuties", barrierDuties()},
                        {"groups", groups()},
                        {"plain", std::move(plain)}};
  }

private:
  unsigned lineOf(Place place) const {
    return sources.getPresumedLineNumber(locationOf(sources, place));
  }
  unsigned lineOf(const Stmt *statement) const {
    return sources.getExpansionLineNumber(statement->getBeginLoc());
  }

  static json::Array shape(const BlockShape &shape) {
    return json::Array{shape[0], shape[1], shape[2]};
  }

  json::Value print(const InstancePlan &instance) const {
    json::Array copies, pipelines;
    for (const PlannedCopy &copy : instance.copies)
      copies.push_back(print(copy));
    for (const PlannedPipeline &pipeline : instance.pipelines)
      pipelines.push_back(print(pipeline));
    json::Object given;
    for (const auto &[name, number] : instance.given)
      given[name] = number;
    json::Object launchCalls;
    for (const LaunchCall &call : instance.launchCalls)
      launchCalls[call.name] = toJson(call);
    return json::Object{{"name", fullNameOf(instance.function)},
                        {"arguments", std::move(given)},
                        {"block", shape(instance.block)},
                        {"cluster", shape(instance.cluster)},
                        {"launchCalls", std::move(launchCalls)},
                        {"copies", std::move(copies)},
                        {"pipelines", std::move(pipelines)},
                        {"plainPaths", int64_t(instance.plainPaths.size())}};
  }

  /// What a thread does for the copy in the plain kernel.
  static json::Object workFor(const PlannedCopy &copy) {
    const CopyWork work = workOf(*copy.relation);
    return json::Object{{"accesses", work.accesses},
                        {"bytesOfAccess", work.bytesOfAccess},
                        {"guards", work.guards}};
  }

  json::Value print(const PlannedCopy &copy) const {
    json::Object object{{"line", lineOf(copy.directive->begin)},
                        {"work", workFor(copy)},
                        {"pieces", copy.plan.pieces()},
                        {"plan", toJson(copy.plan)},
                        {"storesApart", copy.storesApart},
                        {"hasTwoTiles", copy.hasTwoTiles},
                        {"whyCellsStay", copy.whyCellsStay},
                        {"tileIsWritten", copy.tileIsWritten},
                        {"prefetched", copy.prefetched},
                        {"branches", int64_t(copy.branches.size())},
                        {"pipeline", nullptr}};
    json::Array joined; // the lines of pragmas whose statements are part of the copy
    for (const Directive &each : copy.directive->joined)
      joined.push_back(lineOf(each.begin));
    if (!joined.empty())
      object["joined"] = std::move(joined);
    if (copy.pipeline)
      object["pipeline"] = int64_t(*copy.pipeline);
    if (copy.ahead)
      object["planAhead"] = toJson(*copy.ahead);
    return object;
  }

  json::Value print(const PlannedPipeline &pipeline) const {
    json::Array cursors;
    for (const Cursor &cursor : pipeline.rounds.cursors)
      cursors.push_back(cursor.variable->getNameAsString());
    return json::Object{
        {"line", lineOf(pipeline.directive ? pipeline.directive->begin : pipeline.place)},
        {"isAsked", pipeline.directive != nullptr},
        {"cursors", std::move(cursors)},
        {"producer", pipeline.hasProducer},
        {"stages", pipeline.use.stages},
        {"blocks", pipeline.use.blocks},
        {"bytesAhead", pipeline.use.bytesAhead.count()}};
  }

  json::Array copyOrders() const {
    json::Array list;
    for (const CopyOrder &order : orders.copies)
      list.push_back(json::Object{{"runsOnce", order.runsOnce},
                                  {"joinsPrevious", order.joinsPrevious},
                                  {"needsBarrier", order.needsBarrier},
                                  {"sourceWritten", order.sourceWritten},
                                  {"readBefore", order.readBefore},
                                  {"writtenBefore", order.writtenBefore},
                                  {"isDeferred", order.isDeferred},
                                  {"closesGroup", order.closesGroup},
                                  {"lostGroups", int(order.lostGroups)}});
    return list;
  }

  json::Array storeOrders() const {
    json::Array list;
    for (const StoreOrder &order : orders.stores)
      list.push_back(json::Object{{"needsBarrier", order.needsBarrier},
                                  {"fencesAll", order.fencesAll},
                                  {"waitsHere", order.waitsHere},
                                  {"needsResult", order.needsResult}});
    return list;
  }

  json::Array droppedBarriers() const {
    json::Array list;
    for (const Expr *barrier : orders.redundant)
      list.push_back(lineOf(barrier));
    return list;
  }

  json::Array groups() const {
    json::Array list;
    for (const GroupPlace &place : orders.groups)
      list.push_back(json::Object{{"line", lineOf(place.statement)},
                                  {"closes", place.closes},
                                  {"awaits", place.awaits},
                                  {"awaitsAll", place.awaitsAll},
                                  {"awaitsOldest", place.awaitsOldest},
                                  {"releasesOldest", place.releasesOldest},
                                  {"left", json::Array(place.left)}});
    return list;
  }

  json::Array barrierDuties() const {
    json::Array list;
    for (const BarrierDuty &duty : orders.duties)
      list.push_back(json::Object{{"line", lineOf(duty.barrier)},
                                  {"fences", duty.fences},
                                  {"fencesAll", duty.fencesAll},
                                  {"waits", duty.waits},
                                  {"waitsForResult", duty.waitsForResult}});
    return list;
  }

  const KernelPlan &kernel;
  const CopyOrders &orders;
  const SourceManager &sources;
};

} // namespace

json::Value toJson(const KernelPlan &kernel, const CopyOrders &orders,
                   const SourceManager &sources) {
  return PlanPrinter(kernel, orders, sources).print();
}

} // namespace tilelift
