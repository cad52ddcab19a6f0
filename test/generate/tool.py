# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls tilelift and says what it made of each copy.

Decides which message belongs to which copy, by the lines that the copy has in
the printed program. What is not here: whether the verdict is right.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Sequence

from program import CopyKey, Place, Text

MESSAGE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):\d+: "
                     r"(?P<severity>error|warning|remark): "
                     r"(?P<text>.*) \[-Wtilelift-(?P<id>[a-z0-9-]+)\]$", re.M)
RULE = re.compile(r"\(([a-z0-9-]+)\)$")
REMARKS = {"lifted", "lifted-under-guard", "bank-conflicts", "stages-by-hand",
           "barrier-dropped", "barrier-added", "launch-not-lifted", "address-not-followed", "other-block-size",
           "other-argument", "instance-differs", "never-launched", "short-rows", "pipelined", "waits-with-group"}
COMPILE_OPTIONS = ("-x", "cuda", "-fsyntax-only", "--offload-arch=sm_90a", "-std=c++17",
                   "-ferror-limit=0", "-Wno-unknown-cuda-version")
COMPILER_ERROR = re.compile(r"^\S+:(\d+):\d+: (?:fatal )?error: (.*)$", re.M)
KERNEL_NAME = re.compile(r"\b(?:run_)?(k\d{3,})(?:_tma\w*)?\b")
# An error of the emulator, and the notes that follow it.
FINDING = re.compile(r"error: (.*)((?:\n(?!.*error: ).*){0,3})")
FOUND_IN = re.compile(r"kernel '(k\d{3,})(?:_tma)?\b")
os.environ["TILELIFT_LIFT_ALWAYS"] = "1"  # whether it is right, not whether it pays
SECONDS = 120  # that tilelift may take for one program
RUN_SECONDS = 600


@dataclass(frozen=True)
class Message:
    line: int
    severity: str
    id: str  # 'rule:NAME' where a rule of the TMA unit is broken
    text: str


@dataclass
class Outcome:
    """What became of one copy."""
    lifted: bool = False
    refusals: list[Message] = field(default_factory=list)


@dataclass
class Lift:
    """What tilelift said about a program."""
    status: int
    errors: str
    outcomes: dict[CopyKey, Outcome] = field(default_factory=dict)
    elsewhere: list[Message] = field(default_factory=list)  # refusals of no copy
    plans: list[dict[str, Any]] = field(default_factory=list)  # of all copies that lift

    @property
    def failure(self) -> Optional[str]:
        """What is wrong with the tool itself; None if it did its work."""
        if self.status not in (0, 1):
            return f"exit status {self.status}: {first_error(self.errors)}"
        refused = any(outcome.refusals for outcome in self.outcomes.values())
        if self.elsewhere:
            return f"a message that belongs to no copy: {self.elsewhere[0].text}"
        if self.status != refused:
            return f"exit status {self.status}, but {'a' if refused else 'no'} copy is refused"
        return None


def first_error(errors: str) -> str:
    lines = [line for line in errors.splitlines() if "error" in line.lower()]
    return (lines or errors.splitlines() or ["no message"])[0]


@dataclass(frozen=True)
class Compiler:
    """A clang that compiles what tilelift wrote; looks for errors only."""
    command: tuple[str, ...]

    def errors(self, source: Path) -> list[tuple[str, str]]:
        """The kernel that each error is in, as far as that can be seen, and the error."""
        found: dict[str, str] = {}
        for side in ("--cuda-host-only", "--cuda-device-only"):
            status, output = _run([*self.command, side, *COMPILE_OPTIONS, str(source)], SECONDS)
            lines = COMPILER_ERROR.findall(output)
            for line, text in lines:
                found.setdefault(_kernel_at(source, int(line)), text)
            if status and not lines:
                found.setdefault("", first_error(output))
        return sorted(found.items())


def _kernel_at(source: Path, line: int) -> str:
    """The kernel that the text around a line belongs to."""
    lines = source.read_text().splitlines()
    for text in reversed(lines[:line]):
        match = KERNEL_NAME.search(text)
        if match:
            return match[1]
    return ""


