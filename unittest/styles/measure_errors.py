#!/usr/bin/env python3
"""Writes how far results of tersoff/triad are from those of stock tersoff: benchmarks/results/h200/errors.json.

    LAMMPS_PLUGIN_PATH=build/plugin LAMMPS_POTENTIALS=<folder> unittest/styles/measure_errors.py --backend cuda errors.json

The member `errors` of the file is system -> precision -> quantity -> [largest difference, largest absolute value of
stock], in the units of the system's script. Energies and virials are per atom. `machine`, `commit` and `backend` say
what was measured.
"""

import argparse
import json
import sys
from pathlib import Path

from compare import differences, evaluate
from styles import STOCK, triad

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
import machine

NAMES = ["si-1989", "si-1988-lambda3", "si-melt", "si-slab-ppf", "ge", "sic-zincblende", "gan-wurtzite", "gan-shuffled",
         "bn-sheet", "bn-cubic", "sio2", "sicge-ternary"]


def errors_of(name, backend):
    found = {}
    for precision in ("single", "mixed", "double"):
        pairs = differences(evaluate(name, STOCK), evaluate(name, triad(precision, backend)))
        found[precision] = {quantity: [float(difference), float(largest)]
                            for quantity, (difference, largest) in pairs.items()}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=["cuda", "host"], default="cuda")
    parser.add_argument("--commit", default=machine.commit(), help="in place of that of this checkout")
    parser.add_argument("file")
    options = parser.parse_args()
    errors = {}
    for name in NAMES:
        errors[name] = errors_of(name, options.backend)
        forces = {precision: quantities["forces"][0] for precision, quantities in errors[name].items()}
        print(name, *(f"{precision} {error:.1e}" for precision, error in forces.items()), flush=True)
    result = {"machine": machine.describe(), "commit": options.commit, "backend": options.backend, "errors": errors}
    Path(options.file).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
