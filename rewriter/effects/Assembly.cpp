//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace tilelift {
namespace {

/// The families of PTX's instructions, by what they do to others than the thread.
enum class Family {
  Unknown,
  Computes,
  Exchanges, // values between the threads of a warp
  Loads,
  Stores,
  Updates,
  Prefetches,
  CopiesAsync,
  MeetsBlock,
  Barrier, // an object in shared memory
  Fences,
  Products, // of tiles, asynchronously
  Leaves,
  MeetsGrids,
};

Family familyOf(StringRef opcode) {
  return StringSwitch<Family>(opcode)
      .Cases({"abs", "add", "addc", "sub", "subc", "mul", "mul24", "mad", "mad24", "madc"},
             Family::Computes)
      .Cases({"fma", "div", "rem", "neg", "min", "max", "sad", "popc", "clz", "bfind"},
             Family::Computes)
      .Cases({"bfi", "bfe", "fns", "brev", "dp4a", "dp2a", "sqrt", "rsqrt", "rcp", "sin"},
             Family::Computes)
      .Cases({"cos", "lg2", "ex2", "tanh", "copysign", "testp", "set", "setp", "selp", "slct"},
             Family::Computes)
      .Cases({"and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr", "mov"},
             Family::Computes)
      .Cases({"prmt", "cvt", "cvta", "isspacep", "szext", "bmsk", "createpolicy", "pmevent",
              "nanosleep"},
             Family::Computes)
      .Cases({"mapa", "getctarank", "setmaxnreg", "trap", "brkpt", "bra", "brx", "mma", "wmma"},
             Family::Computes)
      .Cases({"shfl", "vote", "match", "activemask", "redux", "elect", "movmatrix"},
             Family::Exchanges)
      .Cases({"ld", "ldu", "ldmatrix"}, Family::Loads)
      .Cases({"st", "stmatrix", "discard"}, Family::Stores)
      .Cases({"atom", "red"}, Family::Updates)
      .Cases({"prefetch", "prefetchu", "applypriority"}, Family::Prefetches)
      .Case("cp", Family::CopiesAsync)
      .Cases({"bar", "barrier"}, Family::MeetsBlock)
      .Case("mbarrier", Family::Barrier)
      .Cases({"fence", "membar"}, Family::Fences)
      .Case("wgmma", Family::Products)
      .Cases({"exit", "ret"}, Family::Leaves)
      .Case("griddepcontrol", Family::MeetsGrids)
      .Default(Family::Unknown);
}

bool isNamePart(char c) { return isAlnum(c) || c == '_' || c == '.'; }

/// The numbers of the operands in a text, and whether it has names besides.
bool findOperands(StringRef text, SmallVectorImpl<unsigned> &operands) {
  bool hasNames = false;
  while (!text.empty()) {
    if (text.consume_front("$")) {
      unsigned number = 0;
      text.consume_front("{");
      if (!text.consumeInteger(10, number))
        operands.push_back(number);
      continue;
    }
    hasNames |= isAlpha(text.front()) || text.front() == '_' || text.front() == '%';
    text = isAlnum(text.front()) ? text.drop_while(isNamePart) : text.drop_front();
  }
  return hasNames;
}

/// The mask that an operand is, if it is a number in the text; else all bits.
uint32_t bitsIn(StringRef operand) {
  uint32_t bits = 0;
  return operand.trim().getAsInteger(0, bits) ? anyMeeting : bits;
}

/// The bit of the barrier that an operand numbers, if it is a number in the text; else all bits.
uint32_t barrierIn(StringRef operand) {
  unsigned number = 0;
  const bool isKnown = !operand.trim().getAsInteger(0, number) && number < 16;
  return isKnown ? 1u << number : anyMeeting;
}

/// An instruction, as far as it matters here.
class Reader {
public:
  Reader(StringRef name, StringRef operands, AssemblyEffect &effect)
      : operands(operands), effect(effect) {
    name.split(parts, '.');
    isOfWarp = has("warp");
  }

  void read();

private:
  bool has(StringRef part) const { return llvm::is_contained(parts, part); }
  void access(size_t bracket, bool reads, bool writes);
  void storeOperands();
  void readMatrix();
  bool readGroups();
  void readCopy();
  void readBarrier();
  void readFence();
  void readMeeting();
  void readRegisters();
  SmallVector<StringRef, 4> brackets() const;
  AssemblyAccess::Space spaceOf(size_t bracket) const;

