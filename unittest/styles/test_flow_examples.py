"""examples/dambreak and examples/island, run small: the scripts, and the programs that run and draw them."""

import numpy as np
import pytest
from lammps_run import LMP
from test_pairwise_examples import program


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Also for the LAMMPS that the programs start."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def test_dambreak(tmp_path):
    dambreak = program("dambreak")
    line = dambreak.channel(100, 2.0)
    states = {flux: dambreak.run(LMP, line, time=25, flux=flux)[-1] for flux in ("roe", "hll")}
    exact = dambreak.exact(line.centre[:, 0] - 500, 25, 10.0, 2.0)
    for state in states.values():
        assert np.abs(state[:, 0] - exact).mean() < 0.2
    pool = dambreak.pool(40)
    frames = dambreak.run(LMP, pool, time=7.2, frames=2)
    assert len(frames) == 3 and frames[0].shape == (len(pool.area), 4)
    assert 5.5 < frames[-1][pool.centre[:, 0] > 105, 0].max() < 9
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    dambreak.draw({flux: (line, state) for flux, state in states.items()}, 25, pool, frames[-1][:, 0], tmp_path / "a.png")


def test_island(tmp_path):
    island = program("island")
    mesh = island.island(24)
    frames = island.run(LMP, mesh)
    assert len(frames) == 31
    ever, height = island.highest(mesh, frames)
    assert 0.2 < height < 1.2, "the wave runs up, and not over the top"
    assert frames[0][~ever, 0].max() == 0
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    island.draw(mesh, frames, 2.0, tmp_path / "a.png")
    meshio = pytest.importorskip("meshio", reason="meshio is not installed, which only the VTU file needs")
    island.meshes.write_vtu(mesh, tmp_path / "a.vtu", h=frames[-1][:, 0], q=frames[-1][:, 1:3])
    read = meshio.read(tmp_path / "a.vtu")
    np.testing.assert_array_equal(np.concatenate(read.cell_data["h"]), frames[-1][:, 0])
