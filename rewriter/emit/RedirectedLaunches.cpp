//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/RedirectedLaunches.h"

#include "text/Formatted.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool hasComma(const Stmt *part) {
  const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(part);
  return part && ((binary && binary->isCommaOp()) || llvm::any_of(part->children(), hasComma));
}

/// The configuration in `<<<...>>>` as the launcher's first argument. A braced list with a comma
/// operator in it needs its type in front: nvcc writes `{(a, b), c}` without these parentheses for
/// the host's compiler.
std::string configuration(const CallExpr *parts, const std::string &text) {
  return (hasComma(parts) ? "::tilelift::launch_config{" : "{") + text + "}";
}

class LaunchWriter {
public:
  LaunchWriter(const LangOptions &language, const SourceText &source, const MacroUses &macros)
      : language(language), source(source), macros(macros) {}

  EditSet edits;

  void writeOut(const MacroChange &change);
  void write(const LaunchChange &change);

private:
  void writeChevrons(const LaunchChange &change);
  void writeOrdered(const LaunchChange &change);

  unsigned beginOf(SourceLocation at) const { return source.offsetOf(source.written(at)); }
  unsigned endOf(SourceLocation at) const { return source.endOfToken(source.written(at)); }
  std::string textOf(const Expr *part) const {
    return source.between(beginOf(part->getBeginLoc()), endOf(part->getEndLoc())).str();
  }
  /// Where the name begins that the launcher's replaces: with the qualifier of a using-declaration.
  unsigned nameBegin(const DeclRefExpr &callee) const {
    return beginOf(isByUsing(callee) ? callee.getBeginLoc() : callee.getLocation());
  }
  unsigned nameEnd(const DeclRefExpr &callee) const { return endOf(callee.getLocation()); }
  std::string openCall(const LaunchChange &change) const;
  std::string openWith(const LaunchChange &change) const;
  unsigned argumentsBehind(const LaunchChange &change) const;
  std::string launcherText(const LaunchChange &change) const;
  /// What the kernel is given, as it is written between the parentheses.
  StringRef given(const LaunchChange &change) const {
    return source
        .between(change.configuration->paren + 1, beginOf(change.launch.site->call->getRParenLoc()))
        .trim();
  }
  void replaceCall(const CallExpr *call, const std::string &text) {
    edits.replace(beginOf(call->getBeginLoc()), endOf(call->getEndLoc()), text);
  }

  const LangOptions &language;
  const SourceText &source;
  const MacroUses &macros;
};

/// With the qualifier and the template arguments of the kernel.
std::string LaunchWriter::launcherText(const LaunchChange &change) const {
  const DeclRefExpr &callee = *change.launch.callee;
  return source.between(beginOf(callee.getBeginLoc()), nameBegin(callee)).str() + change.launcher +
         source.between(nameEnd(callee), endOf(callee.getEndLoc())).str();
}

/// A call of the launcher, up to where the configuration stands; of a launch through a pointer,
/// this comes first.
std::string LaunchWriter::openCall(const LaunchChange &change) const {
  return change.launch.callee
             ? launcherText(change) + "("
             : change.launcher + "(" + textOf(change.launch.site->kernelExpression()) + ", ";
}

/// The tokens of a macro's use, with launchers for launches.
void LaunchWriter::writeOut(const MacroChange &change) {
  std::map<SourceLocation, std::string> replaced, before;
  for (const LaunchChange &each : change.launches) {
    const CallExpr *config = cast<CUDAKernelCallExpr>(each.launch.site->call)->getConfig();
    const bool isByName = each.launch.callee != nullptr;
    if (each.launch.site->isUsedAsValue)
      before[each.launch.site->call->getBeginLoc()] = "(void)";
    if (isByName)
      replaced[each.launch.nameLocation()] = each.launcher;
    else
      before[each.launch.nameLocation()] += each.launcher + "(";
    replaced[config->getBeginLoc()] = isByName ? "({" : ", {";
    replaced[config->getRParenLoc()] = isByName ? "}" : "})(";
  }
  std::string text;
  const MacroUse &use = macros.at(change.begin);
  for (size_t i = 0; i < use.tokens.size(); ++i) {
    auto other = replaced.find(use.tokens[i].location);
    bool isScoped = use.tokens[i].text == "::" || StringRef(text).ends_with("::");
    text += (isScoped ? "" : " ") + before[use.tokens[i].location] +
            (other == replaced.end() ? use.tokens[i].text : other->second);
    const bool isByName = other != replaced.end() && other->second == "}";
    if (!isByName && (other == replaced.end() || other->second != "})("))
      continue;
    // The arguments follow in the launcher's parentheses.
    ++i;
    if (isByName && i + 1 < use.tokens.size() && use.tokens[i + 1].text != ")")
      text += ",";
  }
  std::string inStyle = formatted(text, source.nameOf(change.begin));
  SmallVector<StringRef, 8> lines;
  StringRef(inStyle).trim().split(lines, '\n');
  edits.replace(change.begin, use.end,
                llvm::join(lines, "\n" + source.indentationAt(change.begin)));
}

