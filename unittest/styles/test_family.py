"""tersoff/mod, tersoff/mod/c, tersoff/zbl, the keyword shift and several members at once against stock."""

import pytest
from compare import EVALUATE, Tolerance, assert_close, check_against_stock
from family_systems import FAMILY
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS


@pytest.mark.parametrize("name", FAMILY)
def test_matches_stock(name, precision, backend):
    check_against_stock(name, precision, backend)


LAYOUTS = ["mod-melt", "modc-slab", "zbl-carbide-shuffled", "zbl-alone", "mod-one-unit-cell", "plain-melt-shift-0.2",
           "mod-slab-shift-0.1", "modc-triclinic-shift-0.1", "zbl-zincblende-shift-0.3", "hybrid-two-members",
           "overlay-three-members", "overlay-same-member-twice", "zbl-tiled-and-balanced"]


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", LAYOUTS)
def test_ranks(name, ranks, backend):
    check_against_stock(name, "double", backend, ranks=ranks)


@pytest.mark.parametrize("name", ["mod-melt", "modc-melt", "zbl-carbide-shuffled", "plain-melt-shift-0.2"])
def test_threads(name, precision):
    check_against_stock(name, precision, "host", threads=3)


NEGATIVE = ["plain-melt-shift-0.2", "mod-melt-shift-0.2", "modc-triclinic-shift-0.1", "zbl-zincblende-shift-0.3"]


@pytest.mark.parametrize("name, precision, ranks", [
    *((name, precision, 1) for name in NEGATIVE for precision in ("double", "mixed", "single")),
    *((name, "double", 4) for name in NEGATIVE)])
def test_negative_shift_needs_no_skin(name, precision, ranks, backend):
    """The list must reach to R + D - shift by itself. Stock's ends at R + D and loses bonds here."""
    system, style = SYSTEMS[name], triad(precision, backend)
    without, wide = (run_lammps(system.commands(style) + f"neighbor {skin} bin\n" + EVALUATE, files=system.files(),
                                ranks=ranks) for skin in (0.0, 3.0))
    assert_close(wide, without, Tolerance(relative=1e-10 if precision == "double" else 2e-6, of_terms=True))
