//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads PTX as Clang writes it, inline assembly included. Debug sections are
// skipped: where an instruction comes from stands in the comment behind each
// .loc, with the chain of calls that were inlined.
//===----------------------------------------------------------------------===//

#include "ptx/Ptx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cctype>

using namespace llvm;

namespace tilelift::ptx {

namespace {

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool isNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '@';
}

class Parser {
public:
  Parser(StringRef text, Module &module) : text(text), module(module) {
    module.places.push_back({});
  }

  bool run() {
    while (skip(), !atEnd() && problem.empty())
      moduleItem();
    return problem.empty();
  }
  std::string problem;

private:
  // Characters.
  bool atEnd() const { return position >= text.size(); }
  char peek(size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }
  bool looksAt(StringRef token) const { return text.substr(position).starts_with(token); }
  void fail(const Twine &what) {
    if (problem.empty())
      problem = ("line " + Twine(text.take_front(position).count('\n') + 1) + ": " + what).str();
    position = text.size();
  }
  /// Spaces and comments; gives back the last comment of the line.
  void skip() {
    while (!atEnd()) {
      if (std::isspace(static_cast<unsigned char>(peek())))
        ++position;
      else if (looksAt("//"))
        position = std::min(text.find('\n', position), text.size());
      else if (looksAt("/*"))
        position = std::min(text.find("*/", position), text.size() - 2) + 2;
      else
        return;
    }
  }
  bool accept(StringRef token) {
    skip();
    if (!looksAt(token))
      return false;
    position += token.size();
    return true;
  }
  void expect(StringRef token) {
    if (!accept(token))
      fail("expected '" + token + "'");
  }
  /// A name, with a leading % where it is a register.
  StringRef name() {
    skip();
    size_t begin = position;
    if (isNameStart(peek()))
      ++position;
    while (isNamePart(peek()))
      ++position;
    if (begin == position)
      fail("expected a name");
    return text.slice(begin, position);
  }
  /// Special registers have dots in their names.
  StringRef dottedName() {
    skip();
    size_t begin = position;
    name();
    if (begin < text.size() && text[begin] == '%')
      while (peek() == '.' && std::isalpha(static_cast<unsigned char>(peek(1)))) {
        ++position;
        while (isNamePart(peek()))
          ++position;
      }
    return text.slice(begin, position);
  }
  /// What stands behind a dot: letters, digits, '_' and "::".
  StringRef modifier() {
    size_t begin = position;
    while (isNamePart(peek()) || looksAt("::"))
      position += looksAt("::") ? 2 : 1;
    return text.slice(begin, position);
  }
  /// The next directive without moving: ".entry".
  bool acceptDirective(StringRef directive) {
    skip();
    if (!looksAt(directive) || isNamePart(peek(directive.size())))
      return false;
    position += directive.size();
    return true;
  }
  StringRef restOfLine() {
    size_t end = std::min(text.find('\n', position), text.size());
    StringRef rest = text.slice(position, end);
    position = end;
    return rest;
  }
  int64_t integer() {
    skip();
    bool negative = peek() == '-';
    if (negative)
      ++position;
    size_t begin = position;
    while (std::isalnum(static_cast<unsigned char>(peek())))
      ++position;
    StringRef digits = text.slice(begin, position);
    digits.consume_back("U");
    uint64_t value = 0;
    if (digits.getAsInteger(0, value))
      fail("expected a number, found '" + digits + "'");
    return negative ? -int64_t(value) : int64_t(value);
  }

