//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/Compile.h"

#include "host/HeaderCache.h"
#include "tool/Invocation.h"
#include "tool/run/LocalArrays.h"
#include "tool/run/SharedAddresses.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Mangle.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The parameters of all kernels, instances of templates included.
class KernelVisitor : public DynamicRecursiveASTVisitor {
public:
  KernelVisitor(ASTContext &context, DeviceSide &side)
      : context(context), names(context), side(side) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    checkName(function);
    if (!function->hasAttr<CUDAGlobalAttr>() || function->isDependentContext())
      return true;
    std::vector<ptx::ParameterFacts> &facts = side.kernels[names.getName(function)];
    facts.clear();
    for (const ParmVarDecl *parameter : function->parameters()) {
      ptx::ParameterFacts one;
      one.name = parameter->getNameAsString();
      if (const auto *pointer = parameter->getType()->getAs<clang::PointerType>()) {
        QualType element = pointer->getPointeeType().getCanonicalType().getUnqualifiedType();
        one.pointee = element.getAsString(context.getPrintingPolicy());
        if (!element->isIncompleteType() && !element->isFunctionType())
          one.elementBytes = unsigned(context.getTypeSizeInChars(element).getQuantity());
      }
      facts.push_back(std::move(one));
    }
    if (const auto *cluster = function->getAttr<CUDAClusterDimsAttr>())
      side.clusters[names.getName(function)] =
          number(cluster->getX()) + "," + number(cluster->getY()) + "," + number(cluster->getZ());
    return true;
  }

  bool VisitVarDecl(VarDecl *variable) override {
    checkName(variable);
    return true;
  }

private:
  /// One dimension of a cluster, which is 1 where the attribute does not name it.
  std::string number(const Expr *dimension) const {
    Expr::EvalResult result;
    const bool isKnown = dimension && dimension->EvaluateAsInt(result, context);
    return isKnown ? std::to_string(result.Val.getInt().getZExtValue()) : "1";
  }

  /// LLVM would end the process for a name that PTX cannot have.
  void checkName(const NamedDecl *named) {
    const bool isInPtx = named->hasAttr<CUDAGlobalAttr>() || named->hasAttr<CUDADeviceAttr>() ||
                         named->hasAttr<CUDASharedAttr>() || named->hasAttr<CUDAConstantAttr>();
    if (!isInPtx || !named->getIdentifier() || isASCII(named->getName()))
      return;
    DiagnosticsEngine &diagnostics = context.getDiagnostics();
    diagnostics.Report(named->getLocation(),
                       diagnostics.getCustomDiagID(
                           DiagnosticsEngine::Error,
                           "'%0' is no name that PTX can have: it has letters outside of ASCII"))
        << named->getName();
  }

  ASTContext &context;
  ASTNameGenerator names;
  DeviceSide &side;
};

/// Calls of functions that have no body here.
class CallVisitor : public DynamicRecursiveASTVisitor {
public:
  CallVisitor(ASTContext &context, HostSide &side) : context(context), side(side) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee && callee->getIdentifier() && !callee->hasBody()) {
      PresumedLoc place = context.getSourceManager().getPresumedLoc(call->getBeginLoc());
      if (place.isValid())
        side.calls.try_emplace(callee->getName().str(),
                               (Twine(place.getFilename()) + ":" + Twine(place.getLine()) + ":" +
                                Twine(place.getColumn()))
                                   .str());
    }
    return true;
  }

private:
  ASTContext &context;
  HostSide &side;
};

template <typename Visitor, typename Side> class Collector : public ASTConsumer {
public:
  Collector(Side &side, bool usesHeaderCache) : side(side), usesHeaderCache(usesHeaderCache) {}
  void HandleTranslationUnit(ASTContext &context) override {
    Visitor visitor(context, side);
    forEachTopDeclaration(context, usesHeaderCache,
                          [&](Decl *each) { visitor.TraverseDecl(each); });
  }

private:
  Side &side;
  const bool usesHeaderCache;
};

/// Clang ignores the attribute, and host and device would each have a variable of
/// their own.
class ManagedVariables : public PPCallbacks {
public:
  explicit ManagedVariables(Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  void MacroExpands(const Token &name, const MacroDefinition &, SourceRange,
                    const MacroArgs *) override {
    if (!name.getIdentifierInfo()->isStr("__managed__"))
      return;
    DiagnosticsEngine &diagnostics = preprocessor.getDiagnostics();
    unsigned id = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "clang has no '__managed__' variables; allocate the memory with "
                                  "cudaMallocManaged and pass the pointer to the kernel");
    diagnostics.Report(name.getLocation(), id);
  }

private:
  Preprocessor &preprocessor;
};