  SmallVector<StringRef, 8> parts;
  StringRef operands;
  AssemblyEffect &effect;
  bool isOfWarp = false;
};

SmallVector<StringRef, 4> Reader::brackets() const {
  SmallVector<StringRef, 4> found;
  for (StringRef rest = operands; rest.contains('[');) {
    rest = rest.drop_front(rest.find('[') + 1);
    found.push_back(rest.take_until([](char c) { return c == ']'; }));
  }
  return found;
}

/// The n-th address is in the n-th memory that the instruction names.
AssemblyAccess::Space Reader::spaceOf(size_t bracket) const {
  using Space = AssemblyAccess::Space;
  SmallVector<Space, 2> named;
  for (StringRef part : parts) {
    StringRef space = part.take_until([](char c) { return c == ':'; });
    if (space == "shared")
      named.push_back(Space::Shared);
    else if (space == "global")
      named.push_back(Space::Global);
    else if (space == "const" || space == "param" || space == "local")
      named.push_back(Space::Private);
  }
  return named.empty() ? Space::Generic : named[std::min(bracket, named.size() - 1)];
}

void Reader::access(size_t bracket, bool reads, bool writes) {
  AssemblyAccess access;
  access.reads = reads;
  access.writes = writes;
  access.space = spaceOf(bracket);
  SmallVector<StringRef, 4> addresses = brackets();
  StringRef address = bracket < addresses.size() ? addresses[bracket] : StringRef();
  access.fromAny = findOperands(address, access.operands) || access.operands.empty();
  effect.accesses.push_back(std::move(access));
}

/// All that stands outside of the address.
void Reader::storeOperands() {
  std::string values;
  int depth = 0;
  for (char c : operands) {
    depth += c == '[' ? 1 : 0;
    values += depth == 0 ? c : ' ';
    depth -= c == ']' ? 1 : 0;
  }
  effect.storesAny |= findOperands(values, effect.stored);
}

/// Fragments of matrices: `wmma.load` and `wmma.store` are of memory.
void Reader::readMatrix() {
  if (has("load") || has("store"))
    access(0, has("load"), has("store"));
  effect.differs |= has("load"); // each lane gets other elements
  if (has("store"))
    storeOperands();
}

/// Instructions of cp.async that close groups and wait for them.
bool Reader::readGroups() {
  CopyGroups own;
  own.closes = has("commit_group");
  own.awaitsAll = has("wait_all");
  own.awaits = own.awaitsAll || has("wait_group");
  if (has("wait_group") && operands.trim().getAsInteger(0, own.left)) {
    SmallVector<unsigned, 2> numbers;
    findOperands(operands, numbers);
    own.left = 0;
    if (numbers.size() == 1 && !effect.groups.awaits)
      effect.leftGroups = numbers.front();
  }
  effect.groups.isUnclear |= own.ordersCopies() && effect.groups.ordersCopies();
  effect.groups.add(own);
  return own.closes || own.awaits;
}

void Reader::readCopy() {
  if (has("bulk") && (has("wait_group") || has("wait_all"))) {
    effect.waits = true;
    return;
  }
  if ((has("bulk") && has("commit_group")) || has("prefetch") || (!has("bulk") && readGroups()))
    return;
  if (has("mbarrier")) { // it arrives once the thread's copies are there
    access(0, true, true);
    effect.waits = effect.groups.notifies = true;
    return;
  }
  effect.groups.begins |= !has("bulk");
  if (has("tensor") || has("reduce")) {
    effect.isUnknown = true;
    return;
  }
  access(0, false, true);
  access(1, true, false);
  if (has("bulk") && brackets().size() > 2)
    access(2, true, true);
}

void Reader::readBarrier() {
  bool isWait = has("test_wait") || has("try_wait");
  effect.waits |= isWait;
  // Other blocks may wait for what is written before, or may have written by then.
  if (has("cluster") || has("gpu") || has("sys"))
    effect.signals = effect.acquires = true;
  access(0, true, true);
}

void Reader::readFence() {
  if (has("proxy"))
    effect.fencesProxy = true;
  else if (!has("cta"))
    effect.signals = effect.acquires = true;
}

/// Barrier 0 of all threads is that of __syncthreads().
void Reader::readMeeting() {
  effect.awaitsArrivals |= !has("arrive");
  SmallVector<StringRef, 4> given;
  operands.split(given, ',');
  if (isOfWarp) {
    effect.lanes |= bitsIn(given.front());
    return;
  }
  if (has("cluster")) {
    effect.meetsOthers = effect.signals = effect.acquires = true;
    effect.barriers |= clusterBarrier;
    return;
  }
  size_t results = has("red") ? 1 : 0;
  bool isAll = given.size() == results + 1 + (has("red") ? 1 : 0);
  bool isFirst = given.size() > results && given[results].trim() == "0";
  if (isAll && isFirst && !has("arrive")) {
    effect.meetsBlock = true;
    return;
  }
  effect.meetsOthers = true;
  effect.barriers |= given.size() > results ? barrierIn(given[results]) : anyMeeting;
}

void Reader::readRegisters() {
  auto mentions = [&](std::initializer_list<StringRef> names) {
    return llvm::any_of(names, [&](StringRef name) { return operands.contains(name); });
  };
  for (unsigned axis = 0; axis < 3; ++axis)
    if (operands.contains(std::string("%ntid.") + "xyz"[axis]))
      effect.countsThreads |= 1u << axis;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (operands.contains(std::string("%ctaid.") + "xyz"[axis]))
      effect.tellsBlocks |= 1u << axis;
  if (operands.contains("%nwarpid"))
    effect.countsThreads = 7;
  effect.asksSharedSize |= mentions({"%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size"});
  effect.varies |= mentions({"%warpid", "%smid", "%clock", "%globaltimer", "%pm"});
  effect.differs |= effect.varies || mentions({"%tid", "%laneid", "%lanemask"});
}

void Reader::read() {
  bool isOrdered = has("volatile") || has("relaxed") || has("acquire") || has("release") ||
                   has("acq_rel") || has("mmio") || has("sc");
  readRegisters();
  effect.acquires |= (has("acquire") || has("acq_rel") || has("sc")) && !has("cta");
  switch (familyOf(parts.front())) {
  case Family::Unknown: effect.isUnknown = effect.computes = true; break;
  case Family::Computes:
    effect.computes = true;
    if (parts.front() == "wmma")
      readMatrix();
    break;
  case Family::Exchanges:
    effect.differs = effect.varies = effect.computes = true;
    if (parts.front() != "activemask") {
      effect.lanes |= bitsIn(operands.substr(operands.rfind(',') + 1));
      effect.awaitsArrivals = true;
    }
    break;
  case Family::Loads:
    access(0, true, false);
    effect.signals |= isOrdered;
    effect.differs |= isOrdered || parts.front() == "ldmatrix"; // of which lanes get other parts
    effect.varies |= isOrdered;
    break;
  case Family::Stores:
    access(0, false, true);
    effect.signals |= isOrdered || has("async");
    storeOperands();
    break;
  case Family::Updates:
    access(0, true, true);
    effect.signals = effect.differs = effect.varies = true;
    storeOperands();
    break;
  case Family::Prefetches: break;
  case Family::CopiesAsync: readCopy(); break;
  case Family::MeetsBlock: readMeeting(); break;
  case Family::Barrier: readBarrier(); break;
  case Family::Fences: readFence(); break;
  case Family::Products:
    // It goes on reading tiles until somebody waits for that.
    effect.accesses.push_back({AssemblyAccess::Space::Shared, true, false, {}, true});
    effect.differs = true; // each lane gets other elements
    break;
  case Family::Leaves: effect.mayLeave = true; break;
  case Family::MeetsGrids:
    effect.signals = effect.acquires = true;
    effect.awaitsGrids = has("wait");
    break;
  }
}

std::string withoutComments(StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t begin = std::min(text.find("//"), text.find("/*"));
    result += text.take_front(begin);
    if (begin >= text.size())
      break;
    bool isLine = text.substr(begin).starts_with("//");
    size_t end = text.find(isLine ? "\n" : "*/", begin + 2);
    text = text.drop_front(std::min(text.size(), end));
    if (!isLine)
      text = text.drop_front(std::min<size_t>(2, text.size()));
  }
  return result;
}

