"""lammps_triad mesh: areas, closed cells, sides, and the files that it writes. No LAMMPS runs."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("numpy")
from lammps_triad import mesh as meshes  # noqa: E402


def assert_sound(mesh, area):
    """Cells are closed, and their areas fill the domain."""
    assert mesh.area.sum() == pytest.approx(area, rel=1e-13)
    closing = np.zeros((len(mesh.area), 2))
    sides = mesh.normal * mesh.length[:, None]
    np.add.at(closing, mesh.cells[:, 0], sides)
    np.add.at(closing, mesh.cells[:, 1], -sides)
    np.add.at(closing, mesh.outer_cell, mesh.outer_normal * mesh.outer_length[:, None])
    assert np.abs(closing).max() < 1e-12 * mesh.length.max()
    ahead = mesh.centre[mesh.cells[:, 1]] - mesh.centre[mesh.cells[:, 0]]
    if not any(mesh.periodic):
        assert np.all((ahead * mesh.normal).sum(1) > 0), "normals point to the second cell"
    for centre, polygon in zip(mesh.centre, mesh.polygons):
        assert np.all(polygon.min(0) < centre) and np.all(centre < polygon.max(0))


def test_grid():
    mesh = meshes.grid((4, 3), (8.0, 3.0), (-1.0, 2.0))
    assert_sound(mesh, 24.0)
    assert len(mesh.cells) == 3 * 3 + 4 * 2 and len(mesh.outer_cell) == 14
    mesh.set_boundary("open", "north")
    assert (mesh.condition == "open").sum() == 4
    assert set(mesh.outer_cell[mesh.condition == "open"]) == {8, 9, 10, 11}
    with pytest.raises(meshes.MeshError, match="no side up"):
        mesh.set_boundary("open", "up")


def test_grid_with_a_hole():
    mask = np.ones((3, 3), bool)
    mask[1, 1] = False
    mesh = meshes.grid((3, 3), (3.0, 3.0), mask=mask)
    assert_sound(mesh, 8.0)
    assert len(mesh.outer_cell) == 12 + 4


def test_periodic_grid():
    mesh = meshes.grid((4, 3), (4.0, 3.0), periodic=(True, True))
    assert_sound(mesh, 12.0)
    assert len(mesh.cells) == 24 and len(mesh.outer_cell) == 0
    with pytest.raises(meshes.MeshError, match="three cells"):
        meshes.grid((2, 3), (4.0, 3.0), periodic=(True, False))


def test_polygons_of_several_kinds():
    """Two quadrilaterals and two triangles, one of them clockwise."""
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1], [0.5, 2]], float)
    mesh = meshes.polygons(points, [[[0, 1, 2, 3]], [[1, 4, 5], [1, 2, 5]], [[3, 2, 5, 6]]])
    assert_sound(mesh, 1 + 0.5 + 0.5 + 1)
    assert len(mesh.cells) == 4 and len(mesh.outer_cell) == 6


def test_polygons_far_from_the_origin():
    """As in coordinates of maps: areas and centres keep their digits."""
    rng = np.random.default_rng(3)
    near = rng.uniform(0, 10, (60, 2))
    cells = [np.arange(60).reshape(20, 3)]
    offset = np.array([512345.67, 5412345.89])
    mesh, far = meshes.polygons(near, cells), meshes.polygons(near + offset, cells)
    assert far.area == pytest.approx(mesh.area, rel=1e-6)
    assert far.centre - offset == pytest.approx(mesh.centre, abs=1e-8)


def test_gmsh(tmp_path):
    meshio = pytest.importorskip("meshio", reason="meshio is not installed, which only files of gmsh need")
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0.5, 0]], float)
    cells = [("line", [[0, 3], [0, 1]]), ("quad", [[0, 1, 2, 3]]), ("triangle", [[1, 4, 2]])]
    tags = [np.array([7, 8]), np.array([1]), np.array([1])]
    meshio.Mesh(points, cells, cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
                field_data={"inlet": np.array([7, 1])}).write(tmp_path / "a.msh", "gmsh22", binary=False)
    mesh, groups = meshes.gmsh(tmp_path / "a.msh")
    assert_sound(mesh, 1.5)
    assert set(groups) == {"inlet", "8"}
    np.testing.assert_array_equal(mesh.outer_normal[groups["inlet"]], [[-1, 0]])
    (tmp_path / "bad.msh").write_text("nothing")
    with pytest.raises(meshes.MeshError, match="bad.msh"):
        meshes.gmsh(tmp_path / "bad.msh")


# A square of two triangles whose western side is the physical group "inlet", as gmsh 4 writes it.
MSH_4 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "inlet"
2 1 "water"
$EndPhysicalNames
$Entities
4 4 1 0
1 0 0 0 0
2 1 0 0 0
3 1 1 0 0
4 0 1 0 0
1 0 0 0 1 0 0 0 2 1 -2
2 1 0 0 1 1 0 0 2 2 -3
3 0 1 0 1 1 0 0 2 3 -4
4 0 0 0 0 1 0 1 7 2 4 -1
1 0 0 0 1 1 0 1 1 4 1 2 3 4
$EndEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
2 3 1 3
1 4 1 1
1 4 1
2 1 2 2
2 1 2 3
3 1 3 4
$EndElements
"""


