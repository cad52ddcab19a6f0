//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one instruction of the TMA unit does.
//
// Three questions, asked apart so that the executor can do its bookkeeping in
// between: would the instruction fault, which bytes does it touch, and what
// becomes of them. An instruction is walked as runs, stretches of bytes that
// are contiguous in both memories; moving a run is a function of its own.
//
// Not here: when a copy happens, barriers, bulk groups, proxies, clusters, and
// whether an address belongs to an allocation.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MODEL_COPY_H
#define TILELIFT_EMULATOR_MODEL_COPY_H

#include "model/Reduce.h"
#include "model/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tilelift::emulator {

enum class Transfer : uint8_t { Load, Store, Reduce, Prefetch };

/// Whether it goes out of shared memory.
constexpr bool leavesShared(Transfer transfer) {
  return transfer == Transfer::Store || transfer == Transfer::Reduce;
}

/// The addressing mode that the instruction names.
enum class Form : uint8_t { Tile, Gather4, Scatter4, Im2col, Im2colNoOffsets, Im2colW, Im2colW128 };

constexpr bool isWide(Form form) { return form == Form::Im2colW || form == Form::Im2colW128; }

/// One cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or
/// cp.async.bulk.prefetch.tensor.
struct TensorCopy {
  Transfer transfer = Transfer::Load;
  Form form = Form::Tile;
  int rank = 1; ///< `.1d` to `.5d`
  /// Innermost first; gather4 and scatter4: the column and four rows.
  int32_t coordinates[5] = {};
  /// im2col: W, H, D. im2col::w and ::w::128: halo and offset.
  uint16_t offsets[3] = {};
  uint32_t shared = 0; ///< address in the block's shared window
  ReduceOperation reduction = ReduceOperation::Add;
};

enum class Space : uint8_t { Global, Shared };

/// One cp.async.bulk, cp.reduce.async.bulk or cp.async.bulk.prefetch: so many
/// bytes, without a map. A transfer to shared memory other than a load is one to
/// the shared memory of another block.
struct BulkCopy {
  Transfer transfer = Transfer::Load;
  Space source = Space::Global;
  Space target = Space::Shared;
  uint64_t sourceAddress = 0;
  uint64_t targetAddress = 0;
  uint32_t bytes = 0;
  ReduceOperation reduction = ReduceOperation::Add;
  ElementType type = ElementType::u32;
};

/// What is wrong with an instruction.
struct Fault {
  enum class Kind : uint8_t {
    MisalignedAddress,  ///< CUDA_ERROR_MISALIGNED_ADDRESS
    IllegalInstruction, ///< CUDA_ERROR_ILLEGAL_INSTRUCTION
    Undefined,          ///< the hardware does something, and nobody says what
    NotModelled,        ///< the hardware can do it, this model cannot
  };
  Kind kind;
  const char *id;   ///< "inner-coordinate-16", for a table of findings
  std::string text; ///< the number found and the number needed
};

const char *nameOf(Fault::Kind kind);

/// Everything that speaks against executing the instruction. Only one without
/// faults may be walked.
std::vector<Fault> faultsOf(const TensorMap &map, const TensorCopy &copy);
std::vector<Fault> faultsOf(const BulkCopy &copy);

/// Bytes that complete on the barrier of a load: elements outside of the tensor
/// count, gaps that a swizzle or a padded type leaves do not.
uint32_t expectedBytes(const TensorMap &map, const TensorCopy &copy);

/// Bytes from the shared address to the last one that the box can reach, gaps
/// included.
uint32_t sharedBytes(const TensorMap &map, const TensorCopy &copy);

/// Bytes that follow each other in both memories. A load fills a run that is not
/// inside of the tensor; nothing else has such runs.
struct Run {
  uint64_t global; ///< 0 when not inside
  uint32_t shared; ///< after swizzling
  uint32_t bytes;
  bool inside;
};

/// Refers to a callable that takes a `const Run &`, for the time of a call.
class RunVisitor {
public:
  template <typename Callable,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<Callable>, RunVisitor>>>
  RunVisitor(Callable &&callable)
      : object(const_cast<void *>(static_cast<const void *>(&callable))),
        call([](void *object, const Run &run) {
          (*static_cast<std::remove_reference_t<Callable> *>(object))(run);
        }) {}
  void operator()(const Run &run) const { call(object, run); }

private:
  void *object;
  void (*call)(void *, const Run &);
};

/// Calls `visit` for every run, in the order of the box. Runs are as long as can
/// be, hold whole elements, and do not overlap in shared memory. Memory without a
/// run inside is left alone, with one exception: a load that is wholly outside
/// reads somewhere at the map's address, and dies when nothing is there.
void walk(const TensorMap &map, const TensorCopy &copy, RunVisitor visit);

/// Does what the instruction does to one of its runs; the pointers are to the
/// run's first bytes. `global` is not read when the run is not inside.
void moveRun(const TensorMap &map, const TensorCopy &copy, const Run &run, uint8_t *shared,
             uint8_t *global);

/// Walks and moves at once. `window` is the byte with shared address 0; a global
/// address `a` is found at the host address `a + shift`.
void execute(const TensorMap &map, const TensorCopy &copy, uint8_t *window, ptrdiff_t shift = 0);

/// Does what the bulk instruction does.
void moveBulk(const BulkCopy &copy, uint8_t *target, const uint8_t *source);

} // namespace tilelift::emulator

#endif
