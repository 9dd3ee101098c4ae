"""Fixtures of the style tests: the plugin in a real LAMMPS against stock tersoff."""

import pytest
from gpu import why_no_cuda


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda: needs an NVIDIA GPU; skipped, with the reason, without one")
    config.addinivalue_line("markers", "long: hours; CTest runs it under the label long")


@pytest.fixture(params=["host", pytest.param("cuda", marks=pytest.mark.cuda)])
def backend(request):
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
