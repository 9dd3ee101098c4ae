"""Meshes for fix flow/triad: from a grid, from a file of gmsh, from a raster of elevations.

A mesh has polygonal cells with the IDs 1 to N. `Mesh.write` makes two files: NAME.mesh for the fix, and NAME.data for
read_data, with an atom at the centre of each cell.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


class MeshError(Exception):
    """The mesh cannot be made; the text is an error message for the user."""


@dataclass
class Mesh:
    """Cells and edges as numpy arrays. Indices of cells count from 0."""

    centre: np.ndarray  # [N, 2]
    area: np.ndarray  # [N]
    cells: np.ndarray  # [E, 2] the cells of each edge; the normal points from the first to the second
    normal: np.ndarray  # [E, 2]
    length: np.ndarray  # [E]
    outer_cell: np.ndarray  # [B] the cell of each edge of the boundary
    outer_normal: np.ndarray  # [B, 2] outward
    outer_length: np.ndarray  # [B]
    outer_middle: np.ndarray  # [B, 2]
    box: np.ndarray  # [2, 2] lowest and highest coordinates
    polygons: list = field(default_factory=list)  # corners of each cell, [n, 2] each, counterclockwise
    periodic: tuple = (False, False)

    def __post_init__(self):
        n = len(self.area)
        self.bed, self.depth, self.manning = np.zeros(n), np.zeros(n), np.zeros(n)
        self.discharge = np.zeros((n, 2))
        self.condition = np.full(len(self.outer_cell), "wall", dtype=object)
        self.series = ""

    def set_surface(self, surface):
        """Fills the cells with water up to `surface`."""
        self.depth = np.maximum(0.0, surface - self.bed)

    def set_boundary(self, condition, side=None):
        """Sets the condition, as "wall", "open", "stage 1.5" or "discharge river", of all edges of the boundary, of
        those on one side of the box ("west", "east", "south", "north"), or of those that a mask chooses."""
        if isinstance(side, str):
            sides = {"west": (0, 0), "east": (1, 0), "south": (0, 1), "north": (1, 1)}
            if side not in sides:
                raise MeshError(f"there is no side {side}; the sides are {', '.join(sides)}")
            end, axis = sides[side]
            extent = np.ptp(self.box[:, axis])
            chosen = np.abs(self.outer_middle[:, axis] - self.box[end, axis]) < 1e-9 * extent
            if not chosen.any():
                raise MeshError(f"no edge of the boundary lies on the {side} side of the box, which is that of the whole grid or "
                                "raster; choose another side, or give the condition by --boundary")
            side = chosen
        self.condition[slice(None) if side is None else side] = condition

    def check(self):
        """Raises MeshError for values that fix flow/triad refuses."""
        if not (np.isfinite(self.centre).all() and np.isfinite(self.area).all() and np.isfinite(self.box).all()):
            raise MeshError("a coordinate is not a finite number")
        for what, values in (("bed", self.bed), ("depth", self.depth), ("discharge", self.discharge),
                             ("Manning coefficient", self.manning)):
            fine = np.isfinite(values)
            if what in ("depth", "Manning coefficient"):
                fine &= np.asarray(values) >= 0
            if not fine.all():
                cell = int(np.nonzero(~fine)[0][0])
                raise MeshError(f"the {what} of cell {cell + 1} at ({self.centre[cell, 0]:g}, {self.centre[cell, 1]:g}) is "
                                f"{np.ravel(values[cell])[0]:g}; give a finite number"
                                + (" of zero or more" if what in ("depth", "Manning coefficient") else ""))
        known, used = _names_of_series(self.series), set()
        for condition in dict.fromkeys(self.condition):
            kind, *value = str(condition).split() or [""]
            if len(value) != {"wall": 0, "open": 0, "stage": 1, "discharge": 1}.get(kind, -1):
                raise MeshError(f"the condition of the boundary is '{condition}'; give wall, open, 'stage Z' or 'discharge Q'")
            if value and value[0] in known:
                used.add(value[0])
            elif value and not _is_number(value[0]):
                raise MeshError(f"the condition of the boundary is '{condition}', and there is no series {value[0]}")
        if known - used:
            raise MeshError(f"no edge of the boundary uses the series {', '.join(sorted(known - used))}")

    def write(self, name):
        """Writes NAME.mesh and NAME.data; returns their paths. Raises MeshError for values that the fix refuses."""
        self.check()
        mesh, data = Path(f"{name}.mesh"), Path(f"{name}.data")
        ids = np.arange(1, len(self.area) + 1)
        with mesh.open("w") as out:
            out.write("# Mesh of fix flow/triad\n\nCells  # ID area bed h qx qy n\n")
            _rows(out, ids, self.area, self.bed, self.depth, *self.discharge.T, self.manning)
            if len(self.cells):
                out.write("\nEdges  # i j nx ny length\n")
                _rows(out, *(self.cells + 1).T, *self.normal.T, self.length)
            if len(self.outer_cell):
                out.write("\nBoundary  # i nx ny length condition\n")
                _rows(out, self.outer_cell + 1, *self.outer_normal.T, self.outer_length, self.condition)
            if self.series:
                out.write("\nSeries  # name time value\n" + self.series.rstrip() + "\n")
        thickness = 0.5 * float(np.max(np.ptp(self.box, axis=0)))
        with data.open("w") as out:
            out.write(f"# Cells of {mesh.name}\n\n{len(ids)} atoms\n1 atom types\n\n")
            for low, high, axis in [*zip(*self.box.tolist(), "xy"), (-thickness, thickness, "z")]:
                out.write(f"{low!r} {high!r} {axis}lo {axis}hi\n")
            out.write("\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n")
            _rows(out, ids, np.ones_like(ids), *self.centre.T, np.zeros(len(ids)))
        return mesh, data


def _is_number(word):
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _names_of_series(text):
    """The names in lines of "name time value", whose times ascend."""
    last = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 3 or not all(map(_is_number, words[1:])):
            raise MeshError(f"a line of the series is '{line.strip()}'; give a name, a time and a value")
        if float(words[1]) <= last.get(words[0], -np.inf):
            raise MeshError(f"the times of the series {words[0]} do not ascend at '{line.strip()}'")
        last[words[0]] = float(words[1])
    return set(last)


def _rows(out, *columns):
    text = [column.astype(str) if column.dtype == object else [repr(value) for value in column.tolist()]
            for column in map(np.asarray, columns)]
    out.write("\n".join(map(" ".join, zip(*text))) + "\n")


def grid(cells, size, origin=(0.0, 0.0), periodic=(False, False), mask=None):
    """A grid of rectangles. `cells`: numbers along x and y; `size`: of the whole; `mask[iy, ix]`: which cells exist.

    An axis that is periodic needs at least three cells, or one.
    """
    nx, ny = cells
    if min(nx, ny) < 1 or not all(0 < length < np.inf for length in size) or not np.isfinite(origin).all():
        raise MeshError("a grid needs at least one cell along each axis, positive sizes, and a finite origin")
    if any(wrap and n == 2 for wrap, n in zip(periodic, cells)):
        raise MeshError("a periodic axis needs at least three cells, or one")
    dx, dy = size[0] / nx, size[1] / ny
    exists = np.ones((ny, nx), bool) if mask is None else np.asarray(mask, bool)
    if not exists.any():
        raise MeshError("no cell is left")
    number = np.full((ny, nx), -1)
    number[exists] = np.arange(exists.sum())
    iy, ix = np.nonzero(exists)
    centre = np.stack([origin[0] + (ix + 0.5) * dx, origin[1] + (iy + 0.5) * dy], axis=1)

    inner, outer = [], []
    for axis, (step, length) in enumerate([(dx, dy), (dy, dx)]):
        along = 1 - axis  # numpy's axis
        n = number.shape[along]
        unit = np.eye(2)[axis]
        first = np.arange(n - 1 + periodic[axis] * (n > 1))
        left, right = number.take(first, along).ravel(), number.take((first + 1) % n, along).ravel()
        both = (left >= 0) & (right >= 0)
        inner.append((np.stack([left, right], 1)[both], unit, length))
        lone = [(left[(left >= 0) & (right < 0)], unit), (right[(right >= 0) & (left < 0)], -unit)]
        if not periodic[axis]:
            ends = number.take(0, along), number.take(n - 1, along)
            lone += [(ends[0][ends[0] >= 0], -unit), (ends[1][ends[1] >= 0], unit)]
        outer += [(some, normal, length, centre[some] + 0.5 * step * normal) for some, normal in lone]

    def joined(parts, width=None):
        return np.concatenate(parts) if parts else np.zeros((0,) if width is None else (0, width))

    corners = np.array([[-dx, -dy], [dx, -dy], [dx, dy], [-dx, dy]]) / 2
    return Mesh(
        centre=centre, area=np.full(len(centre), dx * dy),
        cells=joined([pair for pair, _, _ in inner]),
        normal=joined([np.tile(unit, (len(pair), 1)) for pair, unit, _ in inner]),
        length=joined([np.full(len(pair), length) for pair, _, length in inner]),
        outer_cell=joined([some for some, *_ in outer]),
        outer_normal=joined([np.tile(normal, (len(some), 1)) for some, normal, *_ in outer]),
        outer_length=joined([np.full(len(some), length) for some, _, length, _ in outer]),
        outer_middle=joined([middle for *_, middle in outer]),
        box=np.array([origin, np.add(origin, size)], float), polygons=list(centre[:, None] + corners),
        periodic=tuple(periodic))


def polygons(points, cells):
    """A mesh of polygons. `points`: [P, 2]; `cells`: list of integer arrays [n, k], the corners of k-gons in order."""
    points = np.asarray(points, float)
    corner_lists = [np.asarray(some, int) for some in cells if len(some)]
    if not corner_lists:
        raise MeshError("there is no triangle, quadrilateral or other polygon")
    area, centre, shapes, starts, ends, owner, count = [], [], [], [], [], [], 0
    for corners in corner_lists:
        origin = points[corners[:, 0]]  # products of coordinates far from 0 would lose their digits
        xy = points[corners] - origin[:, None]
        following = np.roll(xy, -1, axis=1)
        cross = xy[..., 0] * following[..., 1] - xy[..., 1] * following[..., 0]
        signed = 0.5 * cross.sum(1)
        if np.any(signed == 0):
            raise MeshError("a cell has no area")
        centre.append(origin + ((xy + following) * cross[..., None]).sum(1) / (6 * signed[:, None]))
        turned = np.where((signed < 0)[:, None], corners[:, ::-1], corners)  # counterclockwise
        area.append(np.abs(signed))
        shapes += list(points[turned])
        starts.append(turned.ravel())
        ends.append(np.roll(turned, -1, axis=1).ravel())
        owner.append(np.repeat(np.arange(count, count + len(corners)), corners.shape[1]))
        count += len(corners)
    start, end, owner = map(np.concatenate, (starts, ends, owner))
    span = points[end] - points[start]
    length = np.hypot(*span.T)
    outward = np.stack([span[:, 1], -span[:, 0]], 1) / length[:, None]

    key = np.sort(np.stack([start, end], 1), axis=1)
    _, which, uses = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    if uses.max() > 2:
        raise MeshError("an edge belongs to more than two cells")
    order = np.argsort(which, kind="stable")
    first_of = np.concatenate([[0], np.cumsum(uses)[:-1]])
    one, two = order[first_of[uses == 2]], order[first_of[uses == 2] + 1]
    lone = order[first_of[uses == 1]]
    by_cell = np.argsort(np.minimum(owner[one], owner[two]), kind="stable")  # neighbours near each other in memory
    one, two = one[by_cell], two[by_cell]
    used = np.unique(start)
    return Mesh(
        centre=np.concatenate(centre), area=np.concatenate(area), cells=np.stack([owner[one], owner[two]], 1),
        normal=outward[one], length=length[one], outer_cell=owner[lone], outer_normal=outward[lone],
        outer_length=length[lone], outer_middle=0.5 * (points[start[lone]] + points[end[lone]]),
        box=np.array([points[used].min(0), points[used].max(0)]), polygons=shapes)


def gmsh(path):
    """(mesh, {name of a physical group of lines: mask of the boundary edges}) of a file that meshio reads."""
    try:
        import meshio
    except ImportError:
        raise MeshError("reading files of gmsh needs the Python package meshio: pip install meshio") from None
    try:
        file = meshio.read(path)
    except (OSError, meshio.ReadError) as error:
        raise MeshError(f"{path}: {error}") from None
    except SystemExit:  # meshio ends the program where it knows no format
        raise MeshError(f"{path}: meshio cannot read this file") from None
    faces = [block.data for block in file.cells if block.type in ("triangle", "quad")]
    mesh = polygons(file.points[:, :2], faces)
    names = {number: name for name, (number, dimension) in file.field_data.items() if dimension == 1}
    middles = {}
    for block, tags in zip(file.cells, file.cell_data.get("gmsh:physical", [])):
        if block.type == "line":
            for line, tag in zip(block.data, tags):
                middles.setdefault(names.get(tag, str(tag)), []).append(file.points[line, :2].mean(0))
    groups = {}
    scale = 1e-9 * float(np.ptp(mesh.box, axis=0).max())
    keys = {tuple(key): k for k, key in enumerate(np.round(mesh.outer_middle / scale).astype(int).tolist())}
    for name, points in middles.items():
        found = [keys[tuple(key)] for key in np.round(np.array(points) / scale).astype(int).tolist() if tuple(key) in keys]
        groups[name] = np.zeros(len(mesh.outer_cell), bool)
        groups[name][found] = True
    return mesh, groups


def raster(path):
    """The mesh of an ESRI ASCII raster (.asc): a cell for each value but NODATA, whose elevation is the bed."""
    header, rows = {}, 0
    try:
        with open(path) as file:
            for line in file:
                words = line.split()
                if len(words) != 2 or not words[0][0].isalpha():
                    break
                header[words[0].lower()] = float(words[1])
                rows += 1
        values = np.loadtxt(path, skiprows=rows, ndmin=2)
    except (OSError, ValueError) as error:
        raise MeshError(f"{path}: {error}") from None
    missing = [name for name in ("ncols", "nrows", "cellsize") if name not in header]
    if missing:
        raise MeshError(f"{path}: the header lacks {', '.join(missing)}; this is no ESRI ASCII raster")
    for name in ("ncols", "nrows"):
        if not (header[name] > 0 and header[name] == np.floor(header[name])):
            raise MeshError(f"{path}: {name} is {header[name]:g}; give a whole number above zero")
    shape = int(header["nrows"]), int(header["ncols"])
    if values.size != shape[0] * shape[1]:
        raise MeshError(f"{path}: {values.size} values, and the header says {shape[0]} rows of {shape[1]}")
    values = values.reshape(shape)[::-1]  # the first row of the file is the northernmost
    exists = np.isfinite(values) & (values != header.get("nodata_value", -9999.0))
    step = header["cellsize"]
    corner = [header.get(axis + "llcorner", header.get(axis + "llcenter", 0.5 * step) - 0.5 * step) for axis in "xy"]
    mesh = grid(shape[::-1], (shape[1] * step, shape[0] * step), corner, mask=exists)
    mesh.bed = values[exists]
    return mesh


def field_of(mesh, text):
    """The values of a Python expression in x, y, bed and the functions of numpy at the centres of the cells."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    try:
        with np.errstate(all="ignore"):  # Mesh.check() tells of values that are not finite
            value = eval(text, {"__builtins__": {}}, {**names, "x": mesh.centre[:, 0], "y": mesh.centre[:, 1], "bed": mesh.bed})
        return np.broadcast_to(np.asarray(value, float), mesh.area.shape).copy()
    except Exception as error:
        raise MeshError(f"the expression {text!r}: {error}") from None


