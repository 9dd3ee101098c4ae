#!/usr/bin/env python3
"""A model of the time per step on several GPUs: fitted to measured runs of a silicon crystal, compared with those that it
was not fitted to, and extrapolated.

    python3 benchmarks/scaling.py                      # the tables of doc/dev/scaling.md
    python3 benchmarks/scaling.py --json model.json    # also what plot.py draws

Parameters are in µs, µs per atom, and bytes. README.md explains the model.
"""

import argparse
import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

H200 = Path(__file__).resolve().parent / "results" / "h200"

# Silicon: atoms per cubic angstrom, and the cutoff plus skin of these runs in angstrom
DENSITY, REACH = 8 / 5.432**3, 3.0 + 1.0
# Bytes of a ghost per step: a position there, a force back
GHOST_BYTES = {"single": 16 + 12, "mixed": 16 + 24, "double": 32 + 24}
# Share of a step on one GPU that moves atoms and gathers forces, before ghosts can leave (Nsight Compute, one GPU,
# 1,000,000 atoms: mixed 55 of 112 µs, single 23 of 80 as two kernels)
MOVING = {"single": 0.3, "mixed": 0.45, "double": 0.35}

# Not measured here: links and latencies of other machines. NVLINK is the rate of an H200 in one direction; NETWORK and
# MESSAGE are of one 400 Gb/s adapter per GPU; each further message costs the host POST; HOP is the time of an all-reduce
# per doubling of the ranks.
NVLINK, NETWORK = 450e3, 50e3  # bytes per µs
MESSAGE, POST, HOP = 5.0, 1.0, 2.5  # µs
GPUS_OF_HOST = 8


@dataclass(frozen=True)
class Run:
    precision: str
    atoms: int
    gpus: int
    route: str  # "gpu" between GPUs, "mpi" device memory, "host" by way of the host's memory
    us: float
    commit: str


def runs():
    """All measured steps of the crystal."""
    found = []
    for name in ("lammps_resident", "lammps_resident_sizes", "lammps_resident_precisions", "lammps_resident_one_gpu"):
        report = json.loads((H200 / f"{name}.json").read_text())
        for r in report["results"]:
            precision = r["style"].split("precision ")[1].split()[0]
            found.append(Run(precision, r["atoms"], r["ranks"], "gpu", 1e6 * r["seconds"] / r["steps"],
                             report["commit"][:7]))
    for r in json.loads((H200 / "scaling_runs.json").read_text())["results"]:
        found.append(Run(r["precision"], r["atoms"], r["gpus"], r["route"], r["us_per_step"], r["commit"]))
    newest = H200 / "ranks.json"  # of ranks.py
    for r in json.loads(newest.read_text())["results"] if newest.is_file() else []:
        if r["system"] != "si":
            continue
        travel = r["ghosts_travel"] or "from GPU to GPU"
        route = "gpu" if "GPU to GPU" in travel else "mpi" if "device memory" in travel else "host"
        found.append(Run(r["precision"], r["atoms"], r["gpus"], route, r["us_per_step"], r["commit"][:7]))
    return found


