"""One evaluation of a system, and how far two evaluations are apart."""

import functools
import json
import os
from dataclasses import dataclass, field, replace

import numpy as np
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

# Everything a pair style hands to LAMMPS. The pressure is that of the pair style: velocities are zero.
EVALUATE = """
compute energy all pe/atom
compute stress all stress/atom NULL virial
thermo_style custom step pe evdwl pxx pyy pzz pxy pxz pyz vol
thermo_modify norm no format float %.17g
dump out all custom 1 atoms.dump id type x y z fx fy fz c_energy c_stress[*]
dump_modify out sort id format float %.17g
run 0
"""


# The same without per-atom energy and stress, on which the plugin takes other loops.
EVALUATE_FORCES = "\n".join(line for line in EVALUATE.replace(" c_energy c_stress[*]", "").splitlines()
                            if not line.startswith("compute")) + "\n"


@functools.cache
def evaluate(name, style, ranks=1, threads=1, per_atom=True, isa=None):
    """Forces, energies and stresses of the system called `name` under `style`; `isa`: the host's instruction set."""
    system = SYSTEMS[name]
    return run_lammps(system.commands(style) + (EVALUATE if per_atom else EVALUATE_FORCES), files=system.files(),
                      ranks=ranks, threads=threads, env={"TRIAD_HOST_ISA": isa} if isa else None)


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from stock.

    `relative`: share of the largest value that stock has of the same quantity.
    `force`: absolute, in eV/A; None: forces are held to `relative` too.
    `of_terms`: total energy and virial are small differences of large terms, which limit the accuracy in fp32. True
    holds the totals per atom to `relative` of the largest per-atom value, False to `relative` of themselves.
    """

    relative: float
    force: float | None = None
    of_terms: bool = False
    limits: dict = field(default_factory=dict)  # in place of `relative`, by quantity


# Measured on the host with TRIAD_RECORD_ERRORS over test_against_stock, test_family and test_random_structures, shares
# of the largest value:
#                 energy   virial   forces            energy per atom   stress per atom
#   mixed         3.5e-7   8.8e-7   9.3e-6 eV/A       1.2e-6            7.3e-6
#                                   2.0e-6 strained
#   single        4.0e-7   4.3e-6   5.8e-6            1.4e-6            6.0e-6
# The systems of benchmarks/results/h200/errors.json are below that on a GPU. Allowed are at most three times as
# much.
TOLERANCES = {
    "double": Tolerance(relative=1e-10),
    "mixed": Tolerance(relative=2e-5, force=1e-5, of_terms=True, limits={
        "energy": 1e-6, "virial": 2.6e-6, "forces": 6e-6, "energy per atom": 3.6e-6}),
    "single": Tolerance(relative=1.8e-5, of_terms=True, limits={
        "energy": 1.2e-6, "virial": 1.3e-5, "forces": 1.7e-5, "energy per atom": 4.2e-6}),
}


def _columns(frame, *names):
    return np.array([frame[name] for name in names])


def quantities(result):
    """name -> array of what a pair style computes, of the last step of a run made with EVALUATE."""
    thermo, frame = result.runs[-1], result.frames()[-1]
    atoms = max(len(frame), 1)
    pressure = np.array([thermo[name][-1] for name in ("Pxx", "Pyy", "Pzz", "Pxy", "Pxz", "Pyz")])
    totals = {
        "energy": thermo["PotEng"][-1:] / atoms,
        "virial": pressure * thermo["Volume"][-1] / atoms,
        "forces": _columns(frame, "fx", "fy", "fz"),
    }
    if "c_energy" not in frame.dtype.names:
        return totals
    return totals | {
        "energy per atom": _columns(frame, "c_energy"),
        "stress per atom": _columns(frame, *(f"c_stress[{n}]" for n in range(1, 7))),
    }


# Quantities of a run that was made without per-atom tallies.
TOTALS = ("energy", "virial", "forces")


def differences(stock, other, names=None):
    """name -> (largest absolute difference, largest absolute value of stock).

    `names`: the quantities that `other` must have, all of stock's unless given; a missing or a further one is a failure.
    """
    reference, found = quantities(stock), quantities(other)
    assert set(found) == set(names or reference), f"quantities {sorted(found)}, expected {sorted(names or reference)}"
    assert np.array_equal(_columns(stock.frames()[-1], "id", "type"), _columns(other.frames()[-1], "id", "type"))
    np.testing.assert_allclose(_columns(stock.frames()[-1], "x", "y", "z"), _columns(other.frames()[-1], "x", "y", "z"),
                               rtol=1e-14, atol=1e-13)  # a GPU wraps positions into the box with its own rounding
    for name, value in found.items():
        assert value.shape == reference[name].shape, f"{name} of shape {value.shape}, expected {reference[name].shape}"
    return {name: (np.abs(value - reference[name]).max(initial=0.0), np.abs(reference[name]).max(initial=0.0))
            for name, value in found.items()}


def record(shares, tolerance):
    """Appends shares of what is allowed to the file that TRIAD_RECORD_ERRORS names, from which the bounds are set."""
    if os.environ.get("TRIAD_RECORD_ERRORS"):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
        with open(os.environ["TRIAD_RECORD_ERRORS"], "a") as file:
            file.write(json.dumps({"test": test, "relative": tolerance.relative, "limits": tolerance.limits, "shares": shares}) + "\n")


def assert_close(stock, other, tolerance, energy_unit=1.0, floor=1e-3, names=None):
    """`energy_unit`: 1 eV in the script's units. `floor`: least largest value, for forces that vanish. `names`: see
    differences()."""
    found = differences(stock, other, names)
    largest = {name: max(np.abs(value).max(initial=0.0), floor) for name, value in quantities(stock).items()}
    scale = dict(largest)
    if tolerance.of_terms:
        scale |= {"energy": largest["energy per atom"], "virial": largest["stress per atom"]}
    allowed = {name: tolerance.limits.get(name, tolerance.relative) * value for name, value in scale.items()}
    if tolerance.force is not None:
        allowed["forces"] = tolerance.force * energy_unit
    record({name: difference / allowed[name] for name, (difference, _) in found.items()}, tolerance)
    failures = [f"{name}: differs by {difference:.3g}, allowed {allowed[name]:.3g}, largest value {value:.3g}"
                for name, (difference, value) in found.items() if not difference <= allowed[name]]  # NaN fails too
    assert not failures, "\n".join(failures)


def check_against_stock(name, precision, backend, per_atom=True, isa=None, **layout):
    """The system called `name` on the same ranks and threads with stock and plugin."""
    system, tolerance = SYSTEMS[name], TOLERANCES[precision]
    tolerance = replace(tolerance, relative=tolerance.relative + system.stock_error,
                        limits={name: limit + system.stock_error for name, limit in tolerance.limits.items()},
                        force=None if system.strained else tolerance.force)
    assert_close(evaluate(name, STOCK, **layout),
                 evaluate(name, triad(precision, backend), per_atom=per_atom, isa=isa, **layout), tolerance,
                 system.energy_unit, names=None if per_atom else TOTALS)


def assert_same_course(stock, found, relative):
    """Thermo tables and snapshots of two runs, to `relative` of the largest value of each column."""
    assert len(stock.runs) == len(found.runs) > 0
    for number, (expected, run) in enumerate(zip(stock.runs, found.runs)):
        assert expected.keys() == run.keys(), f"run {number}: columns {list(run)}, expected {list(expected)}"
        assert np.array_equal(expected["Step"], run["Step"]), f"run {number}"
        for column in expected:
            scale = max(np.abs(expected[column]).max(initial=0.0), 1e-3)
            np.testing.assert_allclose(run[column], expected[column], rtol=0, atol=relative * scale,
                                       err_msg=f"run {number}, {column}")
    for expected, frame in zip(stock.frames(), found.frames(), strict=True):
        assert expected.dtype.names == frame.dtype.names
        assert np.array_equal(expected["id"], frame["id"])
        for column in expected.dtype.names:
            scale = max(np.abs(expected[column]).max(initial=0.0), 1.0)
            np.testing.assert_allclose(frame[column], expected[column], rtol=0, atol=relative * scale, err_msg=column)