def make(kind, source, output, options):
    """What the command line does: makes a mesh, sets its fields and writes it."""
    if not Path(output).name:
        raise MeshError("the name of the output is empty; give a name after -o")
    for path in filter(None, (source, options["series"])):
        if Path(path).resolve() in (Path(f"{output}.mesh").resolve(), Path(f"{output}.data").resolve()):
            raise MeshError(f"the output would overwrite {path}; give another name after -o")
    groups = {}
    if kind == "grid":
        mesh = grid(options["cells"], options["size"], options["origin"],
                    tuple(axis in (options["periodic"] or "") for axis in "xy"))
    elif kind == "gmsh":
        mesh, groups = gmsh(source)
    else:
        mesh = raster(source)
    if options["bed"] is not None:
        mesh.bed = field_of(mesh, options["bed"])
    if options["surface"] is not None:
        mesh.set_surface(field_of(mesh, options["surface"]))
    if options["depth"] is not None:
        mesh.depth = field_of(mesh, options["depth"])
    mesh.manning = field_of(mesh, options["manning"])
    mesh.set_boundary(options["boundary"])
    for side, condition in options["side"]:
        mesh.set_boundary(condition, side)
    for name, condition in options["group"]:
        if name not in groups:
            raise MeshError(f"there is no group of lines {name}; the file has {', '.join(groups) or 'none'}")
        mesh.set_boundary(condition, groups[name])
    if options["series"]:
        try:
            mesh.series = Path(options["series"]).read_text()
        except UnicodeDecodeError:
            raise MeshError(f"{options['series']}: this is no text file") from None
        try:
            _names_of_series(mesh.series)
        except MeshError as error:
            raise MeshError(f"{options['series']}: {error}") from None
    files = mesh.write(output)
    return (f"{len(mesh.area)} cells, {len(mesh.cells)} edges, {len(mesh.outer_cell)} boundary edges, volume "
            f"{(mesh.depth * mesh.area).sum():.10g}: {files[0]}, {files[1]}")


