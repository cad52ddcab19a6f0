//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Effect.h"

#include "effects/Assembly.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr unsigned allAxes = 7;

/// Nobody outside of the block learns anything by it.
bool isOfBlock(const FenceInst &fence) {
  SmallVector<StringRef, 8> names;
  fence.getContext().getSyncScopeNames(names);
  return fence.getSyncScopeID() < names.size() && names[fence.getSyncScopeID()] == "block";
}

class Reader {
public:
  Reader(Memory &memory, const DeviceCode &code) : memory(memory), code(code) {}

  Effect run(const Instruction &instruction) {
    read(instruction);
    return std::move(effect);
  }

private:
  void read(const Instruction &instruction);
  void readCall(const CallBase &call);
  void readAssembly(const CallBase &call, const InlineAsm &assembly);
  void readAccess(const CallBase &call, const AssemblyAccess &access, bool mayFollow);
  void readIntrinsic(const IntrinsicInst &intrinsic);
  bool readOrder(const IntrinsicInst &intrinsic);
  void meetAtBarrier(const IntrinsicInst &intrinsic);
  void meetLanes(const IntrinsicInst &intrinsic);
  bool readRegister(const IntrinsicInst &intrinsic);
  void readOutside(const CallBase &call);
  void readArguments(const CallBase &call, bool mayRead, bool mayWrite);
  void access(const Value *address, bool isRead, bool isWritten) {
    accessAll(memory.pointedToBy(address), isRead, isWritten);
  }
  void accessAll(const ObjectSet &objects, bool isRead, bool isWritten) {
    if (isRead)
      effect.reads.add(objects);
    if (!isWritten)
      return;
    effect.writes.add(objects);
    effect.beginsWrites.add(objects);
  }
  /// Behind the wait, what asynchronous operations have done is there.
  void waitForOthers() {
    for (const ObjectSet &objects : {memory.anything(), memory.allShared()}) {
      effect.reads.add(objects);
      effect.writes.add(objects);
    }
  }
  void doAnything(const ObjectSet &objects) {
    accessAll(objects, true, true);
    effect.meetsOthers = effect.awaitsArrivals = effect.mayLeave = true;
    effect.barriers = effect.lanes = anyMeeting;
    effect.signals = effect.acquires = effect.differs = true;
    effect.varies = effect.asksSharedSize = effect.asksCluster = effect.isUnknown = true;
    effect.countsThreads = allAxes;
    effect.tellsBlocks = allAxes | Effect::otherBlocks;
  }
  bool isOfCompiler(const FunctionDecl *callee) const;

  Memory &memory;
  const DeviceCode &code;
  Effect effect;
};

void Reader::read(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    access(load->getPointerOperand(), true, false);
    effect.alignment = unsigned(load->getAlign().value());
    effect.signals = effect.differs = effect.varies = load->isVolatile() || load->isAtomic();
    effect.acquires = isAcquireOrStronger(load->getOrdering());
  } else if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    access(store->getPointerOperand(), false, true);
    effect.alignment = unsigned(store->getAlign().value());
    effect.signals = store->isVolatile() || store->isAtomic();
  } else if (const auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    access(update->getPointerOperand(), true, true);
    effect.signals = effect.differs = effect.varies = true;
    effect.acquires = isAcquireOrStronger(update->getOrdering());
  } else if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    access(exchange->getPointerOperand(), true, true);
    effect.signals = effect.differs = effect.varies = true;
    effect.acquires = isAcquireOrStronger(exchange->getSuccessOrdering());
  } else if (const auto *fence = dyn_cast<FenceInst>(&instruction)) {
    effect.signals = effect.acquires = !isOfBlock(*fence);
  } else if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    readCall(*call);
  } else if (instruction.mayReadOrWriteMemory()) {
    doAnything(memory.anything());
  }
  if (!effect.touchesMemory() && !isa<CallBase, FenceInst>(instruction))
    effect.signals = false; // the thread's own
}

void Reader::readCall(const CallBase &call) {
  if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return readAssembly(call, *assembly);
  if (const auto *copy = dyn_cast<MemTransferInst>(&call)) {
    access(copy->getRawSource(), true, false);
    effect.alignment = unsigned(
        std::max(copy->getSourceAlign().valueOrOne(), copy->getDestAlign().valueOrOne()).value());
    return access(copy->getRawDest(), false, true);
  }
  if (const auto *set = dyn_cast<MemSetInst>(&call))
    return access(set->getRawDest(), false, true);
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return readIntrinsic(*intrinsic);
  readOutside(call);
}

