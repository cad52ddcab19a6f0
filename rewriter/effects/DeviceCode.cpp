//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/DeviceCode.h"

#include "effects/SourceSpots.h"
#include "support/CallPath.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <functional>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A kernel with more instructions than that calls the rest, of which nothing is known.
constexpr unsigned mostInstructions = 200'000;

/// A call through a function argument becomes a direct call only when the caller that passes the
/// function has been inlined, so calls are inlined in several rounds. The limit also bounds how
/// often a recursive function is inlined.
constexpr unsigned mostRounds = 4;

clang::CodeGenOptions codeGenOptions() {
  clang::CodeGenOptions options;
  options.OptimizationLevel = 0;
  options.DisableO0ImplyOptNone = true;
  options.setDebugInfo(codegenoptions::DebugLineTablesOnly);
  options.DebugColumnInfo = true;
  options.DebugInfoMacroExpansionLoc = true;
  return options;
}

/// Hands the generator all functions that may be called; what nobody calls, it leaves out.
class Feeder {
public:
  Feeder(CodeGenerator &generator, ArrayRef<const FunctionDecl *> kernels)
      : generator(generator), kernels(kernels) {}

  void feed(const DeclContext *scope) {
    for (Decl *each : scope->decls()) {
      if (auto *function = dyn_cast<FunctionDecl>(each))
        feedFunction(function);
      else if (auto *pattern = dyn_cast<FunctionTemplateDecl>(each))
        for (FunctionDecl *instance : pattern->specializations())
          feedFunction(instance);
      else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(each))
        feed(cast<DeclContext>(each));
    }
  }

private:
  void feedFunction(FunctionDecl *function) {
    const bool isWanted = function->hasAttr<CUDAGlobalAttr>()
                              ? llvm::is_contained(kernels, function)
                              : function->hasAttr<CUDADeviceAttr>();
    if (isWanted && function->doesThisDeclarationHaveABody() && !function->isInvalidDecl() &&
        !function->isDependentContext() && seen.insert(function).second)
      generator.HandleTopLevelDecl(DeclGroupRef(function));
  }

  CodeGenerator &generator;
  ArrayRef<const FunctionDecl *> kernels;
  DenseSet<const FunctionDecl *> seen;
};

/// `memcpy` may access an object of any type. SROA turns it into a load or a store whose type says
/// nothing of that object, but which keeps the alias scopes of the `memcpy`: one with this name
/// marks it.
constexpr StringRef bytesScope = "tilelift.bytes";

/// Whether a builtin function may have written a memory intrinsic, and not the copy of an object.
bool mayCopyBytes(const Instruction &instruction, const SpotTable &spots) {
  const DILocation *location = instruction.getDebugLoc().get();
  const ArrayRef<const Stmt *> here =
      location ? spots.at(spotAt(*location)) : ArrayRef<const Stmt *>();
  return here.empty() || llvm::any_of(here, [](const Stmt *each) {
           const auto *call = dyn_cast<CallExpr>(each);
           return call && call->getBuiltinCallee() != 0;
         });
}

void markCopiesOfBytes(Function &function, const FunctionDecl *declaration) {
  std::optional<SpotTable> spots;
  for (Instruction &instruction : instructions(function)) {
    if (!isa<MemTransferInst>(instruction))
      continue;
    if (declaration && !spots)
      spots.emplace(declaration);
    if (spots && !mayCopyBytes(instruction, *spots))
      continue;
    MDBuilder builder(function.getContext());
    MDNode *scope =
        builder.createAnonymousAliasScope(builder.createAnonymousAliasScopeDomain(), bytesScope);
    instruction.setMetadata(LLVMContext::MD_alias_scope, MDNode::get(function.getContext(), scope));
  }
}

/// Puts callees in the places of their calls, innermost first.
class Joiner {
public:
  using Written = std::function<const FunctionDecl *(const Function &)>;

