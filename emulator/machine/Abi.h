//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a translated program and the machine that runs it agree on: the tables
// that a program brings, what translated code reads of its thread directly, and
// the functions that it calls for everything else.
//
// Plain data and C functions only: the translator emits these layouts and names
// as LLVM IR, the machine is compiled from this header. Both sides are built
// together, so nothing here is versioned.
//
// Addresses. A generic address is an address of this process. A shared address
// is an offset into the block's shared memory, with the rank of the block in
// its cluster plus one from bit 24 on where it names another block's.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ABI_H
#define TILELIFT_EMULATOR_MACHINE_ABI_H

#include <cstdint>

namespace tilelift::emulator {

struct Thread;

/// The start of every Thread; translated code reads these fields.
struct ThreadRegisters {
  uint32_t tid[3];
  uint32_t ntid[3];
  uint32_t ctaid[3];
  uint32_t nctaid[3];
  uint32_t clusterid[3];
  uint32_t nclusterid[3];
  uint32_t clusterCtaid[3];
  uint32_t clusterNctaid[3];
  uint32_t clusterCtarank;
  uint32_t clusterNctarank;
  uint32_t laneid;
  uint32_t warpid;
  uint32_t nwarpid;
  uint32_t dynamicShared; ///< bytes
  uint32_t totalShared;   ///< bytes
  uint32_t gridid;
  uint64_t gridWorkspace;        ///< of a cooperative launch, for barriers of the grid
  char *shared;                  ///< where shared address 0 is
  const uint32_t *sharedOffsets; ///< of each shared variable of the program
  /// The store that comes next may be half of a race: tilelift_written is called behind it.
  uint32_t suspects;
};

using KernelFunction = void (*)(Thread *thread, char *parameters);

/// A place in the source that an instruction comes from.
struct Site {
  const char *file;
  uint32_t line;
  uint32_t column;
};

struct Parameter {
  uint32_t offset;
  uint32_t bytes;
  const char *name; ///< null where nobody knows it
  const char *type; ///< what it points to, or null
  uint32_t elementBytes;
  uint32_t isWritten; ///< whether the kernel may write where it leads
};

struct SharedVariable {
  const char *name; ///< mangled
  uint32_t bytes;   ///< 0 for dynamic shared memory
};

constexpr uint32_t notUsed = ~0u;

/// Added to the size of an access that is volatile, relaxed, acquire or release.
constexpr uint32_t strongAccess = 1u << 16;
constexpr uint32_t acquireAccess = 1u << 17, releaseAccess = 1u << 18;
/// Reads and writes at once.
constexpr uint32_t updateAccess = 1u << 19;
/// Of a strong access that only threads of the same block see as one (`.cta`).
constexpr uint32_t blockAccess = 1u << 20;

enum KernelTraits : uint32_t {
  /// The kernel has atomic operations on global memory, by which blocks can see the order in which
  /// they run. All teams then run on one thread of the host, so that a run without a seed can be
  /// repeated.
  hasGlobalAtomics = 1,
  /// Some accesses to shared memory are narrower than a word.
  hasNarrowShared = 2,
  /// Uses the asynchronous proxy, so proxy fences matter.
  usesAsyncProxy = 4,
  /// Some accesses to global memory are narrower than a word, or than two bytes.
  hasNarrowGlobal = 8,
  hasByteGlobal = 16,
  /// Writes where no parameter is known to lead, or to variables.
  writesAnywhere = 32,
  writesVariables = 64,
};

enum class FenceKind : uint32_t {
  device,
  block,
  proxy ///< orders nothing between threads
};

/// The most static shared memory, in bytes, that a kernel may have; ptxas refuses more.
constexpr uint32_t mostStaticShared = 48 * 1024;

struct Kernel {
  const char *name; ///< mangled
  KernelFunction function;
  const Parameter *parameters;
  uint32_t parameterCount;
  uint32_t parameterBytes;
  const uint32_t *sharedOffsets; ///< one for each shared variable, or notUsed
  uint32_t sharedBytes;          ///< static, rounded up to where dynamic memory starts
  uint32_t traits;
  uint32_t maxThreads;   ///< 0 where the kernel does not say
  uint32_t cluster[3];   ///< 0 where the kernel does not say
  uint32_t architecture; ///< that it is compiled for: 90 of sm_90a
};

/// A variable in global or constant memory. The machine gives it a place and
/// writes the place to `*address`.
struct DeviceVariable {
  const char *name;
  char **address;
  const void *initial; ///< null: zeros
  uint64_t bytes;
  uint32_t alignment;
};

/// A variable holds the address of another, or of a function, at `offset`.
struct Relocation {
  uint32_t variable;
  uint32_t isFunction;
  uint64_t offset;
  uint64_t addend;
  const void *target; ///< the function, or where the other's address is written
};

/// What one source file brings.
struct Module {
  const char *source;
  const Kernel *kernels;
  uint32_t kernelCount;
  const SharedVariable *shared;
  uint32_t sharedCount;
  const DeviceVariable *variables;
  uint32_t variableCount;
  const Relocation *relocations;
  uint32_t relocationCount;
  const Site *sites;
  uint32_t siteCount;
  uint32_t firstSite; ///< set when the module is registered
};

enum class AddressSpace : uint32_t { generic, global, shared, cluster };

/// Atomic operations on one word in memory.
enum class AtomicOp : uint32_t {
  add,
  sub,
  min,
  max,
  inc,
  dec,
  bitAnd,
  bitOr,
  bitXor,
  exchange,
  cas
};
enum class AtomicType : uint32_t {
  b16,
  b32,
  b64,
  u32,
  s32,
  u64,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64,
  f32_ftz ///< f32 in global memory
};

enum class ShuffleMode : uint32_t { up, down, bfly, idx };
enum class VoteMode : uint32_t { all, any, uni, ballot };
enum class MatchMode : uint32_t { any, all };
enum class ReduceOp : uint32_t { addU32, minU32, maxU32, minS32, maxS32, bitAnd, bitOr, bitXor };
enum class BarrierReduce : uint32_t { none, popc, all, any };

enum class TensorMode : uint32_t {
  tile,
  im2col,
  im2colW,
  im2colW128,
  gather4,
  scatter4,
  im2colNoOffsets
};

/// Operands of a copy through a tensor map.
struct TensorOperands {
  uint64_t map;     ///< generic address
  uint64_t shared;  ///< shared address
  uint64_t barrier; ///< shared address; loads only
  int32_t coordinates[5];
  uint16_t offsets[3]; ///< im2col
  uint16_t ctaMask;    ///< 0 where the copy is not multicast
  uint32_t mode;       ///< TensorMode
  uint32_t rank;
};

/// Shapes and element types of matrix instructions, as the PTX names them.
struct MatrixShape {
  uint32_t m, n, k;
  uint32_t a, b, c, d; ///< MatrixType
  uint32_t rowA, rowB; ///< whether the matrix is stored by rows
};
enum class MatrixType : uint32_t { f16, bf16, tf32, f32, f64, s8, u8, s32 };

} // namespace tilelift::emulator

#endif