def test_gmsh_4(tmp_path):
    pytest.importorskip("meshio", reason="meshio is not installed, which only files of gmsh need")
    (tmp_path / "a.msh").write_text(MSH_4)
    mesh, groups = meshes.gmsh(tmp_path / "a.msh")
    assert_sound(mesh, 1.0)
    np.testing.assert_array_equal(mesh.outer_normal[groups["inlet"]], [[-1, 0]])
    done = command("gmsh", "a.msh", "--bed", "-2", "--surface", "0", "--group", "inlet", "stage 0.5", "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.mesh").read_text().count("stage 0.5") == 1


def test_vtu_of_polygons(tmp_path):
    """Cells are sorted by their number of corners; their values follow."""
    meshio = pytest.importorskip("meshio", reason="meshio is not installed, which only VTU files need")
    angle = np.arange(6) * np.pi / 3
    points = np.concatenate([np.stack([np.cos(angle), np.sin(angle)], 1), [[2, 0], [2, 1]]])
    mesh = meshes.polygons(points, [np.arange(6)[None], np.array([[0, 6, 7]])])
    meshes.write_vtu(mesh, tmp_path / "a.vtu", h=np.array([1.0, 2.0]))
    read = meshio.read(tmp_path / "a.vtu")
    assert [(block.type, len(block.data)) for block in read.cells] == [("triangle", 1), ("polygon", 1)]
    assert [values.tolist() for values in read.cell_data["h"]] == [[2.0], [1.0]]


RASTER = "ncols 3\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 5\nNODATA_value -9999\n1 2 3\n4 -9999 6\n"


def test_raster(tmp_path):
    file = tmp_path / "a.asc"
    file.write_text(RASTER)
    mesh = meshes.raster(file)
    assert_sound(mesh, 125.0)
    height = {tuple(centre): bed for centre, bed in zip(mesh.centre.tolist(), mesh.bed)}
    assert height == {(12.5, 22.5): 4, (22.5, 22.5): 6, (12.5, 27.5): 1, (17.5, 27.5): 2, (22.5, 27.5): 3}
    file.write_text(RASTER.replace("cellsize 5\n", ""))
    with pytest.raises(meshes.MeshError, match="lacks cellsize"):
        meshes.raster(file)
    file.write_text(RASTER + "7\n")
    with pytest.raises(meshes.MeshError, match="a.asc"):
        meshes.raster(file)


def command(*words, folder):
    return subprocess.run([sys.executable, "-m", "lammps_triad", "mesh", *words], cwd=folder, capture_output=True, text=True)


