"""Reads results of a run from LAMMPS's log."""

import re


class LogError(Exception):
    """The log lacks lines that every finished run writes."""


def last_lines(text, count=12):
    return "\n".join(text.rstrip().splitlines()[-count:])


def breakdown(text):
    """Average seconds of every category of the last timing table."""
    _, _, table = text.rpartition("MPI task timing breakdown:")
    rows = (line.split("|") for line in table.splitlines() if line.count("|") == 5)
    return {row[0].strip(): float(row[2]) for row in rows if row[0].strip() not in ("Section", "")}


def last_thermo(text):
    """Temperature and potential energy per atom at the end, from the last line of the last thermo table."""
    table = re.findall(r"^ +Step +Temp +PotEng.*\n((?: *-?\d.*\n)+)", text, re.M)
    if not table:
        raise LogError("no thermo output")
    _, temperature, energy, *_ = table[-1].splitlines()[-1].split()
    return float(temperature), float(energy)


def read(text):
    """Result of the last run in a log. Raises LogError."""
    loops = re.findall(r"^Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+) atoms", text, re.M)
    if not loops:
        raise LogError("no 'Loop time' line")
    seconds, steps, atoms = loops[-1]
    version = re.search(r"^LAMMPS \((.+)\)", text, re.M)
    kokkos = re.search(r"^KOKKOS mode with Kokkos version (\S+) is enabled", text, re.M)
    backend = re.search(r"^Triad: tersoff/triad(?:/kk)? on (.+)$", text, re.M)
    memory = re.findall(r"^Triad: (\d+) bytes of device memory per atom", text, re.M)
    ghosts = re.findall(r"^Triad: ghosts of other ranks travel (.+)$", text, re.M)
    rebuilds = re.findall(r"^Neighbor list builds = (\d+)", text, re.M)
    temperature, energy = last_thermo(text)
    return {
        "atoms": int(atoms),
        "steps": int(steps),
        "seconds": float(seconds),
        "atom_steps_per_s": int(atoms) * int(steps) / float(seconds),
        "breakdown_s": breakdown(text),
        "neighbour_list_builds": int(rebuilds[-1]) if rebuilds else None,
        "temperature_K": temperature,
        "potential_energy_eV_per_atom": energy,
        "lammps": version[1] if version else "unknown",
        "kokkos": kokkos[1] if kokkos else None,
        "triad": backend[1] if backend else None,
        "device_bytes_per_atom": int(memory[-1]) if memory else None,
        "ghosts_travel": ghosts[-1] if ghosts else None,
    }
