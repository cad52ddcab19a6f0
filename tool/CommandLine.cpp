//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/CommandLine.h"

#include "host/LiftFile.h"
#include "machine/FindingTable.h"
#include "tool/Invocation.h"

#include "tilelift/version.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
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
  tilelift nvcc -c blur.cu -o blur.o         lift, and compile what comes out by nvcc
  tilelift doctor                            say what is found on this machine, and what is missing

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

constexpr const char *runOverview =
    R"(Builds a CUDA program for this machine and runs it, without a GPU.

  tilelift run program.cu [arguments]             lift the copies, run the lifted program
  tilelift run --plain program.cu [arguments]     run the program as it is
  tilelift run --compare program.cu [arguments]   run both, compare memory after each launch

Options stand ahead of the program's name, and all flags with one '-' are Clang's.
Findings and diagnostics are silenced with -Wno-<id>. The program's output and exit status
are passed on. Exit status when the program itself ended with 0: 3 when something was found
or differs, 1 when a copy is refused that has no fallback(loop), 2 when the program cannot
be built.)";

enum class Remarks { None, Copies, Resources };

/// The words of a command line: tilelift's own, diagnostics that are shown or silenced (LLVM has an
/// option -W of its own), and what goes to Clang.
struct Words {
  std::vector<const char *> own;
  std::vector<StringRef> warnings;
  std::vector<std::string> forClang;
  /// Of `tilelift run`: the program, and what it gets.
  std::vector<std::string> program;
};

/// Whether a flag of Clang's, alone, has its value in the next word.
bool takesValueOfClang(StringRef flag) {
  return llvm::is_contained({"-I", "-D", "-U", "-include", "-isystem", "-iquote"}, flag);
}

/// Flags that go to Clang although no '--' stands before them.
bool isOfClang(StringRef word) {
  for (StringRef flag : {"-I", "-D", "-U", "-std="})
    if (word.starts_with(flag))
      return true;
  return takesValueOfClang(word);
}

Words wordsOf(ArrayRef<const char *> arguments) {
  Words words;
  bool isForClang = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char *word = arguments[i];
    if (!isForClang && StringRef(word) == "--")
      isForClang = true;
    else if (isForClang)
      words.forClang.push_back(word);
    else if (StringRef(word).starts_with("-W"))
      words.warnings.push_back(StringRef(word).drop_front(2));
    else if (isOfClang(word))
      words.forClang.push_back(word);
    else
      words.own.push_back(word);
    if (!isForClang && takesValueOfClang(word) && i + 1 < arguments.size())
      words.forClang.push_back(arguments[++i]);
  }
  return words;
}

/// Of `tilelift run`: whatever stands behind the program is the program's.
Words wordsOfRun(ArrayRef<const char *> arguments) {
  size_t end = 1;
  while (end < arguments.size() && arguments[end][0] == '-')
    end += takesValueOfClang(arguments[end]) ? 2 : 1;
  end = std::min(end, arguments.size());
  Words words = wordsOf(arguments.take_front(end));
  words.program.assign(arguments.begin() + end, arguments.end());
  auto isOfRun = [](StringRef word) {
    return !word.starts_with("-") || word.starts_with("--") || word == "-h";
  };
  auto forClang = std::stable_partition(words.own.begin(), words.own.end(), isOfRun);
  words.forClang.insert(words.forClang.end(), forClang, words.own.end());
  words.own.erase(forClang, words.own.end());
  return words;
}