void Reader::readAssembly(const CallBase &call, const InlineAsm &assembly) {
  AssemblyEffect own = effectOfAssembly(assembly.getAsmString());
  bool loads =
      llvm::any_of(own.accesses, [](const AssemblyAccess &access) { return access.reads; });
  for (const AssemblyAccess &access : own.accesses)
    readAccess(call, access, loads);
  effect.meetsBlock = own.meetsBlock;
  effect.meetsOthers = own.meetsOthers;
  effect.barriers = own.barriers;
  effect.lanes = own.lanes;
  effect.awaitsArrivals = own.awaitsArrivals;
  effect.signals = own.signals;
  effect.acquires = own.acquires;
  effect.awaitsGrids = own.awaitsGrids;
  effect.polls = own.jumps && loads;
  effect.fencesProxy = own.fencesProxy;
  effect.mayLeave = own.mayLeave;
  effect.differs = own.differs;
  effect.varies = own.varies;
  effect.countsThreads = own.countsThreads;
  effect.asksSharedSize = own.asksSharedSize;
  effect.asksCluster = own.asksCluster;
  effect.tellsBlocks = own.tellsBlocks | (own.asksCluster ? Effect::otherBlocks : 0);
  effect.groups = own.groups;
  if (own.leftGroups) {
    const auto *left = dyn_cast_or_null<ConstantInt>(operandOf(call, *own.leftGroups));
    effect.groups.left = left ? unsigned(left->getLimitedValue(anyMeeting)) : 0;
  }
  if (own.waits)
    waitForOthers();
  if (own.isUnknown)
    doAnything(memory.anything());
}

/// `mayFollow`: the assembly loads something, and what it loads may be an address.
void Reader::readAccess(const CallBase &call, const AssemblyAccess &access, bool mayFollow) {
  using Space = AssemblyAccess::Space;
  if (access.space == Space::Private)
    return;
  SmallVector<const Value *, 4> addresses;
  for (unsigned operand : access.operands)
    addresses.push_back(operandOf(call, operand));
  if (access.fromAny || llvm::is_contained(addresses, nullptr))
    addresses.assign(call.arg_begin(), call.arg_end());
  ObjectSet found;
  for (const Value *address : addresses)
    found.add(memory.pointedToBy(address));
  if (access.fromAny && mayFollow)
    found.add(memory.anything());
  ObjectSet there;
  for (unsigned object : found.numbers()) {
    bool isShared = memory[object].isShared();
    if (access.space == Space::Generic || isShared == (access.space == Space::Shared))
      there.add(object);
  }
  if (there.empty()) // of an address that nobody could follow
    there = access.space == Space::Shared ? memory.allShared() : memory.anything();
  accessAll(there, access.reads, access.writes);
  effect.alignment = 16; // at most
}

/// An argument that is the same number for all.
std::optional<uint64_t> constantIn(const IntrinsicInst &intrinsic, unsigned argument) {
  const auto *number = argument < intrinsic.arg_size()
                           ? dyn_cast<ConstantInt>(intrinsic.getArgOperand(argument))
                           : nullptr;
  return number ? std::optional(number->getZExtValue()) : std::nullopt;
}

/// Some threads meet at the barrier that the first argument numbers.
void Reader::meetAtBarrier(const IntrinsicInst &intrinsic) {
  const std::optional<uint64_t> number = constantIn(intrinsic, 0);
  effect.meetsOthers = effect.awaitsArrivals = true;
  effect.barriers = number && *number < 16 ? 1u << *number : anyMeeting;
}

/// Lanes meet: those that a mask names, or any.
void Reader::meetLanes(const IntrinsicInst &intrinsic) {
  const StringRef name = Intrinsic::getBaseName(intrinsic.getIntrinsicID());
  const bool hasMask = name.starts_with("llvm.nvvm.shfl.sync.") ||
                       name.starts_with("llvm.nvvm.vote.") ||
                       name.starts_with("llvm.nvvm.match.") || name == "llvm.nvvm.bar.warp.sync";
  effect.awaitsArrivals = true;
  effect.lanes = uint32_t(hasMask ? constantIn(intrinsic, 0).value_or(anyMeeting) : anyMeeting);
}

