"""fix ave/chunk/triad beside LAMMPS's fix ave/chunk: the same files, and the same values for other commands."""

import re

import pytest
from courses import HOT, MELTING, twins
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

SOME = "group some id 1:100\n"
NVE = "fix integrate all nve\n"
ENERGIES = """
compute energy all ke/atom
variable temp atom c_energy/(1.5*8.617333262e-5)
variable opposite atom -2*c_energy
"""
VALUES = "density/number density/mass temp c_energy v_temp v_opposite"
PRECISE = 'format " %.15g"'
THERMO = ("thermo_style custom step v_first v_last f_profile[2][1] f_profile[2][2]\n"
          "thermo_modify norm no format float %.15g\n")
# system, commands before the fix, group, bins, intervals and keywords of the fix
CASES = {
    "default": ("si-1989", HOT + NVE, "all", "z lower 0.05 units reduced", "5 4 20", ""),
    "sample": ("si-1989", HOT + NVE, "all", "z lower 1.3 units box", "5 4 20", "norm sample"),
    "none": ("si-melt", MELTING + NVE, "some", "y upper 0.9 units box", "2 10 20", "norm none"),
    "running": ("sige", HOT + NVE, "all", "x 5.1 2.3 units box", "3 2 12", "ave running"),
    "window": ("si-1989", HOT + NVE, "some", "x center 0.37", "4 1 4", "ave window 3 norm sample"),
    "open-faces": ("si-slab-ppf", MELTING.replace("6000", "1000") + NVE, "all", "z center 0.8 units box", "1 5 10", ""),
    "triclinic": ("triclinic", MELTING + NVE, "all", "y lower 0.07 units reduced", "10 2 30", "norm none ave window 2"),
    "box-that-changes": ("si-1989", HOT + "fix integrate all npt temp 600 600 0.1 aniso 0 20000 0.2\n", "all",
                         "z lower 0.1 units reduced", "5 4 20", ""),
    "slabs-that-stay": ("si-1989", HOT + "fix integrate all npt temp 600 600 0.1 aniso 0 20000 0.2\n", "all",
                        "z lower 1.1 units box", "5 3 20", "ave running"),
    "reduced-samples": ("si-1989", HOT + "fix integrate all npt temp 600 600 0.1 aniso 0 20000 0.2\n", "all",
                        "z lower 0.1 units reduced", "5 3 20", "norm sample"),
    "reduced-sums": ("si-1989", HOT + "fix integrate all nve\nfix pull all deform 1 z erate 2 remap x units box\n",
                     "all", "z lower 0.1 units reduced", "5 3 20", "norm none"),
    "box-that-grows": ("si-1989", HOT + "fix integrate all nve\nfix pull all deform 1 z erate 2 remap x units box\n",
                       "all", "z lower 0.7 units box", "5 4 20", "ave running"),
    "shrink-wrapped": ("si-slab-pps", MELTING + NVE, "all", "z lower 0.1 units reduced", "1 1 1", ""),
    "slabs-of-periods": ("si-1989", HOT + "fix integrate all npt temp 600 600 0.1 aniso 0 20000 0.2\n", "all",
                         "z lower 1.1 units box", "5 3 20", "norm sample"),
    "titles": ("real-units", HOT + NVE, "all", "z lower 0.25 units reduced", "5 4 20",
               'title1 "# one" title2 "# two" title3 "# three"'),
    "overwrite": ("si-1989", HOT + NVE, "all", "z lower 0.25 units reduced", "5 4 20", "ave running overwrite"),
}
SYSTEM_NAMES = {"real-units": "si-real-units"}


def play(case, fix, style, run_style, ranks):
    system, commands, group, bins, intervals, keywords = CASES[case]
    system = SYSTEMS[SYSTEM_NAMES.get(system, system)]
    if fix.endswith("/triad"):
        commands = twins(commands)
    script = (system.commands(style) + f"run_style {run_style}\n" + SOME + commands + ENERGIES
              + f"compute bins {group} chunk/atom bin/1d {bins}\n"
              + f"fix profile {group} {fix} {intervals} bins {VALUES} {keywords} file profile.txt {PRECISE}\n"
              + "variable first equal f_profile[1][3]\nvariable last equal f_profile[4][6]\n"
              + THERMO + "thermo 60\n"
              + "run 60\nthermo_style custom step\nrun 7\nrun 53\n" + THERMO + "run 60\n")
    return run_lammps(script, files=system.files(), ranks=ranks)


