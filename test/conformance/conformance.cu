//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model and the hardware, side by side. One process does one of
//
//   conformance verdicts SEED COUNT        what the driver encodes
//   conformance copies SEED FIRST COUNT    what operations do to memory
//   conformance shared SEED FIRST COUNT    the same of loads for several blocks
//   conformance show SEED CASE [shared]    prints one of them
//   conformance fault SEED CASE            that an operation dies as predicted
//
// and prints a line for each difference and one for the sum. A seed and a number
// name a case for good. run.py builds this program and puts the parts together.
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Hardware.cuh"
#include "Verdicts.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>

using namespace tilelift::conformance;

namespace {

constexpr int mostPrinted = 25;

void parallelFor(int count, const std::function<void(int)> &body) {
  const int workers = std::max(1, std::min(count, int(std::thread::hardware_concurrency())));
  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([=, &body] {
      for (int i = worker; i < count; i += workers)
        body(i);
    });
  for (std::thread &each : threads)
    each.join();
}

int verdicts(uint64_t seed, int count) {
  Hardware hardware(0);
  int accepted = 0, differences = 0, wronglyRefused = 0;
  for (int i = 0; i < count; ++i) {
    Random random(seed, i);
    Descriptor descriptor = drawDescriptor(random);
    for (uint64_t mutations = random.below(3); mutations > 0; --mutations)
      mutate(descriptor, random);
    CUtensorMap map;
    const bool byDriver = hardware.encode(descriptor, map) == CUDA_SUCCESS;
    const EncodeResult ours = encode(descriptor);
    accepted += byDriver;
    if (byDriver == bool(ours))
      continue;
    wronglyRefused += byDriver;
    if (++differences > mostPrinted)
      continue;
    std::printf("differs: verdict %d of seed %llu: the driver %s, we say %s: %s\n", i,
                (unsigned long long)seed, byDriver ? "accepts" : "refuses",
                ours ? "nothing" : ours.violations[0].c_str(), print(descriptor).c_str());
  }
  std::printf("descriptors accepted: %d operations, %d differences\n", accepted, wronglyRefused);
  std::printf("descriptors refused: %d operations, %d differences\n", count - accepted,
              differences - wronglyRefused);
  return differences > 0;
}

/// How much memory the cases of a batch have: mostly little, sometimes all that
/// a block can have.
struct Size {
  uint32_t region, window;
};

Size sizeOf(uint64_t batch) {
  return batch % 32 == 31 ? Size{Hardware::maxRegion, Hardware::maxWindow}
         : batch % 4 == 3 ? Size{128 << 10, 48 << 10}
                          : Size{32 << 10, 12 << 10};
}

/// Some cases on the hardware, which says what became of their memory, and in
/// the model, which says what should have.
class Batch {
public:
  Batch(Hardware &hardware, uint64_t seed, uint64_t first, int count)
      : hardware(hardware),
        seed(seed),
        first(first),
        size(sizeOf(first / batchSize)),
        cases(count) {}

  void draw(Case (*one)(Random &, const Room &)) {
    parallelFor(int(cases.size()), [&](int i) { draw(i, one); });
  }
  void run() {
    for (size_t i = 0; i < cases.size(); ++i)
      encode(cases[i], hardware.maps.map[i]);
    hardware.run(int(cases.size()), size.region, size.window);
  }

  /// Empty, or what differs.
  std::vector<std::string> compare() {
    std::vector<std::string> differences(cases.size());
    parallelFor(int(cases.size()), [&](int i) { differences[i] = compare(i); });
    return differences;
  }

  const Case &operator[](int i) const { return cases[i]; }

private:
  uint8_t *region(Hardware::Image &image, int i) {
    return image.regions.data() + size_t(i) * size.region;
  }
  uint8_t *window(Hardware::Image &image, int i, int peer = 0) {
    return image.windows.data() + size_t(i * hardware.peers + peer) * size.window;
  }

  void draw(int i, Case (*one)(Random &, const Room &)) {
    Random random(seed, first + i);
    const uint64_t address = hardware.regionAddress(i, size.region);
    Case &subject = cases[i] = one(random, {address, size.region, size.window});
    fill(random, subject.type(), region(hardware.before, i), size.region);
    fill(random, subject.type(), window(hardware.before, i), size.window * hardware.peers);
    Operation &operation = hardware.operations[i];
    operation.bulk = subject.bulk;
    operation.tensor = subject.tensor;
    operation.untyped = subject.untyped;
    operation.audience = subject.audience;
    for (int peer = 0; peer < hardware.peers; ++peer)
      operation.expected[peer] = subject.audience.has(peer) ? subject.expected() : 0;
  }

  /// The driver refuses no map that the model has made.
  void encode(const Case &subject, CUtensorMap &map) {
    if (subject.bulk || hardware.encode(subject.descriptor, map) == CUDA_SUCCESS)
      return;
    std::printf("not encoded: %s\n", print(subject).c_str());
    std::exit(2);
  }

  /// What the model makes of the memory before, for one of the blocks.
  void perform(int i, int peer) {
    const Case &subject = cases[i];
    uint8_t *global = region(hardware.before, i), *shared = window(hardware.before, i, peer);
    const uint64_t address = hardware.regionAddress(i, size.region);
    if (!subject.bulk)
      return execute(subject.map, subject.tensor, shared,
                     ptrdiff_t(reinterpret_cast<uint64_t>(global) - address));
    const BulkCopy &copy = subject.untyped;
    if (copy.transfer == Transfer::Load)
      moveBulk(copy, shared + copy.targetAddress, global + (copy.sourceAddress - address));
    else
      moveBulk(copy, global + (copy.targetAddress - address), shared + copy.sourceAddress);
  }

