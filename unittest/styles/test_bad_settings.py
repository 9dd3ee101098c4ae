"""Scripts that the style must refuse, each with a message that names the setting at fault."""

import re

import pytest
from gpu import why_no_cuda
from lammps_run import run_lammps
from potentials import silicon
from styles import STOCK, triad

BOX = """
units metal
lattice diamond 5.432
region box block 0 1 0 1 0 1
create_box 2 box
create_atoms 1 box
mass * 28
"""
STYLE = "pair_style {style}\n"
COEFF = "pair_coeff * * test.tersoff Si Si\n"
RUN = "run 0\n"


def run(script, **options):
    return run_lammps(script, files={"test.tersoff": silicon(), "no-units.tersoff": silicon().split("\n", 1)[1]},
                      timeout=60, check=False, **options)


def assert_refused(script, *patterns):
    result = run(script)
    assert result.returncode != 0
    assert "terminate called" not in result.output, "the process was aborted"
    for pattern in patterns:
        assert re.search(pattern, result.errors), f"{pattern} is not in: {result.errors}"


# Conditions that stock refuses too: script, what the plugin's message must hold.
LIKE_STOCK = {
    "no-atom-ids": ("atom_modify id no\n" + BOX + STYLE + COEFF + RUN, ["tersoff/triad", "atom IDs"]),
    "newton-off": ("newton off\n" + BOX + STYLE + COEFF + RUN, ["tersoff/triad", "newton"]),
    "newton-pair-off": ("newton off on\n" + BOX + STYLE + COEFF + RUN, ["tersoff/triad", "newton"]),
    "too-few-elements": (BOX + STYLE + "pair_coeff * * test.tersoff Si\n", ["element to type mappings"]),
    "too-many-elements": (BOX + STYLE + "pair_coeff * * test.tersoff Si Si Si\n", ["element to type mappings"]),
    "no-elements": (BOX + STYLE + "pair_coeff * * test.tersoff\n", ["element to type mappings"]),
    "no-file": (BOX + STYLE + "pair_coeff * *\n", ["pair_coeff|pair coefficients"]),
    "pair-coeff-of-one-pair": (BOX + STYLE + "pair_coeff 1 1 test.tersoff Si Si\n", [r"\* \*", "tersoff/triad"]),
    "all-types-null": (BOX + STYLE + "pair_coeff * * test.tersoff NULL NULL\n" + RUN, ["pair_coeff|pair coefficients"]),
    "one-type-null": (BOX + STYLE + "pair_coeff * * test.tersoff Si NULL\n" + RUN, ["pair coeffs are not set"]),
    "file-not-found": (BOX + STYLE + "pair_coeff * * nowhere.tersoff Si Si\n", [r"nowhere\.tersoff"]),
    "run-before-pair-coeff": (BOX + STYLE + RUN, ["pair coeffs are not set|pair_coeff"]),
    "units-si": (BOX.replace("metal", "si") + STYLE + COEFF, [r"test\.tersoff", "units"]),
    "units-lj": (BOX.replace("metal", "lj").replace("5.432", "1.0") + STYLE + COEFF, [r"test\.tersoff", "units"]),
    "pair-style-before-box": (STYLE + COEFF, ["Pair_coeff", "box"]),
    "pair-local": (BOX + STYLE + COEFF + "compute pairs all pair/local eng\n"
                   "compute sum all reduce sum c_pairs inputs local\nthermo_style custom step c_sum\nrun 0\n",
                   ["pair/local"]),
    "unknown-keyword": (BOX + "pair_style {style} colour blue\n", ["tersoff/triad", "colour"]),
}


@pytest.mark.parametrize("name", LIKE_STOCK)
def test_refused_like_stock(name):
    script, patterns = LIKE_STOCK[name]
    assert run(script.replace("{style}", str(STOCK))).returncode != 0, "stock accepts this"
    assert_refused(script.replace("{style}", str(triad())), *patterns)


@pytest.mark.parametrize("settings, patterns", {
    "precision": ["precision", "Missing"],
    "backend": ["backend", "Missing"],
    "precision double backend": ["backend", "Missing"],
    "precision half": ["half", "single", "mixed", "double"],
    "backend opencl": ["opencl", "auto", "cuda", "host"],
    "double": ["double", "precision", "backend"],
    "shift": ["shift", "Missing"],
    "shift abc": ["shift is abc", "finite number"],
    "shift nan": ["shift is nan", "finite number"],
    "deterministic": ["deterministic", "Missing"],
    "deterministic perhaps": ["perhaps"],
}.items())
def test_own_settings(settings, patterns):
    assert_refused(BOX + f"pair_style tersoff/triad {settings}\n" + COEFF + RUN, "tersoff/triad", *patterns)


