# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of launchers that type checkers have to accept; launchers.pyi is made of kernels.cu."""
import ctypes

import launchers

from tilelift.launch import Dispatch, Handles


class Tensor:
    def data_ptr(self) -> int:
        return 4096


class Array:
    __cuda_array_interface__ = {"data": (4096, False)}


def launch_all(kernels: Handles) -> bool:
    with Dispatch() as dispatch:
        launchers.blur(kernels, (8, 64), Tensor(), Array(), 32, 32, into=dispatch)
        launchers.blur(kernels, 8, 4096, ctypes.c_void_p(4096), 32, 32, shared=1024, stream=0, block=(32, 8))
        launchers.gather_8(kernels, [8], None, 0, 0, 64)
    return launchers.convolve(kernels, (1, 1, 1), 4096, 4096, bytes(16), 3)


print(launchers.blur.kernel.block, launchers.function_names[0].upper())