/// Barriers and fences touch nothing themselves, whatever LLVM has to take them for.
bool Reader::readOrder(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::nvvm_barrier_cta_sync_all:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
    if (constantIn(intrinsic, 0) == 0)
      effect.meetsBlock = effect.awaitsArrivals = true;
    else
      meetAtBarrier(intrinsic);
    return true;
  case Intrinsic::nvvm_barrier_cta_sync_count:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_popc_count:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_and_count:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_count:
  case Intrinsic::nvvm_barrier_cta_red_or_count:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_count: meetAtBarrier(intrinsic); return true;
  case Intrinsic::nvvm_barrier_cta_arrive_count:
  case Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
    meetAtBarrier(intrinsic);
    effect.awaitsArrivals = false;
    return true;
  case Intrinsic::nvvm_bar_warp_sync: meetLanes(intrinsic); return true;
  case Intrinsic::nvvm_nanosleep: return true;
  case Intrinsic::nvvm_barrier_cluster_arrive:
  case Intrinsic::nvvm_barrier_cluster_arrive_aligned:
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed:
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned:
    effect.meetsOthers = effect.signals = effect.acquires = true;
    effect.barriers = clusterBarrier;
    return true;
  case Intrinsic::nvvm_barrier_cluster_wait:
  case Intrinsic::nvvm_barrier_cluster_wait_aligned:
    effect.meetsOthers = effect.awaitsArrivals = effect.signals = effect.acquires = true;
    effect.barriers = clusterBarrier;
    return true;
  case Intrinsic::nvvm_membar_cta: return true;
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
  case Intrinsic::nvvm_fence_sc_cluster: effect.signals = effect.acquires = true; return true;
  case Intrinsic::nvvm_fence_proxy_async:
  case Intrinsic::nvvm_fence_proxy_async_global:
  case Intrinsic::nvvm_fence_proxy_async_shared_cta:
  case Intrinsic::nvvm_fence_proxy_async_shared_cluster: effect.fencesProxy = true; return true;
  case Intrinsic::nvvm_griddepcontrol_launch_dependents: effect.signals = true; return true;
  case Intrinsic::nvvm_griddepcontrol_wait:
    effect.signals = effect.acquires = effect.awaitsGrids = true;
    return true;
  case Intrinsic::nvvm_exit: effect.mayLeave = true; return true;
  case Intrinsic::nvvm_cp_async_commit_group: effect.groups.closes = true; return true;
  case Intrinsic::nvvm_cp_async_wait_all:
    effect.groups.awaits = effect.groups.awaitsAll = true;
    return true;
  case Intrinsic::nvvm_cp_async_wait_group:
    effect.groups.awaits = true;
    effect.groups.left = unsigned(constantIn(intrinsic, 0).value_or(0));
    return true;
  case Intrinsic::nvvm_cp_async_mbarrier_arrive:
  case Intrinsic::nvvm_cp_async_mbarrier_arrive_shared:
  case Intrinsic::nvvm_cp_async_mbarrier_arrive_noinc:
  case Intrinsic::nvvm_cp_async_mbarrier_arrive_noinc_shared:
    effect.groups.notifies = true;
    waitForOthers();
    return true;
  case Intrinsic::nvvm_mbarrier_test_wait:
  case Intrinsic::nvvm_mbarrier_test_wait_shared: waitForOthers(); return true;
  default: return false;
  }
}

/// Special registers, which differ between threads but for those that are the block's.
bool Reader::readRegister(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x: effect.countsThreads = 1; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y: effect.countsThreads = 2; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z: effect.countsThreads = 4; return true;
  case Intrinsic::nvvm_read_ptx_sreg_nwarpid: effect.countsThreads = allAxes; return true;
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt: effect.differs = true; return true;
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
  case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
  case Intrinsic::nvvm_read_ptx_sreg_aggr_smem_size: effect.asksSharedSize = true; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x: effect.tellsBlocks = 1; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y: effect.tellsBlocks = 2; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z: effect.tellsBlocks = 4; return true;
  case Intrinsic::nvvm_read_ptx_sreg_smid: effect.tellsBlocks = Effect::otherBlocks; return true;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_w:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_w:
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
  case Intrinsic::nvvm_read_ptx_sreg_gridid:
  case Intrinsic::nvvm_read_ptx_sreg_nsmid:
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank:
  case Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank: return true;
  default: return false;
  }
}

/// Barriers and fences of the cluster, its registers, and addresses in other blocks' memory.
bool isOfCluster(const IntrinsicInst &intrinsic) {
  const StringRef name = Intrinsic::getBaseName(intrinsic.getIntrinsicID());
  return name.contains("cluster") || name.contains("mapa") || name.contains("getctarank");
}

/// Whether a warp votes on something: on what is the same in all threads, every vote is alike.
bool isVoteOfWarp(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_uni_sync: return true;
  default: return false;
  }
}

