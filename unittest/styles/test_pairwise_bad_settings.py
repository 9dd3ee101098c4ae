"""Scripts that fix pairwise/triad must refuse, each with a message that names what is at fault."""

import re

import pytest
from gpu import why_no_cuda
from lammps_run import run_lammps

BOX = """
units lj
{before}
region box block 0 10 0 10 0 10
create_box {types} box
create_atoms 1 single 1 2 3
create_atoms 1 single 4 5 6
create_atoms {types} single 8 2 3
mass * 1.0
{setup}
fix pairs all pairwise/triad {words}
{after}
run 0
"""
PAIRS = {"good.pairs": "1 2 1.0 1.0\n2 3 1.0 1.0\n", "unknown.pairs": "# a net\n1 2 1.0 1.0\n\n2 77 1.0 1.0\n",
         "words.pairs": "1 2 1.0\n", "number.pairs": "1 2 1.0 1.0\n2 3 stiff 1.0\n", "itself.pairs": "2 2 1 1\n",
         "twice.pairs": "1 2 1 1\n2 1 1 1\n", "empty.pairs": "# nothing\n", "far.pairs": "1 3 1.0 1.0\n", "one.pairs": "1 2 1 1\n"}
LJ = "lj coeff 1 1 1 1"


def run(words, types=1, before="", setup="comm_modify cutoff 4", after="", ranks=1):
    script = BOX.format(words=words, types=types, before=before, setup=setup, after=after)
    return run_lammps(script, files=PAIRS, check=False, timeout=60, ranks=ranks)


