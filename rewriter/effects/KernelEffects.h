//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of a kernel may do: the one place to ask.
//
// It has the kernel's control flow with all functions that it calls in place,
// in steps that each know their effect and where they were written. A statement
// does what the steps do that were written in it; a step that has no place in a
// function's text counts for all of that function. Of a kernel that no code can
// be made of, every statement may do anything.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_KERNELEFFECTS_H
#define TILELIFT_EFFECTS_KERNELEFFECTS_H

#include "effects/CodePlaces.h"
#include "effects/Effect.h"
#include "support/CallPath.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <memory>

namespace tilelift {

/// Some instructions, one behind the other, that were written at the same place.
struct CodeStep {
  Effect effect;
  /// The place, as KernelEffects numbers them.
  unsigned place = 0;
};

struct CodeBlock {
  std::vector<CodeStep> steps;
  /// Some threads of the block may come here without the others.
  bool isParted = false;
  llvm::SmallVector<unsigned, 2> next;
};

class KernelEffects {
public:
  KernelEffects(const clang::FunctionDecl *kernel, DeviceCode &code, bool typesTellApart);

  /// Whether there is any code to look at.
  bool isKnown() const { return !blocks.empty(); }
  /// The kernel's control flow; the first block is its entry.
  llvm::ArrayRef<CodeBlock> getBlocks() const { return blocks; }
  const Memory &getMemory() const { return *memory; }

  /// The objects that `origin` leads to: for a parameter, through the pointer at byte `offset` of
  /// it; for a variable, its own object. All objects that are not in shared memory if `origin` is
  /// null or no code uses it.
  ObjectSet objectsAt(const clang::VarDecl *origin, uint64_t offset = 0) const;
  /// Whether nothing writes to the objects while the kernel runs, neither this kernel nor another
  /// one, as `const __restrict__` parameters promise.
  bool staysAsItIs(const ObjectSet &objects) const;
  /// Whether code with this effect may write to the objects, or may make other threads' writes to
  /// them visible, as a fence, a barrier of several blocks, or a barrier of some of the block's
  /// threads does. The barrier of the whole block (Effect::meetsBlock) does not count.
  bool mayWrite(const Effect &effect, const ObjectSet &objects) const;
  ObjectSet allShared() const { return isKnown() ? memory->allShared() : ObjectSet::all(); }
  /// Whether two sets may have some memory in common.
  bool mayMeet(const ObjectSet &a, const ObjectSet &b) const;

  /// The effect of a part of a function, and of all that it calls. A part of the last function of
  /// `path` counts as reached by the calls of `path`; a part of another function counts in all
  /// calls of that function.
  Effect of(const clang::Stmt *part, const CallPath &path) const;
  /// Whether a value that is computed there, and not in one of the exceptions, may differ between
  /// threads.
  bool mayDiffer(const clang::Stmt *part, const CallPath &path,
                 llvm::ArrayRef<const clang::Stmt *> except = {}) const;
  /// What may happen where some of the kernel's text stands, in all of its instances the same.
  Effect ofText(clang::SourceRange range) const;
  /// A call of a function that is on no known path: by a destructor or an initialiser of a member,
  /// which no call in the text names, or through a pointer. `isFromAfar`: the function may be
  /// called through a pointer, or without being inlined.
  struct OtherWay {
    bool isFromAfar = false;
    /// What leads there in the last function of `through`; null if that is not known.
    const clang::Stmt *statement = nullptr;
  };
  /// Finds a call of `callee`, or of another instance of the same lambda, that is on none of the
  /// paths `known` and is reached through the functions of `through`; nothing if there is none.
  std::optional<OtherWay> otherWayTo(const clang::FunctionDecl *callee,
                                     llvm::ArrayRef<CallPath> known, const CallPath &through) const;
  /// What the whole kernel may do.
  const Effect &ofAll() const { return all; }

  /// What happens at each place of the kernel's own text; what has none comes first.
  std::map<Spot, Effect> bySpots() const;

  /// Whether a step was written in a part of a function. No: it was not. Nowhere: it has no place
  /// in the text of the function. Shared: its place belongs to the part and to other text, as in a
  /// macro. Yes: its place belongs to the part alone.
  enum class Within { No, Nowhere, Shared, Yes };
  Within isWithin(const CodeStep &step, const clang::Stmt *part, const CallPath &path) const {
    return isWithin(step.place, part, path);
  }
  /// The innermost statement of the path's last function in which a step was written; null if the
  /// step was written elsewhere.
  const clang::Stmt *statementAt(const CodeStep &step, const CallPath &path) const;
  /// The call in the path's last function by which a step was reached; null if there is none.
  const clang::CallExpr *callAt(const CodeStep &step, const CallPath &path) const;
  /// Whether the step was written in the path's last function, or in a function that it calls.
  bool isReachedThrough(const CodeStep &step, const CallPath &path) const {
    return places.within(path, step.place) != 0;
  }
  /// The statement of the path's last function that does what the step does, once each time that it
  /// is executed: a call or assembly that stands by itself in a `{ ... }`, or is all that a loop or
  /// a branch executes. In each function that is called on the way to the step, such a statement
  /// stands in the function's outermost block, and no jump comes before it. Null if there is no
  /// such statement.
  const clang::Stmt *statementDoing(const CodeStep &step, const CallPath &path) const;
  /// A statement of the path's last function that stands by itself in a `{ ... }`, or is all that a
  /// loop or a branch executes, and has the step's place: the step happens while it is executed.
  /// Null if there is none.
  const clang::Stmt *statementAround(const CodeStep &step, const CallPath &path) const;
  /// Whether a statement is all that a loop or a branch executes, without braces.
  bool isBody(const clang::Stmt *statement, const CallPath &path) const;
  /// Whether an expression is a statement of its own, directly in a `{ ... }`.
  bool isStatement(const clang::Expr *expression, const CallPath &path) const;

