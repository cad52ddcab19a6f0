//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the interpreter, the fit and the emitter: the bytes are choices of a grammar of
// kernels. What it writes is C++ that mostly compiles and need not make sense.
//===----------------------------------------------------------------------===//

#include "LiftText.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

class Writer {
public:
  Writer(const unsigned char *data, size_t size) : data(data), size(size) {}

  std::string program() {
    std::string type = any({"float", "int", "double", "unsigned char", "float4", "short"});
    bool isTemplate = choose(4) == 0;
    std::string tile =
        any({"tile[8][16]", "tile[128]", "tile[4][4][8]", "tile[8][17]", "tile[2][64]"});
    dimensions = 1;
    for (size_t at = tile.find('['); (at = tile.find('[', at + 1)) != std::string::npos;)
      ++dimensions;
    std::string text = "constexpr int side = 8;\n"
                       "__device__ int helper(int a, int b) { return a * 2 + b; }\n";
    if (isTemplate)
      text += "template <int N> ";
    text += "__global__ void kernel(" + type + " *out, const " + type +
            " *in, int w, int h, unsigned n, long long k, const int *table) {\n"
            "  __shared__ " +
            type + " " + tile + ";\n";
    if (isTemplate)
      names.push_back("N");
    zero = type == "float4" ? "float4()" : type + "(0)";
    if (type == "unsigned char")
      zero = "(unsigned char)0";
    text += declarations(2);
    unsigned around = choose(4);
    size_t known = names.size();
    if (around == 1)
      text +=
          "  for (int t = 0; t < " + expression(2) + "; t += " + any({"1", "2", "side"}) + ") {\n";
    if (around == 1)
      names.push_back("t");
    if (around == 2)
      text += "  if (" + expression(2) + ") {\n";
    text += "#pragma tma load" + any({"", " outside(any)", " fallback(loop)", " threads(32, 4)"}) +
            "\n";
    text += statement(4);
    text += "  __syncthreads();\n  out[threadIdx.x] = " + element() + ";\n";
    if (around == 1 || around == 2)
      text += "  }\n";
    names.resize(known);
    text += "}\nvoid run(" + type + " *out, const " + type +
            " *in, int w, const int *table) {\n  kernel" + (isTemplate ? "<4>" : "") + "<<<4, " +
            any({"32", "64", "dim3(16, 4)", "dim3(8, 4, 2)", "w"}) +
            ">>>(out, in, w, 4, 5u, 6, table);\n}\n";
    return text;
  }

private:
  unsigned choose(unsigned count) { return at < size ? data[at++] % count : 0; }
  std::string any(const std::vector<std::string> &choices) {
    return choices[choose(unsigned(choices.size()))];
  }

  std::string declarations(unsigned most) {
    std::string text;
    for (unsigned count = choose(most + 1); count > 0; --count) {
      std::string value = expression(3), name = "v" + std::to_string(fresh++);
      text += any({"int ", "unsigned ", "const int ", "long long ", "size_t ", "short ", "bool "}) +
              name + " = " + value + ";\n";
      names.push_back(name);
    }
    return text;
  }

  std::string statement(unsigned depth) {
    size_t known = names.size();
    std::string text;
    switch (depth == 0 ? 0 : choose(9)) {
    case 0: text = element() + " = " + source(depth) + ";\n"; break;
    case 1:
    case 2: text = loop(depth); break;
    case 3:
      text = "if (" + expression(3) + ")\n" + statement(depth - 1);
      if (choose(2))
        text += "else\n" + statement(depth - 1);
      break;
    case 4:
      text = "{\n" + declarations(2);
      for (unsigned count = 1 + choose(3); count > 0; --count)
        text += statement(depth - 1);
      text += "}\n";
      break;
    case 5: text = any({"continue;\n", "break;\n", ";\n", "return;\n"}); break;
    case 6:
      text = variable() + any({" += ", " = ", " -= ", " <<= "}) + expression(2) + ";\n";
      break;
    case 7: text = "while (" + expression(2) + ")\n" + statement(depth - 1); break;
    case 8:
      text = "switch (" + expression(2) + ") {\ncase 0:\n" + statement(depth - 1) +
             "break;\ndefault:\n" + statement(depth - 1) + "}\n";
      break;
    }
    names.resize(known);
    return text;
  }

  std::string loop(unsigned depth) {
    std::string name = "i" + std::to_string(fresh++), start = expression(1);
    std::string text = "for (" + any({"int ", "unsigned ", "long long "}) + name + " = " +
                       any({"threadIdx.x", "threadIdx.y", "0", start}) + "; " + name +
                       any({" < ", " <= ", " != ", " >= "}) +
                       any({"8", "16", "128", "2 * side", expression(1)}) + "; " + name +
                       any({" += 64", " += 1", " += blockDim.x", " -= 1", " += 2"}) + ")\n";
    names.push_back(name);
    return text + statement(depth - 1);
  }

  std::string element() {
    std::string text = "tile";
    for (unsigned d = 0; d < dimensions; ++d)
      text += "[" + expression(2) + "]";
    return text;
  }

  std::string source(unsigned depth) {
    switch (choose(6)) {
    case 0: return zero;
    case 1: return expression(2) + " ? in[" + expression(3) + "] : " + zero;
    case 2: return "*(in + " + expression(3) + ")";
    case 3: return "__ldg(&in[" + expression(3) + "])";
    default: return "in[" + expression(4) + "]";
    }
  }

  std::string variable() { return names.empty() ? "w" : names[choose(unsigned(names.size()))]; }

  std::string expression(unsigned depth) {
    switch (depth == 0 ? choose(4) : choose(9)) {
    case 0: return variable();
    case 1:
      return any(
          {"threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y", "blockDim.x", "gridDim.x"});
    case 2:
      return any({"0", "1", "2", "4", "8", "16", "64", "-1", "3u", "2147483647", "1ll << 40"});
    case 3: return any({"w", "h", "n", "k", "side"});
    case 4: return "table[" + expression(depth - 1) + "]";
    case 5:
      return any({"(int)", "(unsigned)", "(long long)", "-", "!", "~"}) + "(" +
             expression(depth - 1) + ")";
    case 6: return "helper(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
    default:
      return "(" + expression(depth - 1) +
             any({" + ", " * ", " - ", " / ", " % ", " < ", " >= ", " && ", " || ", " << ", " & ",
                  " >> ", " == ", " ^ "}) +
             expression(depth - 1) + ")";
    }
  }

  const unsigned char *data;
  size_t size, at = 0;
  unsigned dimensions = 1, fresh = 0;
  std::string zero;
  std::vector<std::string> names;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string program = Writer(data, size).program();
  if (std::getenv("TILELIFT_FUZZ_PRINT")) // to see what a finding is
    return std::fputs(program.c_str(), stdout) < 0;
  tilelift::liftAndCheck(program);
  return 0;
}