  std::string compare(int i) {
    std::string text;
    for (int peer = 0; peer < hardware.peers; ++peer)
      text += compare(i, peer);
    return text +
           compare("global", region(hardware.before, i), region(hardware.after, i), size.region);
  }

  std::string compare(int i, int peer) {
    const bool receives = cases[i].audience.has(peer);
    if (receives)
      perform(i, peer);
    std::string text = compare("shared", window(hardware.before, i, peer),
                               window(hardware.after, i, peer), size.window);
    const Outcome outcome = hardware.outcomes[i * hardware.peers + peer];
    const std::string bytes = std::to_string(receives ? cases[i].expected() : 0) + " bytes";
    if (outcome == Outcome::NeverCompleted)
      text += " the barrier never completes with " + bytes;
    if (outcome == Outcome::MoreBytesThanExpected)
      text += " more than " + bytes + " arrive";
    return text.empty() || hardware.peers == 1 ? text
                                               : " block " + std::to_string(peer) + ":" + text;
  }

  static std::string compare(const char *where, const uint8_t *expected, const uint8_t *found,
                             uint32_t count) {
    if (std::memcmp(expected, found, count) == 0)
      return "";
    uint32_t at = 0, bytes = 0;
    while (expected[at] == found[at])
      ++at;
    for (uint32_t i = at; i < count; ++i)
      bytes += expected[i] != found[i];
    char text[128];
    std::snprintf(text, sizeof(text), " %s: %u bytes, first at %u: expected %02x, found %02x;",
                  where, bytes, at, expected[at], found[at]);
    return text;
  }

  Hardware &hardware;
  uint64_t seed, first;
  Size size;
  std::vector<Case> cases;
};

/// How cases are drawn, and the blocks that each has.
struct Kind {
  Case (*draw)(Random &, const Room &);
  int peers;
};

Kind kindNamed(const std::string &name) {
  return name == "shared" ? Kind{drawMulticast, mostPeers} : Kind{drawCase, 1};
}

int copies(Kind kind, uint64_t seed, uint64_t first, uint64_t count) {
  Hardware hardware(batchSize, kind.peers);
  struct Tally {
    uint64_t operations = 0, differences = 0;
  };
  std::map<std::string, Tally> tallies;
  int printed = 0;
  for (uint64_t at = first; at < first + count;) {
    // A batch never crosses a multiple of its size, so that a case is the same
    // whether it runs alone or with others.
    const int some = int(std::min(first + count - at, batchSize - at % batchSize));
    std::printf("at %llu\n", (unsigned long long)at);
    std::fflush(stdout);
    Batch batch(hardware, seed, at, some);
    batch.draw(kind.draw);
    batch.run();
    const std::vector<std::string> differences = batch.compare();
    for (int i = 0; i < some; ++i) {
      Tally &tally = tallies[kindOf(batch[i])];
      ++tally.operations;
      if (differences[i].empty())
        continue;
      ++tally.differences;
      if (printed++ < mostPrinted)
        std::printf("differs: case %llu of seed %llu:%s %s\n", (unsigned long long)(at + i),
                    (unsigned long long)seed, differences[i].c_str(), print(batch[i]).c_str());
    }
    at += uint64_t(some);
  }
  for (const auto &[kind, tally] : tallies)
    std::printf("%s: %llu operations, %llu differences\n", kind.c_str(),
                (unsigned long long)tally.operations, (unsigned long long)tally.differences);
  return printed > 0;
}

/// Prints a case of copies(), which needs no hardware that performs it.
int show(Kind kind, uint64_t seed, uint64_t index) {
  Hardware hardware(1, kind.peers);
  Batch batch(hardware, seed, index, 1);
  batch.draw(kind.draw);
  std::printf("%s\n", print(batch[0]).c_str());
  return 0;
}

/// Prints what should happen; if it does not, the process survives and says so.
int fault(uint64_t seed, uint64_t index) {
  Hardware hardware(1);
  Batch batch(hardware, seed, index, 1);
  batch.draw(drawFaulty);
  const Case &subject = batch[0];
  for (const Fault &each :
       subject.bulk ? faultsOf(subject.untyped) : faultsOf(subject.map, subject.tensor))
    std::printf("predicted %s (%s): %s\n", nameOf(each.kind), each.id, each.text.c_str());
  std::printf("case %s\n", print(subject).c_str());
  std::fflush(stdout);
  batch.run();
  std::printf("survived\n");
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  auto number = [&](int i) { return std::strtoull(arguments[i], nullptr, 0); };
  const std::string command = count > 1 ? arguments[1] : "";
  if (command == "verdicts" && count == 4)
    return verdicts(number(2), int(number(3)));
  if ((command == "copies" || command == "shared") && count == 5)
    return copies(kindNamed(command), number(2), number(3), number(4));
  if (command == "show" && (count == 4 || count == 5))
    return show(kindNamed(count == 5 ? arguments[4] : ""), number(2), number(3));
  if (command == "fault" && count == 4)
    return fault(number(2), number(3));
  std::fprintf(stderr, "usage: conformance verdicts SEED COUNT | copies SEED FIRST COUNT | "
                       "shared SEED FIRST COUNT | show SEED CASE [shared] | fault SEED CASE\n");
  return 2;
}
