"""Runs of fix flow/triad on meshes of lammps_triad.mesh, and analytic solutions of the shallow-water equations.

The solutions are those of SWASHES: O. Delestre et al., Int. J. Numer. Meth. Fluids 72, 269 (2013).
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from lammps_run import run_lammps

G = 9.81
BACKEND = "host"  # of flow()


@pytest.fixture
def on_backend(backend, monkeypatch):
    """Runs of the test are on the host, and again on a GPU."""
    monkeypatch.setattr(sys.modules[__name__], "BACKEND", backend)
    return backend


SCRIPT = """
units si
dimension 2
boundary {boundary} p
atom_style atomic
atom_modify map array sort 0 0
{before}
read_data basin.data
pair_style none
comm_modify cutoff {cutoff!r}
timestep {timestep!r}
fix w all flow/triad mesh basin.mesh {words}
thermo_style custom step time dt f_w f_w[*]
thermo_modify norm no format float %.17g
thermo {every}
dump d all custom {every} atoms.dump id f_w[*]
dump_modify d sort id format float %.17g
{after}
run {steps}
"""


@dataclass
class Flow:
    """The state at the end of a run in the order of IDs, and the thermo output."""

    state: np.ndarray  # [N, 4] h, qx, qy, bed
    thermo: dict
    result: object

    @property
    def h(self):
        return self.state[:, 0]

    @property
    def q(self):
        return self.state[:, 1:3]

    @property
    def volume(self):
        return self.thermo["f_w"]


def files_of(mesh):
    with tempfile.TemporaryDirectory() as folder:
        return {path.name: path.read_text() for path in mesh.write(Path(folder, "basin"))}


def flow(mesh, time, words="precision double", *, steps=1, every=None, before="", after="", files=None, script=SCRIPT,
         backend=None, **options):
    words += f" backend {backend or BACKEND}"
    spacing = 1.5 * np.sqrt(mesh.area.max())
    text = script.format(boundary=" ".join("p" if wrap else "f" for wrap in mesh.periodic), cutoff=float(spacing),
                         timestep=float(time / steps), words=words, every=every or steps, steps=steps, before=before, after=after)
    return outcome(run_lammps(text, files={**files_of(mesh), **(files or {})}, **options))


def outcome(result):
    last = result.frames()[-1]
    state = np.stack([last[f"f_w[{k}]"] for k in range(1, 5)], axis=1)
    return Flow(state, result.runs[-1], result)


def l1(values, exact, mesh):
    """Mean absolute difference over the cells, weighed by their areas."""
    return float((np.abs(values - exact) * mesh.area).sum() / mesh.area.sum())


def order(errors):
    """The exponents of convergence between successive errors, each with half of the spacing of the one before."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def stoker(x, t, left, right):
    """Depth and discharge after the break of a dam at x = 0 on a wet bed."""
    c_left, c_right = np.sqrt(G * left), np.sqrt(G * right)

    def mismatch(c):
        return -8 * c_right**2 * c**2 * (c_left - c)**2 + (c**2 - c_right**2)**2 * (c**2 + c_right**2)

    low, high = c_right, c_left
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if mismatch(middle) < 0 else (low, middle)
    c = 0.5 * (low + high)
    h, u = c**2 / G, 2 * (c_left - c)
    shock = h * u / (h - right)
    fan_h = 4 / (9 * G) * (c_left - x / (2 * t))**2
    fan_u = 2 / 3 * (x / t + c_left)
    where = [x <= -t * c_left, x <= t * (2 * c_left - 3 * c), x <= t * shock]
    depth = np.select(where, [left, fan_h, h], right)
    return depth, depth * np.select(where, [0, fan_u, u], 0)


def ritter(x, t, left):
    """The same on a dry bed."""
    c = np.sqrt(G * left)
    where = [x <= -t * c, x <= 2 * t * c]
    depth = np.select(where, [left, 4 / (9 * G) * (c - x / (2 * t))**2], 0)
    return depth, depth * np.select(where, [0, 2 / 3 * (x / t + c)], 0)


BASIN = {"a": 1.0, "h0": 0.1}  # radius and depth of Thacker's paraboloid


def paraboloid(x, y):
    return -BASIN["h0"] * (1 - (x**2 + y**2) / BASIN["a"]**2)


def thacker_planar(x, y, t, eta=0.5):
    """Depth and discharge of a plane surface that rotates in the paraboloid; and the period."""
    a, h0 = BASIN["a"], BASIN["h0"]
    omega = np.sqrt(2 * G * h0) / a
    surface = eta * h0 / a**2 * (2 * x * np.cos(omega * t) + 2 * y * np.sin(omega * t) - eta)
    h = np.maximum(0, surface - paraboloid(x, y))
    q = h[:, None] * eta * omega * np.array([-np.sin(omega * t), np.cos(omega * t)])
    return h, q, 2 * np.pi / omega


def thacker_radial(x, y, t, r0=0.8):
    """Depth and discharge of a curved surface that rises and falls in the paraboloid; and the period."""
    a, h0 = BASIN["a"], BASIN["h0"]
    omega = np.sqrt(8 * G * h0) / a
    big = (a**2 - r0**2) / (a**2 + r0**2)
    below = 1 - big * np.cos(omega * t)
    r2 = x**2 + y**2
    surface = h0 * (np.sqrt(1 - big**2) / below - 1 - r2 / a**2 * ((1 - big**2) / below**2 - 1))
    h = np.maximum(0, surface - paraboloid(x, y))
    velocity = 0.5 * omega * big * np.sin(omega * t) / below * np.stack([x, y], axis=1)
    return h, h[:, None] * velocity, 2 * np.pi / omega
