#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes shared libraries that a program can be linked with in place of glibc, so that it runs with an
older one.

  older_glibc.py LIBRARIES FOLDER VERSION COMPILER...

For each of the given libraries, such as /lib/x86_64-linux-gnu/libc.so.6, one of the same name is made
in the folder. It has no code, and of each symbol the newest version that is not newer than the given
one. A symbol that came later is missing, so that the linker names it. Parts of glibc that were
libraries of their own before 2.34 get empty ones.
"""
import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"(?:FUNC|OBJECT|IFUNC|NOTYPE)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+\s+(\w+)@@?(GLIBC_[\d.]+)$", re.M)
PARTS_BEFORE_2_34 = ["libpthread.so.0", "libdl.so.2", "librt.so.1"]


def number(version):
    return tuple(map(int, version.removeprefix("GLIBC_").split(".")))


def symbols_of(library, newest):
    """The version of each symbol."""
    printed = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True, capture_output=True, text=True)
    chosen = {}
    for name, version in LINE.findall(printed.stdout):
        if number(version) <= newest and number(version) > number(chosen.get(name, "0")):
            chosen[name] = version
    return chosen


def make(library, symbols, folder, compiler):
    text = "".join(f".globl {name}\n{name}:\n" for name in symbols)
    (folder / "symbols.s").write_text(text + ".long 0\n.section .note.GNU-stack,\"\",%progbits\n")
    script = ""
    for version in sorted(set(symbols.values()), key=number):
        names = "".join(f" {name};" for name, own in symbols.items() if own == version)
        script += f"{version} {{ global:{names} }};\n"
    (folder / "versions.map").write_text(script)
    versions = [f"-Wl,--version-script={folder}/versions.map"] if symbols else []
    subprocess.run([*compiler, "-shared", "-nostdlib", folder / "symbols.s", f"-Wl,-soname,{library}", *versions,
                    "-o", folder / library], check=True)


def main():
    libraries, folder, version, *compiler = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for library in map(pathlib.Path, libraries.split(":")):
        make(library.name, symbols_of(library, number(version)), folder, compiler)
    for library in PARTS_BEFORE_2_34:
        make(library, {}, folder, compiler)


if __name__ == "__main__":
    main()
