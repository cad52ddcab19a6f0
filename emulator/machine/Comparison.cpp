//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record: the kernel's name, then for each allocation its address, its hash,
// and its bytes if they changed since the launch before.
//===----------------------------------------------------------------------===//

#include "machine/Comparison.h"

#include "machine/Element.h"

#include <algorithm>
#include <cstring>

namespace tilelift::emulator {

namespace {

uint64_t hashOf(const char *bytes, size_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15 ^ count;
  auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    mix(word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, bytes + i, count - i);
  mix(rest);
  return hash;
}

template <typename Value> void put(FILE *file, const Value &value) {
  std::fwrite(&value, sizeof value, 1, file);
}
template <typename Value> bool get(FILE *file, Value &value) {
  return std::fread(&value, sizeof value, 1, file) == 1;
}

void putText(FILE *file, const std::string &text) {
  put(file, uint64_t(text.size()));
  std::fwrite(text.data(), 1, text.size(), file);
}
bool getText(FILE *file, std::string &text) {
  uint64_t length = 0;
  if (!get(file, length))
    return false;
  text.resize(length);
  return std::fread(text.data(), 1, length, file) == length;
}

} // namespace

Comparison::Comparison(Machine &machine)
    : machine(machine), isRecording(!machine.settings.record.empty()) {
  const std::string &path = isRecording ? machine.settings.record : machine.settings.against;
  file = std::fopen(path.c_str(), isRecording ? "wb" : "rb");
  if (!file) {
    std::perror(("tilelift: " + path).c_str());
    std::exit(125);
  }
}

Comparison::~Comparison() { std::fclose(file); }

void Comparison::afterLaunch(const LaunchRequest &request) {
  ++launches;
  if (isRecording)
    record(request);
  else
    compare(request);
}

/// Variables are known by their names: the lifted program may have more of them.
std::string Comparison::keyOf(const Allocation &allocation) {
  return allocation.kind == MemoryKind::variable
             ? allocation.name
             : "at " + std::to_string(reinterpret_cast<uintptr_t>(allocation.base));
}

/// What of an allocation two programs have in common. Functions lie elsewhere in each of them, and
/// so their addresses count as nothing.
const char *Comparison::comparable(const Allocation &allocation) {
  if (allocation.kind != MemoryKind::variable)
    return allocation.base;
  withoutCode.clear();
  for (const char *place : machine.program.placesOfCode()) {
    if (place < allocation.base || place >= allocation.base + allocation.bytes)
      continue;
    if (withoutCode.empty())
      withoutCode.assign(allocation.base, allocation.base + allocation.bytes);
    std::memset(&withoutCode[size_t(place - allocation.base)], 0, 8);
  }
  return withoutCode.empty() ? allocation.base : withoutCode.data();
}

void Comparison::record(const LaunchRequest &request) {
  putText(file, qualifiedName(request.kernel->name));
  put(file, uint64_t(machine.memory.allocations().size()));
  for (const auto &[base, allocation] : machine.memory.allocations()) {
    const char *bytes = comparable(allocation);
    uint64_t hash = hashOf(bytes, allocation.bytes);
    auto [known, isNew] = hashes.try_emplace(base, hash);
    isNew |= known->second != hash;
    known->second = hash;
    putText(file, keyOf(allocation));
    put(file, Recorded{allocation.bytes, hash, isNew, allocation.kind == MemoryKind::variable});
    if (isNew)
      std::fwrite(bytes, 1, allocation.bytes, file);
  }
}

bool Comparison::read(std::string &kernel, std::map<std::string, Expected> &memory) {
  uint64_t count = 0;
  if (!getText(file, kernel) || !get(file, count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    std::string key;
    Expected one;
    if (!getText(file, key) || !get(file, one.facts))
      return false;
    one.content.resize(one.facts.hasContent ? one.facts.bytes : 0);
    if (std::fread(one.content.data(), 1, one.content.size(), file) != one.content.size())
      return false;
    memory[key] = std::move(one);
  }
  return true;
}

void Comparison::say(uint32_t site, const std::string &text) {
  machine.findings.report({"difference", text, site, {}, {}});
}

void Comparison::compareAllocation(const LaunchRequest &request, const std::string &kernel,
                                   const Allocation &allocation, const char *bytes,
                                   const std::vector<char> &expected) {
  const Parameter *parameter = parameterInto(request, allocation);
  uint64_t start = 0;
  if (parameter)
    std::memcpy(&start, request.parameters.data() + parameter->offset, 8);
  std::string name = nameOf(request, allocation);
  std::string launch = "launch " + std::to_string(launches) + ", kernel '" + kernel + "': ";
  size_t first = 0;
  while (first < allocation.bytes && bytes[first] == expected[first])
    ++first;
  uint32_t site = machine.memory.lastWriter(uint64_t(allocation.base + first));
  // By element, counted from where the kernel's pointer starts.
  uint32_t size = parameter && parameter->elementBytes ? parameter->elementBytes : 1;
  size_t origin = parameter ? size_t(start - uint64_t(allocation.base)) : 0;
  long index =
      first >= origin ? long((first - origin) / size) : -long((origin - first + size - 1) / size);
  size_t at = size_t(long(origin) + index * long(size));
  const char *type = parameter && parameter->type ? parameter->type : "";
  bool isInside = at + size <= allocation.bytes;
  std::string place = *type ? name + "[" + std::to_string(index) + "]"
                            : "byte " + std::to_string(index) + " of " + name;
  say(site, launch + place + " is " +
                (isInside ? elementText(type, size, bytes + at) : "different") +
                ", the plain program has " +
                (isInside ? elementText(type, size, expected.data() + at) : "another value"));
}

void Comparison::compare(const LaunchRequest &request) {
  std::string kernel;
  std::map<std::string, Expected> expected;
  if (!read(kernel, expected))
    return say(0, "the lifted program launches '" + qualifiedName(request.kernel->name) +
                      "' after the plain one has ended");
  for (const auto &[base, allocation] : machine.memory.allocations()) {
    auto found = expected.find(keyOf(allocation));
    bool isNew = found == expected.end() || found->second.facts.bytes != allocation.bytes;
    if (isNew && allocation.kind == MemoryKind::variable)
      continue; // constants of the lifted program
    if (isNew)
      return say(0, "launch " + std::to_string(launches) + ", kernel '" + kernel +
                        "': the programs have allocated different memory");
    if (found->second.facts.hasContent)
      known[found->first] = std::move(found->second.content);
    const char *bytes = comparable(allocation);
    if (hashOf(bytes, allocation.bytes) != found->second.facts.hash)
      compareAllocation(request, kernel, allocation, bytes, known[found->first]);
    expected.erase(found);
  }
  bool isMissing = std::any_of(expected.begin(), expected.end(), [](const auto &each) {
    return !each.second.facts.isVariable; // a constant may be another one's equal, and gone
  });
  if (isMissing)
    say(0, "launch " + std::to_string(launches) + ", kernel '" + kernel +
               "': the programs have allocated different memory");
}

void Comparison::finish() {
  if (isRecording)
    return;
  std::string more;
  if (getText(file, more))
    say(0, "the lifted program ends after " + std::to_string(launches) +
               " launches, the plain one has more");
}

} // namespace tilelift::emulator