@pytest.mark.parametrize("case, ranks", [(case, 1) for case in CASES] + [("default", 2), ("none", 2), ("running", 2)])
def test_same_files(case, ranks, run_style, backend):
    stock = play(case, "ave/chunk", STOCK, "verlet", ranks)
    found = play(case, "ave/chunk/triad", triad("double", backend), run_style, ranks)
    expected, lines = (result.files["profile.txt"].decode().splitlines() for result in (stock, found))
    assert len(lines) == len(expected) > 5
    hottest = 0
    for line, expects in zip(lines, expected):
        if line.startswith("#"):
            assert line == expects
            continue
        numbers, wanted = ([float(word) for word in text.split()] for text in (line, expects))
        assert re.sub(r"\S+", "", line) == re.sub(r"\S+", "", expects)
        assert numbers == pytest.approx(wanted, rel=2e-7, abs=1e-8)
        if len(wanted) > 3:
            hottest = max(hottest, wanted[5])
    assert hottest > 100
    for one, other in zip(stock.runs[::3], found.runs[::3]):
        for column in ("v_first", "v_last", "f_profile[2][1]", "f_profile[2][2]"):
            assert other[column] == pytest.approx(one[column], rel=2e-7, abs=1e-8)
    assert len(stock.runs) == 4
    if run_style != "verlet" and not re.search("npt|deform", CASES[case][1]) and "s " not in CASES[case][0]:
        assert "brought" not in found.output
        assert re.search(r"made (\d+) steps on \w+, \1 of them in batches", found.output)


SUFFIX = ("-suffix", "triad")
# words of the fix behind the ID of the chunks, and what the log names; None: the fix is ours
BY_SUFFIX = {
    "temp": None,
    "density/mass v_temp norm none": None,
    "temp bias moving": "bias moving",
    "temp adof 2": "adof 2",
    "vx": "value vx",
    "temp v_square": "value v_square",
    "temp v_shifted": "value v_shifted",
}


@pytest.mark.parametrize("words", BY_SUFFIX)
def test_by_suffix(words, backend):
    """Settings that ours does not have leave the fix to LAMMPS."""
    system, reason = SYSTEMS["si-1989"], BY_SUFFIX[words]
    script = (system.commands(STOCK) + HOT + NVE + ENERGIES + "variable square atom c_energy*c_energy\n"
              "variable shifted atom c_energy+0.5\ncompute moving all temp/com\ncompute bins all chunk/atom bin/1d z lower 0.25 units reduced\n"
              f"fix profile all ave/chunk 5 4 20 bins {words} file profile.txt\nrun 40\n")
    plain = run_lammps(script)
    found = run_lammps(script, args=SUFFIX, env={"TRIAD_BACKEND": backend, "TRIAD_PRECISION": "double"})
    remains = f"fix profile remains LAMMPS's ave/chunk, since ave/chunk/triad does not support {reason}"
    assert (remains in found.output) == (reason is not None)
    numbers, wanted = ([[float(word) for word in line.split()] for line in
                        result.files["profile.txt"].decode().splitlines() if not line.startswith("#")]
                       for result in (found, plain))
    assert len(numbers) == len(wanted) == 10
    for row, expected in zip(numbers, wanted):
        assert row == pytest.approx(expected, rel=2e-5)


@pytest.mark.parametrize("chunks", ["bin/1d z lower 0.25 units reduced bound z 0.1 0.9", "bin/2d x lower 2 y lower 2",
                                    "bin/1d z lower 0.25 units reduced nchunk once", "type"])
def test_other_chunks_by_suffix(chunks, backend):
    system = SYSTEMS["si-1989"]
    script = (system.commands(STOCK) + HOT + NVE + f"compute bins all chunk/atom {chunks}\n"
              "fix profile all ave/chunk 5 4 20 bins temp file profile.txt\nrun 20\n")
    found = run_lammps(script, args=SUFFIX, env={"TRIAD_BACKEND": backend})
    assert "fix profile remains LAMMPS's ave/chunk, since ave/chunk/triad does not support these chunks of compute bins" \
        in found.output


