//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/OutputFiles.h"

#include "support/Locations.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Path = std::filesystem::path;

Path normal(const Path &path) {
  std::error_code problem;
  return std::filesystem::absolute(path, problem).lexically_normal();
}

class Placer {
public:
  Placer(const SourceManager &sources, ArrayRef<IncludeLine> includes, const EditSet &edits,
         const Path &output)
      : sources(sources), includes(includes), output(normal(output)) {
    for (const UserFile &file : userFiles(sources)) {
      std::string path = pathOf(file);
      if (file.begin == 0)
        main = path;
      if (!edits.within(file.begin, file.end()).empty())
        changed.insert(path);
    }
  }

  HeaderPlaces run() {
    addIncluders();
    for (const std::string &path : changed)
      if (path != main)
        places[path] = placeOf(path);
    for (const IncludeLine &line : includes)
      if (!result.problem)
        redirect(line);
    for (const UserFile &file : userFiles(sources))
      if (auto place = places.find(pathOf(file)); place != places.end())
        result.paths[nameOf(file)] = place->second.string();
    return std::move(result);
  }

private:
  std::string nameOf(const UserFile &file) const {
    OptionalFileEntryRef entry = sources.getFileEntryRefForID(file.id);
    return entry ? entry->getName().str() : "";
  }
  /// One file may be found by several names.
  std::string pathOf(const UserFile &file) const { return normal(nameOf(file)).string(); }
  std::string includerOf(const IncludeLine &line) const {
    return pathOf(fileAt(sources, line.hash));
  }
  std::string targetOf(const IncludeLine &line) const { return normal(line.path).string(); }

  /// Whoever includes a header that moves moves as well.
  void addIncluders() {
    for (bool isNew = true; isNew;) {
      isNew = false;
      for (const IncludeLine &line : includes)
        if (changed.count(targetOf(line)) && targetOf(line) != main)
          isNew |= changed.insert(includerOf(line)).second;
    }
  }

  /// The same way from the output as from the main file, as far as that leads down.
  Path placeOf(const std::string &header) {
    Path way = Path(header).lexically_relative(Path(main).parent_path());
    if (way.empty() || *way.begin() == "..")
      way = Path(header).filename();
    Path place = output.parent_path() / way;
    for (unsigned number = 0; place == Path(header) || !taken.insert(place).second; ++number)
      place.replace_filename(way.stem().string() + ".tma" +
                             (number ? std::to_string(number) : std::string()) +
                             way.extension().string());
    return place;
  }

  Path newPlaceOf(const std::string &path) const {
    auto known = places.find(path);
    return known == places.end() ? Path(path) : known->second;
  }

  void redirect(const IncludeLine &line) {
    std::string from = includerOf(line), to = targetOf(line);
    bool isMain = from == main, moves = places.count(to);
    if (!changed.count(from) || (isMain && !moves))
      return;
    if (!line.begin.isKnown()) {
      if (moves)
        result.problem = "'" + line.path + "' changes, and '" + nameOf(fileAt(sources, line.hash)) +
                         "' includes it by a macro: include it by its name";
      return;
    }
    StringRef text = fileAt(sources, line.hash).text;
    unsigned begin = line.begin.offset - fileAt(sources, line.hash).begin;
    StringRef name = text.substr(begin + 1, line.length - 2);
    bool isQuoted = text[begin] == '"';
    Path oldFolder = Path(from).parent_path();
    Path newFolder = (isMain ? output : newPlaceOf(from)).parent_path();
    Path target = newPlaceOf(to);
    // Found by its folder before, or by the compiler's flags, which stay.
    bool isNear = isQuoted && (oldFolder / name.str()).lexically_normal() == to;
    if (!moves && !isNear)
      return;
    if (isQuoted && (newFolder / name.str()).lexically_normal() == target)
      return;
    Path way = target.lexically_relative(newFolder);
    result.includes.replace(line.begin.offset, line.begin.offset + line.length,
                            "\"" + (way.empty() ? target : way).generic_string() + "\"");
  }

  const SourceManager &sources;
  ArrayRef<IncludeLine> includes;
  Path output;
  std::string main;
  /// All that have a new text, in the end.
  std::set<std::string> changed;
  std::map<std::string, Path> places;
  std::set<Path> taken;
  HeaderPlaces result;
};

/// The deepest folder that all the files are in.
Path commonFolder(const std::vector<std::string> &files) {
  Path common = normal(files.front()).parent_path();
  for (const std::string &file : files) {
    const Path folder = normal(file).parent_path();
    const auto [own, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    Path shared;
    for (auto part = common.begin(); part != own; ++part)
      shared /= *part;
    common = shared;
  }
  return common;
}

} // namespace

bool writesElsewhere(const ToolOptions &options) {
  return !options.inPlace && !options.diff && !options.check && !options.verify &&
         !options.dumpRelation && !options.dumpPlan && !options.dumpEffects && !options.runs;
}

std::string outputPath(const ToolOptions &options, StringRef file) {
  if (options.inPlace)
    return file.str();
  bool isFolder = options.files.size() > 1 || sys::fs::is_directory(options.output) ||
                  StringRef(options.output).ends_with("/");
  if (options.output.empty() || options.output == "-")
    return "";
  if (!isFolder)
    return options.output;
  return (Path(options.output) / normal(file.str()).lexically_relative(commonFolder(options.files)))
      .string();
}

HeaderPlaces placeHeaders(const SourceManager &sources, ArrayRef<IncludeLine> includes,
                          const EditSet &edits, StringRef output) {
  return Placer(sources, includes, edits, Path(output.str())).run();
}

} // namespace tilelift