  explicit Joiner(Written declarationOf) : declarationOf(std::move(declarationOf)) {
    PassBuilder builder;
    builder.registerFunctionAnalyses(analyses);
    analyses.registerPass([&] { return ModuleAnalysisManagerFunctionProxy(modules); });
    builder.registerModuleAnalyses(modules);
    modules.registerPass([&] { return FunctionAnalysisManagerModuleProxy(analyses); });
  }

  void join(Function &function) {
    auto [state, isNew] = sizes.try_emplace(&function, Size());
    if (!isNew)
      return;
    markCopiesOfBytes(function, declarationOf(function));
    // Each round may turn calls through function arguments into direct ones, for the next round.
    for (unsigned round = 0; round < mostRounds && (joinCalls(function) || round == 0); ++round) {
      SROAPass(SROAOptions::PreserveCFG).run(function, analyses);
      analyses.clear(function, function.getName());
    }
    sizes[&function] = {true, unsigned(function.getInstructionCount())};
  }

private:
  /// Returns whether any call was joined.
  bool joinCalls(Function &function) {
    SmallVector<CallBase *, 16> calls;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && calleeOf(*call))
        calls.push_back(call);
    unsigned size = function.getInstructionCount();
    bool joinsAny = false;
    for (CallBase *call : calls) {
      Function *callee = calleeOf(*call);
      join(*callee);
      const Size inner = sizes.lookup(callee);
      if (!inner.isDone || size + inner.instructions > mostInstructions)
        continue;
      InlineFunctionInfo how;
      if (InlineFunction(*call, how, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false)
              .isSuccess()) {
        size += inner.instructions;
        joinsAny = true;
      }
    }
    return joinsAny;
  }

  /// One that stays a call while it is being joined itself calls itself.
  struct Size {
    bool isDone = false;
    unsigned instructions = 0;
  };

  static Function *calleeOf(CallBase &call) {
    Function *callee = call.getCalledFunction();
    return callee && !callee->isDeclaration() ? callee : nullptr;
  }

  const Written declarationOf;
  ModuleAnalysisManager modules;
  FunctionAnalysisManager analyses;
  DenseMap<Function *, Size> sizes;
};

} // namespace

struct DeviceCode::Parts {
  LLVMContext context;
  HeaderSearchOptions headers;
  PreprocessorOptions preprocessor;
  clang::CodeGenOptions options = codeGenOptions();
  clang::DiagnosticOptions diagnosticOptions;
  IgnoringDiagConsumer ignored;
  IntrusiveRefCntPtr<DiagnosticsEngine> diagnostics;
  std::unique_ptr<CodeGenerator> generator;
  llvm::Module *module = nullptr;
  Joiner joiner{[this](const Function &function) { return declarationOf(function); }};
  DenseMap<const DISubprogram *, const FunctionDecl *> functions;

  const FunctionDecl *declarationOf(const Function &function) const {
    return dyn_cast_or_null<FunctionDecl>(generator->GetDeclForMangledName(function.getName()));
  }
};

/// What the code generator has to say has been said by the parser, or is nobody's business.
static IntrusiveRefCntPtr<DiagnosticsEngine> silentEngine(clang::DiagnosticOptions &options,
                                                          DiagnosticConsumer &consumer,
                                                          SourceManager &sources) {
  auto engine = makeIntrusiveRefCnt<DiagnosticsEngine>(DiagnosticIDs::create(), options, &consumer,
                                                       /*ShouldOwnClient=*/false);
  engine->setSourceManager(&sources);
  return engine;
}

