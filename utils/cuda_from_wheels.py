#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts a CUDA toolkit together from NVIDIA's Python packages: cuda_from_wheels.py VERSION FOLDER

Of the packages of CUDA 13 all files are in one folder of a toolkit's shape already; those of CUDA 12 have a folder
each, which are laid over one another here. CUDA 12's have no nvcc, but its headers, its assembler and NVRTC.
Needs no root and no GPU. A folder that is there already stays as it is.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

PACKAGES = ("nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-cccl")
SINCE_13 = ("nvidia-nvvm", "nvidia-cuda-crt")


def requirements(version: str) -> list[str]:
    """CCCL has versions of its own since 13.3; those of 13.3 serve all later toolkits."""
    if version.startswith("12."):
        return [f"{name}-cu12=={version}.*" for name in PACKAGES]
    cccl = min(version, "13.3", key=lambda each: [int(part) for part in each.split(".")])
    return [f"{name}=={cccl if name.endswith('cccl') else version}.*" for name in PACKAGES + SINCE_13]


def parts_of(packages: pathlib.Path) -> list[pathlib.Path]:
    """The folders whose contents make the toolkit."""
    whole = packages / "nvidia" / "cu13"
    return [whole] if whole.is_dir() else sorted(each for each in (packages / "nvidia").iterdir() if each.is_dir())


def assemble(version: str, folder: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        wheels, packages, made = (pathlib.Path(scratch) / name for name in ("wheels", "packages", "toolkit"))
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "--dest", str(wheels), *requirements(version)], check=True)
        for wheel in wheels.iterdir():
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(packages)
        for part in parts_of(packages):
            shutil.copytree(part, made, dirs_exist_ok=True)
        for program in (*made.glob("bin/*"), *made.glob("nvvm/bin/*")):
            program.chmod(0o755)
        # Clang includes this header of cuRAND in every CUDA source, and nothing here uses it: an empty file saves
        # the 60 MB of cuRAND's package.
        absent = made / "include" / "curand_mtgp32_kernel.h"
        if not absent.exists():
            absent.touch()
        # Linkers and nvcc look for names without a version, and in lib64.
        for library in made.glob("lib/*.so.*"):
            plain = library.with_name(library.name.split(".so.")[0] + ".so")
            if not plain.exists():
                plain.symlink_to(library.name)
        if not (made / "lib64").exists():
            (made / "lib64").symlink_to("lib")
        made.rename(folder)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not (folder / "include" / "cuda.h").exists():
        assemble(version, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