void LaunchWriter::write(const LaunchChange &change) {
  const LaunchSite &site = *change.launch.site;
  const CallExpr *call = site.call;
  switch (site.form) {
  case LaunchSite::Form::Chevrons:
    return change.isOrdered ? writeOrdered(change) : writeChevrons(change);
  case LaunchSite::Form::LaunchEx: {
    const std::string opened = openCall(change);
    // Commas of template arguments are not for a macro around the launch.
    bool isExposed =
        change.launch.callee && call->getBeginLoc().isMacroID() && StringRef(opened).contains(',');
    edits.replace(beginOf(call->getBeginLoc()), argumentsBehind(change),
                  (isExposed ? "(" : "") + opened + "{" + textOf(call->getArg(0)) + "}" +
                      (change.launch.callee ? "" : ")("));
    if (isExposed)
      edits.add(insertion(endOf(call->getEndLoc()), ")"));
    return;
  }
  case LaunchSite::Form::SymbolEx:
    return replaceCall(call, openWith(change) + "{" + textOf(call->getArg(0)) + "}, " +
                                 textOf(call->getArg(2)) + ")");
  case LaunchSite::Form::Symbol:
  case LaunchSite::Form::Cooperative: {
    std::string config = textOf(call->getArg(1)) + ", " + textOf(call->getArg(2));
    for (unsigned i = 4; i < call->getNumArgs() && !isa<CXXDefaultArgExpr>(call->getArg(i)); ++i)
      config += ", " + textOf(call->getArg(i));
    bool isCooperative = site.form == LaunchSite::Form::Cooperative;
    return replaceCall(call, openWith(change) +
                                 (isCooperative ? "::tilelift::cooperative(" + config + ")"
                                                : configuration(call, config)) +
                                 ", " + textOf(call->getArg(3)) + ")");
  }
  }
}

/// Of cudaLaunchKernelEx: where the text goes on that follows the kernel, which for a pointer
/// begins with the arguments' parenthesis in the place of a comma.
unsigned LaunchWriter::argumentsBehind(const LaunchChange &change) const {
  const CallExpr *call = change.launch.site->call;
  return !change.launch.callee && call->getNumArgs() > 2 ? beginOf(call->getArg(2)->getBeginLoc())
                                                         : endOf(call->getArg(1)->getEndLoc());
}

/// A call with addresses of arguments, up to where the configuration stands.
std::string LaunchWriter::openWith(const LaunchChange &change) const {
  return change.launch.callee ? "::tilelift::launch_with(" + launcherText(change) + ", "
                              : openCall(change);
}

/// What stands in `<<<...>>>` becomes the argument of a lambda, which is evaluated first.
void LaunchWriter::writeOrdered(const LaunchChange &change) {
  const std::string config = source.unused("tma_config");
  const LaunchSite &site = *change.launch.site;
  const std::string join = !change.launch.callee ? ")(" : given(change).empty() ? "" : ", ";
  replaceCall(site.call, std::string(site.isUsedAsValue ? "(void)" : "") +
                             "[&](const ::tilelift::launch_config &" + config + ") { return " +
                             openCall(change) + config + join + given(change).str() + "); }(" +
                             configuration(site.call, change.configuration->arguments) + ")");
}

void LaunchWriter::writeChevrons(const LaunchChange &change) {
  const LaunchSite &site = *change.launch.site;
  const CallExpr *call = site.call;
  const DeclRefExpr *callee = change.launch.callee;
  const Expr *pointer = site.kernelExpression();
  const unsigned end = callee ? nameEnd(*callee) : endOf(pointer->getEndLoc());
  if (site.isUsedAsValue)
    edits.add(insertion(beginOf(call->getBeginLoc()), "(void)"));
  if (callee)
    edits.replace(nameBegin(*callee), end, change.launcher);
  else
    edits.add(insertion(beginOf(pointer->getBeginLoc()), change.launcher + "("));
  unsigned open = change.configuration->open;
  if (StringRef before = source.between(end, open).rtrim(); !endsInComment(before, language))
    open = end + unsigned(before.size());
  edits.replace(open, change.configuration->paren + 1,
                (callee ? "(" : ", ") + configuration(call, change.configuration->arguments) +
                    (!callee                 ? ")("
                     : given(change).empty() ? ""
                                             : ", "));
}

} // namespace

EditSet editsOf(const LaunchChanges &changes, const LangOptions &language, const SourceText &source,
                const MacroUses &macros) {
  LaunchWriter writer(language, source, macros);
  for (const LaunchChange &each : changes.inText)
    writer.write(each);
  for (const MacroChange &each : changes.inMacros)
    writer.writeOut(each);
  return std::move(writer.edits);
}

} // namespace tilelift
