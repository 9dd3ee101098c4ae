"""Checks that includes point downwards: kokkos -> lammps, md -> loops -> physics, io.

Prints every offence as file:line and fails when there is one.
"""

import re
import sys
from pathlib import Path

# What each room may include besides itself.
BELOW = {
    "physics": set(),
    "io": {"physics"},
    "loops": {"physics", "io"},
    "md": {"loops", "physics", "io"},
    "lammps": {"md", "loops", "physics", "io"},
    "kokkos": {"lammps", "md", "loops", "physics", "io"},
}
ADAPTORS = {"lammps", "kokkos"}  # the only rooms that see headers of LAMMPS
# Formulas and files know nothing of devices, threads or MPI.
PLAIN = {"physics", "io"}
DEVICES_AND_THREADS = re.compile(
    r"(cuda|cub/|thrust/|cooperative_groups|Kokkos).*|thread|mutex|atomic|future|omp\.h|mpi\.h"
)

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def offence(room, quote, header):
    """Why `room` must not include `header`, or None."""
    if quote == "<":
        return f"{room} must not use <{header}>" if room in PLAIN and DEVICES_AND_THREADS.fullmatch(header) else None
    target = header.split("/")[0]
    if target in BELOW and "/" in header:
        return None if target == room or target in BELOW[room] else f"{room} must not include {target}"
    return None if room in ADAPTORS else f'"{header}" is in no room of src; write it as room/file'


def main(src):
    offences = []
    files = sorted(path for path in src.rglob("*") if path.suffix in {".h", ".cuh", ".cpp", ".cu"})
    for path in files:
        room = path.relative_to(src).parts[0]
        if room not in BELOW:
            offences.append(f"{path}: {room} is no known room of src")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and offence(room, *match.groups())
            if reason:
                offences.append(f"{path}:{number}: {reason}")
    print("\n".join(offences) or f"{len(files)} files, all includes point downwards")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
