"""Runs a LAMMPS script, unchanged, with Triad's styles: a front of `lmp -suffix triad`."""

import os
import re
import subprocess
import sys
from pathlib import Path

from .launch import CompareError, find_lmp, find_mpiexec
from .script import ANY_TEXT, FAMILY, first_word, logical_lines

# Styles of which LAMMPS finds one of ours by the suffix. Where that cannot do what the script asks for, it stays
# LAMMPS's, and the log says so.
OURS = {
    "pair_style": re.compile(rf"pair_style\s+(?P<style>{FAMILY})(?=\s|$)"),
    "run_style": re.compile(r"run_style\s+(?P<style>verlet)(?=\s|$)"),
    "fix": re.compile(r"fix\s+\S+\s+\S+\s+(?P<style>nve|nvt|npt|momentum|setforce|aveforce|addforce|viscous|"
                      r"temp/rescale|temp/berendsen|temp/csvr|heat|ehex|dt/reset|ave/chunk|spring/self|move|wall/reflect|"
                      r"deform)(?=\s|$)"),
    "compute": re.compile(r"compute\s+\S+\s+\S+\s+(?P<style>temp|temp/com|temp/partial|ke|momentum|com|gyration|msd|"
                          r"reduce|heat/flux)(?=\s|$)"),
}
HYBRID = re.compile(rf"pair_style\s+hybrid(/overlay)?\s.*(?<=\s){FAMILY}(?=\s|$)")
SUB_STYLE = re.compile(rf"(?<=\s)({FAMILY}|lj/cut)(?=\s|$)")


def changes(text, settings):
    """What the suffix and the settings (keyword -> value) change in a script, a line of text each."""
    told, names_run_style = [], False
    for line in logical_lines(text):
        command = " ".join(line.split())
        match = OURS[first_word(line)].match(command) if first_word(line) in OURS else None
        names_run_style = names_run_style or first_word(line) == "run_style"
        if HYBRID.match(command):
            changed = SUB_STYLE.sub(r"\1/triad", command)
            told.append(f"{command}  ->  {changed}")
        if match:
            end = match.end("style")
            told.append(f"{command}  ->  {command[:end]}/triad{command[end:]}")
        for keyword, value in settings.items():
            said = re.search(rf"\s{keyword}\s+(\S+)", command) if first_word(line) == "pair_style" else None
            if said:
                told.append(f"{command}  keeps its own {keyword} {said[1]}, not {value}")
    if not names_run_style:
        told.append("(no run_style)  ->  run_style verlet/triad")
    return told + [f"{keyword} {value} where the script names none" for keyword, value in settings.items()]


def run(script, precision=None, backend=None, ranks=1, variables=(), lmp=None, mpiexec=None):
    """Prints what changes, runs `script` in the present folder, and returns LAMMPS's exit code.

    Raises CompareError with a message for the user.
    """
    if not Path(script).is_file():
        raise CompareError(f"{script}: no such file")
    settings = {keyword: value for keyword, value in (("precision", precision), ("backend", backend)) if value}
    command = [lmp or find_lmp(), "-suffix", "triad", "-in", str(script)]
    command += sum((["-var", variable, *value] for variable, *value in variables), [])
    if ranks > 1:
        command = [mpiexec or find_mpiexec(), "-n", str(ranks), *command]
    print(f"{script} with Triad:")
    for line in changes(Path(script).read_text(**ANY_TEXT), settings):
        print(f"  {line}")
    environment = {f"TRIAD_{keyword.upper()}": value for keyword, value in settings.items()}
    print(" ".join([*(f"{name}={value}" for name, value in environment.items()), *command]), flush=True)
    try:
        return subprocess.run(command, env={**os.environ, **environment}, stdout=sys.stdout, stderr=sys.stderr).returncode
    except OSError as error:
        raise CompareError(f"cannot start {command[0]}: {error.strerror}") from None