[[noreturn]] void quit(const Twine &message) {
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

/// What all commands take, as LLVM's parser knows it from the first object of this kind on.
struct CommandLine {
  explicit CommandLine(const char *defaultArch)
      : arch("arch", cl::desc("device that the file is analysed for, where __CUDA_ARCH__ matters"),
             cl::init(defaultArch), cl::value_desc("sm_NN"), cl::cat(category)) {}

  cl::opt<Remarks> remarks{
      "remarks",
      cl::ValueOptional,
      cl::desc("say what became of each copy"),
      cl::values(clEnumValN(Remarks::Copies, "", ""),
                 clEnumValN(Remarks::Resources, "resources",
                            "and what each kernel takes of an SM, before and after")),
      cl::init(Remarks::None),
      cl::cat(category)};
  cl::opt<std::string> cudaPath{"cuda-path", cl::desc("where the CUDA toolkit is"),
                                cl::value_desc("folder"), cl::cat(category)};
  cl::opt<std::string> arch;

  /// `words` starts with how the command is called.
  void parse(const std::vector<const char *> &words, const char *about);
  ToolOptions options() const;
};

/// And those that read sources.
struct InputLine : CommandLine {
  InputLine() : CommandLine(firstArchWithTma) {}

  cl::list<std::string> files{cl::Positional, cl::desc("files..."), cl::cat(category)};
  cl::opt<bool> verify{"verify", cl::desc("check diagnostics against expected-... comments"),
                       cl::Hidden, cl::cat(category)};
  cl::opt<std::string> database{"p",
                                cl::desc("folder of a compile_commands.json; without files, "
                                         "all of its CUDA files"),
                                cl::value_desc("folder"), cl::cat(category)};

  ToolOptions options() const;
};

/// What is decided for copies whose pragmas leave it open.
struct ChoiceLine {
  cl::opt<bool> liftsAlways{"lift-always",
                            cl::desc("lift copies even where that is expected to be slower"),
                            cl::cat(category)};
  cl::opt<bool> onlyAskedPipelines{
      "only-asked-pipelines",
      cl::desc("make copies ahead only where a pipeline pragma asks for it"), cl::cat(category)};

  void choose(Selection &selection) const {
    selection.liftsAlways |= liftsAlways;
    selection.hasOnlyAskedRings = onlyAskedPipelines;
  }
};

/// And what lifting takes.
struct LiftLine : InputLine, ChoiceLine {
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
  cl::opt<bool> dumpPlan{"dump-plan", cl::desc("print the kernels' plans as JSON"),
                         cl::cat(category)};
  cl::opt<bool> dumpEffects{"dump-effects",
                            cl::desc("print what each place of the annotated kernels may do"),
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
                 clEnumValN(Emit::Python, "python", "launchers over cuda.bindings.driver"),
                 clEnumValN(Emit::PythonTypes, "python-types",
                            "types of these launchers, for a .pyi file")),
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

/// And running.
struct RunLine : CommandLine, ChoiceLine {
  RunLine() : CommandLine("sm_90a") {}

  cl::opt<RunMode> mode{cl::desc("which program is run:"),
                        cl::values(clEnumValN(RunMode::Plain, "plain", "the program as it is"),
                                   clEnumValN(RunMode::Compare, "compare",
                                              "both, with memory compared after each launch")),
                        cl::init(RunMode::Lifted), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("threads, blocks and copies take turns at random, the same way "
                                  "for the same number"),
                         cl::value_desc("number"), cl::cat(category)};
  cl::opt<unsigned> schedules{"schedules",
                              cl::desc("with --compare: after the usual order, so many seeds more"),
                              cl::value_desc("number"), cl::cat(category)};
  cl::opt<unsigned> jobs{
      "jobs",
      cl::desc("blocks that run at the same time; as many as there are processors by default"),
      cl::value_desc("number"), cl::cat(category)};
  cl::opt<std::string> keep{"keep", cl::desc("build in this folder and leave everything there"),
                            cl::value_desc("folder"), cl::cat(category)};

  RunOptions options() const;
};

/// Ends the tool where a word is no option of the command.
void checkKnown(const std::vector<const char *> &words) {
  const auto &known = cl::getRegisteredOptions();
  for (StringRef word : ArrayRef(words).drop_front()) {
    StringRef name = word.split('=').first.ltrim('-');
    if (!word.starts_with("--") || name.empty() || name == "help-hidden" || known.count(name))
      continue;
    std::string nearest;
    for (const auto &[option, definition] : known)
      if (llvm::is_contained(definition->Categories, &category) && name.edit_distance(option) <= 2)
        nearest = "; did you mean '--" + option.str() + "'?";
    quit("unknown option '" + word.split('=').first + "'" +
         (nearest.empty() ? "; '--help' lists them" : nearest));
  }
}

void CommandLine::parse(const std::vector<const char *> &words, const char *about) {
  cl::SetVersionPrinter([](raw_ostream &out) {
    out << "tilelift " << TILELIFT_VERSION_STRING << " (" << clang::getClangFullVersion() << ")\n";
  });
  cl::HideUnrelatedOptions(category);
  checkKnown(words);
  std::string problem;
  raw_string_ostream problems(problem);
  if (cl::ParseCommandLineOptions(int(words.size()), words.data(), about, &problems))
    return;
  errs() << problem;
  exit(2);
}

ToolOptions CommandLine::options() const {
  ToolOptions options;
  options.cudaPath = cudaPath;
  options.arch = arch;
  options.asksResources = remarks == Remarks::Resources;
  if (arch.getNumOccurrences() > 0 && !wrongArch(arch))
    options.selection.device = deviceNamed(arch);
  if (remarks != Remarks::None)
    options.diagnostics.showRemarks();
  return options;
}

ToolOptions InputLine::options() const {
  ToolOptions options = CommandLine::options();
  options.files.assign(files.begin(), files.end());
  options.verify = verify;
  options.databaseFolder = database;
  return options;
}

RunOptions RunLine::options() const {
  RunOptions options;
  options.tool = CommandLine::options();
  choose(options.tool.selection);
  options.arch = arch;
  options.tool.arch = StringRef(arch).rtrim("af").str();
  options.mode = mode;
  if (seed.getNumOccurrences() > 0)
    options.seed = seed;
  options.schedules = schedules;
  if (jobs.getNumOccurrences() > 0)
    options.jobs = std::to_string(jobs);
  options.keep = keep;
  return options;
}

ToolOptions LiftLine::options() const {
  ToolOptions options = InputLine::options();
  options.output = output;
  options.inPlace = inPlace;
  options.diff = diff;
  options.check = check;
  options.fix = fix;
  options.dumpRelation = options.selection.describesRelations = dumpRelation;
  options.dumpPlan = options.selection.describesPlans = dumpPlan;
  options.dumpEffects = options.selection.describesEffects = dumpEffects;
  choose(options.selection);
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
  static Line line; // LLVM knows its options for as long as the process lives
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

bool isFinding(StringRef id) {
  return llvm::any_of(emulator::findingTable,
                      [&](const emulator::FindingKind &kind) { return id == kind.id; });
}

/// A finding of the emulator, or a diagnostic.
void readWarning(StringRef warning, RunOptions &options) {
  StringRef id = warning;
  if (id.consume_front("no-") && isFinding(id))
    options.silenced += (options.silenced.empty() ? "" : ",") + id.str();
  else
    quitIf(options.tool.diagnostics.apply(warning));
}

} // namespace

ToolOptions parseOptions(ArrayRef<const char *> arguments) {
  return parseWith<LiftLine>(wordsOf(arguments), overview);
}

ToolOptions parseLintOptions(ArrayRef<const char *> arguments) {
  Words words = wordsOf(arguments);
  words.own.front() = "tilelift lint";
  ToolOptions options = parseWith<InputLine>(words, lintOverview);
  options.lint = true;
  return options;
}

RunOptions parseRunOptions(ArrayRef<const char *> arguments) {
  Words words = wordsOfRun(arguments);
  words.own.front() = "tilelift run";
  static RunLine line;
  line.parse(words.own, runOverview);
  if (words.program.empty())
    quit("no program to run; 'tilelift run --help' tells how to call it");
  RunOptions options = line.options();
  options.tool.compilerFlags = words.forClang;
  for (StringRef warning : words.warnings)
    readWarning(warning, options);
  options.file = words.program.front();
  options.arguments.assign(words.program.begin() + 1, words.program.end());
  return options;
}

} // namespace tilelift
