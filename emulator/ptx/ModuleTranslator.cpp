//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ptx/ModuleTranslator.h"

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"
#include "ptx/HostCode.h"
#include "ptx/Written.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <tuple>

using namespace llvm;

namespace tilelift::ptx {

namespace {

/// Calls that the machine answers itself.
bool isOfTheMachine(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail";
}

} // namespace

ParameterLayout layOut(ArrayRef<Variable> parameters) {
  ParameterLayout layout;
  for (const Variable &parameter : parameters) {
    layout.bytes = uint32_t(alignTo(layout.bytes, parameter.alignment));
    layout.offsets.push_back(layout.bytes);
    layout.bytes += uint32_t(parameter.bytes);
  }
  return layout;
}

ModuleTranslator::ModuleTranslator(const Module &program, const TranslateOptions &options,
                                   LLVMContext &context, std::string &problem)
    : program(program),
      options(options),
      context(context),
      problem(problem),
      output(std::make_unique<llvm::Module>(options.source, context)),
      pointerType(PointerType::get(context, 0)) {
  std::string unknownHost; // said where the object is written
  if (std::unique_ptr<TargetMachine> host = hostMachine(unknownHost)) {
    output->setTargetTriple(host->getTargetTriple());
    output->setDataLayout(host->createDataLayout()); // the tables are laid out by it
  }
  sites.push_back({}); // site 0 is nowhere
}

std::unique_ptr<llvm::Module> ModuleTranslator::run() {
  declareFunctions();
  declareVariables();
  findWrites();
  for (const Function &function : program.functions)
    if (function.isDefined)
      FunctionTranslator(*this, function, functions[function.name]).run();
  findPointedAt();
  std::vector<Constant *> kernels;
  for (const Function &function : program.functions)
    if (function.isKernel && function.isDefined)
      kernels.push_back(kernelEntry(function));
  moduleEntry(kernels);
  if (problem.empty())
    return std::move(output);
  return nullptr;
}

// Functions.

void ModuleTranslator::declareFunctions() {
  llvm::Type *nothing = llvm::Type::getVoidTy(context);
  auto *kernelType = FunctionType::get(nothing, {pointerType, pointerType}, false);
  auto *deviceType = FunctionType::get(nothing, {pointerType, pointerType, pointerType}, false);
  for (const Function &function : program.functions) {
    if (functions.count(function.name)) // declared before it is defined
      continue;
    bool isOurs = isOfTheMachine(function.name);
    std::string name = (isOurs ? "tilelift_" : "device.") + function.name;
    functions[function.name] = llvm::Function::Create(
        function.isKernel ? kernelType : deviceType,
        isOurs ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage, name, *output);
  }
  // A function that is declared and nowhere defined says so when it is called.
  for (const Function &function : program.functions) {
    llvm::Function *target = functions[function.name];
    if (isOfTheMachine(function.name) || any_of(program.functions, [&](const Function &other) {
          return other.isDefined && other.name == function.name;
        }))
      continue;
    if (!target->empty())
      continue;
    IRBuilder<> builder(BasicBlock::Create(context, "", target));
    builder.CreateCall(
        machine("tilelift_unsupported", nothing, {pointerType, builder.getInt32Ty()}),
        {target->getArg(0), text("call of " + function.name), builder.getInt32(0)});
    builder.CreateUnreachable();
  }
}

llvm::Function *ModuleTranslator::function(StringRef name) { return functions.lookup(name); }

FunctionCallee ModuleTranslator::machine(StringRef name, llvm::Type *result,
                                         ArrayRef<llvm::Type *> arguments) {
  std::vector<llvm::Type *> all = {pointerType};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return output->getOrInsertFunction(name, FunctionType::get(result, all, false));
}

// Variables.

void ModuleTranslator::addShared(const Variable &variable, const llvm::Function *owner) {
  if (sharedNumbers.count(variable.name))
    return;
  sharedNumbers[variable.name] = int(shared.size());
  shared.push_back(variable);
  sharedOwners.push_back(owner);
}

int ModuleTranslator::sharedVariable(StringRef name) const {
  auto found = sharedNumbers.find(name);
  return found == sharedNumbers.end() ? -1 : found->second;
}

void ModuleTranslator::declareVariables() {
  for (const Variable &variable : program.variables) {
    if (variable.space == StateSpace::Shared) {
      addShared(variable);
      continue;
    }
    if (variableNumbers.count(variable.name))
      continue;
    variableNumbers[variable.name] = unsigned(variables.size());
    variables.push_back(&variable);
    variablePlaces.push_back(
        new GlobalVariable(*output, pointerType, false, GlobalValue::InternalLinkage,
                           ConstantPointerNull::get(pointerType), "place." + variable.name));
  }
}

GlobalVariable *ModuleTranslator::variableAddress(StringRef name) const {
  auto found = variableNumbers.find(name);
  return found == variableNumbers.end() ? nullptr : variablePlaces[found->second];
}

/// Functions that are called write anywhere if they write at all: nobody knows what they
/// are called with.
void ModuleTranslator::findWrites() {
  StringSet<> names;
  for (const Variable *variable : variables)
    names.insert(variable->name);
  for (const Function &function : program.functions) {
    if (!function.isDefined)
      continue;
    Written written = writtenBy(function, names);
    Facts &own = facts[functions[function.name]];
    if (written.anywhere)
      own.traits |= emulator::writesAnywhere;
    if (written.variables)
      own.traits |= emulator::writesVariables;
    own.written = std::move(written.parameters);
  }
}

/// Collects the device functions that an indirect call may reach: those whose address an
/// instruction takes or the initial value of a variable holds. ptxas assumes the same.
void ModuleTranslator::findPointedAt() {
  StringSet<> inTables;
  for (const Variable *variable : variables)
    for (const Initializer::Symbol &symbol : variable->initial.symbols)
      inTables.insert(symbol.name);
  for (const Function &function : program.functions)
    if (!function.isKernel &&
        (functions[function.name]->hasAddressTaken() || inTables.contains(function.name)))
      pointedAt.insert(functions[function.name]);
}

const LocalAccess *ModuleTranslator::localAccess(StringRef function) const {
  size_t number;
  if (!function.consume_front(localAccessFunction) || function.getAsInteger(10, number) ||
      number >= options.localAccesses.size())
    return nullptr;
  return &options.localAccesses[number];
}

// Places and texts.

bool ModuleTranslator::isLibrary(StringRef file) const {
  return any_of(options.libraries, [&](StringRef folder) { return file.starts_with(folder); });
}

unsigned ModuleTranslator::site(unsigned place) {
  auto [known, isNew] = sitesOfPlaces.try_emplace(place, 0);
  if (!isNew || place == 0)
    return known->second;
  const Place &frames = program.places[place];
  auto own = find_if(frames, [&](const Frame &frame) { return !isLibrary(frame.file); });
  if (own == frames.end())
    own = std::prev(frames.end());
  sites.push_back(*own);
  known->second = unsigned(sites.size() - 1);
  return known->second;
}

Constant *ModuleTranslator::text(StringRef text) {
  Constant *&known = texts[text];
  if (!known)
    known = IRBuilder<>(context).CreateGlobalString(text, "text", 0, output.get());
  return known;
}

// Tables.

Constant *ModuleTranslator::number(uint64_t value, unsigned bits) {
  return ConstantInt::get(IntegerType::get(context, bits), value);
}

Constant *ModuleTranslator::row(ArrayRef<Constant *> fields) {
  return ConstantStruct::getAnon(context, fields);
}

Constant *ModuleTranslator::table(ArrayRef<Constant *> rows, llvm::Type *type, const char *name) {
  if (rows.empty())
    return ConstantPointerNull::get(pointerType);
  auto *all = ConstantArray::get(ArrayType::get(type, rows.size()), rows);
  return new GlobalVariable(*output, all->getType(), true, GlobalValue::InternalLinkage, all, name);
}

ModuleTranslator::Facts ModuleTranslator::reachableFrom(const llvm::Function *kernel) {
  Facts all;
  SetVector<const llvm::Function *> reached;
  reached.insert(kernel);
  for (size_t i = 0; i < reached.size(); ++i) {
    const Facts &own = facts[reached[i]];
    all.shared.insert(own.shared.begin(), own.shared.end());
    all.traits |= own.traits;
    reached.insert(own.calls.begin(), own.calls.end());
    if (own.callsUnknown)
      reached.insert(pointedAt.begin(), pointedAt.end());
  }
  return all;
}

/// As ptxas lays them out: what other files may see comes first, and of both kinds the
/// module's variables, those of functions, and those of the kernel, as they are declared.
std::vector<unsigned> ModuleTranslator::sharedInOrder(const llvm::Function *kernel,
                                                      const Facts &reached) const {
  struct Rank {
    bool isHidden;
    unsigned owner, index;
    bool operator<(const Rank &other) const {
      return std::tie(isHidden, owner, index) < std::tie(other.isHidden, other.owner, other.index);
    }
  };
  DenseMap<const llvm::Function *, Rank> owners;
  for (const Function &function : program.functions) {
    const llvm::Function *target = functions.lookup(function.name);
    unsigned place = target == kernel ? ~0u : unsigned(owners.size()) + 1;
    Rank &rank = owners.try_emplace(target, Rank{true, place, 0}).first->second;
    rank.isHidden &= !function.isVisible; // it may be declared before it is defined
  }
  auto rank = [&](unsigned index) {
    const llvm::Function *owner = sharedOwners[index];
    Rank own = owner ? owners.lookup(owner) : Rank{!shared[index].isVisible, 0, 0};
    own.index = index;
    return own;
  };
  std::vector<unsigned> order(reached.shared.begin(), reached.shared.end());
  llvm::sort(order, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  return order;
}

std::pair<Constant *, uint32_t> ModuleTranslator::sharedTable(ArrayRef<unsigned> inOrder) {
  std::vector<Constant *> offsets(shared.size(), number(emulator::notUsed));
  uint64_t end = 0;
  for (unsigned index : inOrder) {
    if (shared[index].bytes == 0)
      continue;
    end = alignTo(end, shared[index].alignment);
    offsets[index] = number(end);
    end += shared[index].bytes;
  }
  // Measured: each dynamic array starts on its own alignment, 16 at least.
  uint64_t staticEnd = end;
  for (unsigned index : inOrder)
    if (shared[index].bytes == 0) {
      uint64_t start = alignTo(staticEnd, std::max<uint64_t>(16, shared[index].alignment));
      offsets[index] = number(start);
      end = std::max(end, start);
    }
  return {table(offsets, IntegerType::get(context, 32), "shared.offsets"), uint32_t(end)};
}

Constant *ModuleTranslator::parameterTable(const Function &kernel) {
  ParameterLayout layout = layOut(kernel.parameters);
  auto known = options.kernels.find(kernel.name);
  const BitVector &written = facts[functions[kernel.name]].written;
  std::vector<Constant *> rows;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    ParameterFacts own;
    if (known != options.kernels.end() && i < known->second.size())
      own = known->second[i];
    auto optional = [&](StringRef value) -> Constant * {
      return value.empty() ? ConstantPointerNull::get(pointerType) : text(value);
    };
    rows.push_back(
        row({number(layout.offsets[i]), number(kernel.parameters[i].bytes), optional(own.name),
             optional(own.pointee), number(own.elementBytes), number(written[unsigned(i)])}));
  }
  return table(rows, rows.empty() ? pointerType : rows[0]->getType(), "parameters");
}

Constant *ModuleTranslator::kernelEntry(const Function &kernel) {
  llvm::Function *function = functions[kernel.name];
  Facts reached = reachableFrom(function);
  auto [offsets, sharedBytes] = sharedTable(sharedInOrder(function, reached));
  if (sharedBytes > emulator::mostStaticShared)
    problem =
        formatv("kernel '{0}' has {1} bytes of static shared memory, and ptxas assembles none "
                "with more than {2}",
                demangle(kernel.name), sharedBytes, emulator::mostStaticShared);
  auto *cluster = ConstantArray::get(
      ArrayType::get(IntegerType::get(context, 32), 3),
      {number(kernel.cluster[0]), number(kernel.cluster[1]), number(kernel.cluster[2])});
  return row({text(kernel.name), function, parameterTable(kernel), number(kernel.parameters.size()),
              number(layOut(kernel.parameters).bytes), offsets, number(sharedBytes),
              number(reached.traits), number(kernel.maxThreads), cluster,
              number(program.architecture)});
}

Constant *ModuleTranslator::variableTable() {
  std::vector<Constant *> rows;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable &variable = *variables[i];
    Constant *initial = ConstantPointerNull::get(pointerType);
    if (!variable.initial.bytes.empty()) {
      auto *bytes = ConstantDataArray::get(context, variable.initial.bytes);
      initial = new GlobalVariable(*output, bytes->getType(), true, GlobalValue::InternalLinkage,
                                   bytes, "initial." + variable.name);
    }
    rows.push_back(row({text(variable.name), variablePlaces[i], initial, number(variable.bytes, 64),
                        number(std::max(variable.alignment, 1u)), number(0)}));
  }
  return table(rows, rows.empty() ? pointerType : rows[0]->getType(), "variables");
}

