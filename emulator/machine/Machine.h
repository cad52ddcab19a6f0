//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated device: its memory, the programs that were linked, and launches.
// The CUDA runtime API stands on this; there is one device, and one machine in
// a process, because that is what the API talks to.
//
// Launches are done when launch() returns. What went wrong in one is printed
// (Findings.h); the outcome says what the hardware would have answered.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_MACHINE_H
#define TILELIFT_EMULATOR_MACHINE_MACHINE_H

#include "machine/Abi.h"
#include "machine/Findings.h"
#include "machine/Memory.h"
#include "machine/Program.h"
#include "machine/Settings.h"
#include "machine/Traces.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tilelift::emulator {

class Comparison;

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct LaunchRequest {
  const Kernel *kernel = nullptr;
  Dim grid, block, cluster;
  uint32_t dynamicShared = 0;
  bool isCooperative = false; ///< all blocks run at the same time
  /// The parameters in one piece, laid out as kernel->parameters says.
  std::vector<char> parameters;
};

/// Which of the kernel's pointers leads into an allocation; null for none.
const Parameter *parameterInto(const LaunchRequest &request, const Allocation &allocation);
/// How messages call an allocation: "'out'", "allocation 3".
std::string nameOf(const LaunchRequest &request, const Allocation &allocation);

/// What becomes of a launch, as hardware would answer.
enum class Outcome {
  success,
  illegalAddress,
  misalignedAddress,
  illegalInstruction,
  neverEnds, ///< hardware would hang
  assertFailed,
  trapped,
  unsupported, ///< the emulator, not the program, is at its end
};

/// The device that is emulated; what the limits of an H200 are.
struct DeviceLimits {
  static constexpr uint32_t threadsPerBlock = 1024;
  static constexpr uint32_t sharedPerBlock = 48 * 1024;
  static constexpr uint32_t sharedPerBlockOptIn = 227 * 1024;
  static constexpr uint32_t warp = 32;
  static constexpr uint32_t multiprocessors = 132;
};

class Machine {
public:
  Machine();
  Machine(const Machine &) = delete;

  Memory memory;
  Traces traces;
  Program program;
  const Settings settings;
  Findings findings;

  Outcome launch(const LaunchRequest &request);

  /// What is left to say when the process ends.
  void report();

  /// malloc and free of kernels, from whatever thread of the host.
  char *allocateFromDevice(size_t bytes);
  void releaseFromDevice(void *base);

private:
  std::mutex deviceHeap;
  std::unique_ptr<Comparison> comparison;
  uint64_t launches = 0;
  char *gridWorkspace = nullptr;
};

/// Made when it is first asked for, and reports when the process ends.
Machine &machine();

} // namespace tilelift::emulator

#endif
