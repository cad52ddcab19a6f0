//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "host/LookAhead.h"

#include "support/Toolkit.h"

#include "clang/Basic/CharInfo.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/DependencyDirectivesScanner.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// A line may go on in the next one, in the middle of a word.
std::string withoutSplices(StringRef text) {
  std::string joined;
  while (!text.empty()) {
    auto [before, after] = text.split('\\');
    joined += before;
    if (before.size() == text.size())
      break;
    StringRef next = after.ltrim(" \t\r");
    bool isSplice = next.consume_front("\n");
    if (!isSplice)
      joined += '\\';
    text = isSplice ? next : after;
  }
  return joined;
}

StringRef skipComments(StringRef text) {
  text = text.ltrim(" \t\v\f");
  while (text.starts_with("/*"))
    text = text.drop_front(std::min(text.size(), text.find("*/") + 2)).ltrim(" \t\v\f");
  return text;
}

bool mayHoldDirective(StringRef text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) // no bytes
    return true;
  if (!text.contains("ragma") && !text.contains("\\\n") && !text.contains("\\\r"))
    return false;
  std::string joined = withoutSplices(text);
  for (StringRef rest = joined; rest.contains("ragma");) {
    auto [before, after] = rest.split("ragma");
    // What _Pragma says may be put together by macros.
    bool isOperator = before.ends_with("_P");
    auto isOpening = [](char each) { return each == '(' || each == ' '; };
    StringRef word = skipComments(after);
    if (isOperator
            ? StringRef(joined).contains("tma") ||
                  !skipComments(word.drop_while(isOpening)).starts_with("\"")
            : word.consume_front("tma") && !isAsciiIdentifierContinue(word.empty() ? ' ' : word[0]))
      return true;
    rest = after;
  }
  return false;
}

class Looker {
public:
  Looker(const CompilerInvocation &invocation, vfs::FileSystem &files)
      : files(files), workingFolder(invocation.getFileSystemOpts().WorkingDir) {
    for (const HeaderSearchOptions::Entry &entry : invocation.getHeaderSearchOpts().UserEntries)
      if ((entry.Group == frontend::Quoted || entry.Group == frontend::Angled) &&
          !isToolkit(entry.Path, files))
        folders.push_back(absolute(entry.Path));
    const PreprocessorOptions &preprocessor = invocation.getPreprocessorOpts();
    for (const std::string &file : preprocessor.Includes)
      look(file, "");
    found |= !preprocessor.ImplicitPCHInclude.empty(); // nobody looks into it
    for (const auto &[macro, isUndefined] : preprocessor.Macros)
      found |= !isUndefined && StringRef(macro).contains("_Pragma");
  }

  bool mayHaveDirectives(StringRef path, StringRef text) {
    lookAt(path, text);
    while (!found && !work.empty()) {
      std::string next = work.pop_back_val();
      if (ErrorOr<std::unique_ptr<MemoryBuffer>> header = files.getBufferForFile(next))
        lookAt(next, (*header)->getBuffer());
    }
    return found;
  }

private:
  std::string absolute(StringRef path) const {
    SmallString<256> full(path);
    if (!workingFolder.empty())
      sys::path::make_absolute(workingFolder, full);
    return std::string(full);
  }

  void lookAt(StringRef path, StringRef text) {
    SmallVector<dependency_directives_scan::Token, 64> tokens;
    SmallVector<dependency_directives_scan::Directive, 32> directives;
    found |= mayHoldDirective(text) || scanSourceForDependencyDirectives(text, tokens, directives);
    for (const dependency_directives_scan::Directive &directive : directives)
      if (!found && llvm::is_contained({dependency_directives_scan::pp_include,
                                        dependency_directives_scan::pp_include_next,
                                        dependency_directives_scan::pp_import},
                                       directive.Kind))
        include(path, text, directive.Tokens);
  }

  void include(StringRef path, StringRef text, ArrayRef<dependency_directives_scan::Token> tokens) {
    auto name = llvm::find_if(tokens, [](const dependency_directives_scan::Token &token) {
      return token.isOneOf(tok::header_name, tok::string_literal);
    });
    if (name == tokens.end()) { // a macro brings it
      found = true;
      return;
    }
    StringRef spelled = text.substr(name->Offset, name->Length);
    look(spelled.drop_front().drop_back(),
         spelled.starts_with("\"") ? sys::path::parent_path(path) : StringRef());
  }

  /// All files that an #include may mean.
  void look(StringRef name, StringRef ownFolder) {
    auto lookIn = [&](StringRef folder) {
      SmallString<256> full(folder);
      sys::path::append(full, name);
      if (seen.insert(full).second && files.exists(full))
        work.push_back(std::string(full));
    };
    lookIn(ownFolder);
    for (const std::string &folder : folders)
      lookIn(folder);
  }

  vfs::FileSystem &files;
  std::string workingFolder;
  SmallVector<std::string, 8> folders;
  StringSet<> seen;
  SmallVector<std::string, 16> work;
  bool found = false;
};

} // namespace

bool mayHaveDirectives(StringRef path, StringRef text, const CompilerInvocation &invocation,
                       vfs::FileSystem &files) {
  return Looker(invocation, files).mayHaveDirectives(path, text);
}

} // namespace tilelift
