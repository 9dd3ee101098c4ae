"""What the programs of the examples share: running an input script of LAMMPS, reading its output, and small pictures."""

import os
import subprocess
from pathlib import Path

import numpy as np


def words_of(lmp):
    """The words of a command that starts LAMMPS, with absolute paths of programs, for runs in other folders."""
    return [os.path.abspath(word) if os.path.dirname(word) and Path(word).exists() else word for word in lmp.split()]


def failure(log, output=""):
    """The end of the log of a run that has failed, or of the output if there is no log."""
    return "\n".join((log.read_text() if log.exists() else output).splitlines()[-5:])


def run_script(lmp, script, folder, **variables):
    """Runs an input script in a folder with values for its variables; returns the log."""
    words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
    log = Path(folder, "log")
    process = subprocess.run([*words_of(lmp), "-in", script, "-log", "log", "-screen", "none", *words], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if process.returncode:
        raise SystemExit(f"LAMMPS failed; the last lines of {log}:\n{failure(log, process.stdout)}")
    return log.read_text()


def thermo_tables(log):
    """The tables of thermo output in a log: list of keyword -> values."""
    found = []
    for part in log.split("\n   Step ")[1:]:
        lines = part.split("Loop time")[0].splitlines()
        rows = [line.split() for line in lines[1:] if line.strip()]
        found.append(dict(zip(["Step", *lines[0].split()], np.array(rows, dtype=float).T)))
    return found


def states_of_cells(dump, n):
    """The states of n cells from a dump with the columns id x y f_water[*]: list of arrays [n, 4] of h, qx, qy, bed."""
    blocks = Path(dump).read_text().split("ITEM: ATOMS")[1:]
    return [np.array([line.split() for line in block.splitlines()[1:] if line[0].isdigit()], float)[:n, 3:]
            for block in (block.split("ITEM: TIMESTEP")[0] for block in blocks)]


def save_small(figure, path):
    """Writes a picture of 256 colours, a quarter of the bytes of one with all colours. matplotlib brings Pillow."""
    from PIL import Image

    figure.set_dpi(110)
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3).save(path, optimize=True)