def test_command_line(tmp_path):
    (tmp_path / "river.txt").write_text("river 0 1\nriver 9 2\n")
    done = command("grid", "--cells", "4", "2", "--size", "4", "2", "--bed", "0.1*x", "--surface", "where(y < 1, 1, 0.2)",
                   "--side", "west", "discharge river", "--series", "river.txt", "--manning", "0.03", "-o", "out",
                   folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8 cells, 10 edges, 12 boundary edges, volume 3.")
    text = (tmp_path / "out.mesh").read_text()
    assert text.count("discharge river") == 2 and "river 9 2" in text and " 0.03\n" in text
    assert "8 atoms" in (tmp_path / "out.data").read_text()


@pytest.mark.parametrize("words, said", [
    (["grid", "--cells", "2", "2", "--size", "1", "1", "--bed", "height"], "expression 'height'"),
    (["grid", "--cells", "2", "2", "--size", "-1", "1"], "positive sizes"),
    (["grid", "--cells", "2", "2", "--size", "1", "1", "--group", "inlet", "open"], "no group of lines inlet"),
    (["grid", "--cells", "3", "3", "--size", "1", "1", "--periodic", "x", "--side", "west", "open"],
     "no edge of the boundary lies on the west side of the box"),
    (["raster", "nowhere.asc"], "nowhere.asc"),
    (["raster", "parts.asc"], "parts.asc: ncols is 1.5; give a whole number above zero"),
])
def test_command_line_refuses(tmp_path, words, said):
    (tmp_path / "parts.asc").write_text("ncols 1.5\nnrows 1\ncellsize 1\n1\n")
    done = command(*words, "-o", "out", folder=tmp_path)
    assert done.returncode != 0 and said in done.stderr
    assert "Traceback" not in done.stderr


GRID = ["grid", "--cells", "2", "2", "--size", "1", "1"]


@pytest.mark.parametrize("words, said", [
    (["grid", "--cells", "2", "2", "--size", "nan", "1"], "positive sizes"),
    ([*GRID, "--bed", "1/(x-x)"], "the bed of cell 1 at (0.25, 0.25) is inf; give a finite number"),
    ([*GRID, "--depth", "0.5-x"], "the depth of cell 2 at (0.75, 0.25) is -0.25; give a finite number of zero or more"),
    ([*GRID, "--manning", "-1"], "the Manning coefficient of cell 1"),
    ([*GRID, "--boundary", "hole"], "the condition of the boundary is 'hole'; give wall, open"),
    ([*GRID, "--side", "west", "stage"], "the condition of the boundary is 'stage'; give wall, open"),
    ([*GRID, "--side", "west", "stage tide"], "there is no series tide"),
    ([*GRID, "--series", "tide.txt"], "no edge of the boundary uses the series tide"),
    ([*GRID, "--series", "back.txt"], "back.txt: the times of the series tide do not ascend at 'tide 0 2'"),
    ([*GRID, "--series", "short.txt"], "short.txt: a line of the series is 'tide 0'"),
    ([*GRID, "--series", "bytes.txt"], "bytes.txt: this is no text file"),
    (["grid", "--cells", "200000", "2000000000", "--size", "1", "1"], "out of memory; use fewer cells"),
])
def test_values_that_the_fix_refuses_are_not_written(tmp_path, words, said):
    (tmp_path / "tide.txt").write_text("tide 0 1\ntide 1 2\n")
    (tmp_path / "back.txt").write_text("tide 5 1\ntide 0 2\n")
    (tmp_path / "short.txt").write_text("tide 0\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\n")
    done = command(*words, "-o", "out", folder=tmp_path)
    assert done.returncode == 1 and said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr
    assert not (tmp_path / "out.mesh").exists()


def test_expressions_that_begin_with_a_minus(tmp_path):
    done = command(*GRID, "--origin", "-1e3", "0", "--bed", "-0.1*x", "--depth", "-bed/100+1", "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    beds = [float(line.split()[2]) for line in (tmp_path / "out.mesh").read_text().splitlines()[3:5]]
    assert beds == pytest.approx([99.975, 99.925])


def test_the_source_is_not_overwritten(tmp_path):
    (tmp_path / "valley.data").write_text(RASTER)
    (tmp_path / "river.mesh").write_text("river 0 1\nriver 9 2\n")
    for words in (["raster", "valley.data", "-o", "valley"],
                  [*GRID, "--series", "river.mesh", "--side", "west", "discharge river", "-o", "./river"]):
        done = command(*words, folder=tmp_path)
        assert done.returncode == 1 and "the output would overwrite" in done.stderr
    assert (tmp_path / "valley.data").read_text() == RASTER


def test_the_name_of_the_output_is_not_empty(tmp_path):
    done = command(*GRID, "-o", "", folder=tmp_path)
    assert done.returncode == 1 and "the name of the output is empty" in done.stderr


def test_fields_have_a_value_per_cell(tmp_path):
    mesh = meshes.grid((3, 2), (3.0, 2.0))
    for write, library in ((lambda: meshes.write_vtu(mesh, tmp_path / "out.vtu", h=np.zeros(5)), "meshio"),
                           (lambda: meshes.write_png(mesh, tmp_path / "out.png", np.zeros(5)), "matplotlib")):
        pytest.importorskip(library)
        with pytest.raises(meshes.MeshError, match="a field has 5 values, and the mesh has 6 cells"):
            write()


def test_picture(tmp_path):
    """Cells are drawn where they are, in the colours of their values."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only pictures need")
    from matplotlib.figure import Figure
    mesh = meshes.grid((3, 2), (3.0, 2.0))
    axes = Figure().add_subplot()
    cells = meshes.draw(axes, mesh, np.arange(6.0), cmap="Blues")
    assert axes.get_xlim() == (0, 3) and axes.get_ylim() == (0, 2)
    assert [path.get_extents().bounds for path in cells.get_paths()][4] == pytest.approx((1, 1, 1, 1))
    np.testing.assert_array_equal(cells.get_array(), np.arange(6.0))
    meshes.write_png(mesh, tmp_path / "a.png", np.arange(6.0), label="depth / m")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
