"""Runs a LAMMPS script with the binary under test and returns what it wrote, with every digit."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

LMP = os.environ.get("TRIAD_LMP", "lmp")
MPIEXEC = os.environ.get("TRIAD_MPIEXEC", "mpiexec")
# Arguments that switch the KOKKOS package on, for scripts that name one of its styles.
KOKKOS = tuple(os.environ.get("TRIAD_KOKKOS", "").split())


class LammpsFailed(AssertionError):
    """LAMMPS stopped with an error, crashed, or ran out of time where a test expected success."""


@dataclass(frozen=True)
class Result:
    """What one LAMMPS process left behind."""

    returncode: int
    output: str  # screen, stdout and stderr together
    runs: list  # one dict per run: thermo keyword -> numpy array over the printed steps
    files: dict  # every file in the run folder: name -> bytes

    @property
    def errors(self):
        """The ERROR and WARNING lines of the screen, in order of appearance, then those that only the log file has.

        MPI_Abort can end the processes before mpiexec has passed on the last lines of the screen.
        """
        lines = self.output.splitlines()
        lines += [line for line in self.files.get("log.lammps", b"").decode(errors="replace").splitlines()
                  if line not in lines]
        return "\n".join(line for line in lines if "ERROR" in line or "WARNING" in line)

    def frames(self, name="atoms.dump"):
        """The snapshots of a custom dump: list of numpy record arrays with the dump's column names."""
        return _parse_dump(self.files[name].decode())


def run_lammps(script, *, ranks=1, threads=1, files=None, args=(), env=None, check=True, timeout=300,
               kokkos=None, resident=True):
    """Runs `script` in an empty folder that holds `files` (name -> text or bytes), on MPI ranks of OpenMP threads.

    check=True also proves by the log that the plugin's styles which the script names have computed: assert_ours_ran().
    `resident`: whether all runs under run_style verlet/triad are expected to leave the atoms to the engine.

    `kokkos`: arguments for the KOKKOS package; None: KOKKOS where the script names one of its styles.
    check=True turns an unsuccessful exit into LammpsFailed with the script and the end of the screen output, and skips
    the test where a LAMMPS of the user's own lacks a package.
    """
    with tempfile.TemporaryDirectory(prefix="triad-style-") as folder:
        for name, content in {**(files or {}), "in.script": script}.items():
            Path(folder, name).write_bytes(content if isinstance(content, bytes) else content.encode())
        if kokkos is None:
            kokkos = KOKKOS if "/kk" in script else ()
        command = [LMP, "-in", "in.script", "-log", "log.lammps", *kokkos, *args]
        if ranks > 1:
            command = [MPIEXEC, "-n", str(ranks), *command]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), **(env or {})}
        try:
            process = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=timeout)
        except subprocess.TimeoutExpired as expired:
            raise LammpsFailed(_report(script, (expired.stdout or b"").decode(), f"no end after {timeout} s")) from None
        written = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}
    missing = re.search(r"part of the (\S+) package,? which is not enabled", process.stdout)
    if check and missing:
        pytest.skip(f"this LAMMPS is built without its package {missing[1]}")
    if check and re.search("KOKKOS package requires a [Kk]okkos.enabled atom_style", process.stdout):
        pytest.skip("this LAMMPS is built without KOKKOS's version of the atom style")
    if check and "Must use 'newton off' with KOKKOS package option 'neigh full'" in process.stdout:
        pytest.skip("KOKKOS wants newton off with its option neigh full, and the script has newton on")
    if check and process.returncode != 0:
        raise LammpsFailed(_report(script, process.stdout, f"exit code {process.returncode}"))
    result = Result(process.returncode, process.stdout, _parse_thermo(written.get("log.lammps", b"").decode()), written)
    if check:
        assert_ours_ran(result, script, (*kokkos, *args), resident)
    return result


PAIR_STYLE = re.compile(r"(?<!\S)(tersoff(?:/mod(?:/c)?|/zbl)?/triad(?:/kk)?)(?!\S)(?:.*?\bprecision (\w+))?"
                        r"(?:.*?\bbackend (host|cuda))?")