  // The module.
  void moduleItem() {
    if (acceptDirective(".target")) {
      StringRef target = restOfLine().trim();
      if (!target.consume_front("sm_") || target.consumeInteger(10, module.architecture))
        fail("expected a device, found '" + target + "'");
    } else if (acceptDirective(".version") || acceptDirective(".address_size")) {
      restOfLine();
    } else if (acceptDirective(".file")) {
      restOfLine();
    } else if (acceptDirective(".section")) {
      restOfLineUntilBrace();
    } else if (acceptDirective(".pragma") || acceptDirective(".alias")) {
      position = std::min(text.find(';', position), text.size()) + 1;
    } else {
      linkedItem();
    }
  }
  void restOfLineUntilBrace() {
    position = std::min(text.find('{', position), text.size());
    int depth = 0;
    do {
      depth += peek() == '{' ? 1 : peek() == '}' ? -1 : 0;
      ++position;
    } while (depth > 0 && !atEnd());
  }
  void linkedItem() {
    bool isExternal = false, isVisible = false;
    for (;;) {
      if (acceptDirective(".extern"))
        isExternal = true;
      else if (acceptDirective(".visible") || acceptDirective(".weak"))
        isVisible = true;
      else if (!acceptDirective(".common"))
        break;
    }
    if (acceptDirective(".entry"))
      return function(true, isVisible);
    if (acceptDirective(".func"))
      return function(false, isVisible);
    size_t before = position;
    for (Variable &variable : declaration(isExternal)) {
      variable.isVisible = isVisible;
      module.variables.push_back(std::move(variable));
    }
    if (position == before)
      fail("unknown directive '" + restOfLine().take_front(40) + "'");
  }

  void function(bool isKernel, bool isVisible) {
    Function function;
    function.isKernel = isKernel;
    function.isVisible = isVisible;
    while (acceptDirective(".noreturn") || acceptDirective(".unique"))
      ;
    if (accept("(")) {
      function.results = parameters();
    }
    function.name = name().str();
    if (accept("("))
      function.parameters = parameters();
    attributes(function);
    if (accept("{")) {
      function.isDefined = true;
      body(function);
    } else {
      expect(";");
    }
    module.functions.push_back(std::move(function));
  }
  /// What is in parentheses, up to the closing one.
  std::vector<Variable> parameters() {
    std::vector<Variable> all;
    while (problem.empty() && !accept(")")) {
      if (accept(","))
        continue;
      std::vector<Variable> one = declaration(false, /*isParameter=*/true);
      if (one.empty())
        fail("expected a parameter");
      else
        all.push_back(std::move(one[0]));
    }
    return all;
  }
  void attributes(Function &function) {
    auto numbers = [&](unsigned (&into)[3]) {
      into[0] = into[1] = into[2] = 1;
      for (unsigned i = 0; i < 3; ++i) {
        into[i] = unsigned(integer());
        if (!accept(","))
          break;
      }
    };
    for (;;) {
      unsigned threads[3];
      if (acceptDirective(".maxntid") || acceptDirective(".reqntid")) {
        numbers(threads);
        function.maxThreads = threads[0] * threads[1] * threads[2];
      } else if (acceptDirective(".reqnctapercluster")) {
        numbers(function.cluster);
      } else if (acceptDirective(".minnctapersm") || acceptDirective(".maxnreg") ||
                 acceptDirective(".maxclusterrank")) {
        integer();
      } else if (!acceptDirective(".explicitcluster") && !acceptDirective(".noreturn") &&
                 !acceptDirective(".blocksareclusters")) {
        return;
      }
    }
  }