/// Code generation that lets a visitor see the syntax tree first.
template <typename Action, typename Visitor, typename Side> class ObservedAction : public Action {
public:
  ObservedAction(Side &side, bool usesHeaderCache) : side(side), usesHeaderCache(usesHeaderCache) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                 StringRef file) override {
    if constexpr (std::is_same_v<Side, DeviceSide>) // once for both sides
      compiler.getPreprocessor().addPPCallbacks(
          std::make_unique<ManagedVariables>(compiler.getPreprocessor()));
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<Collector<Visitor, Side>>(side, usesHeaderCache));
    consumers.push_back(Action::CreateASTConsumer(compiler, file));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

private:
  Side &side;
  const bool usesHeaderCache;
};

/// `__cluster_dims__`, which Clang's code generation leaves out.
class ClusterSizes : public PassInfoMixin<ClusterSizes> {
public:
  explicit ClusterSizes(const StringMap<std::string> &clusters) : clusters(clusters) {}
  static bool isRequired() { return true; }

  PreservedAnalyses run(llvm::Module &module, ModuleAnalysisManager &) {
    for (const auto &[kernel, size] : clusters)
      if (llvm::Function *function = module.getFunction(kernel))
        function->addFnAttr("nvvm.cluster_dim", size);
    return PreservedAnalyses::all();
  }

private:
  const StringMap<std::string> &clusters;
};

/// Lifted text includes the runtime, whose headers take longer to read than most programs.
CachedHeaders headersOf(const CompilerInvocation &invocation, vfs::FileSystem &files) {
  const FrontendInputFile &file = invocation.getFrontendOpts().Inputs.front();
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = files.getBufferForFile(file.getFile());
  return text && (*text)->getBuffer().contains("#include <tilelift/tilelift.cuh>")
             ? CachedHeaders::CudaAndRuntime
             : CachedHeaders::Cuda;
}

bool takeCachedHeaders(CompilerInvocation &invocation, const Files &files) {
  return useHeaderCache(invocation, files, headersOf(invocation, *files));
}

bool execute(Invocation invocation, Files files, FrontendAction &action, raw_ostream &messages,
             std::unique_ptr<raw_pwrite_stream> output) {
  CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(
      new TextDiagnosticPrinter(messages, compiler.getInvocation().getDiagnosticOpts()));
  if (!compiler.createTarget())
    return false;
  compiler.createFileManager();
  compiler.createSourceManager();
  if (output)
    compiler.setOutputStream(std::move(output));
  return compiler.ExecuteAction(action);
}

} // namespace

void initializeTargets() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

DeviceSide compileDevice(Invocation invocation, Files files) {
  DeviceSide side;
  CodeGenOptions &options = invocation->getCodeGenOpts();
  options.DiscardValueNames = false; // messages name variables
  options.PassBuilderCallbacks.push_back(
      [&](PassBuilder &passes) { testLocalArrays(passes, side.localAccesses); });
  options.PassBuilderCallbacks.push_back(storeSharedAddresses);
  options.PassBuilderCallbacks.push_back([&](PassBuilder &passes) {
    passes.registerPipelineStartEPCallback([&](ModulePassManager &manager, OptimizationLevel) {
      manager.addPass(ClusterSizes(side.clusters));
    });
  });
  SmallString<0> text;
  ObservedAction<EmitAssemblyAction, KernelVisitor, DeviceSide> action(
      side, takeCachedHeaders(*invocation, files));
  side.compiled = execute(std::move(invocation), files, action, errs(),
                          std::make_unique<raw_svector_ostream>(text));
  side.ptx = std::string(text);
  return side;
}

HostSide compileHost(Invocation invocation, Files files) {
  HostSide side;
  side.hasOwnHeaders = usesOwnHeaders(*invocation);
  ObservedAction<EmitObjAction, CallVisitor, HostSide> action(
      side, takeCachedHeaders(*invocation, files));
  raw_string_ostream messages(side.messages);
  side.compiled = execute(std::move(invocation), files, action, messages, nullptr);
  return side;
}

} // namespace tilelift