def assert_ours_ran(result, script, args=(), resident=True):
    """Fails unless the log says that each pair style of the plugin that is in force at a run of `script` computed, with
    the precision and on the backend that the script names, and that run_style verlet/triad made the steps.

    Without this a comparison with stock would pass where the plugin's styles were never used.
    """
    log = result.files.get("log.lammps", b"").decode() or result.output
    for style, precision, backend in styles_that_ran(script, args):
        told = re.findall(rf"^Triad: {re.escape(style)} on (host|cuda)\b.*, precision (\w+)", log, re.MULTILINE)
        assert any(backend in ("", place) and precision in ("", found) for place, found in told), \
            f"{style} {precision} {backend} did not compute; the log has {told}"
    steps = re.findall(r"^Triad: run_style verlet/triad made ([1-9]\d*) steps on (?:host|cuda)", log, re.MULTILINE)
    refused = "Triad: run_style verlet/triad runs this as run_style verlet" in log
    if "verlet/triad" not in run_styles_of_runs(script, args):
        assert suffix_of(args) or not steps, "run_style verlet/triad ran, which the script does not name"
    elif resident:
        assert steps and not refused, "run_style verlet/triad did not keep the atoms on the engine"
    else:
        assert refused, "the log does not say why the atoms stay on the host"


def commands_of(script):
    """Lines of a script without comments."""
    return [line.split("#")[0].strip() for line in script.splitlines()]


def styles_that_ran(script, args=()):
    """(style, precision, backend) of the plugin's pair styles that are set when a run or a minimisation begins; empty
    where the script leaves a setting to the default or to a variable."""
    found, current = set(), set()
    suffix, with_kokkos = suffix_of(args), "kk" in args and {"-suffix", "-sf"} & set(args)
    for line in commands_of(script):
        if line.startswith("pair_style"):
            if suffix:
                line = re.sub(r"(?<=\s)(tersoff(?:/mod(?:/c)?|/zbl)?)(?=\s|$)", r"\1" + suffix, line)
            current = {match.groups(default="") for match in PAIR_STYLE.finditer(line)}
            if with_kokkos:
                current = {(style.removesuffix("/kk") + "/kk", *settings) for style, *settings in current}
        elif re.match(r"clear\b|plugin unload", line):
            current = set()
        elif re.match(r"(run|minimize)\s", line):
            found |= current
    return found


def suffix_of(args):
    """/triad where the command line asks for this suffix."""
    return "/triad" if "triad" in args and {"-suffix", "-sf"} & set(args) else ""


def run_styles_of_runs(script, args=()):
    """The run styles in force when runs of at least a step begin, as far as the script names them."""
    found, current = [], "verlet"
    for line in commands_of(script):
        words = line.split()
        if words[:1] == ["run_style"]:
            current = words[1] + (suffix_of(args) if words[1] == "verlet" else "")
        elif words[:1] == ["clear"] or line.startswith("plugin unload run"):
            current = "verlet"
        elif words[:1] == ["run"] and words[1] != "0":
            found.append(current)
    return found


def _report(script, output, what):
    return f"LAMMPS failed: {what}\n--- script\n{script}\n--- end of output\n{output[-3000:]}"


def _parse_thermo(log):
    """Thermo tables of a log: from the header that starts with 'Step' to 'Loop time' or the end of the file."""
    runs, keywords, rows = [], None, []
    for line in [*log.splitlines(), "Loop time"]:
        words = line.split()
        if words[:1] == ["Step"]:
            keywords, rows = words, []
        elif keywords and line.startswith("Loop time"):
            runs.append(dict(zip(keywords, np.array(rows, dtype=float).reshape(-1, len(keywords)).T)))
            keywords = None
        elif keywords:
            assert not line.startswith("Triad:"), f"a line of the plugin stands among thermo output: {line}"
            try:
                row = [float(word) for word in words]
            except ValueError:
                continue  # a message of LAMMPS between two thermo lines
            if len(row) == len(keywords):
                rows.append(row)
    return runs


def _parse_dump(text):
    frames = []
    for block in text.split("ITEM: TIMESTEP\n")[1:]:
        header, _, body = block.partition("ITEM: ATOMS ")
        columns, _, table = body.partition("\n")
        names = columns.split()
        values = np.array(table.split(), dtype=float).reshape(-1, len(names))
        assert len(values) == int(header.split("ITEM: NUMBER OF ATOMS\n")[1].split()[0])
        frames.append(np.rec.fromarrays(values.T, names=names) if len(values) else
                      np.rec.array(np.zeros(0, dtype=[(name, float) for name in names])))
    return frames
