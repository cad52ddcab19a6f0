//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every finding that a run can print: those of the machine, then the faults of
// single copies, which the model finds (model/Faults.cpp). docs/diagnostics.md
// has a line for each.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_FINDINGTABLE_H
#define TILELIFT_EMULATOR_MACHINE_FINDINGTABLE_H

namespace tilelift::emulator {

struct FindingKind {
  const char *id;
  const char *summary;
};

constexpr FindingKind findingTable[] = {
    {"barrier-not-initialised", "a barrier object is used before anybody can have initialised it"},
    {"bytes-mismatch", "a barrier object expects other bytes than its copies bring"},
    {"difference", "the lifted program leaves other bytes in memory than the plain one"},
    {"exit-in-flight", "a block ends while a copy is under way"},
    {"global-race", "two threads use the same global memory, and nothing orders them"},
    {"misaligned", "an address has not the alignment that its use needs"},
    {"missing-proxy-fence", "the asynchronous proxy may not see what a thread wrote"},
    {"never-completes", "threads wait for what nobody will do"},
    {"node-arguments", "a node of a graph is given fewer arguments than its kernel takes"},
    {"not-emulated", "the emulator does not know an instruction"},
    {"out-of-range", "an access outside of allocated memory"},
    {"race", "two threads use the same bytes, and nothing orders them"},
    {"read-in-flight", "a tile is read before its copy was waited for"},
    {"source-changed", "shared memory is written while a store may still read it"},
    {"tensor-map", "what a copy takes for a tensor map is none, or where hardware cannot read it"},
    {"too-many-arrivals", "more arrivals at a barrier object than it was initialised for"},
    {"trap", "the kernel stops itself"},
    {"uninitialised-read", "shared memory is read that nobody has written"},
    {"write-in-flight", "shared memory is written while a copy to it is under way"},

    {"bulk-address-16", "a bulk copy starts on no multiple of 16 bytes"},
    {"bulk-size-16", "a bulk copy has no multiple of 16 bytes"},
    {"extent-range", "a copy through a map with an extent that the hardware traps on"},
    {"gather-map", "a map that gather4 and scatter4 cannot use"},
    {"inner-coordinate-16", "the innermost coordinate is no multiple of 16 bytes"},
    {"map-mode", "the instruction and its map name different modes"},
    {"map-rank", "the instruction and its map have different ranks"},
    {"no-such-form", "no such instruction exists"},
    {"offset-range", "an im2col offset is out of its range"},
    {"pixel-outside", "the first pixel of an im2col copy is outside of the bounding box"},
    {"reduce-type", "the operation does not exist for the element type"},
    {"shared-128", "the shared address of a tensor copy is no multiple of 128"},
    {"store-coordinate", "a store starts before the tensor"},
    {"store-corners", "a store through an im2col map whose box reaches out of the tensor"},
    {"store-swizzle", "the swizzle is for loads only"},
    {"store-type", "the element type is for loads only"},
};

} // namespace tilelift::emulator

#endif
