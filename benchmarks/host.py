#!/usr/bin/env python3
"""Compares the host backend with stock tersoff in complete LAMMPS runs: systems, instruction sets, precisions, threads.

Every system runs with stock and with each choice in turn, several times; what counts is the fastest of each, so that
other work on the machine enters little. Beside runs on several cores stand as many runs on one core each, at once: how
fast the machine lets all its cores be. Writes tables to the screen and a JSON file.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lammps_log
import machine
import systems

sys.path.insert(0, str(machine.ROOT / "python"))
from lammps_triad.launch import CompareError, find_lmp, find_mpiexec  # noqa: E402

HERE = Path(__file__).parent
SYSTEMS = ["si", "melt", "sic", "gan", "bnc"]
STOCK = "tersoff"
PRECISIONS = ["double", "mixed", "single"]
COPY_CELLS = 13  # for simultaneous runs: 17,576 atoms, the number per core of 262,144 atoms
RUN_STYLES = ["verlet", "verlet/triad"]


class BenchError(Exception):
    """LAMMPS failed; the text is an error message for the user."""


def triad(precision):
    return f"tersoff/triad precision {precision} backend host"


class Bench:
    """Runs LAMMPS and collects the results."""

    def __init__(self, args, folder):
        self.args, self.folder, self.results = args, folder, []
        self.cores = sorted(os.sched_getaffinity(0))[:args.cores]

    def lammps(self, script, variables, *, ranks=1, threads=1, isa=None, core=None):
        """Returns the log of a run on the first cores, or on one core."""
        log = Path(self.folder, f"log.{core}")
        cores = self.cores if core is None else [core]
        launch = []
        if ranks > 1:  # core by core, because "core:N" ignores the affinity of this process
            of_rank = (cores[r * threads:(r + 1) * threads] for r in range(ranks))
            binding = "user:" + ",".join("+".join(map(str, some)) for some in of_rank)
            launch = [self.args.mpiexec or find_mpiexec(), "-bind-to", binding, "-n", str(ranks)]
        command = [*launch, self.args.lmp or find_lmp(), "-in", str(HERE / script), "-log", str(log)]
        for name, value in variables.items():
            command += ["-var", name, str(value)]
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        if threads > 1:  # sleeping threads take long to wake up after LAMMPS has integrated
            environment["OMP_WAIT_POLICY"] = "active"
            environment.update(OMP_PROC_BIND="close", OMP_PLACES="cores")
        if isa:
            environment["TRIAD_HOST_ISA"] = isa
        process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace",
                                 preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if process.returncode:
            raise BenchError(f"{' '.join(command)}: {lammps_log.last_lines(process.stdout)}")
        return log.read_text(errors="replace")

    def melt(self):
        """Prepares the melt once."""
        data = Path(self.folder, "melt.data")
        if not data.exists():
            self.lammps("in.melt", {"potential": systems.T3, "data": data})
        return data

    def measure(self, system, style, cells, *, steps, ranks=1, threads=1, isa=None, run_style="verlet", core=None):
        variables = {"system": system, "cells": cells, "style": style, "potential": systems.POTENTIALS[system],
                     "data": self.melt() if system == "melt" else "none", "warmup": 20, "steps": steps,
                     "run_style": run_style, "integrator": "nve" + run_style.removeprefix("verlet")}
        result = lammps_log.read(self.lammps("in.systems", variables, ranks=ranks, threads=threads, isa=isa,
                                             core=core))
        return {"system": system, "style": style, "isa": isa, "ranks": ranks, "threads": threads,
                "run_style": run_style, **result}

    def compare(self, system, isas):
        """Runs stock and all variants alternately; keeps the fastest run of each."""
        choices = [(STOCK, None, RUN_STYLES[0])]
        choices += [(triad(p), isa, run_style) for isa in isas for p in PRECISIONS for run_style in self.args.run_style]
        best = {}
        for _ in range(self.args.repeats):
            for style, isa, run_style in choices:
                steps = self.args.steps if isa else max(20, self.args.steps // 4)
                result = self.measure(system, style, 16, steps=steps, isa=isa, run_style=run_style)
                choice = (style, isa, run_style)
                if choice not in best or result["atom_steps_per_s"] > best[choice]["atom_steps_per_s"]:
                    best[choice] = result
        stock = best[choices[0]]["atom_steps_per_s"]
        for choice in choices:
            best[choice]["ratio_to_stock"] = best[choice]["atom_steps_per_s"] / stock
            self.results.append(best[choice])
            print(line_of(best[choice]), flush=True)

    def scale(self, precision, layouts):
        """262,144 silicon atoms on ranks times threads, integrated by LAMMPS on one thread and by Triad."""
        for run_style in self.args.run_style:
            for ranks, threads in layouts:
                runs = [self.measure("si", triad(precision), 32, steps=self.args.steps, ranks=ranks, threads=threads,
                                     run_style=run_style) for _ in range(self.args.repeats)]
                result = min(runs, key=lambda r: r["seconds"])
                self.results.append(result)
                print(line_of(result), flush=True)


    def copies(self, precision):
        """One run on one core, then a run on each core at the same time."""
        steps = 10 * self.args.steps

        def rate(core):
            result = self.measure("si", triad(precision), COPY_CELLS, steps=steps, run_style=RUN_STYLES[-1], core=core)
            return result["atom_steps_per_s"]

        alone = max(rate(self.cores[0]) for _ in range(self.args.repeats))
        with ThreadPoolExecutor(len(self.cores)) as pool:
            rates = list(pool.map(rate, self.cores))
        self.results.append({"system": "si", "style": triad(precision), "run_style": RUN_STYLES[-1],
                             "atoms": 8 * COPY_CELLS**3, "steps": steps, "alone_atom_steps_per_s": alone,
                             "copies_atom_steps_per_s": rates})
        print(f"{precision}, {len(rates)} runs at once, M atom-steps/s: {alone * 1e-6:.2f} alone, "
              f"{sum(rates) / len(rates) * 1e-6:.2f} on average, {min(rates) * 1e-6:.2f} the slowest", flush=True)


COLUMNS = ["system", "atoms", "style", "set", "run style", "ranks x threads", "M atom-steps/s", "ratio to stock",
           "pair style, ms/step", "neighbour lists, ms/step"]
HEADER = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}"


def line_of(r):
    per_step = {name: 1000 * r["breakdown_s"].get(name, 0) / r["steps"] for name in ("Pair", "Neigh")}
    ratio = f"{r['ratio_to_stock']:.1f}" if "ratio_to_stock" in r else ""
    return (f"| {r['system']} | {r['atoms']} | {r['style']} | {r['isa'] or ''} | {r['run_style']} | "
            f"{r['ranks']} x {r['threads']} | {r['atom_steps_per_s'] * 1e-6:.2f} | {ratio} | "
            f"{per_step['Pair']:.2f} | {per_step['Neigh']:.2f} |")


def usable_isas():
    """Names of the instruction sets according to the CPU flags, lowest first. The plugin refuses unusable sets."""
    if platform.machine() in ("aarch64", "arm64"):
        return ["neon"]
    flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    isas = ["baseline"]
    if "avx2" in flags and "fma" in flags:
        isas.append("avx2")
        if {"avx512f", "avx512dq", "avx512vl", "avx512bw"} <= set(flags):
            isas.append("avx512")
    return isas


def layouts(cores):
    """Threads of one rank in powers of two, then ranks times threads on all cores."""
    threads = [1 << k for k in range(cores.bit_length()) if 1 << k <= cores]
    full = threads[-1]
    return [(1, t) for t in threads] + [(r, full // r) for r in threads[1:]]


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=SYSTEMS, nargs="*", default=SYSTEMS, help="default: all")
    parser.add_argument("--isa", nargs="+", default=usable_isas(), help="instruction sets (default: all of the machine)")
    parser.add_argument("--scaling", nargs="*", default=["mixed", "double"], choices=PRECISIONS,
                        help="precisions for the runs on several cores (default: mixed double; none: empty)")
    parser.add_argument("--run-style", nargs="+", default=RUN_STYLES, choices=RUN_STYLES, help="default: both")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="default: all")
    parser.add_argument("--steps", type=int, default=200, help="timed steps, of stock a quarter (default: 200)")
    parser.add_argument("--repeats", type=int, default=3, help="default: 3")
    parser.add_argument("--lmp", help="LAMMPS executable (default: that of the lammps package)")
    parser.add_argument("--mpiexec", help="an MPICH's mpiexec (default: that of the mpich package)")
    parser.add_argument("--json", type=Path, default=Path("host.json"), help="result file (default: host.json)")
    parser.add_argument("--commit", help="commit to store (default: that of this checkout)")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        print(HEADER)
        try:
            for system in args.system:
                bench.compare(system, args.isa)
            for precision in args.scaling:
                bench.scale(precision, layouts(args.cores))
                bench.copies(precision)
        except (BenchError, CompareError, lammps_log.LogError) as error:
            sys.exit(f"host.py: {error}")
        finally:
            if bench.results:
                report = {"benchmark": "host", "commit": args.commit or machine.commit(),
                          "machine": machine.describe(), "triad": machine.triad_version(),
                          "settings": {"steps": args.steps, "repeats": args.repeats, "cores": args.cores},
                          "results": bench.results}
                args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
