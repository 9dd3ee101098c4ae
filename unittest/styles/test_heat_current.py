"""The heat current of compute heat/flux with centroid/stress/atom.

With the energy of every directed bond at its middle, the current is the rate of change of the energy moment,
J = d/dt sum_i r_i E_i, exactly and for any motion of an isolated system (doc/user/reference/heat_current.md). stress/atom divides a
triplet's virial evenly among its three atoms and misses it. compute heat/flux gives sums over atoms, so J times volume.
"""

from pathlib import Path

import numpy as np
import pytest
from clusters import CLUSTERS
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "heat_current" / "in.energy_balance"
CENTROID, STOCK_VIRIAL = "centroid/stress/atom", "stress/atom"

MEASURE = """
compute kinetic all ke/atom
compute potential all pe/atom
compute stress all {virial} NULL virial
compute current all heat/flux kinetic potential stress
thermo_style custom step c_current[1] c_current[2] c_current[3]
thermo_modify format float %.17g
run 0 post no
write_dump all custom now.dump id x y z vx vy vz fx fy fz c_kinetic c_potential modify sort id format float %.17g
"""
# Every atom moved by its velocity times h, then by as much the other way.
MOVE = """
variable dx atom {h}*vx
variable dy atom {h}*vy
variable dz atom {h}*vz
displace_atoms all move v_dx v_dy v_dz units box
run 0 post no
write_dump all custom ahead.dump id x y z c_potential modify sort id format float %.17g
variable dx atom -2*{h}*vx
variable dy atom -2*{h}*vy
variable dz atom -2*{h}*vz
displace_atoms all move v_dx v_dy v_dz units box
run 0 post no
write_dump all custom behind.dump id x y z c_potential modify sort id format float %.17g
"""
RANDOM_MOTION = "velocity all create 900 4711 loop geom\n"
RIGID_MOTION = """
variable vx atom 2+0.5*z+0.3*y
variable vy atom -1-0.3*x+0.7*z
variable vz atom 3-0.5*x-0.7*y
velocity all set v_vx v_vy v_vz units box
"""


def vectors(frame, *names):
    return np.array([frame[name] for name in names]).T


def current(result):
    return np.array([result.runs[0][f"c_current[{axis}]"][0] for axis in (1, 2, 3)])


def rate_of_moment(result, h):
    """d/dt sum r (ke + pe): the kinetic part from the forces, the potential part by a central difference."""
    now, ahead, behind = (result.frames(f"{name}.dump")[0] for name in ("now", "ahead", "behind"))
    r, v, f = (vectors(now, *names) for names in (("x", "y", "z"), ("vx", "vy", "vz"), ("fx", "fy", "fz")))
    power = (f * v).sum(axis=1)
    potential = [vectors(frame, "x", "y", "z").T @ frame["c_potential"] for frame in (ahead, behind)]
    return v.T @ now["c_kinetic"] + r.T @ power + (potential[0] - potential[1]) / (2 * h)


def current_and_rate(system, motion, style, virial, ranks=1):
    h = 1e-6 if "units metal" in system.create else 1e-3  # ps or fs: atoms move about 1e-5 A
    result = run_lammps(system.commands(style) + motion + MEASURE.format(virial=virial) + MOVE.format(h=h),
                        files=system.files(), ranks=ranks)
    return current(result), rate_of_moment(result, h)


@pytest.mark.parametrize("motion", [RANDOM_MOTION, RIGID_MOTION], ids=["random", "rigid"])
@pytest.mark.parametrize("name", CLUSTERS)
def test_is_the_rate_of_the_energy_moment(name, motion, backend):
    found, expected = current_and_rate(CLUSTERS[name], motion, triad("double", backend), CENTROID)
    assert found == pytest.approx(expected, abs=2e-7 * np.linalg.norm(expected))


@pytest.mark.parametrize("name", ["si-slab-pps", "si-slab-ppf", "mod-slab", "modc-slab-shift-0.1"])
def test_across_a_slab(name, backend):
    """Periodic in the plane: the moment normal to it exists."""
    found, expected = current_and_rate(SYSTEMS[name], RANDOM_MOTION, triad("double", backend), CENTROID)
    assert found[2] == pytest.approx(expected[2], rel=1e-6)


@pytest.mark.parametrize("name", ["si-1989", "si-mod", "sic"])
def test_stress_atom_is_not(name):
    found, expected = current_and_rate(CLUSTERS[name], RANDOM_MOTION, triad("double", "host"), STOCK_VIRIAL)
    assert np.linalg.norm(found - expected) > 1e-2 * np.linalg.norm(expected)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", ["sic-zbl-core", "unlike tersoff", "overlay"])
