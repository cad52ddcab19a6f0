//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "facts/WarpAccesses.h"

#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned lanes = 32;

class Watcher {
public:
  Watcher(const KernelUnderTest &kernel, ArrayRef<const Stmt *> annotated)
      : kernel(kernel), annotated(annotated) {}

  AccessesByTile run() {
    unsigned threads = kernel.shape[0] * kernel.shape[1] * kernel.shape[2];
    std::set<unsigned> warps{0, (threads - 1) / lanes / 2};
    for (unsigned warp : warps)
      watch(warp * lanes, std::min(threads, (warp + 1) * lanes));
    return std::move(result);
  }

private:
  /// Where in the program, and the how manieth time a thread is there.
  using Moment = std::tuple<unsigned, bool, unsigned, const void *, unsigned>;

  void watch(unsigned first, unsigned end) {
    std::map<Moment, WarpAccess> moments;
    for (unsigned thread = first; thread < end; ++thread) {
      Block block; // what stops one thread need not stop the others
      std::map<Moment, unsigned> times;
      for (const SharedAccess &access : Interpreter(kernel, block, thread).watch(annotated)) {
        const void *tile = block.shared[access.object].declaration;
        Moment moment{access.place.offset, access.isStore, access.bytes, tile, 0};
        std::get<4>(moment) = times[moment]++;
        WarpAccess &all = moments[moment];
        all.isStore = access.isStore;
        all.bytes = access.bytes;
        all.offsets.push_back(access.offset);
      }
    }
    for (auto &[moment, access] : moments)
      result[std::get<3>(moment)].push_back(std::move(access));
  }

  const KernelUnderTest &kernel;
  ArrayRef<const Stmt *> annotated;
  AccessesByTile result;
};

} // namespace

AccessesByTile accessesOfWarps(const KernelUnderTest &kernel, ArrayRef<const Stmt *> annotated) {
  return Watcher(kernel, annotated).run();
}

} // namespace tilelift