DeviceCode::DeviceCode(ASTContext &context, ArrayRef<const FunctionDecl *> kernels)
    : parts(std::make_unique<Parts>()) {
  SourceManager &sources = context.getSourceManager();
  parts->diagnostics = silentEngine(parts->diagnosticOptions, parts->ignored, sources);
  parts->generator.reset(CreateLLVMCodeGen(*parts->diagnostics, "kernels",
                                           sources.getFileManager().getVirtualFileSystemPtr(),
                                           parts->headers, parts->preprocessor, parts->options,
                                           parts->context)
                             .release());
  parts->generator->Initialize(context);
  Feeder(*parts->generator, kernels).feed(context.getTranslationUnitDecl());
  for (const FunctionDecl *kernel : kernels) // methods too, that nobody in this code calls
    parts->generator->GetAddrOfGlobal(GlobalDecl(kernel), /*isForDefinition=*/true);
  parts->generator->HandleTranslationUnit(context);
  parts->module = parts->generator->GetModule();
  if (!parts->module)
    return;
  for (const Function &function : *parts->module)
    if (const DISubprogram *scope = function.getSubprogram())
      parts->functions[scope] = declarationOf(function);
}

DeviceCode::~DeviceCode() = default;

const Function *DeviceCode::of(const FunctionDecl *kernel) {
  if (!parts->module)
    return nullptr;
  Function *function =
      parts->module->getFunction(parts->generator->GetMangledName(GlobalDecl(kernel)));
  if (!function || function->isDeclaration())
    return nullptr;
  parts->joiner.join(*function);
  return function;
}

bool isOfSameText(const FunctionDecl *function, const FunctionDecl *other) {
  return function->getCanonicalDecl() == other->getCanonicalDecl() ||
         (isLambda(function) && isLambda(other) && function->getLocation() == other->getLocation());
}

/// Whether a kernel calls anything whose code is not in its own, but for intrinsics.
static bool hasOpenCalls(const Function &kernel) {
  return llvm::any_of(instructions(kernel), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return call && !call->isInlineAsm() && !(callee && callee->isIntrinsic());
  });
}

bool DeviceCode::mayCallFromAfar(const FunctionDecl *kernel, const FunctionDecl *callee) {
  const Function *code = of(kernel);
  if (!code)
    return true;
  if (!hasOpenCalls(*code))
    return false;
  // Upwards from the callee: to the kernel, or to a function whose address goes somewhere.
  SmallVector<const Function *, 8> reached;
  DenseSet<const Function *> seen;
  for (const Function &function : *parts->module)
    if (const FunctionDecl *declared = declarationOf(function);
        declared && isOfSameText(declared, callee))
      reached.push_back(&function);
  while (!reached.empty()) {
    const Function *function = reached.pop_back_val();
    const FunctionDecl *declared = declarationOf(*function);
    const bool isKernel = declared && declared->hasAttr<CUDAGlobalAttr>();
    if (function == code)
      return true;
    if (isKernel || !seen.insert(function).second)
      continue;
    for (const Use &use : function->uses()) {
      const auto *call = dyn_cast<CallBase>(use.getUser());
      if (!call || !call->isCallee(&use))
        return true;
      reached.push_back(call->getFunction());
    }
  }
  return false;
}

const FunctionDecl *DeviceCode::functionOf(const DISubprogram *scope) const {
  return parts->functions.lookup(scope);
}

const FunctionDecl *DeviceCode::declarationOf(const Function &function) const {
  return parts->declarationOf(function);
}

const VarDecl *DeviceCode::variableOf(const GlobalVariable &variable) const {
  return dyn_cast_or_null<VarDecl>(parts->generator->GetDeclForMangledName(variable.getName()));
}

const GlobalVariable *DeviceCode::sharedArray(const VarDecl *array) const {
  for (const GlobalVariable &variable : parts->module->globals())
    if (const VarDecl *own = variableOf(variable);
        own && own->getCanonicalDecl() == array->getCanonicalDecl())
      return &variable;
  return nullptr;
}

bool isOfBytes(const Instruction &instruction) {
  const MDNode *scopes = instruction.getMetadata(LLVMContext::MD_alias_scope);
  return scopes && llvm::any_of(scopes->operands(), [](const MDOperand &each) {
           const auto *scope = dyn_cast<MDNode>(each);
           return scope && AliasScopeNode(scope).getName() == bytesScope;
         });
}

} // namespace tilelift
