"""Computes that are sampled during a run: the same values as stock's under the suffix, and no copies of atoms."""

import functools
import re

import numpy as np
import pytest
from courses import HOT
from lammps_run import run_lammps
from systems import SYSTEMS

# Commands, and the values that are sampled.
COMPUTES = {
    "temp": ("compute c all temp\n", "c_c c_c[1] c_c[5]"),
    "temp-com": ("compute c some temp/com\n", "c_c c_c[1] c_c[5]"),
    "temp-partial": ("compute c all temp/partial 1 0 1\n", "c_c c_c[1] c_c[2]"),
    "temp-com-dof": ("compute c all temp/com\ncompute_modify c extra/dof 7\n", "c_c"),
    "pressure": ("compute c all pressure thermo_temp\n", "c_c c_c[1] c_c[6]"),
    "pressure-of-temp-com": ("compute t all temp/com\ncompute c all pressure t\n", "c_c c_c[1]"),
    "pe-ke": ("compute c all pe\ncompute k some ke\n", "c_c c_k"),
    "com": ("compute c some com\n", "c_c[1] c_c[2] c_c[3]"),
    "momentum": ("compute c some momentum\n", "c_c[1] c_c[2] c_c[3]"),
    "gyration": ("compute c some gyration\n", "c_c c_c[1] c_c[4] c_c[5] c_c[6]"),
    "msd": ("compute c some msd\n", "c_c[1] c_c[2] c_c[3] c_c[4]"),
    "msd-com-yes": ("compute c all msd com yes\ncompute d some msd com no\n", "c_c[1] c_c[4] c_d[4]"),
    "reduce": ("compute c some reduce sum vx vy fz\ncompute a all reduce ave fx\ncompute s all reduce sum vz\n",
               "c_c[1] c_c[2] c_c[3] c_a c_s"),
}
# What reads them; {values} and {columns}.
SAMPLERS = {
    "thermo": "thermo_style custom step {values}\n",
    "ave-time": "fix sample all ave/time 2 3 10 {values} file sample.txt format ' %.12g'\n",
    "ave-correlate": "fix sample all ave/correlate 5 3 15 {values} file sample.txt\n",
    "vector": "fix sample all vector 5 {values}\nvariable least equal min(f_sample{first})\n"
              "thermo_style custom step v_least\n",
    "print": "variable one equal {one}*2\nfix sample all print 5 \"$(v_one:%.12g)\" file sample.txt screen no\n",
    "histogram": "fix sample all ave/histo 5 2 10 -1e6 1e6 5 {one} mode scalar file sample.txt\n",
}


@functools.cache
def play(computes, sampler, system, ranks, backend):
    """`backend`: None for stock."""
    commands, values = COMPUTES[computes]
    one, several = values.split()[0], len(values.split()) > 1
    reads = SAMPLERS[sampler].format(values=values, one=one, first="[1]" if several else "")
    of = SYSTEMS[system]
    pair = "pair_style tersoff{}\npair_coeff * * SiCGe.tersoff Si(D)\n".format(
        f" precision double backend {backend}" if backend else "")
    script = (of.create + pair + HOT.replace("600", "4000") + "neighbor 0.5 bin\n"
              "velocity all set 3 1 -2 sum yes units box\ngroup some id 1:60\nfix integrate all nve\n" + commands
              + reads + "thermo_modify norm no format float %.15g\nthermo 10\nrun 60\n")
    return run_lammps(script, files=of.files(), ranks=ranks, args=("-suffix", "triad") if backend else ())