@dataclass(frozen=True)
class Tool:
    path: Path
    flags: tuple[str, ...] = ()  # for the compiler, of programs that are run

    def judge(self, text: Text, source: Path, options: Sequence[str] = ()) -> Lift:
        """What tilelift says of a printed program, sorted by copy, and plans to do."""
        source.write_text(str(text))
        status, plans, errors = _run_apart(
            [str(self.path), "--remarks", "--dump-plan", str(source), *options], SECONDS)
        result = Lift(status, errors)
        kernels = json.loads(plans) if status in (0, 1) and plans else []
        result.plans = [copy["plan"] | {"instance": instance["name"]} for kernel in kernels
                        for instance in kernel["instances"] for copy in instance["copies"]]
        for place in text.copies:
            result.outcomes[place.kernel, place.copy] = Outcome()
        for message in messages(errors, source):
            _assign(message, text, result)
        return result

    def lift(self, text: Text, source: Path, lifted: Path,
             options: Sequence[str] = ()) -> tuple[int, str]:
        """Writes the lifted program."""
        source.write_text(str(text))
        return _run([str(self.path), str(source), "-o", str(lifted), *options], SECONDS)

    def can_run(self) -> bool:
        """Whether this tilelift has the emulator."""
        status, output = _run([str(self.path), "run", "--help"], SECONDS)
        return status == 0 and "--compare" in output

    def compare(self, source: Path, schedules: int) -> tuple[int, str]:
        """Runs a program plain and lifted on the emulator; 0 if they agree."""
        return _run([str(self.path), "run", "--compare", f"--schedules={schedules}", *self.flags,
                     str(source)], RUN_SECONDS)

    def run_plain(self, source: Path) -> tuple[int, str]:
        """Runs a program as it is; 0 if nothing was found."""
        return _run([str(self.path), "run", "--plain", *self.flags, str(source)], RUN_SECONDS)


def findings(output: str) -> dict[str, str]:
    """The first finding of the emulator about each kernel."""
    found: dict[str, str] = {}
    for error, rest in FINDING.findall(output):
        kernel = FOUND_IN.search(error) or FOUND_IN.search(rest)
        if kernel:
            found.setdefault(kernel[1], error)
    return found


def _run(command: Sequence[str], seconds: int) -> tuple[int, str]:
    """Exit status and everything that was printed; a signal is a negative status."""
    status, output, _ = _run_apart(command, seconds, subprocess.STDOUT)
    return status, output


def _run_apart(command: Sequence[str], seconds: int,
               errors: int = subprocess.PIPE) -> tuple[int, str, str]:
    """The same, with errors apart."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                              errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        text = output.decode(errors="replace") if isinstance(output, bytes) else output
        timeout = f"{text}\nerror: no end after {seconds} s"
        return -1, timeout, timeout
    return done.returncode, done.stdout, done.stderr or ""


def messages(output: str, source: Path) -> list[Message]:
    """The messages of tilelift about the program itself."""
    found = []
    for match in MESSAGE.finditer(output):
        if Path(match["file"]).name != source.name:
            continue
        id, rule = match["id"], RULE.search(match["text"])
        if id == "rule-violated" and rule:
            id = "rule:" + rule[1]
        found.append(Message(int(match["line"]), match["severity"], id, match["text"]))
    return found


def _assign(message: Message, text: Text, result: Lift) -> None:
    places = _places(message, text)
    if message.id in ("lifted", "lifted-under-guard"):
        for place in places:
            result.outcomes[place.kernel, place.copy].lifted = True
    elif message.id not in REMARKS:
        for place in places:
            result.outcomes[place.kernel, place.copy].refusals.append(message)
        if not places:
            result.elsewhere.append(message)


def _places(message: Message, text: Text) -> list[Place]:
    """The copies that a message may speak of; one, if its lines or its words tell."""
    around = [p for p in text.copies if p.first <= message.line <= p.last]
    if around:
        return around
    kernels = [k.kernel for k in text.kernels if k.first <= message.line <= k.last]
    copies = [p for p in text.copies if p.kernel in kernels]
    named = [p for p in copies if re.search(rf"'tile{p.copy + 1 if p.copy else ''}['\[]",
                                            message.text)]
    return named or copies
