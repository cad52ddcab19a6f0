# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the library and the headers into the package: built here, or taken from the build folder that
TILELIFT_BUILD names."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

ROOT = pathlib.Path(__file__).resolve().parent
LIBRARY = "libtilelift-lift.so"


def version() -> str:
    """That of the runtime's header, which is the one place of it."""
    found = re.search('VERSION_STRING "(.*)"', (ROOT / "runtime/include/tilelift/version.h").read_text())
    assert found
    return found[1]


def library() -> pathlib.Path:
    folder = os.environ.get("TILELIFT_BUILD")
    if not folder:
        folder = ROOT / "build" / "wheel"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DTILELIFT_BUILD_TESTS=OFF"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "tilelift_library"], check=True)
    return pathlib.Path(folder) / "lib" / LIBRARY


class WithLibrary(build_py):
    def run(self) -> None:
        super().run()
        package = pathlib.Path(self.build_lib) / "tilelift"
        (package / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy2(library(), package / "lib" / LIBRARY)
        shutil.copytree(ROOT / "runtime/include/tilelift", package / "include/tilelift", dirs_exist_ok=True)


class OfOnePlatform(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(version=version(), cmdclass={"build_py": WithLibrary}, distclass=OfOnePlatform)
