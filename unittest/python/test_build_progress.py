"""The progress that pip install shows on a terminal."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "cmake"
CODE = """
import io, subprocess, sys
sys.path.insert(0, sys.argv[1])
import build_progress

build_progress.EVERY = float(sys.argv[2])
terminal = io.StringIO()
with build_progress.progress(terminal):
    subprocess.run(["printf", "%s", sys.argv[3]], check=True)
print("after")
print(terminal.getvalue(), file=sys.stderr)
"""
NINJA = "-- Building the plugin takes about 4 minutes on two cores\n" + "".join(
    f"[{i}/3] Building CXX object src/file_{i}.cpp.o\nwarning [9/9]\n" for i in (1, 2, 3))


def build(output, every):
    return subprocess.run([sys.executable, "-c", CODE, str(FOLDER), str(every), output], check=True,
                          capture_output=True, text=True, timeout=60)


def test_output_arrives_whole_and_in_order():
    assert build(NINJA, 0).stdout == NINJA + "after\n"


def test_terminal_shows_duration_and_counts():
    lines = build(NINJA, 0).stderr.split("\n  lammps-triad: ")[1:]
    assert lines[0] == "Building the plugin takes about 4 minutes on two cores"
    assert [line.split(" compiled")[0] for line in lines[1:]] == ["1 of 3", "2 of 3", "3 of 3"]


def test_terminal_shows_percentages_of_make():
    assert "lammps-triad: 7% compiled after 0 s" in build("[  7%] Building CXX object\n", 0).stderr


def test_lines_are_not_more_frequent_than_said():
    assert build(NINJA, 1000).stderr.count("lammps-triad: ") == 1
