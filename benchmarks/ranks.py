#!/usr/bin/env python3
"""Times steps on several numbers of GPUs, one rank each: crystals of silicon and SiC, npt, and a melt, in all precisions.

    LAMMPS_PLUGIN_PATH=build/plugin LAMMPS_POTENTIALS=<folder> python3 benchmarks/ranks.py --atoms 262144 --ranks 1 2

Each system is made once per number of ranks, and advanced with one precision after the other (in.scaling). The largest
systems need 0.5 kB of host memory per atom. README.md describes the systems.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

sys.path.insert(0, str(machine.ROOT / "python"))
from lammps_triad.launch import find_lmp, find_mpiexec  # noqa: E402

SCRIPT = Path(__file__).resolve().parent / "in.scaling"
SYSTEMS = ("si", "sic", "npt", "melt")


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--atoms", nargs="+", type=int, default=[262144], help="rounded to whole cubes of cells")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--precisions", nargs="+", default=["single", "mixed", "double"])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--warmup", type=int, default=100, help="a melt has at least 400")
    parser.add_argument("--ghosts", default="auto", help="the keyword of run_style verlet/triad: auto, mpi or host")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--potential", default="SiC.tersoff")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--commit", help="commit to store (default: that of this checkout)")
    parser.add_argument("--json", type=Path, help="result file; results are added to those that it has")
    return parser.parse_args()


def measure(args, system, cells, ranks):
    """Runs LAMMPS once and returns a result per precision."""
    warmup = max(args.warmup, 400) if system == "melt" else args.warmup
    variables = {"system": system, "cells": cells, "warmup": warmup, "steps": args.steps, "potential": args.potential,
                 "backend": args.backend, "ghosts": args.ghosts}
    environment = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.lammps")
        command = [os.environ.get("TRIAD_LMP") or find_lmp(), "-in", str(SCRIPT), "-log", str(log)]
        if ranks > 1:
            command = [os.environ.get("TRIAD_MPIEXEC") or find_mpiexec(), "-n", str(ranks), *command]
        for name, value in variables.items():
            command += ["-var", name, str(value)]
        command += ["-var", "precision", *args.precisions]
        process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=args.timeout)
        text = log.read_text() if log.is_file() else ""
    if process.returncode:
        raise SystemExit(f"{system} of {8 * cells**3} atoms on {ranks} ranks: LAMMPS failed\n{process.stdout[-2000:]}")
    print(f"{system}, {8 * cells**3} atoms, ranks: {ranks}, {time.monotonic() - start:.1f} s in all", flush=True)
    return [{"system": system, "gpus": ranks, "precision": precision, **read(part)}
            for precision, part in zip(args.precisions, re.split(r"^timed: \w+\n", text, flags=re.MULTILINE)[1:])]


def read(text):
    """Of the first run of a part of a log."""
    seconds, steps, atoms = re.search(r"^Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+) atoms", text,
                                      re.MULTILINE).groups()
    rows = re.search(r"^ +Step +Temp .*\n((?: *-?\d.*\n)+)", text, re.MULTILINE)[1].splitlines()
    temperature, counted = rows[-1].split()[1], rows[-1].split()[-1]
    assert counted == atoms, "atoms were lost"
    table = re.findall(r"^(Pair|Comm|Modify|Neigh) +\|[^|]+\| *(\S+)", text, re.MULTILINE)[:4]
    route = re.search(r"Triad: ghosts of other ranks travel (.*)", text)
    memory = re.search(r"Triad: (\d+) bytes of device memory per atom", text)
    return {"atoms": int(atoms), "steps": int(steps), "us_per_step": round(1e6 * float(seconds) / int(steps), 2),
            "temperature_K": float(temperature), "us_of": {k: round(1e6 * float(v) / int(steps), 1) for k, v in table},
            "ghosts_travel": route[1] if route else None,
            "device_bytes_per_atom": int(memory[1]) if memory else None}


def main():
    args = options()
    kept = json.loads(args.json.read_text())["results"] if args.json and args.json.is_file() else []
    commit = args.commit or machine.commit()
    for system in args.systems:
        for atoms in args.atoms:
            cells = round((atoms / 8) ** (1 / 3))
            one = {}
            for ranks in args.ranks:
                for result in measure(args, system, cells, ranks):
                    kept.append({**result, "commit": commit})
                    us = result["us_per_step"]
                    one.setdefault(result["precision"], us * ranks if ranks > 1 else us)
                    parts = " ".join(f"{k} {v:.1f}" for k, v in result["us_of"].items())
                    print(f"  {result['precision']:6s} {us:9.1f} us/step {1e-3 * result['atoms'] / us:8.3f} G "
                          f"{one[result['precision']] / us:5.2f} x  ({parts})  {result['temperature_K']:.0f} K", flush=True)
    if args.json:
        report = {"benchmark": "ranks", "machine": machine.describe(), "results": kept}
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