  // Variables.
  bool stateSpace(StateSpace &space) {
    const std::pair<StringRef, StateSpace> spaces[] = {
        {".reg", StateSpace::Reg},       {".param", StateSpace::Param},
        {".local", StateSpace::Local},   {".shared", StateSpace::Shared},
        {".global", StateSpace::Global}, {".const", StateSpace::Const}};
    for (auto [word, value] : spaces)
      if (acceptDirective(word))
        return space = value, true;
    return false;
  }
  /// ".shared .align 4 .b8 name[12], other[4];", nothing where none starts here.
  std::vector<Variable> declaration(bool isExternal, bool isParameter = false) {
    std::vector<Variable> all;
    Variable common;
    common.isExternal = isExternal;
    if (!stateSpace(common.space))
      return all;
    unsigned vector = 1;
    for (skip(); peek() == '.'; skip()) {
      ++position;
      StringRef word = modifier();
      if (word == "align")
        common.alignment = unsigned(integer());
      else if (word == "v2" || word == "v4" || word == "v8")
        vector = unsigned(word[1] - '0');
      else if (Type type = parseType(word))
        common.type = type;
      else if (word != "ptr" && word != "shared" && word != "global" && word != "const" &&
               word != "local" && !word.starts_with("attribute"))
        fail("unknown type '." + word + "'");
    }
    common.alignment = std::max(common.alignment, common.type.bytes());
    do
      all.push_back(declarator(common, vector));
    while (!isParameter && accept(","));
    if (!isParameter)
      expect(";");
    return all;
  }
  Variable declarator(const Variable &common, unsigned vector) {
    Variable one = common;
    one.name = name().str();
    one.bytes = one.type.bytes() * vector;
    if (accept("<")) {
      one.count = unsigned(integer());
      expect(">");
    }
    while (accept("[")) {
      one.bytes *= accept("]") ? 0 : uint64_t(integer());
      if (text[position - 1] != ']')
        expect("]");
    }
    if (accept("="))
      initializer(one);
    return one;
  }
  void initializer(Variable &variable) {
    uint64_t at = 0;
    values(variable, at);
    variable.initial.bytes.resize(variable.bytes);
  }
  void values(Variable &variable, uint64_t &at) {
    if (accept("{")) {
      while (problem.empty() && !accept("}"))
        if (!accept(","))
          values(variable, at);
      return;
    }
    value(variable, at);
  }
  /// One element: a number, or an address, perhaps one byte of an address.
  void value(Variable &variable, uint64_t &at) {
    Initializer &initial = variable.initial;
    unsigned bytes = variable.type.bytes();
    skip();
    uint64_t bits = 0;
    bool isSymbol =
        isNameStart(peek()) || (looksAt("0xFF") && text.substr(position).find('(') < 20);
    if (isSymbol) {
      // LLVM writes the address in an array of bytes as "0xFF(name)", eight times.
      unsigned mask = 0;
      if (peek() == '0') {
        StringRef digits = text.substr(position).take_while([](char c) { return c != '('; });
        mask = unsigned(digits.size());
        position += digits.size();
        expect("(");
      }
      bool isGeneric = acceptDirective("generic");
      if (isGeneric)
        expect("(");
      StringRef symbol = name();
      int64_t addend = accept("+") ? integer() : 0;
      if (isGeneric)
        expect(")");
      if (accept("+"))
        addend += integer();
      if (mask)
        expect(")");
      if (mask <= 4) // the first byte stands for all eight
        initial.symbols.push_back({at, symbol.str(), addend});
    } else if (looksAt("0f") || looksAt("0F") || looksAt("0d") || looksAt("0D")) {
      position += 2;
      StringRef digits = text.substr(position).take_while([](char c) { return isHexDigit(c); });
      position += digits.size();
      if (digits.getAsInteger(16, bits))
        fail("expected the bits of a number");
    } else {
      bits = uint64_t(integer());
    }
    initial.bytes.resize(std::max<size_t>(initial.bytes.size(), at + bytes));
    for (unsigned i = 0; i < bytes && i < 8; ++i)
      initial.bytes[at + i] = uint8_t(bits >> (8 * i));
    at += bytes;
  }

  // Bodies.
  void body(Function &function) {
    int depth = 1;
    while (problem.empty()) {
      skip();
      if (atEnd())
        return fail("function without end");
      Statement statement;
      statement.place = place;
      if (accept("{")) {
        ++depth;
        statement.kind = Statement::Open;
      } else if (accept("}")) {
        if (--depth == 0)
          return;
        statement.kind = Statement::Close;
      } else if (accept(";")) {
        continue;
      } else if (acceptDirective(".loc")) {
        readPlace(restOfLine());
        continue;
      } else if (acceptDirective(".pragma")) {
        position = std::min(text.find(';', position), text.size()) + 1;
        continue;
      } else if (peek() == '.') {
        statement.kind = Statement::Declaration;
        statement.variables = declaration(false);
        if (statement.variables.empty())
          return fail("unknown directive '" + restOfLine().take_front(40) + "'");
      } else if (!labelled(statement)) {
        statement.code = instruction();
      }
      function.body.push_back(std::move(statement));
    }
  }
  /// "name:", perhaps with a list behind it.
  bool labelled(Statement &statement) {
    size_t before = position;
    if (!isNameStart(peek()))
      return false;
    StringRef label = name();
    skip();
    if (peek() != ':' || peek(1) == ':') {
      position = before;
      return false;
    }
    ++position;
    statement.kind = Statement::Label;
    statement.name = label.str();
    if (acceptDirective(".branchtargets")) {
      statement.kind = Statement::Targets;
      do
        statement.targets.push_back(name().str());
      while (accept(","));
      expect(";");
    } else if (acceptDirective(".callprototype")) {
      statement.kind = Statement::Prototype;
      if (accept("("))
        statement.variables = parameters(); // results are the callee's business
      accept("_");
      if (accept("("))
        statement.variables = parameters();
      while (acceptDirective(".noreturn"))
        ;
      accept(";");
    }
    return true;
  }

