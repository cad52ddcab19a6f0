//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was asked: one `#pragma tma` line, as a value.
//
//   #pragma tma load threads(32, 8) promote(128)
//           ^kind    ^clauses
//
// This room knows tokens and the grammar. It does not know whether the
// statement below the pragma is a copy.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_DIRECTIVE_H
#define TILELIFT_DIRECTIVE_DIRECTIVE_H

#include "support/Diagnostics.h"
#include "tilelift/rules.h"

#include "llvm/ADT/SmallVector.h"

#include <array>

namespace tilelift {

enum class DirectiveKind { Load, Store, Reduce, Pipeline };

/// A number of a clause: written down, or the name of a constant.
struct CountArgument {
  Place place;
  std::string name;
  unsigned number = 0;
};

/// One axis of a `multicast` clause: blocks of a cluster that differ only in this block index share
/// a tile.
struct ClusterAxis {
  /// 0, 1 or 2.
  unsigned axis = 0;
  /// The number of blocks that share a tile; nothing if the clause does not give it.
  std::optional<CountArgument> blocks;
};

/// Memory that stays in L2 while the kernel runs.
struct Persistence {
  Place place;
  /// Where a copy reads or writes, as the program calls it.
  std::string tensor;
  /// The share of it that stays, above 0 and up to 1, as it is written.
  std::string share = "1";
};

enum class CacheHint { None, EvictFirst, EvictLast, EvictNormal };

/// What follows if TMA cannot make a copy: a refusal of the tool, or a failed check of a launch.
enum class Fallback {
  Default, ///< a refusal is an error, a failed launch check runs the plain kernel
  Loop,    ///< a refusal is a warning, too
  Error,   ///< a failed launch check is an error, too
};

struct Clauses {
  llvm::SmallVector<CountArgument, 3> threads;
  /// How many tiles a pipeline keeps; nothing for `auto`.
  std::optional<CountArgument> stages;
  CacheHint cache = CacheHint::None;
  std::optional<Persistence> persistence;
  /// Bytes that L2 fetches at once: 0, 64, 128 or 256.
  std::optional<unsigned> promotion;
  /// Nothing for `auto`.
  std::optional<swizzle_mode> swizzle;
  llvm::SmallVector<ClusterAxis, 3> multicast;
  /// So many rounds before a tile is filled, L2 fetches it.
  std::optional<CountArgument> prefetch;
  bool outsideIsAny = false;
  /// A warp of its own makes a pipeline's copies.
  bool hasProducer = false;
  /// The copy is lifted even if that is expected to be slower than the loop.
  bool isAlwaysLifted = false;
  Fallback fallback = Fallback::Default;
};

struct Directive {
  DirectiveKind kind = DirectiveKind::Load;
  Clauses clauses;
  /// From the '#' to the end of the (possibly continued) line.
  Place begin;
  Place end;
  /// The first token of what follows.
  Place statement;
  /// The pragmas of statements behind it that are one copy with its own (AdjacentLoads.h).
  std::vector<Directive> joined;
};

} // namespace tilelift

#endif
