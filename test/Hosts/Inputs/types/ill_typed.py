# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of launchers that type checkers have to refuse: mypy fails where one of these errors is missing, too."""
import launchers

from tilelift.launch import Handles


def launch_wrongly(kernels: Handles) -> None:
    launchers.blurr(kernels, 8, 0, 0, 32, 32)  # type: ignore[attr-defined]
    launchers.blur(kernels, 8, 0, 0, 32)  # type: ignore[call-arg]
    launchers.blur(kernels, 8, 0, 0, 32, 32, 32)  # type: ignore[call-arg]
    launchers.blur(kernels, 8, 0, 0, 32, 32, steam=0)  # type: ignore[call-arg]
    launchers.blur(kernels, 8, 0, 0, 32, 0.5)  # type: ignore[arg-type]
    launchers.blur(kernels, 8, "in", 0, 32, 32)  # type: ignore[arg-type]
    launchers.convolve(kernels, 8, 0, 0, "shape", 3)  # type: ignore[arg-type]
    text: str = launchers.blur(kernels, 8, 0, 0, 32, 32)  # type: ignore[assignment]
    print(text)