def numbers(text):
    return [[float(word) for word in line.split()] for line in text.splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("computes, sampler", [(name, "thermo") for name in COMPUTES]
                         + [("com", sampler) for sampler in SAMPLERS if sampler != "thermo"]
                         + [("msd", "ave-time"), ("temp-com", "ave-time"), ("reduce", "ave-time")])
def test_same_values_without_copies(computes, sampler, ranks, backend):
    expected, found = (play(computes, sampler, "si-melt", ranks, where) for where in (None, backend))
    assert f"Triad: atoms stay on {backend}" in found.output
    assert "brought" not in found.output, re.findall("Triad: .*brought.*", found.output)
    for column, values in expected.runs[0].items():
        scale = max(np.abs(values).max(), 1e-6)
        np.testing.assert_allclose(found.runs[0][column], values, rtol=0, atol=1e-8 * scale, err_msg=column)
    if "sample.txt" in expected.files:
        rows = [numbers(result.files["sample.txt"].decode()) for result in (expected, found)]
        assert len(rows[0]) == len(rows[1]) > 2
        for one, other in zip(*rows):
            # of a column of numbers near 0 only its size is known
            np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-8)


def assert_same_samples(stock, found, least_rows, in_batches):
    """`least_rows`: least number of rows of each file. `in_batches`: of four in five steps at least."""
    for name, least in least_rows.items():
        rows = [numbers(result.files[name].decode()) for result in (stock, found)]
        assert len(rows[0]) == len(rows[1]) >= least
        for one, other in zip(*rows):
            np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-7)
    for expected, run in zip(stock.runs, found.runs):
        for column, of_column in expected.items():
            np.testing.assert_allclose(run[column], of_column, rtol=0, atol=1e-8 * max(np.abs(of_column).max(), 1e-6))
    made = re.findall(r"made (\d+) steps on \w+, (\d+) of them in batches", found.output)
    if in_batches:
        assert made and all(int(batched) > 0.8 * int(steps) for steps, batched in made), made


