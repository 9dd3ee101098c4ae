"""Fixtures of the style tests: the plugin in a real LAMMPS against stock tersoff.

With TRIAD_KOKKOS in the environment the tests of all backends run with the styles of that package, and no others run.
"""

import pytest
from gpu import why_no_cuda
from kokkos import why_no_kokkos
from lammps_run import KOKKOS


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda: needs an NVIDIA GPU; skipped, with the reason, without one")
    config.addinivalue_line("markers", "long: hours; CTest runs it under the label long")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "cuda" in item.fixturenames:
            item.add_marker(pytest.mark.cuda)
    if KOKKOS:
        chosen = [bool({"backend", "kokkos"} & set(item.fixturenames)) for item in items]
        config.hook.pytest_deselected(items=[item for item, keep in zip(items, chosen) if not keep])
        items[:] = [item for item, keep in zip(items, chosen) if keep]


@pytest.fixture
def kokkos():
    """For tests of the styles of KOKKOS alone."""
    if why_no_kokkos():
        pytest.skip(why_no_kokkos())


@pytest.fixture(params=["kokkos"] if KOKKOS else ["host", pytest.param("cuda", marks=pytest.mark.cuda)])
def backend(request):
    if request.param == "kokkos" and why_no_kokkos():
        pytest.skip(why_no_kokkos())
    if request.param == "cuda" and why_no_cuda():
        pytest.skip(why_no_cuda())
    return request.param


@pytest.fixture(params=["double", "mixed", "single"])
def precision(request):
    return request.param


@pytest.fixture(params=["verlet", "verlet/triad"])
def run_style(request):
    return request.param


@pytest.fixture
def cuda():
    """The backend cuda, for tests that only make sense there."""
    if why_no_cuda():
        pytest.skip(why_no_cuda())
    return "cuda"
