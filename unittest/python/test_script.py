"""Rewriting of scripts, without LAMMPS."""

import pytest

from lammps_triad.script import Copy, StockStyles, logical_lines, with_options


@pytest.mark.parametrize("line, expected", [
    ("pair_style tersoff", "pair_style tersoff"),
    ("pair_style tersoff/triad", "pair_style tersoff"),
    ("pair_style tersoff/triad precision double backend host", "pair_style tersoff"),
    ("pair_style tersoff/triad backend host # fast", "pair_style tersoff # fast"),
    ("pair_style tersoff/triad deterministic yes shift 0.1 precision double", "pair_style tersoff shift 0.1"),
    ("pair_style hybrid tersoff/triad precision single lj/cut 8", "pair_style hybrid tersoff lj/cut 8"),
    ("pair_style ${style} precision single", "pair_style ${style}"),
    ("pair_coeff * * tersoff/triad Si.tersoff Si", "pair_coeff * * tersoff Si.tersoff Si"),
    ("variable style index tersoff/triad", "variable style index tersoff"),
    ("pair_style tersoff/mod", "pair_style tersoff/mod"),
    ("pair_style tersoff/mod/c/triad precision single shift 0.1", "pair_style tersoff/mod/c shift 0.1"),
    ("pair_style hybrid/overlay tersoff/zbl/triad backend host lj/cut 8", "pair_style hybrid/overlay tersoff/zbl lj/cut 8"),
    ("pair_style hybrid tersoff/triad precision double lj/cut/triad 8.0 precision double", "pair_style hybrid tersoff lj/cut 8.0"),
    ("pair_coeff 1 2 lj/cut/triad 0.01 3", "pair_coeff 1 2 lj/cut 0.01 3"),
    ("fix heat all langevin/triad 300 300 0.1 4711", "fix heat all langevin 300 300 0.1 4711"),
    ("print 'precision single'", "print 'precision single'"),
])
def test_stock_leaves_nothing_of_ours(line, expected):
    assert StockStyles()(line) == expected


@pytest.mark.parametrize("line, expected", [
    ("pair_style tersoff", "pair_style tersoff precision double backend host"),
    ("  pair_style tersoff/triad # x", "  pair_style tersoff/triad precision double backend host # x"),
    ("pair_style tersoff/triad precision single", "pair_style tersoff/triad precision double backend host"),
    ("pair_style hybrid tersoff lj/cut 8",
     "pair_style hybrid tersoff precision double backend host lj/cut 8 precision double backend host"),
    ("pair_style hybrid lj/cut/triad 8 precision single tersoff # x",
     "pair_style hybrid lj/cut/triad 8 precision double backend host tersoff precision double backend host # x"),
    ("pair_style ${style}", "pair_style ${style} precision double backend host"),
    ("pair_style lj/cut ${cutoff}", "pair_style lj/cut ${cutoff}"),
    ("pair_style tersoff/mod/c", "pair_style tersoff/mod/c precision double backend host"),
    ("pair_style tersoff/zbl/triad shift -0.1", "pair_style tersoff/zbl/triad precision double backend host shift -0.1"),
    ("pair_style tersoff/table", "pair_style tersoff/table"),
    ("pair_coeff * * tersoff Si.tersoff Si", "pair_coeff * * tersoff Si.tersoff Si"),
])
def test_options_go_behind_the_style(line, expected):
    assert with_options(precision="double", backend="host")(line) == expected


def test_absent_options_change_nothing():
    line = "pair_style tersoff/triad precision single"
    assert with_options(precision=None, backend=None)(line) == line


def test_continued_and_quoted_lines_are_one_command():
    text = 'pair_style &\n  tersoff/triad\npython f here """\nrun 5\n"""\nrun 6\n'
    assert [line.split() for line in logical_lines(text)] == [
        ["pair_style", "tersoff/triad"], ["python", "f", "here", '"""', "run", "5", '"""'], ["run", "6"]]


def test_includes_and_jumps_lead_to_copies(tmp_path):
    (tmp_path / "in.script").write_text("include sub/pair\nrun 1\njump SELF\njump in.script top\ninclude ${other}\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pair").write_text("pair_style tersoff/triad\n")
    folder = tmp_path / "copies"
    folder.mkdir()
    copy = Copy(tmp_path / "in.script", folder, StockStyles())
    lines = copy.path.read_text().splitlines()
    assert (folder / "1.pair").read_text() == "pair_style tersoff\n"
    assert f"include '{folder}/1.pair'" in lines
    assert "jump SELF" in lines
    assert f"jump '{copy.path}' top" in lines
    assert "include ${other}" in lines
    assert lines.index("run 1") == next(n for n, line in enumerate(lines) if "in.start" in line) + 1


def test_names_with_spaces(tmp_path):
    (tmp_path / "in.script").write_text('include "my pair"  # ours\nrun 1\n')
    (tmp_path / "my pair").write_text("pair_style tersoff/triad\n")
    folder = tmp_path / "some copies"
    folder.mkdir()
    lines = Copy(tmp_path / "in.script", folder, StockStyles()).path.read_text().splitlines()
    assert (folder / "1.my pair").read_text() == "pair_style tersoff\n"
    assert f"include '{folder}/1.my pair'  # ours" in lines
    assert lines[-1] == f"include '{folder}/in.end'"