/// Scopes, labels and predicates stand in front of an instruction.
StringRef withoutPrefix(StringRef line, bool &isPredicated) {
  for (;;) {
    line = line.ltrim(" \t\r\n{}");
    if (line.starts_with("@")) {
      isPredicated = true;
      line = line.drop_until([](char c) { return isSpace(c); });
      continue;
    }
    StringRef word = line.take_while([](char c) { return isAlnum(c) || c == '_' || c == '$'; });
    StringRef behind = line.drop_front(word.size()).ltrim(" \t");
    if (word.empty() || !behind.starts_with(":"))
      return line;
    line = behind.drop_front();
  }
}

} // namespace

AssemblyEffect effectOfAssembly(StringRef text) {
  AssemblyEffect effect;
  std::string code = withoutComments(text);
  SmallVector<StringRef, 8> lines;
  StringRef(code).split(lines, ';');
  bool isPredicated = false;
  effect.asksCluster = llvm::any_of(ArrayRef<StringRef>{"cluster", "mapa", "getctarank"},
                                    [&](StringRef word) { return StringRef(code).contains(word); });
  for (StringRef line : lines) {
    line = withoutPrefix(line, isPredicated);
    if (line.trim().empty() || line.starts_with(".reg") || line.starts_with(".pragma"))
      continue;
    const StringRef name = line.take_while([](char c) { return isNamePart(c) || c == ':'; });
    Reader(name, line.drop_front(name.size()), effect).read();
    effect.jumps |= name.starts_with("br");
    isPredicated |= effect.jumps; // it may jump over what follows
  }
  effect.groups.isUnclear |= isPredicated && effect.groups.ordersCopies();
  // Not everybody who comes to the assembly need come to a barrier in it.
  if (isPredicated && std::exchange(effect.meetsBlock, false)) {
    effect.meetsOthers = effect.awaitsArrivals = true;
    effect.barriers |= 1;
  }
  return effect;
}

/// Operands behind the results are arguments of the call.
const Value *operandOf(const CallBase &assembly, unsigned operand) {
  const auto *text = cast<InlineAsm>(assembly.getCalledOperand());
  unsigned results = 0;
  for (const InlineAsm::ConstraintInfo &each : text->ParseConstraints())
    results += each.Type == InlineAsm::isOutput && !each.isIndirect;
  bool isArgument = operand >= results && operand - results < assembly.arg_size();
  return isArgument ? assembly.getArgOperand(operand - results) : nullptr;
}

} // namespace tilelift
