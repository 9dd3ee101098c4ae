"""The host backend with every instruction set that this machine has, chosen by TRIAD_HOST_ISA."""

import re

import pytest
from compare import check_against_stock, evaluate
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS


@pytest.fixture(scope="session")
def usable():
    """Names of the sets, from the message about one that does not exist."""
    system = SYSTEMS["two-atoms"]
    result = run_lammps(system.commands(triad("double", "host")) + "run 0\n", files=system.files(),
                        env={"TRIAD_HOST_ISA": "none-such"}, check=False)
    assert result.returncode != 0
    message = re.search(r"TRIAD_HOST_ISA is none-such, .*; usable: ([a-z0-9, ]+)", result.errors)
    assert message, result.errors
    return message[1].strip().split(", ")


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512", "neon"])
@pytest.mark.parametrize("name", ["si-melt", "sic_1989-shuffled", "unlike-triplets"])
def test_matches_stock(name, precision, isa, usable):
    if isa not in usable:
        pytest.skip(f"this processor has no {isa}")
    check_against_stock(name, precision, "host", per_atom=False, isa=isa)
    output = evaluate(name, triad(precision, "host"), per_atom=False, isa=isa).output
    assert re.search(rf"on host, \d+ threads?, {isa}, precision {precision}", output)