  /// "1 12 3   // file:12:3 @[ other:4:5 ]"; the comment holds all there is to know.
  void readPlace(StringRef line) {
    StringRef comment = line.split("//").second.trim();
    if (auto known = knownPlaces.find(comment); known != knownPlaces.end()) {
      place = known->second;
      return;
    }
    Place frames;
    StringRef rest = comment;
    while (!rest.empty()) {
      auto [frame, outer] = rest.split(" @[ ");
      frame = frame.rtrim(" ]");
      auto [withLine, column] = frame.rsplit(':');
      auto [file, line] = withLine.rsplit(':');
      Frame one;
      one.file = file.str();
      if (!line.getAsInteger(10, one.line) && !column.getAsInteger(10, one.column) && one.line)
        frames.push_back(std::move(one));
      rest = outer;
    }
    if (!frames.empty()) { // line 0 belongs to whatever stands around it
      module.places.push_back(std::move(frames));
      place = unsigned(module.places.size() - 1);
    }
    knownPlaces[comment] = place;
  }

  Instruction instruction() {
    Instruction code;
    if (accept("@")) {
      code.guardNegated = accept("!");
      code.guard = name().str();
    }
    code.opcode = name().str();
    while (peek() == '.') {
      ++position;
      code.modifiers.push_back(modifier().str());
    }
    while (problem.empty() && !accept(";")) {
      if (accept(","))
        continue;
      code.operands.push_back(operand());
    }
    return code;
  }

  Operand operand() {
    Operand result = simpleOperand();
    if (!accept("|"))
      return result;
    Operand pair;
    pair.kind = Operand::Pair;
    pair.elements = {std::move(result), simpleOperand()};
    return pair;
  }
  Operand sequence(Operand::Kind kind, StringRef close) {
    Operand result;
    result.kind = kind;
    while (problem.empty() && !accept(close))
      if (!accept(","))
        result.elements.push_back(operand());
    return result;
  }
  Operand simpleOperand() {
    if (accept("{"))
      return sequence(Operand::Vector, "}");
    if (accept("("))
      return sequence(Operand::List, ")");
    if (accept("["))
      return address();
    Operand result;
    result.negated = accept("!");
    skip();
    if (looksAt("0f") || looksAt("0F") || looksAt("0d") || looksAt("0D")) {
      result.kind = std::tolower(peek(1)) == 'f' ? Operand::Single : Operand::Double;
      position += 2;
      StringRef digits = text.substr(position).take_while([](char c) { return isHexDigit(c); });
      position += digits.size();
      uint64_t bits = 0;
      if (digits.getAsInteger(16, bits))
        fail("expected the bits of a number");
      result.value = int64_t(bits);
    } else if (isDigit(peek()) || peek() == '-' || peek() == '+') {
      result.kind = Operand::Integer;
      if (peek() == '+')
        ++position;
      result.value = integer();
    } else {
      named(result);
    }
    return result;
  }
  /// A register, a symbol with or without an offset, or "_".
  void named(Operand &result) {
    result.kind = Operand::Register;
    result.name = dottedName().str();
    if (result.name == "_") {
      result.kind = Operand::Sink;
      result.name.clear();
    } else if (accept("+")) {
      result.value = integer();
    }
    // "%r1.x" does not occur in what compilers write.
  }
  Operand address() {
    Operand result;
    result.kind = Operand::Address;
    skip();
    if (isNameStart(peek())) {
      result.name = dottedName().str();
      if (accept("+"))
        result.value = integer();
      else if (skip(), peek() == '-')
        result.value = integer();
    } else {
      result.value = integer();
    }
    while (accept(","))
      result.elements.push_back(operand());
    expect("]");
    return result;
  }

  StringRef text;
  Module &module;
  size_t position = 0;
  unsigned place = 0;
  StringMap<unsigned> knownPlaces;
};

} // namespace

std::unique_ptr<Module> parse(StringRef text, std::string &problem) {
  auto module = std::make_unique<Module>();
  Parser parser(text, *module);
  if (parser.run())
    return module;
  problem = parser.problem;
  return nullptr;
}

} // namespace tilelift::ptx
