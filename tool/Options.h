//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool is asked for, as a value; CommandLine.h reads it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_OPTIONS_H
#define TILELIFT_TOOL_OPTIONS_H

#include "Lift.h"
#include "support/Diagnostics.h"

#include <map>

namespace tilelift {

/// What is written: the file, or parts of it for other hosts.
enum class Emit { Cuda, Device, Driver, Manifest, Python, PythonTypes };

struct ToolOptions {
  std::vector<std::string> files;
  std::vector<std::string> compilerFlags;
  std::string output;
  bool inPlace = false;
  bool diff = false;
  bool check = false;
  bool dumpRelation = false;
  bool dumpPlan = false;
  bool dumpEffects = false;
  bool verify = false;
  /// Nothing is lifted: code that is written by hand is read.
  bool lint = false;
  /// Remedies are made in the source before it is lifted.
  bool fix = false;
  Emit emit = Emit::Cuda;
  /// The contents of files that are not read from the disk, by their paths.
  std::map<std::string, std::string> texts;
  /// The lifted texts are compiled and run, and not written to files.
  bool runs = false;
  std::string databaseFolder;
  /// Where to write what the output depends on, as a rule for make; empty: nowhere.
  std::string dependencyFile;
  std::string cudaPath;
  std::string arch;
  DiagnosticOptions diagnostics;
  /// Kernels are compiled to say what they take of an SM.
  bool asksResources = false;
  Selection selection;

  void setEmit(Emit kind);
  /// "blur=32,8", or what is wrong with it.
  std::optional<std::string> setBlock(llvm::StringRef text);
};

} // namespace tilelift

#endif