def _one_per_cell(mesh, values):
    if len(values) != len(mesh.polygons):
        raise MeshError(f"a field has {len(values)} values, and the mesh has {len(mesh.polygons)} cells; give one value per cell")


def write_vtu(mesh, path, **fields):
    """Writes the cells with fields, arrays in the order of the cells, as a VTU file for ParaView (needs meshio)."""
    import meshio
    for values in fields.values():
        _one_per_cell(mesh, values)
    kinds = {3: "triangle", 4: "quad"}
    points = np.concatenate(mesh.polygons)
    begin = np.cumsum([0] + [len(polygon) for polygon in mesh.polygons])
    blocks, order = [], []
    for sides in sorted({len(polygon) for polygon in mesh.polygons}):
        some = [c for c, polygon in enumerate(mesh.polygons) if len(polygon) == sides]
        blocks.append((kinds.get(sides, "polygon"), begin[some][:, None] + np.arange(sides)))
        order.append(some)
    data = {name: [np.asarray(values)[some] for some in order] for name, values in fields.items()}
    meshio.Mesh(np.pad(points, ((0, 0), (0, 1))), blocks, cell_data=data).write(path)


def draw(axes, mesh, values, **style):
    """Adds the cells, coloured by `values` (in the order of the cells; masked ones are left out), to matplotlib's axes.

    `style`: keywords of matplotlib's PolyCollection, such as cmap. Returns the collection, for a colour bar.
    """
    from matplotlib.collections import PolyCollection
    _one_per_cell(mesh, values)
    cells = PolyCollection(mesh.polygons, **{"array": values, "edgecolors": "face", "linewidths": 0.2, **style})
    axes.add_collection(cells)
    axes.set(aspect="equal", xlim=mesh.box[:, 0], ylim=mesh.box[:, 1])
    return cells


def write_png(mesh, path, values, label="", **style):
    """Writes a picture of the cells, coloured by `values`, with a colour bar (needs matplotlib)."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.add_subplot()
    figure.colorbar(draw(axes, mesh, values, **style), ax=axes, label=label)
    axes.set(xlabel="x", ylabel="y")
    figure.savefig(path, dpi=120)
