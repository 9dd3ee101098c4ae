#!/usr/bin/env python3
"""Times complete LAMMPS runs of crystals with a list of pair styles.

Writes a table to the screen and a JSON file with results, commit, device and versions; README.md has examples.
"""

import argparse
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import lammps_log
import machine
import systems

sys.path.insert(0, str(machine.ROOT / "python"))
from lammps_triad.launch import CompareError, find_lmp, find_mpiexec  # noqa: E402

# Cells per edge for each number of atoms; the first five are those of Lin et al.
SIZES = {32768: 16, 262144: 32, 1000000: 50, 2097152: 64, 4096000: 80, 8000000: 100, 64000000: 200}
STYLES = ["tersoff", "tersoff/triad"]
CATEGORIES = ["Pair", "Neigh", "Comm", "Modify", "Output", "Other"]


class BenchError(Exception):
    """An error that ends one run; the text is an error message for the user."""


@dataclass(frozen=True)
class Style:
    """A pair style with its options, and the LAMMPS arguments that it needs."""

    text: str
    arguments: tuple = ()

    @classmethod
    def parse(cls, spec):
        text, _, arguments = spec.partition("::")
        return cls(text.strip(), tuple(shlex.split(arguments)))

    @property
    def label(self):
        return " ".join([self.text, *self.arguments])


def command_of(args, style, cells, ranks, log):
    launch = [args.mpiexec or find_mpiexec(), "-n", str(ranks)] if ranks > 1 else []
    variables = {"system": args.system, "cells": cells, "style": style.text, "warmup": args.warmup,
                 "potential": args.potential or systems.POTENTIALS[args.system], "steps": args.steps}
    command = [*launch, args.lmp or find_lmp(), "-in", str(systems.SCRIPT), "-log", str(log)]
    for name, value in variables.items():
        command += ["-var", name, str(value)]
    return command + list(style.arguments)


def environment_of(args):
    environment = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    environment.update(args.env)
    return environment


