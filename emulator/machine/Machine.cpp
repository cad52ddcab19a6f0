//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Machine.h"

#include "machine/Comparison.h"
#include "machine/Crew.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace tilelift::emulator {

Machine::Machine()
    : traces(memory), settings(Settings::fromEnvironment()), findings(program, settings.silenced) {
  if (!settings.record.empty() || !settings.against.empty())
    comparison = std::make_unique<Comparison>(*this);
}

void Machine::report() {
  if (comparison)
    comparison->finish();
  findings.summarize();
  if (settings.verdict.empty())
    return;
  if (FILE *out = std::fopen(settings.verdict.c_str(), "w")) {
    std::fprintf(out, "%u\n", findings.count());
    std::fclose(out);
  }
}

namespace {

struct alignas(128) AlignedBytes {
  char bytes[128];
};

/// Blocks whose order can be seen run one after the other, so that every run
/// without a seed gives the same bytes.
uint64_t workersFor(const LaunchRequest &request, uint64_t teams, const Settings &settings) {
  bool isOrdered = request.kernel->traits & hasGlobalAtomics;
  return isOrdered || settings.seed ? 1 : std::min<uint64_t>(settings.jobs, teams);
}

/// A permutation of the teams, at random with a seed.
std::vector<uint64_t> orderOf(uint64_t teams, const Settings &settings, uint64_t launch) {
  std::vector<uint64_t> order(teams);
  for (uint64_t i = 0; i < teams; ++i)
    order[i] = i;
  if (settings.seed) {
    std::mt19937_64 random(*settings.seed * 977 + launch);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

} // namespace

Outcome Machine::launch(const LaunchRequest &request) {
  ++launches;
  memory.startLaunch();
  std::vector<AlignedBytes> parameters(request.parameters.size() / sizeof(AlignedBytes) + 1);
  std::memcpy(parameters.data(), request.parameters.data(), request.parameters.size());
  if (request.isCooperative && !gridWorkspace)
    gridWorkspace = memory.allocate(64, MemoryKind::variable, "grid workspace");
  if (gridWorkspace)
    std::memset(gridWorkspace, 0, 64);
  Grid grid{*this, request, program.moduleOf(request.kernel),
            request.isCooperative ? gridWorkspace : nullptr, parameters.data()->bytes};
  uint64_t inTeam = request.isCooperative ? request.grid.count() : request.cluster.count();
  uint64_t teams = request.grid.count() / inTeam;
  std::vector<uint64_t> order = orderOf(teams, settings, launches);
  uint64_t workerCount = workersFor(request, teams, settings);
  if (!settings.silenced.count("global-race"))
    traces.startLaunch(request, workerCount > 1);
  auto work = [&] {
    Crew(grid, order, uint32_t(inTeam), settings.seed.value_or(0) + launches).run();
  };
  std::vector<std::thread> workers;
  for (uint64_t i = 1; i < workerCount; ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  if (comparison)
    comparison->afterLaunch(request);
  return Outcome(grid.outcome.load());
}

const Parameter *parameterInto(const LaunchRequest &request, const Allocation &allocation) {
  for (uint32_t i = 0; i < request.kernel->parameterCount; ++i) {
    const Parameter &parameter = request.kernel->parameters[i];
    uint64_t value = 0;
    if (parameter.bytes != sizeof value || !parameter.name)
      continue;
    std::memcpy(&value, request.parameters.data() + parameter.offset, sizeof value);
    if (value - uint64_t(allocation.base) < allocation.bytes)
      return &parameter;
  }
  return nullptr;
}

std::string nameOf(const LaunchRequest &request, const Allocation &allocation) {
  if (!allocation.name.empty())
    return "'" + plainName(allocation.name.c_str()) + "'";
  if (const Parameter *parameter = parameterInto(request, allocation))
    return "'" + std::string(parameter->name) + "'";
  return "allocation " + std::to_string(allocation.number);
}

char *Machine::allocateFromDevice(size_t bytes) {
  std::lock_guard lock(deviceHeap);
  return memory.allocate(bytes, MemoryKind::device);
}

void Machine::releaseFromDevice(void *base) {
  std::lock_guard lock(deviceHeap);
  memory.release(base);
}

/// Never destroyed: objects of the program may still release memory after it.
Machine &machine() {
  static Machine *theMachine = [] {
    auto *made = new Machine;
    std::atexit([] { machine().report(); });
    return made;
  }();
  return *theMachine;
}

} // namespace tilelift::emulator
