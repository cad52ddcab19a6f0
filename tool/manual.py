#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the manual page and the completions of shells, from what `tilelift --help` and its commands print.

  manual.py TOOL FOLDER

FOLDER gets man/man1/tilelift.1, bash-completion/completions/tilelift, zsh/site-functions/_tilelift and
fish/vendor_completions.d/tilelift.fish, as they lie in share/.
"""
import pathlib
import re
import subprocess
import sys

COMMANDS = {"": "lift files", "run": "run a program without a GPU, lifted or plain", "compare": "measure what copies bring",
            "lint": "check TMA code that is written by hand", "nvcc": "lift and compile by nvcc",
            "doctor": "say what is found on this machine"}
# "  --arch=<sm_NN>  - device that ..." of the tool, and "  --arch ARCH  device that ..." of Python's scripts.
OPTION = re.compile(r"^ +(?:-\w, )?(-{1,2}[\w-]+)(?:[= ](?:<([^>]+)>|([A-Z_]+)))? +(?:- | )(\S.*)$")
VALUE = re.compile(r"^ +=(\S+) +- +(.*)$")


def help_of(tool, command):
    if command == "nvcc":
        return subprocess.run([tool, "nvcc", "--help-tilelift"], check=True, capture_output=True, text=True).stdout
    return subprocess.run([tool, *([command] if command else []), "--help"], check=True, capture_output=True,
                          text=True).stdout


def options_of(text):
    """Each option with the name of its value, if it takes one, its values, if they are known, and what it does."""
    options = []
    for line in text.splitlines():
        if found := OPTION.match(line):
            value = found[2] or found[3]
            if options and options[-1]["name"] == found[1]:  # listed a second time, with its values
                options[-1].update(value=value, is_value_optional=True)
            elif not found[1].startswith("--help-"):
                options.append({"name": found[1], "value": value, "does": found[4], "values": [],
                                "is_value_optional": False})
        elif options and (found := VALUE.match(line)):
            options[-1]["values"].append((found[1], found[2]))
    return options


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def manual(version, helps):
    page = [f'.TH TILELIFT 1 "" "tilelift {version}"', ".SH NAME",
            "tilelift \\- copies of CUDA kernels become Tensor Memory Accelerator operations"]
    for command, text in helps.items():
        overview = text.split("USAGE:")[0].removeprefix("OVERVIEW: ").strip()
        page += [f".SH TILELIFT {command.upper()}".rstrip() if command else ".SH DESCRIPTION", ".nf", escaped(overview), ".fi"]
        for option in options_of(text):
            name = option["name"] + (("=" if option["name"].startswith("--") else " ") + f"<{option['value']}>"
                                     if option["value"] else "")
            page += [".TP", f".B {escaped(name)}", escaped(option["does"])]
            page += [f".br\n{escaped(value)}: {escaped(does)}" for value, does in option["values"]]
    return "\n".join(page) + "\n"


def words_of(option):
    if option["values"]:
        alone = [option["name"]] if option["is_value_optional"] else []
        return alone + [f"{option['name']}={value}" for value, _ in option["values"]]
    return [option["name"] + ("=" if option["value"] and option["name"].startswith("--") else "")]


def bash(helps):
    cases = "".join(f"    {command or '*'}) words='{' '.join(word for option in options_of(text) for word in words_of(option))}' ;;\n"
                    for command, text in sorted(helps.items(), reverse=True))
    commands = " ".join(command for command in helps if command)
    return f"""# bash completion of tilelift
_tilelift() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words
  case ${{COMP_WORDS[1]}} in
{cases}  esac
  [ "$COMP_CWORD" -ne 1 ] || words="{commands} $words"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  [[ ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace
}}
complete -o default -F _tilelift tilelift
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def fish(helps):
    lines = ["# fish completion of tilelift"]
    commands = " ".join(command for command in helps if command)
    for command, text in helps.items():
        if command:
            lines.append(f"complete -c tilelift -n __fish_use_subcommand -a {command} -d {quoted(COMMANDS[command])}")
        where = f"'__fish_seen_subcommand_from {command}'" if command else f"'not __fish_seen_subcommand_from {commands}'"
        for option in options_of(text):
            name = option["name"]
            kind = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"
            values = f" -x -a '{' '.join(value for value, _ in option['values'])}'" if option["values"] else \
                " -r" if option["value"] else ""
            lines.append(f"complete -c tilelift -n {where} {kind}{values} -d {quoted(option['does'])}")
    return "\n".join(lines) + "\n"


def zsh(helps):
    def described(option):
        text = re.sub(r"([\[\]:])", r"\\\1", option["does"])
        value = f":{option['value']}:" + (f"({' '.join(value for value, _ in option['values'])})" if option["values"]
                                          else "_files") if option["value"] or option["values"] else ""
        return quoted(f"{option['name']}{'=' if value and option['name'].startswith('--') else ''}[{text}]{value}")
    cases = "".join(f"  {command or '*'}) _arguments {' '.join(described(option) for option in options_of(text))} '*:file:_files' ;;\n"
                    for command, text in sorted(helps.items(), reverse=True))
    commands = " ".join(quoted(f"{command}:{COMMANDS[command]}") for command in helps if command)
    return f"""#compdef tilelift
local -a commands=({commands})
(( CURRENT != 2 )) || _describe command commands
case $words[2] in
{cases}esac
"""


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    printed = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    helps = {command: help_of(tool, command) for command in COMMANDS}
    for place, text in (("man/man1/tilelift.1", manual(printed.split()[1], helps)),
                        ("bash-completion/completions/tilelift", bash(helps)),
                        ("zsh/site-functions/_tilelift", zsh(helps)),
                        ("fish/vendor_completions.d/tilelift.fish", fish(helps))):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)


if __name__ == "__main__":
    main()