def grid_of(gpus):
    """Parts of a cube along its edges, as LAMMPS chooses them: the least surface."""
    grids = [(a, b, gpus // a // b) for a, b in itertools.product(range(1, gpus + 1), repeat=2) if gpus % (a * b) == 0]
    return min(grids, key=lambda g: sum(n for n in g if n > 1) + sum(n > 1 for n in g))


def ghosts_of(atoms, gpus):
    """Ghosts of one GPU from others."""
    edge = (atoms / DENSITY) ** (1 / 3)
    inner = [edge / n for n in grid_of(gpus)]
    outer = [length + 2 * REACH * (n > 1) for length, n in zip(inner, grid_of(gpus))]
    return DENSITY * (math.prod(outer) - math.prod(inner))


def neighbours_of(gpus):
    return math.prod(min(n, 3) for n in grid_of(gpus)) - 1


def lateness(gpus):
    """The expected maximum of P normal deviations grows as sqrt(2 ln P); runs on two GPUs have theirs already."""
    return math.sqrt(2 * math.log(gpus)) - math.sqrt(2 * math.log(2))


@dataclass
class Model:
    """`base` + time per atom times n on one GPU, where the time per atom grows from `small` at 1,000,000 to `large` at
    8,000,000 atoms, which no cache holds. On several, atoms take `several` times as long: motion, then the forces of the interior, `beside` longer
    because the exchange runs on the same SMs, beside the exchange, which
    takes `latency` and the time of the bytes. Through MPI nothing overlaps, and each step waits `mpi` or `host`, µs.
    `skew`: how much longer the slowest of P GPUs takes than that of two, per unit of lateness(), as a share of a step."""

    precision: str
    base: float
    small: float
    large: float
    several: float
    latency: float
    beside: float = 5.0
    skew: float = 0.0
    mpi: float = 0.0
    host: float = 0.0

    def per_atom(self, n):
        grown = min(max(math.log(n / 1e6) / math.log(8), 0), 1)
        return self.small + (self.large - self.small) * grown

    def step(self, atoms, gpus, route="gpu"):
        """µs per step."""
        n = atoms / gpus
        if gpus == 1:
            return self.base + self.per_atom(n) * n
        ghosts, moving = ghosts_of(atoms, gpus), MOVING[self.precision]
        boundary = min(n, ghosts)
        each = self.several * self.per_atom(n)
        work = self.base + each * n
        late = 1 + self.skew * lateness(gpus)
        data = GHOST_BYTES[self.precision] * ghosts
        if route == "gpu":
            forces = (1 - moving) * each
            motion = self.base + moving * each * n
            interior = self.beside + forces * (n - boundary)
            exchange = self.latency + data / NVLINK + forces * boundary
            return late * (motion + max(interior, exchange))
        if route == "network":  # MPI from device memory between hosts, one adapter per GPU
            messages = MESSAGE + POST * neighbours_of(gpus)
            return late * work + self.mpi + data / NETWORK + 2 * messages + HOP * math.log2(gpus)
        waits = self.mpi if route == "mpi" else self.host
        return late * work + waits


def search(data, precision, start, tries=3000):
    """The model whose logarithms of steps differ least from those of the runs, and the sum of squares: random changes of
    all parameters, by more after success and by less after failure."""
    random, names = np.random.default_rng(1), ["base", "small", "large", "several", "latency", "beside"]
    at, width = np.log(start), 0.2

    def error(logarithms):
        model = Model(precision, *np.exp(logarithms))
        return sum(math.log(model.step(r.atoms, r.gpus, r.route) / r.us) ** 2 for r in data if r.route == "gpu")

    best = error(at)
    for _ in range(tries):
        other = at + width * random.standard_normal(len(names))
        found = error(other)
        if found < best:
            at, best, width = other, found, 1.5 * width
        else:
            width = max(0.9 * width, 1e-4)
    return best, Model(precision, *map(float, np.exp(at)))


def fit(data, precision):
    """The best model of many starts, since the longer of two times has kinks."""
    one = np.mean([r.us / r.atoms for r in data if r.gpus == 1 and r.atoms >= 1_000_000])
    starts = itertools.product((4.0,), (one,), (one,), (1.0, 1.2), (15.0, 30.0, 60.0), (5.0, 15.0))
    _, model = min((search(data, precision, start) for start in starts), key=lambda found: found[0])
    for route in ("mpi", "host"):
        waits = [r.us - model.step(r.atoms, r.gpus, route) for r in data if r.route == route and r.gpus == 2]
        if waits:
            setattr(model, route, float(np.mean(waits)))
    return model


def fit_skew(model, data):
    """The skew that runs on four GPUs ask for."""
    late = [r.us / model.step(r.atoms, r.gpus) - 1 for r in data if r.route == "gpu" and r.gpus == 4]
    model.skew = max(0.0, float(np.mean(late)) / lateness(4)) if late else 0.0


def predict(model, sizes, weak):
    rows = []
    for gpus in (1, 2, 4, 8, 16, 64, 256, 1024):
        route = "gpu" if gpus <= GPUS_OF_HOST else "network"
        for atoms in sizes:
            rows.append({"kind": "strong", "atoms": atoms, "gpus": gpus, "us": model.step(atoms, gpus, route)})
        for each in weak:
            rows.append({"kind": "weak", "atoms": each * gpus, "gpus": gpus, "us": model.step(each * gpus, gpus, route)})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    measured = runs()
    newest = measured[-1].commit
    report = {"benchmark": "scaling", "models": {}, "measured": [vars(r) for r in measured], "predicted": {}}
    for precision in ("single", "mixed", "double"):
        of_precision = [r for r in measured if r.precision == precision]
        # how much four GPUs wait for the slowest, from the runs that had four, by a model of one and two at that time
        older = [r for r in of_precision if r.commit != newest]
        before = fit([r for r in older if r.gpus <= 2], precision)
        fit_skew(before, older)
        # the newest runs, if two GPUs ran with several sizes, otherwise those of older commits
        data = [r for r in of_precision if r.commit == newest]
        if len({r.atoms for r in data if r.gpus == 2}) < 2:
            data = [r for r in older if r.gpus <= 2]
        model = fit(data, precision)
        model.skew = before.skew
        for route in ("mpi", "host"):
            if not getattr(model, route):
                setattr(model, route, getattr(before, route))
        report["models"][precision] = {**vars(model), "fitted_to": sorted({r.commit for r in data})}
        print(f"\n{precision}, fitted to {', '.join(sorted({r.commit for r in data}))}: base {model.base:.1f} µs, {1e-3 / model.small:.2f} to {1e-3 / model.large:.2f} G atom-steps/s, several GPUs "
              f"{model.several:.2f} times as long, exchange {model.latency:.1f} µs, interior {model.beside:.1f} µs longer beside it, skew "
              f"{100 * model.skew:.1f} %, through MPI {model.mpi:.0f} and by way of the host {model.host:.0f} µs")
        print("  atoms      GPUs  route  measured µs  model µs")
        for r in sorted(data, key=lambda r: (r.atoms, r.gpus, r.route)):
            print(f"  {r.atoms:10d} {r.gpus:4d}   {r.route:5s} {r.us:10.1f}  {model.step(r.atoms, r.gpus, r.route):10.1f}")
        print("  older runs with four GPUs, by a model of one and two of that time:")
        for r in older:
            if r.gpus == 4 and r.route == "gpu":
                skew, before.skew = before.skew, 0.0
                print(f"  {r.atoms:10d} {r.gpus:4d}   {r.route:5s} {r.us:10.1f}  {before.step(r.atoms, 4):10.1f}")
                before.skew = skew
        rows = predict(model, (1_000_000, 8_000_000, 64_000_000, 512_000_000), (8_000_000,))
        report["predicted"][precision] = rows
        one = {r["atoms"]: r["us"] for r in rows if r["kind"] == "strong" and r["gpus"] == 1}
        print("  predicted speed-up over one GPU (strong), and efficiency with 8,000,000 atoms per GPU (weak)")
        for gpus in (2, 4, 8, 64, 1024):
            strong = [one[r["atoms"]] / r["us"] for r in rows if r["kind"] == "strong" and r["gpus"] == gpus]
            weak = next(r["us"] for r in rows if r["kind"] == "weak" and r["gpus"] == gpus)
            print(f"  {gpus:5d} " + " ".join(f"{s:8.2f}" for s in strong) + f"   {one[8_000_000] / weak:.3f}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
