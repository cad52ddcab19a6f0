//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, operands, control flow. Registers become stack slots, which
// LLVM's mem2reg turns into values.
//===----------------------------------------------------------------------===//

#include "ptx/FunctionTranslator.h"

#include "machine/Abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

using namespace llvm;

namespace tilelift::ptx {

FunctionTranslator::FunctionTranslator(ModuleTranslator &module, const Function &source,
                                       llvm::Function *target)
    : module(module),
      source(source),
      target(target),
      builder(target->getContext()),
      thread(target->getArg(0)) {
  target->addFnAttr(Attribute::NoUnwind);
  entry = BasicBlock::Create(target->getContext(), "entry", target);
  builder.SetInsertPoint(entry);
}

void FunctionTranslator::run() {
  scopes.emplace_back();
  labels();
  scopes.back().labels = scopeLabels[0];
  carry = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "carry");
  bool isKernel = source.isKernel;
  auto bind = [&](const std::vector<Variable> &variables, llvm::Value *buffer) {
    ParameterLayout layout = layOut(variables);
    for (size_t i = 0; i < variables.size(); ++i)
      scopes.back().memory[variables[i].name] = builder.CreatePtrToInt(
          builder.CreateConstGEP1_32(builder.getInt8Ty(), buffer, layout.offsets[i]),
          builder.getInt64Ty());
  };
  bind(source.parameters, target->getArg(isKernel ? 1 : 2));
  if (!isKernel)
    bind(source.results, target->getArg(1));
  BasicBlock *start = block("start");
  builder.CreateBr(start);
  builder.SetInsertPoint(start);
  for (const Statement &each : source.body)
    statement(each);
  if (!builder.GetInsertBlock()->getTerminator())
    builder.CreateRetVoid();
}

/// A label is known in its whole scope, before it is reached.
void FunctionTranslator::labels() {
  std::vector<unsigned> open = {0};
  scopeLabels.emplace_back();
  for (const Statement &each : source.body) {
    if (each.kind == Statement::Open) {
      open.push_back(unsigned(scopeLabels.size()));
      scopeLabels.emplace_back();
    } else if (each.kind == Statement::Close) {
      open.pop_back();
    } else if (each.kind == Statement::Label) {
      scopeLabels[open.back()][each.name] = block(each.name);
    } else if (each.kind == Statement::Targets || each.kind == Statement::Prototype) {
      targetLists[each.name] = &each;
    }
  }
}

BasicBlock *FunctionTranslator::block(const Twine &name) {
  return BasicBlock::Create(target->getContext(), name, target);
}

BasicBlock *FunctionTranslator::labelled(StringRef label) {
  return find([&](Scope &scope) { return scope.labels.lookup(label); });
}

void FunctionTranslator::declare(const Variable &variable) {
  Scope &scope = scopes.back();
  if (variable.space == StateSpace::Shared) {
    module.addShared(variable, target);
    return;
  }
  if (variable.space != StateSpace::Reg) {
    auto *type = ArrayType::get(builder.getInt8Ty(), variable.bytes);
    IRBuilder<> atEntry(entry, entry->begin());
    AllocaInst *memory = atEntry.CreateAlloca(type, nullptr, variable.name);
    memory->setAlignment(Align(std::max(variable.alignment, 16u)));
    scope.memory[variable.name] = builder.CreatePtrToInt(memory, builder.getInt64Ty());
    if (variable.space == StateSpace::Param)
      parameterLists[variable.name] = {variable};
    return;
  }
  unsigned bits = variable.type.totalBits();
  auto add = [&](const Twine &name) {
    IRBuilder<> atEntry(entry, entry->begin());
    scope.registers[name.str()] = {atEntry.CreateAlloca(builder.getIntNTy(bits), nullptr, name),
                                   bits};
  };
  if (variable.count == 0)
    return add(variable.name);
  for (unsigned i = 0; i < variable.count; ++i)
    add(variable.name + Twine(i));
}

void FunctionTranslator::statement(const Statement &each) {
  place = each.place;
  switch (each.kind) {
  case Statement::Open:
    scopes.emplace_back();
    scopes.back().labels = scopeLabels[++openedScopes];
    break;
  case Statement::Close: scopes.pop_back(); break;
  case Statement::Declaration:
    for (const Variable &variable : each.variables)
      declare(variable);
    break;
  case Statement::Label: {
    BasicBlock *next = labelled(each.name);
    if (!builder.GetInsertBlock()->getTerminator())
      builder.CreateBr(next);
    builder.SetInsertPoint(next);
    break;
  }
  case Statement::Targets:
  case Statement::Prototype: break;
  case Statement::Code: instruction(each.code); break;
  }
}