void Reader::readIntrinsic(const IntrinsicInst &intrinsic) {
  effect.asksCluster = isOfCluster(intrinsic);
  effect.tellsBlocks = effect.asksCluster ? Effect::otherBlocks : 0;
  if (intrinsic.isLifetimeStartOrEnd() || intrinsic.isAssumeLikeIntrinsic() ||
      readOrder(intrinsic) || readRegister(intrinsic))
    return;
  // An intrinsic that is not convergent and has operands computes a value from them. One that reads
  // memory may also give each lane another part of it, as the loads of matrix fragments do.
  MemoryEffects effects = intrinsic.getMemoryEffects();
  const bool isVote = isVoteOfWarp(intrinsic);
  const bool isPlain = isVote || (!intrinsic.isConvergent() && intrinsic.getNumOperands() > 1);
  effect.differs = !isPlain || (!isVote && isRefSet(effects.getModRef()));
  effect.varies = !isPlain;
  if (intrinsic.isConvergent()) // lanes give each other values, or may do so
    meetLanes(intrinsic);
  const StringRef name = Intrinsic::getBaseName(intrinsic.getIntrinsicID());
  if (name.starts_with("llvm.nvvm.cp.async.c") && name.contains(".shared.global")) {
    effect.groups.begins = true;
    return readArguments(intrinsic, true, true);
  }
  if (effects.onlyAccessesInaccessibleMem())
    return;
  bool mayRead = isRefSet(effects.getModRef()), mayWrite = isModSet(effects.getModRef());
  effect.signals = effect.acquires = mayRead && mayWrite; // it may be an atomic one
  if (effects.onlyAccessesArgPointees() || effects.onlyAccessesInaccessibleOrArgMem())
    return readArguments(intrinsic, mayRead, mayWrite);
  doAnything(memory.anything());
}

void Reader::readArguments(const CallBase &call, bool mayRead, bool mayWrite) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value *argument = call.getArgOperand(i);
    if (argument->getType()->isPointerTy())
      access(argument, mayRead && !call.onlyWritesMemory(i), mayWrite && !call.onlyReadsMemory(i));
  }
}

/// Declared by Clang's own headers for CUDA, where the type of `threadIdx` is.
bool Reader::isOfCompiler(const FunctionDecl *callee) const {
  if (!callee) // made by Clang itself, as the `vprintf` behind `printf`
    return true;
  ASTContext &context = callee->getASTContext();
  const SourceManager &sources = context.getSourceManager();
  DeclContext *all = context.getTranslationUnitDecl();
  auto folderOf = [&](const Decl *declaration) -> const DirectoryEntry * {
    OptionalFileEntryRef file = sources.getFileEntryRefForID(
        sources.getFileID(sources.getExpansionLoc(declaration->getLocation())));
    return file ? &file->getDir().getDirEntry() : nullptr;
  };
  for (const NamedDecl *builtin : all->lookup(&context.Idents.get("__cuda_builtin_threadIdx_t")))
    if (const DirectoryEntry *folder = folderOf(builtin);
        folder && folder == folderOf(callee->getCanonicalDecl()))
      return true;
  return false;
}

/// A function without a body: CUDA's mathematics and the like know what they are given.
void Reader::readOutside(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  bool isOutside = callee && callee->isDeclaration();
  const FunctionDecl *declaration = isOutside ? code.declarationOf(*callee) : nullptr;
  if (isOutside && isOfCompiler(declaration)) {
    effect.differs = call.getType()->isPointerTy(); // memory of the thread's own
    readArguments(call, true, true);
    if (!declaration) { // it may print
      effect.reads.add(memory.output());
      effect.writes.add(memory.output());
    }
    return;
  }
  doAnything(isOutside ? memory.anything() : ObjectSet::all());
}

} // namespace

void Effect::add(const Effect &other) {
  reads.add(other.reads);
  writes.add(other.writes);
  beginsWrites.add(other.beginsWrites);
  meetsBlock |= other.meetsBlock;
  meetsOthers |= other.meetsOthers;
  barriers |= other.barriers;
  lanes |= other.lanes;
  awaitsArrivals |= other.awaitsArrivals;
  signals |= other.signals;
  acquires |= other.acquires;
  awaitsGrids |= other.awaitsGrids;
  polls |= other.polls;
  awaitsThreads |= other.awaitsThreads;
  awaitsBlocks |= other.awaitsBlocks;
  groups.add(other.groups);
  fencesProxy |= other.fencesProxy;
  mayLeave |= other.mayLeave;
  differs |= other.differs;
  varies |= other.varies;
  countsThreads |= other.countsThreads;
  asksSharedSize |= other.asksSharedSize;
  asksCluster |= other.asksCluster;
  tellsBlocks |= other.tellsBlocks;
  isUnknown |= other.isUnknown;
  alignment = std::max(alignment, other.alignment);
}

Effect effectOf(const Instruction &instruction, Memory &memory, const DeviceCode &code) {
  return Reader(memory, code).run(instruction);
}

} // namespace tilelift
