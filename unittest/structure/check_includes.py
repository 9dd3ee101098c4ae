"""Checks that includes point downwards through the layers below.

Prints every offence as file:line and fails when there is one.
"""

import re
import sys
from pathlib import Path

# What each layer may include besides itself.
LAYERS = [  # from the bottom up; layers of one line do not see each other
    ["simd"],
    ["core"],
    ["potentials", "dynamics"],
    ["io", "neighbor"],
    ["forces"],
    ["engine"],
    ["lammps"],
    ["kokkos"],
]
BELOW = {layer: {name for line in LAYERS[:level] for name in line} for level, line in enumerate(LAYERS) for layer in line}
ADAPTORS = {"lammps", "kokkos"}  # the only layers that see headers of LAMMPS
# Formulas and files know nothing of devices, threads or MPI.
PLAIN = {"simd", "potentials", "dynamics", "io"}
DEVICES_AND_THREADS = re.compile(
    r"(cuda|cub/|thrust/|cooperative_groups|Kokkos).*|thread|mutex|atomic|future|omp\.h|mpi\.h"
)

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def offence(layer, quote, header):
    """Why `layer` must not include `header`, or None."""
    if quote == "<":
        return f"{layer} must not use <{header}>" if layer in PLAIN and DEVICES_AND_THREADS.fullmatch(header) else None
    target = header.split("/")[0]
    if target in BELOW and "/" in header:
        return None if target == layer or target in BELOW[layer] else f"{layer} must not include {target}"
    return None if layer in ADAPTORS else f'"{header}" is in no layer of src; write it as layer/file'


def main(src):
    offences = []
    files = sorted(path for path in src.rglob("*") if path.suffix in {".h", ".cuh", ".cpp", ".cu"})
    for path in files:
        layer = path.relative_to(src).parts[0]
        if layer not in BELOW:
            offences.append(f"{path}: {layer} is no layer of src")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and offence(layer, *match.groups())
            if reason:
                offences.append(f"{path}:{number}: {reason}")
    print("\n".join(offences) or f"{len(files)} files, all includes point downwards")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