void FunctionTranslator::instruction(const Instruction &code) {
  if (builder.GetInsertBlock()->getTerminator()) // nothing leads here
    builder.SetInsertPoint(block("dead"));
  if (code.guard.empty()) {
    if (!dispatch(code))
      unsupported(code);
    return;
  }
  Operand guard;
  guard.kind = Operand::Register;
  guard.name = code.guard;
  guard.negated = code.guardNegated;
  llvm::Value *condition = read(guard, {Type::Pred, 1, 1});
  BasicBlock *then = block("then"), *after = block("after");
  builder.CreateCondBr(condition, then, after);
  builder.SetInsertPoint(then);
  if (!dispatch(code))
    unsupported(code);
  if (!builder.GetInsertBlock()->getTerminator())
    builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

bool FunctionTranslator::dispatch(const Instruction &code) {
  known = true;
  bool handled = control(code) || memoryAccess(code) || conversion(code) || comparison(code) ||
                 floatArithmetic(code) || integerArithmetic(code) || laneArithmetic(code) ||
                 bitOperation(code) || synchronization(code) || barrierObject(code) ||
                 asyncCopy(code) || matrix(code);
  return handled && known;
}

/// Also where an operand could not be understood: what was emitted before it
/// stays, but nobody gets past this call.
void FunctionTranslator::unsupported(const Instruction &code) {
  if (builder.GetInsertBlock()->getTerminator())
    return;
  call("tilelift_unsupported", builder.getVoidTy(), {module.text(code.text())});
  builder.CreateUnreachable();
}

// Operands.

llvm::Type *FunctionTranslator::irType(Type type) {
  llvm::Type *one = builder.getIntNTy(std::max(type.bits, 1u));
  if (type.kind == Type::Float)
    one = type.bits == 16   ? builder.getHalfTy()
          : type.bits == 64 ? builder.getDoubleTy()
                            : builder.getFloatTy();
  else if (type.kind == Type::Brain)
    one = builder.getBFloatTy();
  else if (type.kind == Type::Tensor32)
    one = builder.getFloatTy();
  return type.lanes == 1 ? one : FixedVectorType::get(one, type.lanes);
}

llvm::Value *FunctionTranslator::integer(uint64_t value, unsigned bits) {
  return builder.getIntN(bits, value);
}

llvm::Value *FunctionTranslator::pointer(llvm::Value *address) {
  return builder.CreateIntToPtr(address, builder.getPtrTy());
}

AllocaInst *FunctionTranslator::room(llvm::Type *type, unsigned count) {
  IRBuilder<> atEntry(entry, entry->begin());
  AllocaInst *memory = atEntry.CreateAlloca(ArrayType::get(type, count));
  memory->setAlignment(Align(16));
  return memory;
}

llvm::Value *FunctionTranslator::asBits(llvm::Value *value) {
  unsigned bits = unsigned(value->getType()->getPrimitiveSizeInBits());
  return builder.CreateBitCast(value, builder.getIntNTy(bits));
}

/// Wider registers than the type hold the value in their low bits.
llvm::Value *FunctionTranslator::fromBits(llvm::Value *bits, Type type) {
  llvm::Value *cut = builder.CreateZExtOrTrunc(bits, builder.getIntNTy(type.totalBits()));
  return builder.CreateBitCast(cut, irType(type));
}

llvm::Value *FunctionTranslator::field(size_t offset, llvm::Type *type) {
  LoadInst *load = builder.CreateLoad(
      type, builder.CreateConstGEP1_32(builder.getInt8Ty(), thread, unsigned(offset)));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

llvm::Value *FunctionTranslator::specialRegister(StringRef name) {
  using Registers = emulator::ThreadRegisters;
  const std::pair<StringRef, size_t> triples[] = {
      {"%tid", offsetof(Registers, tid)},
      {"%ntid", offsetof(Registers, ntid)},
      {"%ctaid", offsetof(Registers, ctaid)},
      {"%nctaid", offsetof(Registers, nctaid)},
      {"%clusterid", offsetof(Registers, clusterid)},
      {"%nclusterid", offsetof(Registers, nclusterid)},
      {"%cluster_ctaid", offsetof(Registers, clusterCtaid)},
      {"%cluster_nctaid", offsetof(Registers, clusterNctaid)}};
  auto [base, axis] = name.rsplit('.');
  for (auto [triple, offset] : triples)
    if (base == triple && axis.size() == 1 && axis >= "x" && axis <= "z")
      return field(offset + 4 * size_t(axis[0] - 'x'), builder.getInt32Ty());
  const std::pair<StringRef, size_t> singles[] = {
      {"%cluster_ctarank", offsetof(Registers, clusterCtarank)},
      {"%cluster_nctarank", offsetof(Registers, clusterNctarank)},
      {"%laneid", offsetof(Registers, laneid)},
      {"%warpid", offsetof(Registers, warpid)},
      {"%nwarpid", offsetof(Registers, nwarpid)},
      {"%dynamic_smem_size", offsetof(Registers, dynamicShared)},
      {"%total_smem_size", offsetof(Registers, totalShared)},
      {"%gridid", offsetof(Registers, gridid)}};
  for (auto [single, offset] : singles)
    if (name == single)
      return field(offset, builder.getInt32Ty());
  if (name == "%envreg1" || name == "%envreg2") { // as cooperative groups expect them
    llvm::Value *workspace = field(offsetof(Registers, gridWorkspace), builder.getInt64Ty());
    return builder.CreateTrunc(name == "%envreg1" ? builder.CreateLShr(workspace, 32) : workspace,
                               builder.getInt32Ty());
  }
  if (name.starts_with("%lanemask_")) {
    llvm::Value *lane = field(offsetof(Registers, laneid), builder.getInt32Ty());
    llvm::Value *self = builder.CreateShl(integer(1), lane);
    llvm::Value *below = builder.CreateSub(self, integer(1));
    StringRef which = name.substr(10);
    if (which == "eq")
      return self;
    if (which == "lt")
      return below;
    if (which == "le")
      return builder.CreateOr(below, self);
    llvm::Value *above = builder.CreateNot(builder.CreateOr(below, self));
    return which == "gt" ? above : builder.CreateOr(above, self);
  }
  if (name == "%clock" || name == "%clock_hi" || name == "%clock64" || name == "%globaltimer" ||
      name == "%globaltimer_lo" || name == "%globaltimer_hi") {
    llvm::Value *now = call(name.starts_with("%clock") ? "tilelift_clock" : "tilelift_timer",
                            builder.getInt64Ty(), {});
    return name.ends_with("_hi") ? builder.CreateLShr(now, 32) : now;
  }
  if (name == "%smid")
    return integer(0);
  if (name == "%nsmid")
    return integer(1);
  if (name == "%is_explicit_cluster")
    return builder.CreateICmpUGT(field(offsetof(Registers, clusterNctarank), builder.getInt32Ty()),
                                 integer(1));
  if (name == "%reserved_smem_offset_begin" || name == "%reserved_smem_offset_end")
    return integer(0);
  return nullptr;
}

/// The address of a variable or function: of shared memory as shared address,
/// else as generic address.
llvm::Value *FunctionTranslator::symbol(StringRef name) {
  if (llvm::Value *memory = find([&](Scope &scope) { return scope.memory.lookup(name); }))
    return memory;
  llvm::Type *wide = builder.getInt64Ty();
  if (int index = module.sharedVariable(name); index >= 0) {
    module.factsOf(target).shared.insert(unsigned(index));
    llvm::Value *offsets =
        field(offsetof(emulator::ThreadRegisters, sharedOffsets), builder.getPtrTy());
    LoadInst *offset = builder.CreateLoad(
        builder.getInt32Ty(),
        builder.CreateConstGEP1_32(builder.getInt32Ty(), offsets, unsigned(index)));
    offset->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
    return builder.CreateZExt(offset, wide);
  }
  if (GlobalVariable *where = module.variableAddress(name))
    return builder.CreateLoad(wide, where);
  if (llvm::Function *function = module.function(name)) {
    module.factsOf(target).calls.insert(function);
    return builder.CreatePtrToInt(function, wide);
  }
  return nullptr;
}

llvm::Value *FunctionTranslator::readRegister(const Operand &operand) {
  if (Register *found = [&]() -> Register * {
        for (Scope &scope : reverse(scopes))
          if (auto each = scope.registers.find(operand.name); each != scope.registers.end())
            return &each->second;
        return nullptr;
      }())
    return builder.CreateLoad(builder.getIntNTy(found->bits), found->place);
  if (operand.name == "WARP_SZ")
    return integer(32);
  llvm::Value *value =
      StringRef(operand.name).starts_with("%") ? specialRegister(operand.name) : nullptr;
  if (!value)
    value = symbol(operand.name);
  if (value && operand.value)
    value = builder.CreateAdd(value, ConstantInt::getSigned(value->getType(), operand.value));
  return value;
}

llvm::Value *FunctionTranslator::readBits(const Operand &operand, unsigned bits) {
  llvm::Type *type = builder.getIntNTy(bits);
  switch (operand.kind) {
  case Operand::Register:
    if (llvm::Value *value = readRegister(operand)) {
      value = builder.CreateZExtOrTrunc(value, type);
      return operand.negated ? builder.CreateNot(value) : value;
    }
    break;
  case Operand::Integer:
    return builder.getInt(APInt(64, uint64_t(operand.value)).sextOrTrunc(bits));
  case Operand::Single:
  case Operand::Double: return ConstantInt::get(type, uint64_t(operand.value));
  case Operand::Vector: { // packed, the first element lowest
    if (operand.elements.empty())
      break;
    unsigned each = bits / unsigned(operand.elements.size());
    llvm::Value *all = ConstantInt::get(type, 0);
    for (size_t i = 0; i < operand.elements.size(); ++i)
      all = builder.CreateOr(
          all, builder.CreateShl(builder.CreateZExt(readBits(operand.elements[i], each), type),
                                 each * i));
    return all;
  }
  default: break;
  }
  known = false;
  return ConstantInt::get(type, 0);
}

llvm::Value *FunctionTranslator::read(const Operand &operand, Type type) {
  // A constant is written as float even where the instruction is of another type.
  if (operand.kind == Operand::Single && type.kind == Type::Float && type.bits == 64)
    return ConstantFP::get(
        builder.getDoubleTy(),
        double(
            APFloat(APFloat::IEEEsingle(), APInt(32, uint64_t(operand.value))).convertToFloat()));
  return fromBits(readBits(operand, type.totalBits()), type);
}

void FunctionTranslator::write(const Operand &operand, llvm::Value *value, Type type) {
  if (operand.kind == Operand::Sink)
    return;
  llvm::Value *bits = asBits(value);
  if (operand.kind == Operand::Vector && !operand.elements.empty()) {
    unsigned each = type.totalBits() / unsigned(operand.elements.size());
    for (size_t i = 0; i < operand.elements.size(); ++i)
      write(operand.elements[i],
            builder.CreateTrunc(builder.CreateLShr(bits, each * i), builder.getIntNTy(each)),
            {Type::Bits, each, 1});
    return;
  }
  for (Scope &scope : reverse(scopes))
    if (auto found = scope.registers.find(operand.name); found != scope.registers.end()) {
      auto *wide = builder.getIntNTy(found->second.bits);
      bits = type.kind == Type::Signed ? builder.CreateSExtOrTrunc(bits, wide)
                                       : builder.CreateZExtOrTrunc(bits, wide);
      builder.CreateStore(bits, found->second.place);
      return;
    }
  known = false;
}

llvm::Value *FunctionTranslator::address(const Operand &operand) {
  llvm::Value *base = integer(0, 64);
  if (!operand.name.empty()) {
    Operand named;
    named.kind = Operand::Register;
    named.name = operand.name;
    base = readBits(named, 64);
  }
  return builder.CreateAdd(base, ConstantInt::getSigned(builder.getInt64Ty(), operand.value));
}

// Calls of the machine.

llvm::Value *FunctionTranslator::call(StringRef function, llvm::Type *result,
                                      ArrayRef<llvm::Value *> arguments) {
  std::vector<llvm::Value *> all = {thread};
  std::vector<llvm::Type *> types;
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back(integer(module.site(place)));
  for (llvm::Value *argument : ArrayRef(all).drop_front())
    types.push_back(argument->getType());
  return builder.CreateCall(module.machine(function, result, types), all);
}

// Control flow.

bool FunctionTranslator::control(const Instruction &code) {
  enum class Op { none, bra, brx, call, ret, exit, trap, sleep, nothing };
  Op op = StringSwitch<Op>(code.opcode)
              .Case("bra", Op::bra)
              .Case("brx", Op::brx)
              .Case("call", Op::call)
              .Case("ret", Op::ret)
              .Case("exit", Op::exit)
              .Cases({"trap", "brkpt"}, Op::trap)
              .Case("nanosleep", Op::sleep)
              .Cases({"pmevent", "griddepcontrol", "setmaxnreg"}, Op::nothing)
              .Default(Op::none);
  switch (op) {
  case Op::none: return false;
  case Op::bra: {
    BasicBlock *to = labelled(code.operands[0].name);
    if (!to)
      return false;
    builder.CreateBr(to);
    break;
  }
  case Op::brx: {
    const Statement *list = targetLists.lookup(code.operands[1].name);
    if (!list)
      return false;
    BasicBlock *otherwise = block("no.target");
    SwitchInst *choice = builder.CreateSwitch(readBits(code.operands[0], 32), otherwise,
                                              unsigned(list->targets.size()));
    for (size_t i = 0; i < list->targets.size(); ++i)
      choice->addCase(builder.getInt32(unsigned(i)), labelled(list->targets[i]));
    builder.SetInsertPoint(otherwise);
    builder.CreateUnreachable();
    break;
  }
  case Op::call: callFunction(code); break;
  case Op::ret: builder.CreateRetVoid(); break;
  case Op::exit:
    call("tilelift_exit", builder.getVoidTy(), {});
    builder.CreateUnreachable();
    break;
  case Op::trap:
    call("tilelift_trap", builder.getVoidTy(), {});
    builder.CreateUnreachable();
    break;
  case Op::sleep: call("tilelift_sleep", builder.getVoidTy(), {}); break;
  case Op::nothing: break;
  }
  return true;
}

/// Arguments in one piece, as the callee expects them.
llvm::Value *FunctionTranslator::packed(ArrayRef<Variable> layout, ArrayRef<Operand> operands) {
  ParameterLayout where = layOut(layout);
  AllocaInst *buffer = room(builder.getInt8Ty(), std::max(where.bytes, 1u));
  for (size_t i = 0; i < operands.size() && i < layout.size(); ++i)
    if (llvm::Value *from = symbol(operands[i].name))
      builder.CreateMemCpy(
          builder.CreateConstGEP1_32(builder.getInt8Ty(), buffer, where.offsets[i]), Align(1),
          pointer(from), Align(1), layout[i].bytes);
  return buffer;
}

void FunctionTranslator::callFunction(const Instruction &code) {
  ArrayRef<Operand> operands = code.operands;
  std::vector<Operand> results;
  if (!operands.empty() && operands[0].kind == Operand::List) {
    results = operands[0].elements;
    operands = operands.drop_front();
  }
  std::vector<Operand> arguments;
  if (operands.size() > 1 && operands[1].kind == Operand::List)
    arguments = operands[1].elements;
  auto layoutOf = [&](ArrayRef<Operand> names) {
    std::vector<Variable> layout;
    for (const Operand &each : names)
      for (const Variable &variable : parameterLists.lookup(each.name))
        layout.push_back(variable);
    return layout;
  };
  if (const LocalAccess *access = module.localAccess(operands[0].name)) {
    llvm::Value *offset =
        builder.CreateLoad(builder.getInt64Ty(), pointer(symbol(arguments[0].name)));
    call("tilelift_local_access", builder.getVoidTy(),
         {module.text(access->variable), integer(access->bytes, 64), integer(access->accessBytes),
          integer(access->isWrite), offset});
    return;
  }
  std::vector<Variable> resultLayout = layoutOf(results);
  llvm::Value *argumentBuffer = packed(layoutOf(arguments), arguments);
  ParameterLayout resultPlaces = layOut(resultLayout);
  AllocaInst *resultBuffer = room(builder.getInt8Ty(), std::max(resultPlaces.bytes, 1u));
  auto *type = FunctionType::get(
      builder.getVoidTy(), {builder.getPtrTy(), builder.getPtrTy(), builder.getPtrTy()}, false);
  if (llvm::Function *direct = module.function(operands[0].name)) {
    module.factsOf(target).calls.insert(direct);
    builder.CreateCall(type, direct, {thread, resultBuffer, argumentBuffer});
  } else {
    module.factsOf(target).callsUnknown = true;
    builder.CreateCall(type, pointer(readBits(operands[0], 64)),
                       {thread, resultBuffer, argumentBuffer});
  }
  for (size_t i = 0; i < resultLayout.size(); ++i)
    builder.CreateMemCpy(
        pointer(symbol(results[i].name)), Align(1),
        builder.CreateConstGEP1_32(builder.getInt8Ty(), resultBuffer, resultPlaces.offsets[i]),
        Align(1), resultLayout[i].bytes);
}

} // namespace tilelift::ptx
