"""Phonons and elastic constants of silicon from Triad's forces: dispersion, density of states, C11, C12, C44.

    pip install ".[analysis]"   (in a clone of Triad)
    python phonons.py                       # seconds; writes output/*.csv and output/phonons.png

Force constants by phonopy's displacements and ASE's calculator of Triad (lammps_triad.ase_calculator). Lengths in Å,
frequencies in THz, elastic constants in GPa.
"""

import argparse
import csv
from pathlib import Path

import matplotlib
import numpy as np
from ase import Atoms
from ase.build import bulk
from ase.optimize import BFGS
from ase.units import GPa
from lammps_triad import ase_calculator
from phonopy import Phonopy
from phonopy.structure.atoms import PhonopyAtoms

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

POINTS = {"Γ": (0, 0, 0), "X": (0.5, 0.5, 0), "X'": (0.5, 0.5, 1), "K": (0.375, 0.375, 0.75), "L": (0.5, 0.5, 0.5)}
PATH = [("Γ", "X"), ("X'", "K"), ("K", "Γ"), ("Γ", "L")]  # X and X' are the same point, a reciprocal vector apart


def lattice_constant(calculator):
    """Å, where the energy of the crystal is lowest."""
    lengths = np.linspace(5.40, 5.46, 7)
    energies = []
    for length in lengths:
        crystal = bulk("Si", a=length, cubic=True)
        crystal.calc = calculator
        energies.append(crystal.get_potential_energy())
    cubic = np.polyfit(lengths, energies, 3)
    roots = np.roots(np.polyder(cubic)).real
    return float(roots[np.argmin(abs(roots - 5.43))])


def phonons(calculator, length, cells, displacement=0.01):
    """Phonopy's object with the force constants of a supercell of `cells`^3 primitive cells."""
    primitive = bulk("Si", a=length)
    phonon = Phonopy(PhonopyAtoms(symbols=["Si", "Si"], cell=primitive.cell[:],
                                  scaled_positions=primitive.get_scaled_positions()), np.diag([cells] * 3))
    phonon.generate_displacements(distance=displacement)
    forces = []
    for displaced in phonon.supercells_with_displacements:
        atoms = Atoms(displaced.symbols, cell=displaced.cell, positions=displaced.positions, pbc=True)
        atoms.calc = calculator
        forces.append(atoms.get_forces())
    phonon.forces = forces
    phonon.produce_force_constants()
    phonon.symmetrize_force_constants()
    return phonon


def frequencies(phonon, point):
    """THz, ascending."""
    return at(phonon, np.array(POINTS[point], dtype=float))


def at(phonon, wave_vector):
    """Frequencies in THz, ascending, at a wave vector in units of the primitive reciprocal lattice."""
    return np.sort(phonon.run_qpoints([wave_vector]).frequencies[0])


def bands(phonon, points=51):
    """(labels and their places on the axis, distance along the path [points], frequencies [points][6])."""
    reciprocal = np.linalg.inv(phonon.primitive.cell).T
    distance, values, marks, here = [], [], [("Γ", 0.0)], 0.0
    for start, end in PATH:
        a, b = (np.array(POINTS[name], dtype=float) for name in (start, end))
        length = np.linalg.norm((b - a) @ reciprocal)
        for share in np.linspace(0, 1, points):
            distance.append(here + share * length)
            values.append(at(phonon, a + share * (b - a)))
        here += length
        marks.append((end, here))
    return marks, np.array(distance), np.array(values)


def density_of_states(phonon, mesh=31):
    """(frequency, states per THz and primitive cell)."""
    phonon.run_mesh([mesh] * 3)
    phonon.run_total_dos(freq_min=0, freq_max=17.5, freq_pitch=0.05)
    return phonon.total_dos.frequency_points, phonon.total_dos.dos


