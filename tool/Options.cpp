//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Options.h"

#include "directive/BlockSize.h"
#include "host/LiftFile.h"
#include "tool/Invocation.h"

#include "tilelift/version.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

cl::OptionCategory category("tilelift options");

constexpr const char *overview =
    R"(Turns annotated copies of CUDA kernels into Tensor Memory Accelerator operations.

  tilelift blur.cu -o blur.tma.cu           lift one file
  tilelift src/*.cu -o lifted/ -- -Iinclude  lift several, with compiler flags
  tilelift -p build -o lifted/               lift all CUDA files of a compile database
  tilelift --check blur.cu                   only say what would happen
  tilelift --fix blur.cu -o blur.tma.cu      mend blur.cu where a message says how, then lift
  tilelift run blur.cu                       run the lifted program without a GPU
  tilelift compare blur.cu                   say what each copy brings, where there is a GPU
  tilelift lint gemm.cu                      check TMA code that is written by hand

Reads standard input for '-' and writes to standard output unless told otherwise.
Each command has a --help of its own. Clang gets -I, -D, -U, -include, -isystem,
-iquote and -std=, and what stands after '--', as it is. Diagnostics are shown, silenced,
raised and lowered with -W<id>, -Wno-<id>, -Werror=<id> and -Wno-error=<id>.
Exit status: 0 all copies lifted, 1 a copy is refused, 2 an error.)";

constexpr const char *lintOverview =
    R"(Checks TMA code that is written by hand: boxes, swizzles, byte counts, barriers, fences.

  tilelift lint gemm.cu              what breaks a rule for sure
  tilelift lint --remarks gemm.cu    and what only a run can tell

Clang gets -I, -D, -U, -include, -isystem, -iquote and -std=, and what stands after '--',
as it is. Diagnostics are silenced with -Wno-<id>.
Exit status: 0 nothing is wrong, 1 a rule is broken, 2 an error.)";

enum class Remarks { None, Copies, Resources };

/// The words of a command line: tilelift's own, diagnostics that are shown or silenced (LLVM has an
/// option -W of its own), and what goes to Clang.
struct Words {
  std::vector<const char *> own;
  std::vector<StringRef> warnings;
  std::vector<std::string> forClang;
};

/// Flags that go to Clang although no '--' stands before them.
bool isOfClang(StringRef word) {
  for (StringRef flag : {"-I", "-D", "-U", "-std="})
    if (word.starts_with(flag))
      return true;
  return takesValueOfClang(word);
}

Words wordsOf(int argc, const char **argv) {
  Words words;
  bool isForClang = false;
  for (int i = 0; i < argc; ++i) {
    if (!isForClang && StringRef(argv[i]) == "--")
      isForClang = true;
    else if (isForClang)
      words.forClang.push_back(argv[i]);
    else if (StringRef(argv[i]).starts_with("-W"))
      words.warnings.push_back(StringRef(argv[i]).drop_front(2));
    else if (isOfClang(argv[i]))
      words.forClang.push_back(argv[i]);
    else
      words.own.push_back(argv[i]);
    if (!isForClang && takesValueOfClang(argv[i]) && i + 1 < argc)
      words.forClang.push_back(argv[++i]);
  }
  return words;
}

void quit(const Twine &message) {
  errs() << "tilelift: error: " << message << "\n";
  exit(2);
}

void quitIf(const std::optional<std::string> &wrong) {
  if (wrong)
    quit(*wrong);
}

/// Ends the tool with an error where options exclude each other, or where there is no input.
void checkTogether(const ToolOptions &options) {
  if (options.files.empty())
    quit(options.databaseFolder.empty()
             ? Twine("no input file; 'tilelift --help' tells how to call it")
             : "no CUDA file in the compile database of '" + Twine(options.databaseFolder) + "'");
  quitIf(wrongArch(options.arch));
  if (!options.dependencyFile.empty() && (options.files.size() != 1 || options.output.empty()))
    quit("'--depfile' is for one file with an output: it takes '-o' and a single file");
  if (options.inPlace && (!options.output.empty() || llvm::is_contained(options.files, "-")))
    quit("'--in-place' rewrites files where they are: it takes neither '-o' nor standard input");
}

/// What all commands that read sources take, as LLVM's parser knows it while there is an object of
/// this kind.
struct InputLine {
  cl::list<std::string> files{cl::Positional, cl::desc("files..."), cl::cat(category)};
  cl::opt<Remarks> remarks{
      "remarks",
      cl::ValueOptional,
      cl::desc("say what became of each copy"),
      cl::values(clEnumValN(Remarks::Copies, "", ""),
                 clEnumValN(Remarks::Resources, "resources",
                            "and what each kernel takes of an SM, before and after")),
      cl::init(Remarks::None),
      cl::cat(category)};
  cl::opt<bool> verify{"verify", cl::desc("check diagnostics against expected-... comments"),
                       cl::Hidden, cl::cat(category)};
  cl::opt<std::string> database{"p",
                                cl::desc("folder of a compile_commands.json; without files, "
                                         "all of its CUDA files"),
                                cl::value_desc("folder"), cl::cat(category)};
  cl::opt<std::string> cudaPath{"cuda-path", cl::desc("where the CUDA toolkit is"),
                                cl::value_desc("folder"), cl::cat(category)};
  cl::opt<std::string> arch{
      "arch", cl::desc("device that the file is analysed for, where __CUDA_ARCH__ matters"),
      cl::init(firstArchWithTma), cl::value_desc("sm_NN"), cl::cat(category)};

  void parse(const std::vector<const char *> &words, const char *about);
  ToolOptions options() const;
};

/// And what lifting takes.
struct LiftLine : InputLine {
  cl::opt<std::string> output{"o", cl::desc("write to a file, or into a folder for several files"),
                              cl::value_desc("path"), cl::cat(category)};
  cl::opt<bool> inPlace{"in-place", cl::desc("rewrite the files themselves"), cl::cat(category)};
  cl::opt<bool> diff{"diff", cl::desc("print a unified diff instead of the file"),
                     cl::cat(category)};
  cl::opt<bool> check{"check", cl::desc("print verdicts, write nothing"), cl::cat(category)};
  cl::opt<bool> fix{"fix", cl::desc("first mend the files where one change lets a copy lift"),
                    cl::cat(category)};
  cl::opt<bool> dumpRelation{"dump-relation", cl::desc("print the copy relations as JSON"),
                             cl::cat(category)};
  cl::opt<bool> dumpPlan{"dump-plan", cl::desc("print the plans as JSON"), cl::cat(category)};
  cl::opt<bool> dumpEffects{"dump-effects",
                            cl::desc("print what each place of the annotated kernels may do"),
                            cl::cat(category)};
  cl::opt<bool> onlyProfitable{"only-profitable",
                               cl::desc("leave copies as loops that are as fast without TMA"),
                               cl::cat(category)};
  cl::opt<unsigned> onlyCopy{"only-copy", cl::desc("lift one copy, by its number in the text"),
                             cl::Hidden, cl::cat(category)};
  cl::opt<Emit> emit{
      "emit",
      cl::desc("what to write"),
      cl::value_desc("kind"),
      cl::values(clEnumValN(Emit::Cuda, "cuda", "the file, lifted (default)"),
                 clEnumValN(Emit::Device, "device", "its device code alone, for NVRTC"),
                 clEnumValN(Emit::Driver, "driver", "launchers in C++ over the driver API"),
                 clEnumValN(Emit::Manifest, "manifest", "how its kernels are launched, as JSON"),
                 clEnumValN(Emit::Python, "python", "launchers over cuda.bindings.driver")),
      cl::init(Emit::Cuda),
      cl::cat(category)};
  cl::list<std::string> blocks{"block",
                               cl::desc("block size of a kernel that the file does not launch"),
                               cl::value_desc("kernel=x,y,z"), cl::cat(category)};
  cl::opt<std::string> dependencies{
      "depfile", cl::desc("write the files that the output depends on, as a rule for make"),
      cl::value_desc("file"), cl::cat(category)};

  ToolOptions options() const;
};

void InputLine::parse(const std::vector<const char *> &words, const char *about) {
  cl::SetVersionPrinter([](raw_ostream &out) {
    out << "tilelift " << TILELIFT_VERSION_STRING << " (" << clang::getClangFullVersion() << ")\n";
  });
  cl::HideUnrelatedOptions(category);
  std::string problem;
  raw_string_ostream problems(problem);
  if (!cl::ParseCommandLineOptions(int(words.size()), words.data(), about, &problems)) {
    errs() << problem;
    exit(2);
  }
}

ToolOptions InputLine::options() const {
  ToolOptions options;
  options.files.assign(files.begin(), files.end());
  options.verify = verify;
  options.databaseFolder = database;
  options.cudaPath = cudaPath;
  options.arch = arch;
  options.asksResources = remarks == Remarks::Resources;
  if (arch.getNumOccurrences() > 0 && !wrongArch(arch))
    options.selection.device = deviceNamed(arch);
  if (remarks != Remarks::None)
    options.diagnostics.showRemarks();
  return options;
}

ToolOptions LiftLine::options() const {
  ToolOptions options = InputLine::options();
  options.output = output;
  options.inPlace = inPlace;
  options.diff = diff;
  options.check = check;
  options.fix = fix;
  options.dumpRelation = dumpRelation;
  options.dumpPlan = dumpPlan;
  options.dumpEffects = options.selection.describesEffects = dumpEffects;
  options.selection.onlyProfitable = onlyProfitable;
  if (onlyCopy.getNumOccurrences() > 0)
    options.selection.only = onlyCopy;
  options.setEmit(emit);
  for (StringRef block : blocks)
    quitIf(options.setBlock(block));
  options.dependencyFile = dependencies;
  if (check)
    options.diagnostics.showRemarks();
  return options;
}

template <typename Line> ToolOptions parseWith(const Words &words, const char *about) {
  Line line;
  line.parse(words.own, about);
  ToolOptions options = line.options();
  options.compilerFlags = words.forClang;
  for (StringRef warning : words.warnings)
    quitIf(options.diagnostics.apply(warning));
  if (options.files.empty() && !options.databaseFolder.empty())
    options.files = databaseFiles(options);
  checkTogether(options);
  return options;
}

} // namespace

void ToolOptions::setEmit(Emit kind) {
  emit = kind;
  selection.output = kind == Emit::Cuda ? Output::Program : Output::DeviceSource;
}

std::optional<std::string> ToolOptions::setBlock(StringRef text) {
  auto [kernel, numbers] = text.split('=');
  BlockShape shape{1, 1, 1};
  SmallVector<StringRef, 3> each;
  numbers.split(each, ',');
  bool isShape = !kernel.empty() && each.size() <= 3;
  for (size_t axis = 0; isShape && axis < each.size(); ++axis)
    isShape = !each[axis].trim().getAsInteger(10, shape[axis]) && shape[axis] > 0;
  if (!isShape)
    return ("'" + text +
            "' is no block size: 'block' takes a kernel and one to three numbers, as "
            "'blur=32,8'")
        .str();
  if (std::optional<std::string> wrong = wrongBlock(shape))
    return "the block of '" + kernel.str() + "' cannot be " + numbers.str() + ": " + *wrong;
  selection.blocks[kernel.str()] = shape;
  return std::nullopt;
}

bool takesValueOfClang(StringRef flag) {
  return llvm::is_contained({"-I", "-D", "-U", "-include", "-isystem", "-iquote"}, flag);
}

ToolOptions parseOptions(int argc, const char **argv) {
  return parseWith<LiftLine>(wordsOf(argc, argv), overview);
}

ToolOptions parseLintOptions(int argc, const char **argv) {
  ToolOptions options = parseWith<InputLine>(wordsOf(argc, argv), lintOverview);
  options.lint = true;
  return options;
}

} // namespace tilelift
