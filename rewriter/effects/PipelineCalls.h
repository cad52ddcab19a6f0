//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does by calls of cuda::pipeline, the library's queue of groups of copies: it closes
// a group (producer_commit), waits for the oldest one (consumer_wait), and hands that one back
// (consumer_release).
//
// The code of these functions says less than their documentation does. It counts groups in
// variables, and a pipeline that the block shares waits at mbarriers, where the code alone does not
// tell for which copies. So what these calls do with groups is taken from the documentation.
// Everything else about them is as their code has it.
//
// What the libraries' memcpy_async copies, nobody may read before the wait for it, even where their
// code copies a part at once.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_PIPELINECALLS_H
#define TILELIFT_EFFECTS_PIPELINECALLS_H

#include "effects/CodePlaces.h"
#include "effects/Effect.h"

#include "llvm/ADT/DenseSet.h"

namespace tilelift {

class PipelineCalls {
public:
  explicit PipelineCalls(const CodePlaces &places) : places(places) {}

  /// Of an instruction that such a call has led to: corrects what it does with groups, and returns
  /// the place of the call, where it counts. What the call does is done by the first one of its
  /// instructions. Any other instruction keeps its effect and its place.
  unsigned correct(unsigned place, Effect &effect);

private:
  /// What a function of the library means. Plain: no more than its code says.
  enum class Meaning { Plain, Copies, Commits, TakesOldest, AwaitsOldest, ReleasesOldest, Unclear };
  struct Call {
    unsigned place = 0; ///< 0: no call of the library leads there
    Meaning meaning = Meaning::Plain;
  };
  static Call callOf(const clang::FunctionDecl *function, unsigned place);
  Call outermostCallAt(unsigned place) const;

  const CodePlaces &places;
  llvm::DenseSet<unsigned> entered; ///< the places of the calls of which an instruction was seen
};

} // namespace tilelift

#endif