def measure(args, style, cells, ranks):
    """Runs LAMMPS once. Raises BenchError."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.lammps")
        command = command_of(args, style, cells, ranks, log)
        try:
            process = subprocess.run(command, env=environment_of(args), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        except OSError as error:
            raise BenchError(f"cannot start {command[0]}: {error.strerror}") from None
        text = log.read_text(errors="replace") if log.is_file() else ""
    told = lammps_log.last_lines(text if "ERROR" in text else process.stdout or text)
    if process.returncode:
        raise BenchError(f"LAMMPS stopped with exit code {process.returncode}:\n{told}")
    try:
        return lammps_log.read(text)
    except lammps_log.LogError as error:
        raise BenchError(f"LAMMPS's log has {error}:\n{told}") from None


def measure_all(args):
    """Runs of every style at every size, with progress on the screen; failures are reported and skipped. Repeats come in
    turn, so that a load of the machine meets all styles alike; the shortest counts. An interrupt ends the measurement.
    """
    kept, failures = {}, 0
    once = [(atoms, style, ranks) for atoms in args.atoms for style in args.style for ranks in args.ranks]
    plan = [case for atoms in args.atoms for case in args.repeats * [c for c in once if c[0] == atoms]]
    for number, case in enumerate(plan, 1):
        atoms, style, ranks = case
        print(f"[{number}/{len(plan)}] {atoms} atoms, {style.label}, ranks: {ranks} ...", end=" ", flush=True)
        try:
            result = measure(args, style, SIZES[atoms], ranks)
        except BenchError as error:
            failures += 1
            print(f"failed\n{error}", flush=True)
            continue
        except KeyboardInterrupt:
            failures += 1
            print("interrupted", flush=True)
            break
        print(f"{result['seconds']:.3f} s, {rate_text(result['atom_steps_per_s'])} atom-steps/s", flush=True)
        kept.setdefault(case, []).append(result)
    return [shortest(case, kept[case]) for case in once if case in kept], failures


def shortest(case, repeats):
    """Returns the fastest run, and the times of all runs."""
    _, style, ranks = case
    return {"style": style.text, "arguments": list(style.arguments), "ranks": ranks,
            **min(repeats, key=lambda result: result["seconds"]),
            "seconds_of_repeats": [result["seconds"] for result in repeats]}


def rate_text(rate):
    return f"{rate * 1e-9:.3f} G" if rate >= 1e9 else f"{rate * 1e-6:.2f} M"


def label_of(result):
    return " ".join([result["style"], *result["arguments"]])


def table(results):
    """Markdown; column `ratio` is against the first style and number of ranks at the same size."""
    lines = ["| atoms | style | ranks | s | atom-steps/s | ratio | " + " | ".join(f"{c} %" for c in CATEGORIES) +
             " | eV/atom | runs on |", "|" + " --- |" * (8 + len(CATEGORIES))]
    first = {}
    for r in results:
        base = first.setdefault(r["atoms"], r["atom_steps_per_s"])
        shares = " | ".join(f"{100 * r['breakdown_s'].get(c, 0) / r['seconds']:.1f}" for c in CATEGORIES)
        lines.append(f"| {r['atoms']} | {label_of(r)} | {r['ranks']} | {r['seconds']:.4f} | {rate_text(r['atom_steps_per_s'])} | "
                     f"{r['atom_steps_per_s'] / base:.2f} | {shares} | {r['potential_energy_eV_per_atom']:.5f} | "
                     f"{r['triad'] or ''} |")
    return "\n".join(lines)


def report(args, results):
    return {
        "benchmark": "lammps",
        "commit": args.commit or machine.commit(),
        "machine": machine.describe(),
        "versions": {"lammps": sorted({r["lammps"] for r in results}), "triad": machine.triad_version()},
        "settings": {"system": args.system, "ranks": args.ranks, "threads": args.threads,
                     "warmup_steps": args.warmup, "steps": args.steps},
        "results": results,
    }


def plot(results, path):
    """Rate against atoms, one line per style and number of ranks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for label, ranks in dict.fromkeys((label_of(r), r["ranks"]) for r in results):
        points = sorted((r["atoms"], r["atom_steps_per_s"]) for r in results
                        if (label_of(r), r["ranks"]) == (label, ranks))
        axes.plot(*zip(*points), marker="o", label=label if ranks == 1 else f"{label}, {ranks} ranks")
    axes.set(xscale="log", yscale="log", xlabel="atoms", ylabel="atom-steps/s")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150)


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def name_and_value(text):
    name, separator, value = text.partition("=")
    if not (name and separator):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--atoms", type=int, nargs="+", choices=SIZES, default=list(SIZES)[:5], metavar="N",
                        help=f"sizes, any of {', '.join(map(str, SIZES))} (default: the first five)")
    parser.add_argument("--system", choices=[s for s in systems.POTENTIALS if s != "melt"], default="si",
                        help="crystal (default: si); but for si LAMMPS_POTENTIALS must name LAMMPS's potentials")
    parser.add_argument("--style", type=Style.parse, action="append", metavar="'STYLE [OPTIONS] [:: LAMMPS ARGUMENTS]'",
                        help=f"repeat for more; the first is what the others are compared with (default: {STYLES})")
    parser.add_argument("--steps", type=positive, default=1000, help="timed steps (default: 1000)")
    parser.add_argument("--warmup", type=positive, default=100, help="steps before them (default: 100)")
    parser.add_argument("--repeats", type=positive, default=1, metavar="N",
                        help="times that each is run, in turn; the shortest counts (default: 1)")
    parser.add_argument("--ranks", type=positive, nargs="+", default=[1], metavar="N",
                        help="numbers of MPI ranks, each of which drives one GPU (default: 1)")
    parser.add_argument("--threads", type=positive, default=1, help="OpenMP threads per rank")
    parser.add_argument("--lmp", help="LAMMPS executable (default: that of the lammps package)")
    parser.add_argument("--mpiexec", help="its mpiexec (default: that of the mpich package)")
    parser.add_argument("--env", type=name_and_value, action="append", default=[], metavar="NAME=VALUE",
                        help="environment of LAMMPS, such as LAMMPS_PLUGIN_PATH=build/plugin; repeat for more")
    parser.add_argument("--potential", type=Path,
                        help="file with entries for the system's elements (default for si: Tersoff T3)")
    parser.add_argument("--json", type=Path, default=Path("lammps.json"), help="result file (default: lammps.json)")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="plot of rate against atoms; needs matplotlib")
    parser.add_argument("--commit", help="commit to store (default: that of this checkout)")
    args = parser.parse_args(argv)
    if args.plot and not importlib.util.find_spec("matplotlib"):
        parser.error("--plot needs matplotlib: pip install matplotlib")
    args.style = args.style or [Style.parse(spec) for spec in STYLES]
    return args


def main(argv=None):
    args = parse(argv)
    try:
        results, failures = measure_all(args)
    except CompareError as error:
        sys.exit(f"run.py: {error}")
    if results:
        print("\n" + table(results))
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(report(args, results), indent=2) + "\n")
        print(f"\nwritten: {args.json}")
        if args.plot:
            plot(results, args.plot)
            print(f"written: {args.plot}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