# Values that engines sample within batches.
THERMO = {
    "temperature": ("", "c_thermo_temp c_thermo_temp[5]"),
    "pressure": ("", "c_thermo_press c_thermo_press[1] c_thermo_press[6]"),
    "energy": ("compute pairs all pair tersoff\n", "c_thermo_pe c_pairs"),
    "keywords": ("variable a equal temp+pe/10\nvariable b equal (pxx+pyy)/vol\nvariable c equal enthalpy-ke\n"
                 "variable d equal v_a*step+epair\n", "v_a v_b v_c v_d"),
    "groups": ("compute t some temp\ncompute c all temp/com\ncompute k some ke\ncompute m some momentum\n"
               "compute p all temp/partial 1 1 0\n", "c_t c_c c_k c_m[1] c_p"),
    "pressure-of-temp-com": ("compute t all temp/com\ncompute c all pressure t\ncompute v all pressure NULL virial\n",
                             "c_c[2] c_v[3]"),
}
# What acts beside, and whether all samples are then parts of batches; False: those of some values are not.
BESIDE = {
    "nve": ("fix integrate all nve\n", True),
    "nvt": ("fix integrate all nvt temp 600 900 0.1\n", True),
    "some": ("fix integrate some nve\n", True),
    "early-end": ("fix integrate all nve\nvariable now equal step\nfix stop all halt 1 v_now > 67 error soft\n", False),
    "energy-of-a-fix": ("fix integrate all nve\nfix tie some spring/self 0.5\nfix_modify tie energy yes\n", False),
    "stock-temperature": ("fix integrate all nve\ncompute bins all temp/profile 1 1 1 z 2\n", False),
    "per-atom-computes": ("fix integrate all nve\n", True),
    "dump-of-stress": ("fix integrate all nve\n", False),
}
# Commands behind the fixes that sample, which ask all computes for values in the steps of their next samples.
BEHIND = {
    "per-atom-computes": "compute stress all stress/atom NULL\ncompute energy all pe/atom\n",
    "dump-of-stress": "compute stress all stress/atom NULL\ndump d all custom 5 stress.dump id c_stress[1]\n"
                      "dump_modify d sort id\n",
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("values", THERMO)
def test_thermo_values_within_batches(values, beside, backend):
    """As stock's, and the steps with samples are made in batches."""
    commands, columns = THERMO[values]
    motion, in_batches = BESIDE[beside]
    system = SYSTEMS["si-64-atoms"]
    script = (system.create + "pair_style tersoff{}\npair_coeff * * SiCGe.tersoff Si(D)\n" + HOT
              + "group some id 1:50\n" + motion + commands
              + f"fix mean all ave/time 1 4 6 {columns} file mean.txt format ' %.15g'\n"
              + f"fix pairs all ave/correlate 2 5 20 {columns} type auto file pairs.txt\n"
              + BEHIND.get(beside, "") + "thermo_style custom step temp press pe f_mean[1]\nthermo_modify norm no format float %.15g\n"
              + "thermo 60\nrun 60\nrun 60 pre no\nrun 40\n")
    stock, found = (run_lammps(script.format(f" precision double backend {backend}" if args else ""),
                               files=system.files(), args=args) for args in ((), ("-suffix", "triad")))
    assert_same_samples(stock, found, {"mean.txt": 9, "pairs.txt": 9}, in_batches)


def test_atoms_that_go_are_an_error_of_msd():
    script = (SYSTEMS["si-1989"].create + "pair_style tersoff precision double backend host\n"
              "pair_coeff * * SiCGe.tersoff Si(D)\nfix integrate all nve\nregion low block INF INF INF INF INF 5\n"
              "fix out all evaporate 5 10 low 3827\ncompute path all msd\nthermo_style custom step atoms c_path[4]\n"
              "thermo 5\nrun 20\n")
    found = run_lammps(script, files=SYSTEMS["si-1989"].files(), args=("-suffix", "triad"), check=False)
    assert found.returncode != 0 and "Number of atoms in compute msd/triad group must not change" in found.output


# Fixes that change the box; those in front of the sampling fixes act before the samples, the others behind them.
BOXES = {
    "npt-iso": ("si-64-atoms", "fix integrate all npt temp 600 900 0.05 iso 0 9000 0.1\n", ""),
    "npt-tilted": ("triclinic-crystal", "fix integrate all npt temp 600 600 0.05 aniso 0 9000 0.1\n", ""),
    "deform-first": ("si-64-atoms", "fix pull all deform 1 x erate 1.0 z vel -1.0\nfix integrate all nve\n", ""),
    "deform-last": ("si-64-atoms", "fix integrate all nvt temp 600 900 0.1\n", "fix pull all deform 3 y trate 1.0\n"),
    "shear": ("triclinic-crystal", "fix integrate all nve\nfix pull all deform 1 xy erate 0.1 flip no\n", ""),
    "npt-and-deform-first": ("si-64-atoms", "fix integrate all npt temp 600 600 0.05 y 0 0 0.1 z 0 0 0.1 couple yz\n"
                             "fix pull all deform 1 x erate 0.2\n", ""),
    "npt-and-deform-last": ("si-64-atoms", "fix integrate all npt temp 600 600 0.05 y 0 0 0.1\n",
                            "fix pull all deform 2 z erate 1.0\n"),
}
SIZES = "".join(f"variable {name} equal {name}\n" for name in ("lx", "ly", "lz", "xy", "vol", "density", "zlo"))
# Values, and whether GPUs sample them within batches that change the box.
IN_BOXES = {
    "thermo": (SIZES + "variable h equal enthalpy+pxx*xhi\n", "c_thermo_press c_thermo_press[1] c_thermo_press[6] "
               "c_thermo_pe c_thermo_temp[2] v_h v_vol", True),
    "sizes": (SIZES, "v_lx v_ly v_lz v_xy v_vol v_density v_zlo", True),
    "heat-flux": (SIZES + "compute k all ke/atom\ncompute p all pe/atom\ncompute s all stress/atom NULL virial\n"
                  "compute j all heat/flux k p s\n", "c_j[1] c_j[5] v_vol", False),
}


@pytest.mark.parametrize("values", IN_BOXES)
@pytest.mark.parametrize("box", BOXES)
def test_samples_in_a_box_that_changes(box, values, backend):
    name, first, last = BOXES[box]
    commands, columns, in_batches = IN_BOXES[values]
    system = SYSTEMS[name]
    script = (system.create + "pair_style tersoff{}\npair_coeff * * SiCGe.tersoff Si(D)\n" + HOT + first + commands
              + f"fix mean all ave/time 1 4 5 {columns} file mean.txt format ' %.15g'\n"
              + f"fix pairs all ave/correlate/long 2 20 {columns} type auto file pairs.txt\n"
              + f"fix values all vector 3 {columns.split()[0]}\n" + last
              + "thermo_style custom step temp press pe lx ly lz xy\n"
              "thermo_modify norm no format float %.15g\nthermo 80\nrun 80\nrun 80 pre no\n"
              'print "$(f_values[20]:%.15g) $(f_values[26]:%.15g)" file values.txt\n')
    stock, found = (run_lammps(script.format(f" precision double backend {backend}" if args else ""),
                               files=system.files(), args=args) for args in ((), ("-suffix", "triad")))
    assert f"Triad: atoms stay on {backend}" in found.output and "brought" not in found.output
    assert_same_samples(stock, found, {"mean.txt": 1, "pairs.txt": 1, "values.txt": 1}, backend == "cuda" and in_batches)


@pytest.mark.parametrize("motion", ["npt temp 2000 2000 0.1 aniso 0 0 0.1", "nve\nfix pull all deform 1 x erate 2.0"])
@pytest.mark.parametrize("computes", ["com", "gyration", "msd-com-yes"])
def test_same_values_in_a_box_that_changes(computes, motion, backend):
    commands, values = COMPUTES[computes]
    system = SYSTEMS["si-melt"]
    expected, found = (
        run_lammps(system.create + f"pair_style tersoff{settings}\npair_coeff * * SiCGe.tersoff Si(D)\n"
                   + HOT.replace("600", "4000") + "neighbor 0.5 bin\nvelocity all set 30 10 -20 sum yes units box\n"
                   + f"group some id 1:60\nfix integrate all {motion}\n{commands}thermo_style custom step lx {values}\n"
                   "thermo_modify norm no format float %.15g\nthermo 10\nrun 100\n", files=system.files(), args=args)
        for settings, args in (("", ()), (f" precision double backend {backend}", ("-suffix", "triad"))))
    assert f"Triad: atoms stay on {backend}" in found.output and "brought" not in found.output
    for column, numbers_of in expected.runs[0].items():
        scale = np.abs(numbers_of).max()
        np.testing.assert_allclose(found.runs[0][column], numbers_of, rtol=0, atol=1e-8 * scale, err_msg=column)


def test_original_positions_are_in_restart_files():
    """Of the stock compute, too: the displacements go on."""
    system = SYSTEMS["si-64-atoms"]
    pair = "pair_style tersoff{}\npair_coeff * * SiCGe.tersoff Si(D)\n"
    rest = ("compute c all msd\nfix integrate all nve\nthermo_style custom step c_c[4]\n"
            "thermo_modify format float %.15g\n")
    ends = {}
    for writer in (True, False):
        args = () if writer else ("-suffix", "triad")
        first = run_lammps(system.create + pair.format("" if writer else " precision double backend host") + HOT + rest
                           + "run 20\nwrite_restart half.restart\n", args=args)
        for reader in (True, False):
            second = run_lammps("read_restart half.restart\n"
                                + pair.format("" if reader else " precision double backend host") + rest + "run 20\n",
                                files={"half.restart": first.files["half.restart"]},
                                args=() if reader else ("-suffix", "triad"))
            ends[writer, reader] = second.runs[0]["c_c[4]"]
    for end in ends.values():
        assert end[0] > 1e-3 and end == pytest.approx(ends[True, True], rel=1e-8)


def test_stock_computes_keep_their_names():
    system = SYSTEMS["si-64-atoms"]
    script = (system.create + "pair_style tersoff precision double backend host\npair_coeff * * SiCGe.tersoff Si(D)\n"
              "compute a all msd average yes\ncompute b all reduce max vx\ncompute c all msd\nfix integrate all nve\n"
              "run 0\ninfo computes\n")
    output = run_lammps(script, args=("-suffix", "triad")).output
    styles = dict(re.findall(r"Compute\[ *\d+\]: +(\w+), +style = ([\w/]+),", output))
    assert (styles["a"], styles["b"], styles["c"]) == ("msd", "reduce", "msd/triad")
