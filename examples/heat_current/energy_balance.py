"""Draws the energy balance of an isolated cluster: change of sum r_i E_i against the time integral of J.

Runs in.energy_balance with centroid/stress/atom and with stress/atom; needs numpy and matplotlib, and an `lmp` that
knows tersoff/triad.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.energy_balance")
OUTPUT = INPUT.with_name("output")  # git ignores this folder


def run(lmp, virial, steps, timestep):
    with tempfile.TemporaryDirectory() as folder:
        return thermo_tables(run_script(lmp, INPUT, folder, virial=virial, steps=steps, timestep=timestep))[-1]


def energy_balance(thermo):
    """time (ps), change of the energy moment and integral of J since the first step (eV A, one row per axis).

    The trapezoid rule has an error of the order of the time step squared, as velocity Verlet has.
    """
    time = thermo["Time"] - thermo["Time"][0]
    moment, current = (np.array([thermo[f"c_{name}[{axis}]"] for axis in (1, 2, 3)]) for name in ("moment", "current"))
    steps = np.diff(time) * (current[:, 1:] + current[:, :-1]) / 2
    return time, moment - moment[:, :1], np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))


def draw(balances, path):
    """`balances`: (virial, time step) -> what energy_balance returns. Left along the gradient, right the rest."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (curves, missing) = pyplot.subplots(1, 2, figsize=(12, 4.6), layout="constrained", facecolor="white")
    looks = (("#D55E00", "-"), ("#0072B2", "--"), ("#009E73", ":"))
    for number, ((virial, timestep), (time, change, integral)) in enumerate(balances.items()):
        colour, line = looks[number]
        label = f"{virial}, step {1000 * timestep:g} fs"
        if number == 0:
            curves.plot(time, change[0], color="#BBBBBB", linewidth=6, label=r"change of the moment $\sum_i x_i E_i$")
        curves.plot(time, integral[0], line, color=colour, linewidth=2, label=rf"$\int J_x\,dt$ with {label}")
        missing.semilogy(time[1:], np.linalg.norm(change - integral, axis=0)[1:], line, color=colour, label=label)
    curves.set(xlabel="time (ps)", ylabel="energy moment (eV Å)",
               title="(a) change of the energy moment, and integral of the heat current")
    missing.set(xlabel="time (ps)", ylabel="difference (eV Å)", title="(b) difference between moment and integral")
    missing.set_ylim(1e-4, None)
    for axes in (curves, missing):
        axes.grid(color="#DDDDDD")
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("--duration", type=float, default=0.5, help="in ps (%(default)s)")
    parser.add_argument("--timestep", type=float, default=0.0005, help="the longer of two, in ps (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the picture (%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    balances = {}
    for virial, timestep in (("stress/atom", options.timestep), ("centroid/stress/atom", options.timestep),
                             ("centroid/stress/atom", options.timestep / 2)):
        thermo = run(options.lmp, virial, round(options.duration / timestep), timestep)
        time, change, integral = balances[virial, timestep] = energy_balance(thermo)
        print(f"{virial:20} {1000 * timestep:6g} fs: largest change {np.abs(change).max():8.3f} eV A, "
              f"largest difference {np.abs(change - integral).max():.2g} eV A")
    draw(balances, options.output / "energy_balance.png")


if __name__ == "__main__":
    main()
