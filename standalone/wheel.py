#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the wheel of a standalone installation: what `pip install tilelift` brings.

  wheel.py PREFIX FOLDER [--platform manylinux2014_x86_64]

PREFIX is where `cmake --install` put a build with TILELIFT_STANDALONE. The installation lies in the
Python package, and the program `tilelift`, which finds it there, in the environment's bin folder. The
same input makes the same bytes: names are in order, and all files have the time of SOURCE_DATE_EPOCH.
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time
import zipfile

try:
    import tomllib
except ImportError:  # Python 3.10 and before; pip brings it along
    from pip._vendor import tomli as tomllib  # type: ignore

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What is inside that others wrote: its name, Debian's package, its licence, and in what form it is there.
PARTS = [
    ("LLVM, Clang and LLD", "libclang-22-dev", "Apache-2.0 WITH LLVM-exception", "linked in; Clang's headers"),
    ("libstdc++ and libgcc", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", "linked in"),
    ("zlib", "zlib1g-dev", "Zlib", "linked in"),
    ("Zstandard", "libzstd-dev", "BSD-3-Clause", "linked in"),
]
HOST_PARTS = [
    ("libc++ and libc++abi", "libc++-22-dev", "Apache-2.0 WITH LLVM-exception", "headers, archives"),
    ("GNU C Library", "libc6-dev", "LGPL-2.1-or-later", "headers"),
    ("Linux", "linux-libc-dev", "GPL-2.0-only WITH Linux-syscall-note", "headers"),
]


def version_of(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    return asked.stdout or "unknown"


def notice_of(package, prefix):
    for path in (prefix / "lib/tilelift/host/licenses" / f"{package}.txt",
                 pathlib.Path("/usr/share/doc") / package / "copyright"):
        if path.is_file():
            return path.read_bytes()
    raise SystemExit(f"wheel.py: there is no notice for {package}")


def bill_of_materials(version, parts):
    components = [{"type": "library", "name": name, "version": version_of(package), "description": form,
                   "licenses": [{"expression": licence}]} for name, package, licence, form in parts]
    own = {"type": "application", "name": "tilelift", "version": version,
           "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}]}
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
                       "metadata": {"component": own}, "components": components}, indent=1) + "\n"


def metadata(project):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             "License-Expression: Apache-2.0 WITH LLVM-exception", "License-File: LICENSE"]
    for extra, needed in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {each}; extra == "{extra}"' for each in needed]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def files_of(folder):
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*"))
            if path.is_file() and not {"__pycache__", "licenses", "doc"} & set(path.relative_to(folder).parts)}


def contents(prefix, project):
    """Each file's name in the wheel, its bytes, and whether it is a program."""
    name, version = project["name"], project["version"]
    info = f"{name}-{version}.dist-info"
    parts = PARTS + (HOST_PARTS if (prefix / "lib/tilelift/host").is_dir() else [])
    for relative, path in files_of(ROOT / "python" / name).items():
        yield f"{name}/{relative}", path.read_bytes(), False
    for relative, path in files_of(prefix).items():
        # Manual pages and completions are looked for in the environment's own share folder.
        is_shared = relative.startswith("share/") and not relative.startswith("share/tilelift/")
        folder = f"{name}-{version}.data/data" if is_shared else name
        yield f"{folder}/{relative}", path.read_bytes(), os.access(path, os.X_OK)
    yield f"{name}-{version}.data/scripts/tilelift", (prefix / "bin/tilelift").read_bytes(), True
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    for _, package, _, _ in parts:
        yield f"{info}/licenses/third-party/{package}.txt", notice_of(package, prefix), False
    yield f"{info}/sboms/tilelift.cdx.json", bill_of_materials(version, parts).encode(), False
    yield f"{info}/METADATA", metadata(project).encode(), False


def write(path, entries, info, tag):
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, data, is_program=False):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        for name, data, is_program in sorted(entries):
            add(name, data, is_program)
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tilelift\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--platform", default=f"manylinux2014_{os.uname().machine}")
    arguments = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    header = (ROOT / "runtime/include/tilelift/version.h").read_text()
    project["version"] = re.search('VERSION_STRING "(.*)"', header)[1]
    tag = f"py3-none-{arguments.platform}"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / f"{project['name']}-{project['version']}-{tag}.whl"
    write(path, contents(arguments.prefix, project), f"{project['name']}-{project['version']}.dist-info", tag)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
