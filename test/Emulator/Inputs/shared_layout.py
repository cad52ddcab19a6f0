# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares where the emulator puts shared variables with what a cubin says of the size of
each kernel's static shared memory. The last variable of a kernel has to end with it."""
import struct
import sys

RESERVED = 1024  # bytes before a kernel's own, from sm_90 on


def shared_sizes(path):
    """Of each kernel, from the sections of an ELF file."""
    data = open(path, "rb").read()
    table, = struct.unpack_from("<Q", data, 0x28)
    entry, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    sizes = {}
    for header in headers:
        start = headers[names][4] + header[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".nv.shared._Z"):
            sizes[name[len(".nv.shared."):]] = header[5] - RESERVED
    return sizes


def main():
    sizes = shared_sizes(sys.argv[2])
    unit = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    agree = {}
    for line in open(sys.argv[1]):
        kind, kernel, *places = line.split()
        places = [tuple(map(int, place.split("+"))) for place in places]
        static = [place for place in places if place[1]]
        wanted = sizes[kernel]
        end = -(-max(offset + size for offset, size in static) // unit) * unit
        last = -(-sum(static[-1]) // unit) * unit
        if end != wanted or last != wanted:
            print(f"{kernel}: its variables end at {end}, the last at {last}, not {wanted}")
        elif any(size == 0 and offset != wanted for offset, size in places):
            print(f"{kernel}: dynamic memory does not start at {wanted}: {places}")
        else:
            agree[kind] = agree.get(kind, 0) + 1
    for kind, count in agree.items():
        print(f"{kind}: {count} kernels agree")


main()