ERRORS = {
    "variable": ("compute bins all chunk/atom bin/1d z lower 0.25 units reduced\n"
                 "fix profile all ave/chunk/triad 5 4 20 bins v_temp\nrun 5\nvariable temp atom c_energy^2\nrun 5\n",
                 "ave/chunk/triad does not support value v_temp, which has changed since the fix was defined"),
    "slabs": ("compute bins all chunk/atom bin/1d z lower 0.25 units reduced\n"
              "fix profile all ave/chunk/triad 5 4 20 bins temp\nrun 5\nuncompute bins\n"
              "compute bins all chunk/atom bin/1d z lower 0.5 units reduced\nrun 5\n",
              "compute bins has other slabs than those over which the fix averages; define the fix again"),
    "unsupported": ("compute bins all chunk/atom bin/1d z lower 0.25 units reduced\n"
                    "fix profile all ave/chunk/triad 5 4 20 bins vx\n",
                    "Fix ave/chunk/triad does not support value vx; use fix ave/chunk"),
    "chunks": ("fix profile all ave/chunk/triad 5 4 20 bins temp\n",
               "Fix ave/chunk/triad does not support compute bins; use fix ave/chunk"),
    "file": ("compute bins all chunk/atom bin/1d z lower 0.25 units reduced\n"
             "fix profile all ave/chunk/triad 5 4 20 bins temp file none/profile.txt\n",
             "Cannot open fix ave/chunk file none/profile.txt"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, backend):
    commands, message = ERRORS[name]
    script = SYSTEMS["si-1989"].commands(triad("double", backend)) + HOT + "fix integrate all nve/triad\n" + ENERGIES
    result = run_lammps(script + commands, check=False)
    assert result.returncode != 0 and message in result.errors


BETWEEN = {
    "minimize": "run 20\nminimize 0 1e-6 20 40\nrun 40\n",
    "minimize first": "minimize 0 1e-6 20 40\nrun 40\n",
    "variable anew": "run 20\nvariable temp atom 3*c_energy\nrun 20\n",
    "slabs anew": "run 20\nuncompute bins\ncompute bins all chunk/atom bin/1d z lower 0.5 units reduced\nrun 20\n",
    "lattice anew": "unfix profile\nuncompute bins\ncompute bins all chunk/atom bin/1d z lower 0.2\nlattice fcc 3.0\n"
                    "fix profile all ave/chunk 5 2 10 bins v_temp file profile.txt\nrun 20\nlattice fcc 2.0\nrun 10\n",
    "rerun": "dump keep all custom 20 keep.dump id type x y z vx vy vz\nrun 40\nundump keep\n"
             "fix profile all ave/chunk 5 1 10 bins v_temp file profile.txt\n"
             "rerun keep.dump first 20 dump x y z vx vy vz\n",
    "titles": 'fix profile all ave/chunk 5 2 10 bins temp title1 "" title3 "# x" file profile.txt\nrun 20\n',
}


@pytest.mark.parametrize("name", BETWEEN)
def test_between_runs(name, backend):
    """What happens between runs has the same effects with the suffix."""
    system = SYSTEMS["si-1989"]
    script = (system.commands(STOCK) + HOT + NVE + ENERGIES + "compute bins all chunk/atom bin/1d z lower 0.25 units "
              "reduced\nfix profile all ave/chunk 5 2 10 bins v_temp density/mass file profile.txt\n" + BETWEEN[name])
    stock = run_lammps(script)
    found = run_lammps(script, args=SUFFIX, env={"TRIAD_BACKEND": backend, "TRIAD_PRECISION": "double"})
    assert "remains LAMMPS's ave/chunk" not in found.output
    lines, expected = (result.files["profile.txt"].decode().splitlines() for result in (found, stock))
    assert len(lines) == len(expected) > 5
    for line, expects in zip(lines, expected):
        if line.startswith("#") or not line:
            assert line == expects
        else:
            assert [float(word) for word in line.split()] == pytest.approx([float(word) for word in expects.split()],
                                                                           rel=2e-5)