def strained_stress(calculator, length, strain, relax):
    """Stress in GPa (xx yy zz yz xz xy) of the crystal under a small strain (Voigt), with atoms relaxed if asked."""
    crystal = bulk("Si", a=length, cubic=True)
    xx, yy, zz, yz, xz, xy = strain
    deformation = np.eye(3) + np.array([[xx, xy / 2, xz / 2], [xy / 2, yy, yz / 2], [xz / 2, yz / 2, zz]])
    crystal.set_cell(crystal.cell[:] @ deformation, scale_atoms=True)
    crystal.calc = calculator
    if relax:
        BFGS(crystal, logfile=None).run(fmax=1e-7, steps=300)
    return crystal.get_stress() / GPa


def elastic_constants(calculator, length, strain=2e-3):
    """{name: (GPa, error of the finite differences)}: central differences with `strain` and half of it, extrapolated to
    zero strain. The error is the difference of the two."""
    found = {}
    for name, direction, component, relax in (("C11", 0, 0, False), ("C12", 0, 1, False), ("C44", 3, 3, True),
                                              ("C44, atoms not relaxed", 3, 3, False)):
        slopes = []
        for size in (strain, strain / 2):
            up, down = np.zeros(6), np.zeros(6)
            up[direction], down[direction] = size, -size
            slopes.append((strained_stress(calculator, length, up, relax)[component]
                           - strained_stress(calculator, length, down, relax)[component]) / (2 * size))
        found[name] = ((4 * slopes[1] - slopes[0]) / 3, abs(slopes[1] - slopes[0]))
    return found


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[f"{value:.6f}" if isinstance(value, float) else value for value in row] for row in rows])


def draw(path, marks, distance, values, states):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 4.5), sharey=True, width_ratios=(3, 1),
                                            constrained_layout=True)
    points = len(distance) // len(PATH)
    for k in range(len(PATH)):
        part = slice(k * points, (k + 1) * points)
        left.plot(distance[part], values[part], color="tab:blue", lw=1.2)
    for _, place in marks:
        left.axvline(place, color="0.7", lw=0.7)
    left.set_xticks([place for _, place in marks], [name for name, _ in marks])
    left.set(xlim=(0, distance[-1]), ylim=(0, 17.5), ylabel="frequency, THz", title="Silicon, Tersoff T3: dispersion")
    right.fill_betweenx(states[0], 0, states[1], alpha=0.3)
    right.plot(states[1], states[0])
    right.set(xlabel="states per THz and cell", xlim=(0, None), title="Density of states")
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=4, help="primitive cells on an edge of the supercell (4)")
    parser.add_argument("--precision", choices=["double", "mixed", "single"], default="double")
    parser.add_argument("--backend", choices=["auto", "cuda", "host"], default="auto")
    parser.add_argument("--output", type=Path, default=Path("output"))
    options = parser.parse_args()
    options.output.mkdir(exist_ok=True)

    calculator = ase_calculator("SiCGe.tersoff", {"Si": "Si(D)"}, precision=options.precision, backend=options.backend)
    length = lattice_constant(calculator)
    print(f"lattice constant {length:.4f} Å")
    phonon = phonons(calculator, length, options.cells)
    for point in ("Γ", "X", "L"):
        print(f"{point}: " + " ".join(f"{value + 0:.2f}".replace("-0.00", "0.00") for value in frequencies(phonon, point)) + " THz")
    marks, distance, values = bands(phonon)
    states = density_of_states(phonon)
    print(f"states per cell: {np.trapezoid(states[1], states[0]):.3f}, of 6")
    constants = elastic_constants(calculator, length)
    for name, (value, error) in constants.items():
        print(f"{name} = {value:.2f} GPa, error of the finite differences {error:.1g} GPa")

    write_csv(options.output / "bands.csv", ["distance_1_per_A", *[f"branch_{k}_THz" for k in range(1, 7)]],
              np.column_stack([distance, values]).tolist())
    write_csv(options.output / "dos.csv", ["frequency_THz", "states_per_THz"], np.column_stack(states).tolist())
    write_csv(options.output / "elastic.csv", ["constant", "GPa", "error_GPa"],
              [[name, *map(float, pair)] for name, pair in constants.items()])
    draw(options.output / "phonons.png", marks, distance, values, states)


if __name__ == "__main__":
    main()
