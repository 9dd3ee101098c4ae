"""The plugin's integrators under either run style, step by step beside the stock fixes under run_style verlet."""

import functools

import numpy as np
import pytest
from courses import COURSES, LONG, twins
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

OUTPUT = """
thermo_style custom step temp pe etotal econserve press pxx pyy pzz pxy pxz pyz lx ly lz vol {outputs}
thermo_modify norm no format float %.17g
thermo {every}
dump out all custom {half} atoms.dump id type x y z vx vy vz fx fy fz ix iy iz
dump_modify out sort id format float %.17g
"""


@functools.cache
def play(course, style, fixes, run_style):
    """`fixes`: "stock" or "triad"."""
    system = SYSTEMS[course.system]
    commands = twins(course.commands) if fixes == "triad" else course.commands
    output = OUTPUT.format(outputs=course.outputs, every=course.steps // 20, half=course.steps // 2)
    return run_lammps(system.commands(style) + f"run_style {run_style}\n" + commands + output + f"run {course.steps}\n",
                      files=system.files(), ranks=course.ranks)


def assert_same_course(stock, found, relative):
    """Every column of thermo and dump, relative to its largest value or that of its kind."""
    assert len(stock.runs) == len(found.runs) > 0
    for number, (expected, other) in enumerate(zip(stock.runs, found.runs)):
        assert expected.keys() == other.keys(), f"run {number}: columns {list(other)}, expected {list(expected)}"
        assert np.array_equal(expected["Step"], other["Step"]), f"run {number}"
        pressure = max((np.abs(expected[name]).max() for name in ("Pxx", "Pyy", "Pzz") if name in expected), default=0)
        for column, values in expected.items():
            scale = pressure if column.startswith("P") and len(column) == 3 else np.abs(values).max()
            np.testing.assert_allclose(other[column], values, rtol=0, atol=relative * max(scale, 1e-6),
                                       err_msg=f"run {number}, {column}")
    for expected, other in zip(stock.frames(), found.frames(), strict=True):
        assert expected.dtype.names == other.dtype.names
        for group in (("id", "type", "ix", "iy", "iz"), ("x", "y", "z"), ("vx", "vy", "vz"), ("fx", "fy", "fz")):
            scale = max(np.abs(expected[name]).max(initial=0.0) for name in group)
            for name in group:
                np.testing.assert_allclose(other[name], expected[name], rtol=0, atol=10 * relative * scale,
                                           err_msg=name)


@pytest.mark.parametrize("name", COURSES)
def test_same_course_as_stock(name, run_style, backend):
    course = COURSES[name]
    assert_same_course(play(course, STOCK, "stock", "verlet"),
                       play(course, triad("double", backend), "triad", run_style), course.relative)


@pytest.mark.parametrize("name", LONG)
def test_ten_thousand_steps(name, run_style, backend):
    course = LONG[name]
    assert_same_course(play(course, STOCK, "stock", "verlet"),
                       play(course, triad("double", backend), "triad", run_style), course.relative)
