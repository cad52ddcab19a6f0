//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Settings.h"

#include <cstdlib>
#include <sstream>
#include <thread>

namespace tilelift::emulator {

Settings Settings::fromEnvironment() {
  auto text = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  Settings settings;
  if (std::string seed = text("TILELIFT_RUN_SEED"); !seed.empty())
    settings.seed = std::strtoull(seed.c_str(), nullptr, 10);
  unsigned jobs = unsigned(std::strtoul(text("TILELIFT_RUN_JOBS").c_str(), nullptr, 10));
  settings.jobs = jobs ? jobs : std::max(1u, std::thread::hardware_concurrency());
  settings.record = text("TILELIFT_RUN_RECORD");
  settings.against = text("TILELIFT_RUN_AGAINST");
  settings.verdict = text("TILELIFT_RUN_VERDICT");
  std::stringstream list(text("TILELIFT_RUN_SILENCED"));
  for (std::string id; std::getline(list, id, ',');)
    settings.silenced.insert(id);
  return settings;
}

} // namespace tilelift::emulator
