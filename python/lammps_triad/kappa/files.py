"""Readers of the text files that fix ave/time, ave/correlate and ave/chunk write. Errors name file and line."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LARGE = 20_000_000  # bytes; a longer file is read behind a progress bar
ANY_TEXT = {"encoding": "utf-8-sig", "errors": "surrogateescape"}  # comments come in every encoding


class InputError(Exception):
    """An input that cannot be used; the text is for the user."""


def lines_of(path):
    """Yields (line number, line) of a text file, with a progress bar for a long file on a terminal."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > LARGE and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import open as open_with_bar

            file = open_with_bar(path, "r", description=f"reading {path.name}", console=Console(stderr=True), **ANY_TEXT)
        else:
            file = open(path, **ANY_TEXT)
        with file:
            for number, line in enumerate(file, 1):
                if not line.endswith("\n"):  # a number of this line may lack digits
                    raise InputError(f"{path}:{number}: the file ends within this line; the run was cut off, remove the line")
                yield number, line
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def numbers(path, number, line, width=None):
    words = line.split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise InputError(f"{path}:{number}: not a row of numbers: {line.strip()[:60]!r}") from None
    if width is not None and len(values) != width:
        raise InputError(f"{path}:{number}: {len(values)} columns where {width} are expected")
    if not np.isfinite(values).all():
        raise InputError(f"{path}:{number}: a value is not a finite number")
    return values


@dataclass
class Table:
    """Rows of fix ave/time in its scalar mode."""

    path: Path
    names: list  # of columns; the first is the time step
    rows: np.ndarray  # [rows][columns]; the time steps ascend
    lines: list  # of the rows in the file, from 1

    def column(self, name):
        if name not in self.names:
            raise InputError(f"{self.path}: no column is called {name}; there are {' '.join(self.names)}")
        return self.rows[:, self.names.index(name)]

    def interval(self):
        """Time steps between rows, which must be equal."""
        strides = np.diff(self.rows[:, 0])
        if not len(strides):
            raise InputError(f"{self.path}:{self.lines[0]}: this is the only sample")
        other = np.nonzero(strides != strides[0])[0]
        if len(other):
            raise InputError(f"{self.path}:{self.lines[other[0] + 1]}: the sample comes {strides[other[0]]:g} steps after the one "
                             f"before it, and others after {strides[0]:g}; the intervals must be equal. Give each part without a "
                             "gap as a file of its own")
        return strides[0]

    def matching(self, pattern):
        """Names that match a regular expression."""
        return [name for name in self.names if re.fullmatch(pattern, name)]


def read_table(path):
    names, rows, lines = None, [], []
    for number, line in lines_of(path):
        if line.startswith("#"):
            if line[1:].split()[:1] == ["TimeStep"]:
                names = same_names(path, number, names, line)
                if names[1:2] == ["Number-of-rows"]:
                    raise InputError(f"{path}:{number}: these are vectors; use fix ave/time without mode vector here")
            continue
        if not line.strip():
            continue
        if names is None:
            raise InputError(f"{path}:{number}: rows before a line '# TimeStep ...' that names columns; give a file of fix ave/time, "
                             "not a log or a file of another fix")
        rows.append(numbers(path, number, line, len(names)))
        lines.append(number)
        if len(rows) > 1:
            refuse_overlap(path, number, rows[-2][0], rows[-1][0])
    if not rows:
        raise InputError(f"{path}: no rows; the run ended before the fix wrote one")
    return Table(Path(path), names, np.array(rows), lines)


def same_names(path, number, names, line):
    """Names of columns; a run that was appended to the file must have the same as the one before it."""
    found = line[1:].split()
    if names not in (None, found):
        raise InputError(f"{path}:{number}: from here on the columns are {' '.join(found)}, and before {' '.join(names)}; give one "
                         "file per run")
    return found


def refuse_overlap(path, number, before, step):
    """Rows of two runs in one file, such as those of a restart, count some steps twice."""
    if step <= before:
        raise InputError(f"{path}:{number}: time step {step:g} follows {before:g}; give one file per run, or remove the rows "
                         "that a restarted run has written again")


@dataclass
class Frame:
    """Of fix ave/correlate or ave/chunk."""

    names: list  # of columns
    step: float
    rows: list  # [rows][columns]
    line: int  # of its head in the file, from 1


def frames_of(path, first):
    """Yields the frames of a file; there is at least one. `first`: the words that begin the comment which names the columns."""
    names, frame, left, found = None, None, 0, 0
    for number, line in lines_of(path):
        if line.startswith("#"):
            if line[1:].split()[:len(first)] == list(first):
                names = same_names(path, number, names, line)
            continue
        if not line.strip():
            continue
        if names is None:
            raise InputError(f"{path}:{number}: rows before a line '# {' '.join(first)} ...' that names columns; this is a file of "
                             "another fix, or lacks its title")
        if left == 0:
            head = numbers(path, number, line)
            if len(head) < 2 or head[1] < 1 or head[1] != int(head[1]):
                raise InputError(f"{path}:{number}: a frame must begin with its time step and number of rows")
            if frame:
                refuse_overlap(path, number, frame.step, head[0])
                if head[1] != len(frame.rows):
                    raise InputError(f"{path}:{number}: a frame of {head[1]:g} rows follows one of {len(frame.rows)}; all frames must "
                                     "have the same rows")
            frame, left = Frame(names, head[0], [], number), int(head[1])
        else:
            frame.rows.append(numbers(path, number, line, len(names)))
            left -= 1
            if left == 0:
                found += 1
                yield frame
    if left:
        raise InputError(f"{path}:{frame.line}: the frame that begins here lacks {left} rows; the run was cut off, remove that frame")
    if not found:
        raise InputError(f"{path}: no frames; the run ended before the fix wrote one")


@dataclass
class Frames:
    """All frames of a file."""

    path: Path
    names: list  # of columns
    steps: np.ndarray  # [frames], ascending
    values: np.ndarray  # [frames][rows][columns]


def read_frames(path, first):
    """See frames_of()."""
    frames = list(frames_of(path, first))
    return Frames(Path(path), frames[-1].names, np.array([frame.step for frame in frames]),
                  np.array([frame.rows for frame in frames]))


def kind_of(path):
    """"table" of fix ave/time, "correlation" of fix ave/correlate, by the comments at the start."""
    for number, line in lines_of(path):
        if not line.startswith("#"):
            break
        words = line[1:].split()
        if words[:1] == ["TimeStep"]:
            return "table"
        if words[:2] == ["Index", "TimeDelta"]:
            return "correlation"
    raise InputError(f"{path}: neither fix ave/time nor fix ave/correlate has written this file")
