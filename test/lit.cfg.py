# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import platform
import shutil
import subprocess
import sys

import lit.formats

config.name = "tilelift"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".test"]
config.excludes = ["Inputs", "gpu", "support", "Unit", "conformance",
                   "generate"]
config.test_source_root = config.source_root + "/test"
config.test_exec_root = config.build_root + "/test"

# CUDA's headers are parsed once for all tests.
config.environment["TILELIFT_HEADER_CACHE"] = f"{config.build_root}/header-cache"

# A user's own configuration must not reach the tests.
config.environment["CLANG_NO_DEFAULT_CONFIG"] = "1"
config.environment["PATH"] = f"{config.llvm_tools}:{config.environment['PATH']}"

clang = (f"{config.llvm_tools}/clang++ --cuda-path={config.cuda} -I{config.cuda}/include/cccl "
         "-Wno-unknown-cuda-version -std=c++17")
# Clang does not free all that it makes, each of the emulator's threads would get a stack
# more to find uses after return, and the compiler that loads the plugin knows nothing of
# its sanitizers.
sanitizers = ""
if config.sanitizers:
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0"
    config.environment["TILELIFT_TIME_LIMIT"] = "600"
    sanitizers = f"env LD_PRELOAD={config.sanitizers} "
plugin = f"{sanitizers}{clang} -fplugin={config.build_root}/lib/tilelift.so"
support = f"{config.test_source_root}/support"
# Most tests are about what copies become, and have small tiles, which are expected to be slower by TMA.
config.environment["TILELIFT_LIFT_ALWAYS"] = "1"
config.environment["TILELIFT"] = f"{config.build_root}/bin/tilelift"
config.environment["TILELIFT_PLUGIN"] = plugin
config.environment["CUDA"] = config.environment["CUDA_HOME"] = config.cuda
config.environment["CLANG_CUDA"] = f"{clang} -I{config.source_root}/runtime/include"
config.environment["NVCC"] = (f"{config.cuda}/bin/nvcc -std=c++17 "
                              f"-I{config.source_root}/runtime/include")


def precompile_runtime():
    """The runtime as lifted text includes it, for Clang's device side: it is read once for all tests."""
    header = f"{config.source_root}/runtime/include/tilelift/tilelift.cuh"
    result = f"{config.test_exec_root}/runtime-sm_80.pch"
    own = f"{result}.{os.getpid()}"
    os.makedirs(config.test_exec_root, exist_ok=True)
    subprocess.run([*config.environment["CLANG_CUDA"].split(), "--cuda-device-only", "--offload-arch=sm_80",
                    "-Wall", "-x", "cuda", header, "-fsyntax-only", "-Xclang", "-emit-pch",
                    "-Xclang", "-o", "-Xclang", own], check=True)
    os.replace(own, result)
    return result


config.environment["RUNTIME_PCH"] = precompile_runtime()

config.substitutions += [
    ("%sanitizers", config.sanitizers),
    # The whole way for a file that lifts: both hosts, both compilers, every target.
    ("%lift-and-check", f"{support}/lift-and-check.sh"),
    # A file of refusals, through both hosts.
    # A folder of them, through the tool.
    ("%each-verifies", f"{support}/each-verifies.sh"),
    ("%verify", f"{support}/verify.sh"),
    ("%runtime", f"{config.source_root}/runtime/include"),
    # What programs do on the host takes longer to optimize than to run.
    ("%run", f"{config.build_root}/bin/tilelift run --cuda-path={config.cuda} -std=c++17 "
             "-Xarch_host -O0"),
    ("%tilelift", f"{config.build_root}/bin/tilelift"),
    ("%preload", sanitizers),
    ("%clang-binary", f"{config.llvm_tools}/clang++"),
    ("%clang-plugin", plugin),
    ("%bare-clang", clang),
    ("%clang", f"{clang} -I{config.source_root}/runtime/include"),
    ("%nvcc", config.environment["NVCC"]),
    ("%FileCheck", f"{config.llvm_tools}/FileCheck --implicit-check-not=error: "
                   "--implicit-check-not=warning:"),
    ("%not", f"{support}/not.sh"),
    ("%root", config.source_root),
    ("%cuda", config.cuda),
    ("%python-binary", sys.executable),
    ("%python", f"env PYTHONPATH={config.source_root}/python {sys.executable}"),
    ("%host-cxx", "c++ -std=c++17"),
    ("%build", config.build_root),
]

config.available_features.add(platform.machine())
if glob.glob(f"{config.cuda}/lib64/libnvrtc.so*"):
    config.available_features.add("nvrtc")
    # NVRTC of a toolkit that is put together from Python packages finds its other library only so.
    config.environment["LD_LIBRARY_PATH"] = f"{config.cuda}/lib64"
if glob.glob(f"{config.cuda}/lib64/stubs/libcuda.so"):
    config.available_features.add("libcuda")
for program in ("ccache", "meson"):
    if shutil.which(program):
        config.available_features.add(program)
# Some workloads of bench/ are measured beside the library's.
if glob.glob(f"{config.cuda}/include/cublas_v2.h"):
    config.available_features.add("cublas")