  /// The same in the kernel's own text, of which its lambdas are a part.
  const clang::Stmt *statementInText(const CodeStep &step) const;
  const clang::CallExpr *callInText(const CodeStep &step) const;
  bool isStatementInText(const clang::CallExpr *call) const;
  /// What a call of that text may do.
  Effect ofCallInText(const clang::CallExpr *call) const;
  /// Identifies the call by which the path's last function was entered at this step: calls of one
  /// lambda share its text and differ in this. Null in the kernel itself, and if the step does not
  /// belong to the path.
  const void *entryOf(const CodeStep &step, const CallPath &path) const;
  /// All that stands at a place of the kernel's text, outer statements before inner ones.
  llvm::ArrayRef<const clang::Stmt *> statementsInText(unsigned place) const;
  /// Whether the text says `blockDim` there.
  bool namesBlockSize(const CodeStep &step) const;

  /// What a shared array has to start on for the widest access to it.
  unsigned alignmentOf(const clang::VarDecl *array) const;
  /// Whether something besides a copy may write to a shared array, and in which statement of the
  /// kernel's text; null where that is not known.
  struct Writer {
    const clang::Stmt *statement = nullptr;
  };
  std::optional<Writer> otherWriterOf(const clang::VarDecl *array, const clang::Stmt *copy,
                                      const CallPath &path) const;
  /// Whether nothing but some statements writes to a shared array.
  struct Part {
    const clang::Stmt *statement = nullptr;
    CallPath path;
  };
  bool isWrittenOnlyBy(const clang::VarDecl *array, llvm::ArrayRef<Part> parts) const;
  /// Whether a copy by cp.async may begin outside of some statements.
  bool beginsCopiesBeside(llvm::ArrayRef<Part> parts) const;
  /// How an array is accessed besides by a copy, if only by the subscripts of all its dimensions:
  /// at most so many bytes at a time. Or which statement does something else with its address.
  struct Accesses {
    uint64_t widest = 0;
    bool areOfElements = true;
    const clang::Stmt *other = nullptr;
  };
  /// For a load or store by a wider type, as in `*(float4 *)&tile[r][c]`: the alignment in bytes
  /// that this type guarantees.
  using Alignments = llvm::DenseMap<const clang::Stmt *, uint64_t>;
  Accesses accessesTo(const clang::VarDecl *array, unsigned dimensions, const clang::Stmt *copy,
                      const CallPath &path, const Alignments &aligned) const;
  /// Whether an address in a shared array may be used in another round of the loop around a
  /// copy than the one in which it was taken.
  bool mayOutliveRound(const clang::VarDecl *array, const clang::Stmt *copy,
                       const CallPath &path) const;

private:
  using InstructionsOfSteps = std::vector<std::vector<const llvm::Instruction *>>; ///< by blocks
  void addWaits(const InstructionsOfSteps &instructions,
                const llvm::DenseSet<const llvm::Instruction *> &sources);
  using StepPlace = std::pair<unsigned, size_t>; ///< block of the code, and step in it
  /// What the code does from one barrier of the block to the next ones.
  struct BetweenBarriers {
    bool mayOrderThreads = false; ///< something else than barriers of the block may order threads
    ObjectSet written;
    std::vector<StepPlace> reads;
  };
  BetweenBarriers untilBarriers(StepPlace start) const;
  /// Adds to `sources` the loads that may find different values in different threads.
  void addHandedOn(const InstructionsOfSteps &instructions,
                   llvm::DenseSet<const llvm::Instruction *> &sources) const;
  /// Adds to waits for cp.async copies what these copies read and write.
  void addAwaitedCopies();
  /// Adds the effects of called functions to the effects of their calls.
  void addUpCalls();
  Within isWithin(unsigned place, const clang::Stmt *part, const CallPath &path) const;
  const clang::Stmt *soleStatementAt(const CodePlace &place) const;
  bool isAlwaysExecuted(const clang::Stmt *statement, const clang::FunctionDecl *function) const;
  /// All places whose function is reached by as many calls as the last function of the path.
  llvm::ArrayRef<unsigned> placesAt(const CallPath &path) const;
  llvm::ArrayRef<const clang::Stmt *> statementsAt(const CodeStep &step,
                                                   const CallPath &path) const;
  Effect inAnyCall(const clang::Stmt *part) const;

  const clang::FunctionDecl *kernel;
  DeviceCode &code;
  const llvm::Function *function;
  std::unique_ptr<Memory> memory;
  std::vector<CodeBlock> blocks;
  Effect all;
  CodePlaces places;
  std::vector<std::vector<unsigned>> byDepth;
  /// Of each place, with all that is reached by it: what may happen, and whether something is
  /// computed that may differ between threads.
  std::vector<Effect> ofPlaces;
  std::vector<bool> differing;
};

/// Of all kernels of a file that make copies.
class Effects {
public:
  /// `typesTellApart`: objects of different types are different memory, as C++ says. A program that
  /// is compiled with -fno-strict-aliasing does not keep that rule.
  Effects(clang::ASTContext &context, std::vector<const clang::FunctionDecl *> kernels,
          bool typesTellApart = true)
      : context(context), kernels(std::move(kernels)), typesTellApart(typesTellApart) {}

  const KernelEffects &of(const clang::FunctionDecl *kernel) const;

private:
  clang::ASTContext &context;
  std::vector<const clang::FunctionDecl *> kernels;
  bool typesTellApart;
  mutable std::unique_ptr<DeviceCode> code;
  mutable std::map<const clang::FunctionDecl *, std::unique_ptr<KernelEffects>> known;
};

} // namespace tilelift

#endif
