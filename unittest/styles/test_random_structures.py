"""Random structures for every potential file of the wheel, and for files that the tests make, against stock."""

import os
from pathlib import Path

import pytest
from compare import check_against_stock
from random_structures import RANDOM


@pytest.mark.parametrize("name", RANDOM)
def test_matches_stock(name, precision, backend):
    check_against_stock(name, precision, backend)


@pytest.mark.parametrize("name", [name for name in RANDOM if name.endswith(" 0")])
def test_four_ranks(name, backend):
    check_against_stock(name, "double", backend, ranks=4)


def test_every_shipped_file_is_used():
    folder = Path(os.environ["LAMMPS_POTENTIALS"])
    shipped = {path.name for path in folder.glob("*.tersoff*")}
    assert shipped and shipped <= {system.potential for system in RANDOM.values()}
