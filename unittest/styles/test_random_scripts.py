"""Scripts of commands drawn at random: runs in pieces, fixes that come and go, changes of atoms, groups, box and lists
between runs. Under run_style verlet/triad they take the course of run_style verlet with LAMMPS's fixes.

TRIAD_RANDOM_SCRIPTS: how many, 18 unless set.
"""

import os
import random

import numpy as np
import pytest
from compare import assert_same_course
from courses import HOT, twins
from lammps_run import run_lammps
from pairwise import fix_of
from styles import triad
from systems import SYSTEMS

RESIDENT = "run_style verlet/triad\n"
SORTS = ["0 0", "5 2.5", "1000 3.0"]
LISTS = ["every 1 delay 0 check yes", "every 2 delay 4 check yes", "every 5 delay 0 check no", "delay 10"]
INTEGRATORS = ["nve", "nve", "nvt temp 600 600 0.1", "npt temp 600 600 0.1 iso 0 0 1.0"]
PAIRS = ["", "", "coulomb/power coeff * * 0.5 0.1 2", "lj coeff * * 0.01 2.0 range list cutoff 2.9"]
FIXES = ["all setforce NULL NULL 0.0", "some addforce 0.05 -0.02 0.0", "all temp/rescale 3 500 400 5 0.7",
         "all momentum 4 linear 1 1 1", "all ave/time 2 3 6 c_ke c_j[1] file means.{id}", "all recenter INIT INIT INIT",
         "all viscous 0.05", "some spring/self 0.5", "all store/state 4 x y z", "all temp/berendsen 500 500 0.05",
         "all ave/correlate 2 2 4 c_j[1] c_ke file memory.{id}", "some drag 3 3 3 0.1 1.0", "all vector 5 c_ke",
         "all heat 2 0.1", "all evaporate 4 1 whole 4711"]
COLUMNS = ["step atoms temp pe etotal press lx", "step temp pe press c_j[1] c_j[4]", "step temp pe c_ke c_m v_mx",
           "step temp c_j[1] c_j[2]"]
EVERY = ["", " pre no", " post no", ' every 3 "velocity all scale 550"', " every 2 NULL"]


class Commands:
    """Draws the lines of a script."""

    def __init__(self, seed, backend):
        self.random = random.Random(seed)
        self.fixes = []
        self.lines = [f"atom_modify sort {self.one(SORTS)}", f"neighbor {self.one([0.3, 1.0, 2.0])} bin",
                      f"neigh_modify {self.one(LISTS)}", "region whole block INF INF INF INF INF INF",
                      "group some id 1:60", "compute j all heat/flux/triad", "compute ke all ke", "compute m all gyration",
                      "compute_modify thermo_temp dynamic/dof yes", "variable mx equal vcm(all,x)"]
        pair = self.one(PAIRS)
        if pair:
            self.lines += ["fix pairs all {fix} {} precision double backend {backend}".format(pair, **fix_of(backend)),
                           "fix_modify pairs energy yes virial yes"]
        self.lines.append(f"fix integrate all {self.one(INTEGRATORS)}")
        self.thermo()
        self.lines += [f"dump out all custom {self.one([5, 7, 10])} atoms.dump id x y z vx vy vz fx fy fz",
                       "dump_modify out sort id format float %.17g"]

    def one(self, choices):
        return self.random.choice(choices)

    def thermo(self):
        self.lines += [f"thermo_style custom {self.one(COLUMNS)}", "thermo_modify norm no lost ignore format float %.17g",
                       f"thermo {self.one([1, 3, 5, 10])}"]

    def run(self):
        # what follows another run may leave out its setup
        more = self.one(EVERY) if self.lines[-1].startswith("run ") else ""
        self.lines.append(f"run {self.one([0, 1, 2, 3, 7, 10, 15])}{more}")

    def fix(self):
        style = self.one(FIXES)
        words = " ".join([*self.lines, style])
        # stock's chain and fix momentum see late that atoms are gone
        if "evaporate" in words and ("momentum" in words or "temp 600" in words):
            return
        self.fixes.append(f"f{len(self.lines)}")
        self.lines.append(f"fix {self.fixes[-1]} {style.format(id=self.fixes[-1])}")

    def unfix(self):
        if self.fixes:
            self.lines.append(f"unfix {self.fixes.pop(self.random.randrange(len(self.fixes)))}")

    def change(self):
        number = self.random.randint(1, 50)
        self.lines += self.one([
            [f"velocity all scale {100 + 10 * number}"], [f"displace_atoms some move 0.0{number % 10} 0.01 -0.02"],
            ["minimize 0 1e-3 2 6"], [f"timestep {self.one([0.0005, 0.001])}"], ["change_box all x scale 1.003 remap"],
            ["group some clear", f"group some id {number}:{number + 60}"], [f"neighbor {self.one([0.5, 1.5])} bin"],
            [f"delete_atoms random count 3 yes all NULL {number} compress no"], ["unfix integrate", "fix integrate all nve"],
            ["run_style verlet"], ["run_style verlet/triad"]])

    def script(self):
        for _ in range(self.random.randint(8, 16)):
            self.one([self.run, self.run, self.run, self.fix, self.unfix, self.change, self.change, self.thermo])()
        self.lines.append("run 5")
        return "\n".join(self.lines) + "\n"


def means(result):
    """The numbers in the files of fixes, by file."""
    return {name: np.array([float(word) for line in text.decode().splitlines() if not line.startswith("#")
                            for word in line.split()])
            for name, text in result.files.items() if name.startswith(("means", "memory"))}


@pytest.mark.parametrize("seed", range(int(os.environ.get("TRIAD_RANDOM_SCRIPTS", 18))))
def test_course_of_a_random_script(seed, backend):
    start, ranks = SYSTEMS["si-1989"].commands(triad("double", backend)), 2 if seed % 3 == 2 else 1
    script = HOT + Commands(seed, backend).script()
    plain = run_lammps(start + script.replace(RESIDENT, ""), ranks=ranks)
    found = run_lammps(start + RESIDENT + twins(script), ranks=ranks)
    assert_same_course(plain, found, 1e-6)
    for name, expected in means(plain).items():
        np.testing.assert_allclose(means(found)[name], expected, rtol=1e-5,
                                   atol=1e-5 * np.abs(expected).max(initial=1), err_msg=name)
