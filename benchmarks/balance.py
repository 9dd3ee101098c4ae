#!/usr/bin/env python3
"""Times runs in which the cost of atoms varies over the box: without fix balance, balanced by the number of atoms, and
by measured times.

    LAMMPS_PLUGIN_PATH=build/plugin LAMMPS_POTENTIALS=<folder> python3 benchmarks/balance.py --ranks 2 --cells 16

The rate is that of the second half of each run. The imbalance is LAMMPS's: the largest load of a rank, by the weights in
use, divided by the mean. The share is that of the rank with most atoms. README.md describes the systems.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

sys.path.insert(0, str(machine.ROOT / "python"))
from lammps_triad.launch import find_lmp, find_mpiexec  # noqa: E402

SCRIPT = Path(__file__).resolve().parent / "in.balance"
SHAPES = ("droplet", "slab", "front")
MODES = ("none", "count", "time")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--cells", type=int, default=16, help="edge of the box in lattice constants")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=200, help="steps between two attempts to balance")
    parser.add_argument("--style", default="tersoff/triad")
    parser.add_argument("--run-style", default="verlet/triad")
    parser.add_argument("--integrator", default="nve/triad")
    parser.add_argument("--potential", default="SiC.tersoff")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(args, shape, mode):
    """Runs LAMMPS once and returns what the log says."""
    variables = {"shape": shape, "cells": args.cells, "balance": mode, "style": args.style, "steps": args.steps,
                 "every": args.every, "potential": args.potential, "run_style": args.run_style,
                 "integrator": args.integrator}
    environment = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.lammps")
        command = [os.environ.get("TRIAD_MPIEXEC") or find_mpiexec(), "-n", str(args.ranks),
                   os.environ.get("TRIAD_LMP") or find_lmp(), "-in", str(SCRIPT), "-log", str(log)]
        for name, value in variables.items():
            command += ["-var", name, str(value)]
        process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=args.timeout)
        text = log.read_text() if log.is_file() else process.stdout
    if process.returncode:
        raise SystemExit(f"{shape}, balance {mode}: LAMMPS failed\n{process.stdout[-2000:]}")
    return {"shape": shape, "balance": mode, **read(text, args.ranks)}


def read(text, ranks):
    """Rates, imbalance and lists of a run from its log."""
    table = re.findall(r"^ +Step +CPU .*\n((?: *-?\d.*\n)+)", text, re.MULTILINE)[-1]
    rows = [[float(word) for word in line.split()] for line in table.splitlines()]
    first, last = rows[len(rows) // 2], rows[-1]
    atoms = int(last[2])
    assert all(row[2] == atoms for row in rows), "atoms were lost"

    def number(pattern):
        found = re.findall(pattern, text)
        return int(found[-1]) if found else 0

    owned = re.findall(r"^Nlocal: +\S+ ave +(\S+) max", text, re.MULTILINE)
    return {
        "ranks": ranks, "atoms": atoms, "steps": int(last[0]),
        "atom_steps_per_s": atoms * (last[0] - first[0]) / (last[1] - first[1]),
        "imbalance": last[5] if len(last) > 5 else None,
        "largest_share": float(owned[-1]) / atoms,
        "lists_on_gpus": number(r"Triad: (\d+) neighbor lists were made on the GPU alone"),
        "lists_of_lammps": number(r"Triad: (\d+) neighbor lists were renewed by way of LAMMPS's arrays"),
        "steps_in_batches": number(r"made \d+ steps on \w+, (\d+) of them in batches"),
    }


def main():
    args = options()
    results = []
    for shape in args.shapes.split(","):
        for mode in args.modes.split(","):
            result = measure(args, shape, mode)
            results.append(result)
            print(f"{shape:8s} {mode:6s} {result['atoms']:9d} atoms  {result['atom_steps_per_s'] / 1e6:9.2f} M/s  "
                  f"share {result['largest_share']:.3f}  imbalance {result['imbalance'] or 0:.3f}  "
                  f"lists {result['lists_on_gpus']} + {result['lists_of_lammps']}", flush=True)
    if args.json:
        report = {"benchmark": "balance", "commit": machine.commit(), "machine": machine.describe(),
                  "settings": {key: str(value) for key, value in vars(args).items() if key != "json"},
                  "results": results}
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