# words of the command (and other parts of the script): what the message must hold
REFUSED = {
    "": ["Missing law", "gravity, coulomb/power, lj, yukawa, morse, buck, table, harmonic, listed, law"],
    "coulomb": ["law", "coulomb", "gravity, coulomb/power, lj, yukawa, morse, buck, table, harmonic, listed, law"],
    "gravity": ["Missing G"],
    "gravity 1": ["Missing eps"],
    "gravity heavy 1": ["G of gravity is heavy"],
    "gravity nan 1": ["G of gravity is nan"],
    "gravity 1 inf": ["eps of gravity is inf"],
    "gravity 1 -0.1": ["eps", "-0.1"],
    "gravity 1 0.1 colour blue": ["keyword", "colour", "range, cutoff"],
    "gravity 1 0.1 range": ["Missing value", "range"],
    "gravity 1 0.1 range near": ["range", "near", "all, list"],
    "gravity 1 0.1 range list": ["range list", "cutoff"],
    "gravity 1 0.1 cutoff 3": ["cutoff", "range list"],
    "gravity 1 0.1 range list cutoff 0": ["cutoff is 0"],
    "gravity 1 0.1 range list cutoff -2": ["cutoff is -2"],
    "gravity 1 0.1 range list cutoff 3 image none": ["image", "range all"],
    "gravity 1 0.1 image nearest": ["image", "nearest", "minimum, none"],
    "gravity 1 0.1 precision half": ["precision", "half", "single, mixed, double"],
    "gravity 1 0.1 backend opencl": ["backend", "opencl", "auto, cuda, host"],
    "gravity 1 0.1 kernel square": ["kernel", "square", "auto, triangular, onesided"],
    "gravity 1 0.1 exclude bonded": ["exclude", "bonded", "special, none"],
    "gravity 1 0.1 group2": ["Missing group-ID", "group2"],
    "gravity 1 0.1 group2 nobody": ["group2", "no group nobody"],
    "gravity 1 0.1 coeff 1 1 1 1": ["gravity", "coeff"],
    "gravity 1 0.1 floor 1": ["floor", "coulomb/power"],
    "lj": ["lj", "no coeff", "1 1"],
    "lj coeff 1 1 1": ["Missing sigma"],
    "law a*r coeff 1 1 a 1 a 2": ["coeff gives the constant a twice"],
    "lj coeff 1 2 1 1": ["atom type 2 after keyword coeff", "type from 1 to 1"],
    "lj coeff 0 1 1 1": ["atom type 0 after keyword coeff"],
    "lj coeff 1 1*2 1 1": [r"atom type 1\*2 after"],
    "lj coeff C 1 1 1": ["atom type C after"],
    "lj coeff": ["Missing atom type"],
    "lj coeff 1 1 1 -1": ["sigma", "-1"],
    "coulomb/power coeff 1 1 1 1 0": ["n of coeff", "0"],
    "coulomb/power coeff 1 1 1 -1 2": ["c2 of coeff", "-1"],
    "coulomb/power coeff 1 1 1 1 2 floor -1": ["floor", "-1"],
    "harmonic": ["Missing file"],
    "harmonic nowhere.pairs": ["Cannot open", r"nowhere\.pairs"],
    "harmonic good.pairs range all": ["range", "harmonic"],
    "harmonic good.pairs kernel onesided": ["kernel", "harmonic"],
    "harmonic good.pairs image none": ["image", "harmonic"],
    "harmonic good.pairs exclude none": ["exclude", "harmonic"],
    "harmonic good.pairs coeff 1 1 1 1": ["harmonic", "coeff"],
    "harmonic words.pairs": [r"words\.pairs:1: ", "3 words"],
    "harmonic number.pairs": [r"number\.pairs:2: ", "stiff"],
    "harmonic itself.pairs": [r"itself\.pairs:1: ", "atom 2"],
    "harmonic twice.pairs": [r"twice\.pairs:2: ", "line 1"],
    "harmonic empty.pairs": [r"empty\.pairs: ", "no pair"],
    "harmonic unknown.pairs": [r"unknown\.pairs:4: ", "no atom with ID 77"],
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    assert_refused(run(words), *REFUSED[words])


def assert_refused(result, *patterns):
    assert result.returncode != 0
    for pattern in ["fix pairs pairwise/triad|fix pairwise/triad", *patterns]:
        assert re.search(pattern, result.errors), f"{pattern} is not in: {result.errors}"


@pytest.mark.parametrize("words, pattern", [
    ("gravity 1 0.1 group2 nobody", "no group nobody"),
    pytest.param("gravity 1 0.1 backend cuda", "backend cuda",
                 marks=pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU"))])
def test_refused_by_the_command_before_any_run(words, pattern):
    assert_refused(run(words, after="unfix pairs"), pattern)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("gone", ["1", "2", "1:2"])
def test_springs_without_a_cutoff_whose_atoms_vanish(gone, ranks):
    after = f"run 0\ngroup gone id {gone}\ndelete_atoms group gone compress no"
    result = run("harmonic one.pairs", setup="comm_modify cutoff 6", after=after, ranks=ranks)
    assert_refused(result, r"one\.pairs:1: ", "one was lost" if gone == "2" else "no atom with ID 1")
    assert len(result.runs) == 1  # before they vanished


def test_missing_type_pairs_are_listed():
    assert_refused(run("coulomb/power coeff 1 1 1 1 2 coeff 2*3 2 1 1 2", types=3), "1 2, 1 3, 3 3;")


def test_many_missing_type_pairs():
    assert_refused(run("lj coeff 1 1 1 1", types=6), "1 2, .*2 6 and 10 more")


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("words", [f"{LJ} range list cutoff 3.8", "harmonic good.pairs cutoff 3.8"])
def test_cutoff_beyond_the_communication_range(words, ranks):
    assert_refused(run(words, ranks=ranks), "cutoff 3.8", "communication range 4", "comm_modify cutoff 4.1")


def test_cutoff_beyond_that_of_the_pair_style():
    setup = "pair_style zero 3.0\npair_coeff * *"
    assert_refused(run(f"{LJ} range list cutoff 3.1", setup=setup), "cutoff 3.1", "communication range 3.3")


def test_springs_beyond_the_communication_range():
    assert_refused(run("harmonic far.pairs", setup="comm_modify cutoff 2"), r"far\.pairs:1: ", "exceeds the communication range",
                   "comm_modify cutoff")


@pytest.mark.parametrize("setup", ["atom_modify id no"])
def test_no_atom_ids(setup):
    assert_refused(run("gravity 1 0.1", before=setup), "atom IDs")


def test_neighbor_style_multi():
    assert_refused(run(f"{LJ} range list cutoff 3", setup="neighbor 0.3 multi\ncomm_modify cutoff 4"),
                   "neighbor style bin")


def test_harmonic_with_comm_mode_multi():
    setup = "pair_style zero 3.0\npair_coeff * *\nneighbor 0.3 multi\ncomm_modify mode multi cutoff/multi * 4.0"
    assert_refused(run("harmonic good.pairs cutoff 2", setup=setup), "comm_modify mode single")


def test_harmonic_tiled_with_newton_off():
    result = run("harmonic good.pairs cutoff 2", before="newton off", setup="comm_modify cutoff 4\ncomm_style tiled",
                 ranks=2)
    assert_refused(result, "newton on")


MOLECULES = "atom_style bond"


def test_exclude_none_where_the_list_lacks_the_pairs():
    setup = "comm_modify cutoff 4\nspecial_bonds lj/coul 0 1 1"
    assert_refused(run(f"{LJ} range list cutoff 3 exclude none", before=MOLECULES, setup=setup), "exclude none", "1-2")


@pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU")
def test_cuda_without_gpu():
    assert_refused(run("gravity 1 0.1 backend cuda"), "backend cuda", "backend host")


@pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU")
def test_auto_without_gpu_takes_the_host():
    result = run("gravity 1 0.1", after="run 0")
    assert result.returncode == 0, result.output
    assert len(re.findall("Triad: fix pairs pairwise/triad on host, .*precision mixed", result.output)) == 1


def test_other_choices_are_logged(precision, backend):
    result = run(f"gravity 1 0.1 precision {precision} backend {backend}")
    assert re.search(f"Triad: fix pairs pairwise/triad on {backend}, .*precision {precision}", result.output)


def test_new_number_of_types():
    """A fix does not outlive its box, so the number of types it was given for always holds."""
    script = BOX.format(words=LJ, types=1, before="", setup="comm_modify cutoff 4", after="")
    result = run_lammps(script + "clear\n" + BOX.format(words="lj coeff * * 1 1", types=3, before="", after="",
                                                        setup="comm_modify cutoff 4"), files=PAIRS)
    assert len(result.runs) == 2