@pytest.mark.parametrize("fix, patterns", {
    "nvt/triad temp 300 300 0.1 colour 1": ["colour", "known: temp, tchain"],
    "nvt/triad temp 300 warm 0.1": ["nvt/triad temp is warm"],
    "nvt/triad temp 300 300 0.1 tchain 2.5": ["tchain is 2.5", "whole"],
    "langevin/triad 300 inf 0.1 4711": ["temperature is inf"],
    "langevin/triad 300 300 0.1 4711 colour 1": ["colour", "known: scale"],
    "momentum/triad 1 linear 1 1 1 colour": ["colour", "known: linear"],
    "spring/self/triad -1": ["spring/self/triad stiffness is -1"],
    "spring/self/triad 1 foo": ["direction: foo", "known: xyz, xy"],
    "move/triad linear 1 1": ["Missing vz in fix move/triad"],
    "move/triad linear 1 1 1 units foo": ["units: foo", "known: lattice, box"],
}.items())
def test_settings_of_fixes(fix, patterns):
    assert_refused(BOX + f"pair_style {triad()}\n" + COEFF + f"fix 1 all {fix}\n", *patterns)


@pytest.mark.parametrize("fix", ["spring/self -1", "spring/self 1 foo", "move linear 1 1", "move linear 1 1 1 units foo"])
def test_settings_under_the_suffix_are_refused_by_stock(fix):
    script = BOX + "pair_style tersoff\n" + COEFF + f"fix 2 all {fix}\n"
    stock, found = run(script), run(script, args=("-suffix", "triad"))
    assert found.returncode == stock.returncode != 0
    assert found.errors == stock.errors != ""


@pytest.mark.parametrize("folder, said", [("", "not set"), ("/nowhere", "/nowhere")])
def test_missing_file_names_the_folder_of_potentials(folder, said):
    result = run(BOX + f"pair_style {triad()}\npair_coeff * * nowhere.tersoff Si Si\n",
                 env={"LAMMPS_POTENTIALS": folder})
    assert result.returncode != 0
    assert "nowhere.tersoff" in result.errors and f"LAMMPS_POTENTIALS, which is {said}" in result.errors


def test_table_refers_to_the_style_that_needs_none():
    assert_refused(BOX + "pair_style tersoff/table/triad\n", "tersoff/table/triad", "use tersoff/triad")


@pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU")
def test_cuda_without_gpu():
    assert_refused(BOX + f"pair_style {triad(backend='cuda')}\n" + COEFF + RUN, "backend cuda", "backend host|auto")


@pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU")
@pytest.mark.parametrize("settings", ["", "backend auto"])
def test_auto_without_gpu_takes_the_host(settings):
    result = run(BOX + f"pair_style tersoff/triad {settings}\n" + COEFF + RUN + RUN)
    assert result.returncode == 0
    used = re.findall("Triad: .*host.*mixed", result.output)
    assert len(used) == 1, "the log says which backend and precision are in use, once and not for every run"


TALLY = BOX + STYLE + COEFF + "group half id 1:4\ncompute between half force/tally half\nrun 0\n"


def test_tally_computes_are_refused():
    """Stock calls them for every pair; here they would silently count nothing."""
    assert run(TALLY.replace("{style}", "tersoff")).returncode == 0
    assert_refused(TALLY.replace("{style}", str(triad())), "force/tally", "tersoff/triad")
    assert_refused(TALLY.replace(STYLE + COEFF, "pair_style lj/cut/triad 2.5\npair_coeff * * 1 1\n"), "force/tally", "lj/cut/triad")


@pytest.mark.parametrize("precision", ["double", "mixed", "single"])
def test_coincident_atoms_give_no_finite_energy(precision, backend):
    """Two atoms in one place have no force; a finite number for it would be a wrong one."""
    result = run(BOX + f"create_atoms 1 single 0 0 0\npair_style {triad(precision, backend)}\n" + COEFF
                 + "thermo_style custom step pe fmax\nthermo_modify format float %.17g\nrun 0\n")
    assert result.returncode != 0 or not abs(result.runs[0]["Fmax"][0]) < float("inf")


def test_force_beyond_the_fixed_point_range(backend):
    """`mixed` refuses what its accumulator can not hold; `double` computes it."""
    script = """
units metal
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 single 5 5 5
create_atoms 1 single 6 5 5
mass 1 28
pair_style {style}
pair_coeff * * test.tersoff Si
thermo_style custom step pe fmax
run 0
"""
    files = {"test.tersoff": silicon(A=1e9)}
    expected, found = (run_lammps(script.format(style=style), files=files).runs[0]["Fmax"][0]
                       for style in (STOCK, triad("double", backend)))
    assert found == pytest.approx(expected, rel=1e-6)
    mixed = run_lammps(script.format(style=triad("mixed", backend)), files=files, check=False)
    assert mixed.returncode != 0 and "precision double" in mixed.errors
