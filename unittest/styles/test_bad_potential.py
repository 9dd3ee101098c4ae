"""Potential files that are wrong, or merely written in an unusual way.

Stock runs every case too: what it refuses the plugin refuses, what it accepts the plugin accepts.
"""

import re

import pytest
from lammps_run import run_lammps
from potentials import HEADER, entry, silicon
from styles import STOCK, triad

SCRIPT = """
units metal
lattice diamond 5.432
region box block 0 1 0 1 0 1
create_box {ntypes} box
create_atoms 1 box
mass * 28
displace_atoms all random 0.1 0.1 0.1 3 units box
pair_style {style}
pair_coeff * * test.tersoff {elements}
thermo_style custom step pe
thermo_modify format float %.17g
run 0
"""


def run(style, text, elements="Si", **options):
    script = SCRIPT.format(style=style, elements=elements, ntypes=len(elements.split()))
    return run_lammps(script, files={"test.tersoff": text}, timeout=60, **options)


def line_of(text, old, new, number=2):
    """`text` with `old` on line `number` replaced."""
    lines = text.splitlines(keepends=True)
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new)
    return "".join(lines)


SI = silicon()
SI_ENTRY = SI.splitlines()[1]
NEGATIVE = ("gamma", "c", "d", "n", "beta", "lam2", "B", "R", "D", "lam1", "A")

# name -> (text, elements, what the message must hold). Entries are on line 2 of the text.
REFUSED = {
    **{f"negative-{name}": (silicon(**{name: -1.0}), "Si", [r"test\.tersoff:2\b", "negative"]) for name in NEGATIVE},
    "D-larger-than-R": (silicon(R=1.0, D=1.5), "Si", [r"test\.tersoff:2\b", r"\bD\b", r"\bR\b"]),
    "m-2": (silicon(m=2), "Si", [r"test\.tersoff:2\b", r"\bm\b", "1 or 3"]),
    "m-not-whole": (silicon(m=2.5), "Si", [r"test\.tersoff:2\b", r"\bm\b", "1 or 3"]),
    "short-last-line": (SI.rsplit(" ", 1)[0] + "\n", "Si", [r"test\.tersoff:2\b", "16 of 17"]),
    "ends-after-two-lines": (SI.replace(" 471.18", "\n471.18").rsplit(" ", 1)[0], "Si", [r"test\.tersoff:2\b"]),
    "not-a-number": (line_of(SI, "16.217", "sixteen"), "Si", [r"test\.tersoff:2\b", "sixteen"]),
    "number-with-a-tail": (line_of(SI, "16.217", "16.217x"), "Si", [r"test\.tersoff:2\b", "16.217x"]),
    "not-a-number-on-second-line-of-entry": (line_of(SI.replace(" 471.18", "\n471.18"), "471.18", "4_71", number=3),
                                             "Si", [r"test\.tersoff:3\b", "4_71"]),
    "missing-triplet": (SI + SI_ENTRY.replace("Si Si Si", "Si C C") + "\n", "Si C", [r"test\.tersoff", "Si Si C"]),
    "element-not-in-file": (SI, "Ge", [r"test\.tersoff", "Ge Ge Ge", "Si"]),
    "duplicate-triplet": (SI + SI_ENTRY + "\n", "Si", [r"test\.tersoff:3\b", "line 2", "Si Si Si"]),
    "empty": ("", "Si", [r"test\.tersoff", "Si Si Si"]),
    "only-comments": (HEADER.format(units="metal") + "# Si Si Si\n", "Si", [r"test\.tersoff", "Si Si Si"]),
    "units-si": (silicon(units="si"), "Si", [r"test\.tersoff", "units"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_its_place(name):
    text, elements, patterns = REFUSED[name]
    assert run(STOCK, text, elements, check=False).returncode != 0, "stock accepts this"
    result = run(triad(), text, elements, check=False)
    assert result.returncode != 0
    for pattern in patterns:
        assert re.search(pattern, result.errors), f"{pattern} is not in: {result.errors}"


STRICTER_THAN_STOCK = {
    "nan": (line_of(SI, "16.217", "nan"), [r"test\.tersoff:2\b", "nan"]),
    "n-zero": (silicon(n=0.0), [r"test\.tersoff:2\b", r"\bn = '0", "bond order"]),
    "words-after-the-entry": (SI.rstrip("\n") + " 3.0 silicon\n", [r"test\.tersoff:2\b", "3.0"]),
}


@pytest.mark.parametrize("name", STRICTER_THAN_STOCK)
def test_refused_where_stock_computes_nonsense(name):
    text, patterns = STRICTER_THAN_STOCK[name]
    result = run(triad(), text, check=False)
    assert result.returncode != 0
    for pattern in patterns:
        assert re.search(pattern, result.errors), f"{pattern} is not in: {result.errors}"


def test_error_on_every_rank_ends_the_run():
    result = run(triad(), silicon(m=2), ranks=2, check=False)
    assert result.returncode != 0 and "test.tersoff:2" in result.errors


UNUSUAL = {
    "windows-line-ends": SI.replace("\n", "\r\n"),
    "tabs": SI.replace(" ", "\t"),
    "no-newline-at-the-end": SI.rstrip("\n"),
    "entry-on-three-lines": SI.replace(" 16.217", "\n   16.217").replace(" 471.18", "\n\n# half way\n 471.18"),
    "comment-after-entry": SI.rstrip("\n") + " # T3\n",
    "no-header": SI_ENTRY + "\n",
    # not read, because Xx is not in use
    "faulty-entry-of-unused-element": SI + entry(("Si", "Si", "Xx"), m=2, c=1.0, d=1.0, h=0.0, n=1.0, beta=1.0,
                                                 lam2=-1.0, B=1.0, R=1.0, D=2.0, lam1=1.0, A=1.0),
    "zero-D": silicon(D=0.0),
    "signs-and-exponents": line_of(SI, " 16.217", " +1.6217E+01"),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_accepted_as_by_stock(name):
    expected, found = (run(style, UNUSUAL[name]).runs[0]["PotEng"] for style in (STOCK, triad()))
    assert found == pytest.approx(expected, rel=1e-12)