def test_ranks(name, ranks, backend):
    one, several = (current_and_rate(CLUSTERS[name], RANDOM_MOTION, triad("double", backend), CENTROID, count)[0]
                    for count in (1, ranks))
    assert several == pytest.approx(one, abs=1e-10 * np.linalg.norm(one))


@pytest.mark.parametrize("name", ["si-1989", "sic-zbl-core", "unlike tersoff/mod/c"])
def test_precision(name, precision, backend):
    expected, found = (current_and_rate(CLUSTERS[name], RANDOM_MOTION, style, CENTROID)[0]
                       for style in (triad("double", "host"), triad(precision, backend)))
    assert found == pytest.approx(expected, abs=(1e-10 if precision == "double" else 1e-5) * np.linalg.norm(expected))


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def as_data_file(frame, turn, move):
    lines = ["cluster", "", f"{len(frame)} atoms", "1 atom types", "", "-40 40 xlo xhi", "-40 40 ylo yhi",
             "-40 40 zlo zhi", "", "Atoms # atomic", ""]
    for row, position in zip(frame, vectors(frame, "x", "y", "z") @ turn.T + move):
        lines.append(f"{int(row['id'])} 1 " + " ".join(f"{value:.17g}" for value in position))
    lines += ["", "Velocities", ""]
    for row, velocity in zip(frame, vectors(frame, "vx", "vy", "vz") @ turn.T):
        lines.append(f"{int(row['id'])} " + " ".join(f"{value:.17g}" for value in velocity))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["si-1988-lambda3", "si-mod", "si-shift"])
def test_turns_with_the_system_and_stays_under_translation(name, precision, backend):
    cluster, style = CLUSTERS[name], triad(precision, backend)
    script = "units metal\nread_data cluster.data\nmass 1 28.0855\n" + cluster.pair_commands(style)
    frame = run_lammps(cluster.commands(style) + RANDOM_MOTION + MEASURE.format(virial=CENTROID)).frames("now.dump")[0]
    turn, move = rotation((1, -2, 0.5), 1.1), np.array([3.0, -7.0, 11.0])

    def current_of(*placement):
        return current(run_lammps(script + MEASURE.format(virial=CENTROID),
                                  files={"cluster.data": as_data_file(frame, *placement)}))

    expected = current_of(np.eye(3), 0.0)
    within = (1e-10 if precision == "double" else 1e-5) * np.linalg.norm(expected)
    assert current_of(turn, 0.0) == pytest.approx(turn @ expected, abs=within)
    assert current_of(np.eye(3), move) == pytest.approx(expected, abs=within)


def imbalance(timestep, virial, style, duration=0.1):
    """Largest difference, eV A, between the change of the energy moment and the integral of J (trapezoid rule)."""
    variables = {"style": str(style), "virial": virial, "timestep": timestep, "steps": round(duration / timestep)}
    thermo = run_lammps(EXAMPLE.read_text(), args=[word for name, value in variables.items()
                                                   for word in ("-var", name, str(value))]).runs[-1]
    moment, flux = (np.array([thermo[f"c_{name}[{axis}]"] for axis in (1, 2, 3)]) for name in ("moment", "current"))
    integral = np.cumsum((flux[:, 1:] + flux[:, :-1]) / 2, axis=1) * timestep
    return np.abs(moment[:, 1:] - moment[:, :1] - integral).max()


def test_energy_balance_along_a_trajectory(backend):
    """What is left falls with the square of the time step, as the error of velocity Verlet and of the trapezoid do."""
    style = triad("double", backend)
    coarse, middle, fine = (imbalance(timestep, CENTROID, style) for timestep in (0.001, 0.0005, 0.00025))
    assert 3.8 < coarse / middle < 4.2 and 3.8 < middle / fine < 4.2
    # stress/atom: wrong by a thousand times as much, and no time step makes it better.
    stock_like = [imbalance(timestep, STOCK_VIRIAL, style) for timestep in (0.001, 0.00025)]
    assert stock_like[0] == pytest.approx(stock_like[1], rel=0.02)
    assert min(stock_like) > 500 * fine


def test_energy_balance_in_every_precision(precision, backend):
    """The error of the time step hides that of fp32."""
    double, found = (imbalance(0.0005, CENTROID, style) for style in (triad("double", "host"),
                                                                      triad(precision, backend)))
    assert found < 1.5 * double