void ModuleTranslator::moduleEntry(ArrayRef<Constant *> kernels) {
  std::vector<Constant *> sharedRows, siteRows, relocations;
  for (const Variable &variable : shared)
    sharedRows.push_back(row({text(variable.name), number(variable.bytes), number(0)}));
  for (const Frame &frame : sites)
    siteRows.push_back(row({text(frame.file), number(frame.line), number(frame.column)}));
  for (size_t i = 0; i < variables.size(); ++i)
    for (const Initializer::Symbol &symbol : variables[i]->initial.symbols) {
      llvm::Function *function = functions.lookup(symbol.name);
      Constant *target =
          function ? static_cast<Constant *>(function) : variableAddress(symbol.name);
      if (!target)
        continue;
      relocations.push_back(row({number(i), number(function ? 1 : 0), number(symbol.offset, 64),
                                 number(uint64_t(symbol.addend), 64), target}));
    }
  auto typeOf = [&](ArrayRef<Constant *> rows) {
    return rows.empty() ? static_cast<llvm::Type *>(pointerType) : rows[0]->getType();
  };
  Constant *fields =
      row({text(options.source), table(kernels, typeOf(kernels), "kernels"), number(kernels.size()),
           table(sharedRows, typeOf(sharedRows), "shared"), number(sharedRows.size()),
           variableTable(), number(variables.size()),
           table(relocations, typeOf(relocations), "relocations"), number(relocations.size()),
           table(siteRows, typeOf(siteRows), "sites"), number(siteRows.size()), number(0)});
  auto *entry = new GlobalVariable(*output, fields->getType(), false, GlobalValue::InternalLinkage,
                                   fields, "module");
  llvm::Type *nothing = llvm::Type::getVoidTy(context);
  auto *start = llvm::Function::Create(FunctionType::get(nothing, false),
                                       GlobalValue::InternalLinkage, "register_module", *output);
  IRBuilder<> builder(BasicBlock::Create(context, "", start));
  builder.CreateCall(output->getOrInsertFunction("tilelift_register_module",
                                                 FunctionType::get(nothing, {pointerType}, false)),
                     {entry});
  builder.CreateRetVoid();
  appendToGlobalCtors(*output, start, 100); // before the program's own
}

std::unique_ptr<llvm::Module> translate(const Module &program, const TranslateOptions &options,
                                        LLVMContext &context, std::string &problem) {
  return ModuleTranslator(program, options, context, problem).run();
}

} // namespace tilelift::ptx
