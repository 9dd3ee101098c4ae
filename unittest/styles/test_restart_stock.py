"""Restart files of fix nvt, npt, temp/rescale and temp/berendsen: a run that stock began is continued by ours under the suffix, and the reverse.

LAMMPS strips the suffix from the styles in a restart file, so each side reads the records of the other.
"""

import functools
import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from courses import HOT
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

STEPS = 60  # before the restart file, and after
RUN = f"run {STEPS} start 0 stop {2 * STEPS}\n"
OUTPUT = f"""
thermo_style custom step temp pe etotal econserve press pxx pyy pzz pxy pxz pyz lx ly lz vol {{outputs}}
thermo_modify norm no format float %.17g
thermo 10
dump out all custom {STEPS} atoms.dump id x y z vx vy vz ix iy iz
dump_modify out sort id format float %.17g
"""
# Largest difference from stock's run, relative to the largest value of a quantity. Measured: 1.5e-11 beside the unbroken
# run, as much as ours unbroken (1.2e-11), 3.2e-11 with changed settings.
RELATIVE = 5e-11
# LAMMPS's own fix, or ours under the run style of that name: who writes, who reads.
PAIRS = [("stock", "stock"), ("stock", "verlet"), ("stock", "verlet/triad"), ("verlet", "stock"), ("verlet", "verlet"),
         ("verlet/triad", "stock"), ("verlet/triad", "verlet/triad")]


@dataclass(frozen=True)
class Case:
    fix: str
    outputs: int  # length of the fix's vector
    system: str = "si-1989"
    before: str = ""
    after: str = ""  # commands behind the fix


CASES = {
    "nvt": Case("nvt temp 600 600 0.1", 12),
    "nvt-ramp-drag": Case("nvt temp 600 900 0.05 drag 0.2", 12),
    "nvt-one-thermostat": Case("nvt temp 600 600 0.1 tchain 1", 4),
    "nvt-five-thermostats": Case("nvt temp 600 600 0.1 tchain 5 tloop 3", 20),
    "nvt-twenty-thermostats": Case("nvt temp 600 600 0.05 tchain 20", 80),
    "nvt-own-temperature": Case("nvt temp 600 600 0.1", 12, before="compute own all temp\n",
                                after="fix_modify integrate temp own\n"),
    "npt-iso-ramp": Case("npt temp 600 900 0.1 iso 0 5000 0.5", 28),
    "npt-iso-triclinic": Case("npt temp 600 600 0.1 iso 0 1000 0.5", 28, "triclinic"),
    "npt-aniso-drag": Case("npt temp 600 600 0.1 aniso 0 0 0.5 drag 0.1", 36),
    "npt-own-targets": Case("npt temp 600 600 0.1 x 0 100 0.5 y 5000 0 0.4 z 0 0 0.3", 37),
    "npt-own-targets-nreset": Case("npt temp 600 600 0.1 x 0 100 0.5 y 5000 0 0.4 z 0 0 0.3 nreset 25", 37),
    "npt-one-edge": Case("npt temp 600 600 0.1 z 10000 10000 0.3", 37),
    "npt-couple-xy-mtk-no": Case("npt temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 z 100 0 0.7 couple xy tchain 5 pchain 2 "
                                 "mtk no tloop 3 ploop 2", 41),
    "npt-couple-xyz-no-chain": Case("npt temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 z 0 0 0.5 couple xyz pchain 0 "
                                    "fixedpoint 0 0 0", 17),
    "npt-one-and-one": Case("npt temp 600 600 0.1 aniso 0 0 0.3 tchain 1 pchain 1", 20),
    "npt-own-computes": Case("npt temp 600 600 0.1 iso 0 0 0.5", 28, before="compute heat all temp\n"
                             "compute load all pressure heat\n", after="fix_modify integrate temp heat\n"
                             "fix_modify integrate press load\n"),
    "temp-rescale": Case("temp/rescale 5 600 900 5 0.5", 0, after="fix motion all nve\n"),
    "temp-berendsen": Case("temp/berendsen 600 900 0.05", 0, after="fix motion all nve\n"),
    "temp-csvr": Case("temp/csvr 600 900 0.05 4711", 0, after="fix motion all nve\n"),
}
# What is kept per atom: LAMMPS finds such records by the full name of the style, so stock does not find ours.
OF_ATOMS = {
    "spring-self": Case("spring/self 1.0", 0, after="fix_modify integrate energy yes\nfix motion all nve\n"),
    "move": Case("move linear 0.1 0 0.2 units box", -1),
}
CASES.update(OF_ATOMS)
# Continued with other settings than the run was begun with.
CHANGED = {
    "nvt-other-chain": ("nvt", Case("nvt temp 300 300 0.2 tchain 4", 16)),
    "nvt-other-targets": ("nvt", Case("nvt temp 300 100 0.05 tloop 2", 12)),
    "npt-other-chains": ("npt-aniso-drag", Case("npt temp 600 600 0.1 aniso 0 0 0.5 tchain 2 pchain 0", 20)),
    "npt-other-targets": ("npt-iso-ramp", Case("npt temp 300 300 0.05 iso 2000 2000 0.2", 28)),
    "npt-iso-to-aniso": ("npt-iso-ramp", Case("npt temp 600 600 0.1 aniso 0 0 0.5", 36)),
    "npt-aniso-to-iso": ("npt-aniso-drag", Case("npt temp 600 600 0.1 iso 0 0 0.5", 28)),
    "npt-own-targets-to-aniso": ("npt-own-targets", Case("npt temp 600 600 0.1 aniso 0 0 0.5", 36)),
    "npt-own-targets-to-one": ("npt-own-targets", Case("npt temp 600 600 0.1 y 0 0 0.5", 37)),
}


def play(side, begin, case, rest, ranks=1, files=None):
    """`begin`: commands before and after the pair style; `rest`: those after the fix. `side`: see PAIRS."""
    style = STOCK if side == "stock" else triad("double", "host")
    commands = (begin[0] + SYSTEMS[case.system].pair_commands(style)
                + f"run_style {'verlet' if side == 'stock' else side}\n" + begin[1] + case.before
                + f"fix integrate all {case.fix}\n" + case.after
                + OUTPUT.format(outputs="" if case.outputs < 0 else " ".join(["f_integrate", *(f"f_integrate[{n + 1}]"
                                                                   for n in range(case.outputs))]))
                + "info fixes\n" + rest)
    result = run_lammps(commands, files={**SYSTEMS[case.system].files(), **(files or {})}, ranks=ranks,
                        args=() if side == "stock" else ("-suffix", "triad"))
    ours = case.fix.split()[0] + ("" if side == "stock" else "/triad")
    assert re.search(rf"integrate, +style = {ours},", result.output)
    return result


@functools.cache
def unbroken(side, name, ranks):
    """Two runs with a restart file between them."""
    case = CASES[name]
    return play(side, (SYSTEMS[case.system].create, HOT), case, RUN + "write_restart half.restart\n" + RUN, ranks)


@functools.cache
def continued(writer, name, reader, case, ranks):
    result = play(reader, ("read_restart half.restart\n", ""), case, RUN, ranks,
                  {"half.restart": unbroken(writer, name, ranks).files["half.restart"]})
    assert re.search(rf"fix style: {case.fix.split()[0]}(/triad)?, fix ID: integrate", result.output)
    return result


def assert_same(expected, found):
    """The last run and the last atoms."""
    for column, values in expected.runs[-1].items():
        scale = max(np.abs(expected.runs[-1][name]).max() for name in (
            ("Pxx", "Pyy", "Pzz") if column in ("Press", "Pxy", "Pxz", "Pyz") else (column,)))
        np.testing.assert_allclose(found.runs[-1][column], values, rtol=0, atol=RELATIVE * scale, err_msg=column)
    before, after = expected.frames()[-1], found.frames()[-1]
    for kind in (("id", "ix", "iy", "iz"), ("x", "y", "z"), ("vx", "vy", "vz")):
        scale = max(np.abs(before[name]).max() for name in kind)
        for name in kind:
            np.testing.assert_allclose(after[name], before[name], rtol=0, atol=RELATIVE * scale, err_msg=name)


@pytest.mark.parametrize("writer, reader", PAIRS)
@pytest.mark.parametrize("name", CASES)
def test_continues_to_the_digits_of_the_unbroken_run(name, writer, reader):
    if name in OF_ATOMS and reader == "stock" != writer:
        pytest.skip("stock does not find the record")
    assert_same(unbroken("stock", name, 1), continued(writer, name, reader, CASES[name], 1))


@pytest.mark.parametrize("writer, reader", [("stock", "named"), ("suffix", "named"), ("named", "suffix"), ("named", "named")])
def test_a_motion_that_the_script_names(writer, reader):
    """fix move/triad takes the step in which the motion began and the positions of then, or neither, whichever name of the
    style the file has."""
    def run(begin, rest, side, **files):
        move = "move/triad" if side == "named" else "move"
        return run_lammps(begin + SYSTEMS["si-1989"].pair_commands(STOCK if side == "stock" else triad("double", "host"))
                          + f"group one id 1\nfix pull one {move} linear 5 0 0 units box\ncompute at one com\n"
                          "thermo_style custom step c_at[1]\nthermo 10\n" + rest, files=files,
                          args=("-suffix", "triad") if side == "suffix" else (), check=False)

    begun = run(SYSTEMS["si-1989"].create, "run 40\nwrite_restart half.restart\n", writer)
    result = run("read_restart half.restart\n", "run 20\n", reader, **{"half.restart": begun.files["half.restart"]})
    before, after = begun.runs[-1]["c_at[1]"], result.runs[-1]["c_at[1]"]
    assert after == pytest.approx([before[-1], before[-1] + 0.05, before[-1] + 0.1], abs=1e-6)


@pytest.mark.parametrize("writer, reader", [("stock", "verlet"), ("verlet", "stock"), ("verlet/triad", "verlet/triad")])
@pytest.mark.parametrize("name", ["nvt-ramp-drag", "npt-aniso-drag"])
def test_two_ranks(name, writer, reader):
    assert_same(unbroken("stock", name, 2), continued(writer, name, reader, CASES[name], 2))


@pytest.mark.parametrize("writer", ["stock", "verlet"])
@pytest.mark.parametrize("name", CHANGED)
def test_changed_settings_have_the_effect_that_they_have_in_stock(name, writer):
    begun, case = CHANGED[name]
    assert_same(continued("stock", begun, "stock", case, 1), continued(writer, begun, "verlet", case, 1))


@pytest.mark.parametrize("writer", ["stock", "verlet"])
def test_stock_continues_what_ours_cannot(writer):
    """A temperature with bias, named after the fix has read its record: the record goes on to LAMMPS's own fix."""
    case = replace(CASES["npt-own-targets"], before="compute com all temp/com\n",
                   after="fix_modify integrate temp com\n")
    begun = "npt-own-targets"
    found = continued(writer, begun, "verlet", case, 1)
    assert "remains LAMMPS's npt, since npt/triad does not support a temperature with bias (compute com)" in found.output
    assert_same(continued("stock", begun, "stock", case, 1), found)


def test_records_are_those_of_stock(name="npt-own-targets"):
    """The same numbers at the same places but for rounding; ours have four more behind."""
    stock, ours = (Record(unbroken(side, name, 1).files["half.restart"]).values() for side in ("stock", "verlet"))
    assert len(ours) == len(stock) + 4
    np.testing.assert_allclose(ours[:-4], stock, rtol=1e-9, atol=1e-14)


class Record:
    """The state of fix integrate within the bytes of a restart file: ID, style, size and doubles."""

    def __init__(self, file):
        found = re.search(rb"\x0a\0\0\0integrate\0\x04\0\0\0(nvt|npt)\0", file)
        self.file, self.style_at, self.size_at = file, found.start(1), found.end()
        self.at = self.size_at + 4
        self.size = int.from_bytes(file[self.size_at:self.at], "little")

    def values(self):
        return np.frombuffer(self.file[self.at:self.at + self.size])

    def replaced(self, values, style=None):
        """The file with another record in place, whose size is stated correctly."""
        data = np.asarray(values, dtype=float).tobytes()
        head = bytearray(self.file[:self.size_at])
        if style:
            head[self.style_at:self.style_at + 3] = style
        return bytes(head) + len(data).to_bytes(4, "little") + data + self.file[self.at + self.size:]


def damaged(name, change, style=None, writer="stock"):
    record = Record(unbroken(writer, name, 1).files["half.restart"])
    values = record.values().copy()
    return record.replaced(change(values), style)


def put(at, value):
    def change(values):
        values[at] = value
        return values
    return change


# Layout of nvt: 0 flag, 1 length, 2-4 and 5-7 chain, 8 flag. Of npt with a reference box: 8 flag, 9-14 and 15-20 strain
# and rate, 21 volume, 22 temperature, 23 length, 24-26 and 27-29 chain, 30 flag, 31-36 box.
NPT = "npt-own-targets"
DAMAGE = {
    "no-thermostat": ("nvt", put(0, 0), "it has no thermostat"),
    "former-layout-of-ours": ("nvt", lambda values: [3, 0, 0, *values[2:8], *np.zeros(10)],
                              "flag of the thermostat is neither 0 nor 1"),
    "thermostat-flag-nan": ("nvt", put(0, np.nan), "flag of the thermostat"),
    "length-nan": ("nvt", put(1, np.nan), "number of thermostats of the atoms is not a finite number"),
    "length-infinite": ("nvt", put(1, np.inf), "number of thermostats of the atoms is not a finite number"),
    "length-huge": ("nvt", put(1, 1e300), "ends before the thermostats of the atoms do"),
    "length-9": ("nvt", put(1, 9), "ends before the thermostats of the atoms do"),
    "length-negative": ("nvt", put(1, -3), "number of thermostats of the atoms is not an integer"),
    "length-zero": ("nvt", put(1, 0), "number of thermostats of the atoms is not an integer"),
    "length-fraction": ("nvt", put(1, 2.5), "number of thermostats of the atoms is not an integer"),
    "length-2": ("nvt", put(1, 2), "flag of the barostat"),
    "position-nan": ("nvt", put(2, np.nan), "position of a thermostat of the atoms is not a finite number"),
    "velocity-infinite": ("nvt", put(6, -np.inf), "velocity of a thermostat of the atoms is not a finite number"),
    "barostat-flag": ("nvt", put(8, 0.5), "flag of the barostat is neither 0 nor 1"),
    "npt-cut-in-barostat": (NPT, lambda values: values[:12], "it ends before the "),
    "npt-cut-in-box": (NPT, lambda values: values[:-5], "it ends before the reference box"),
    "npt-rate-nan": (NPT, put(15, np.nan), "rate of the box is not a finite number"),
    "npt-volume-negative": (NPT, put(21, -1), "reference volume is negative"),
    "npt-volume-nan": (NPT, put(21, np.nan), "reference volume is not a finite number"),
    "npt-temperature-nan": (NPT, put(22, np.nan), "reference temperature is not a finite number"),
    "npt-length": (NPT, put(23, 1e6), "ends before the thermostats of the barostat do"),
    "npt-box-flag": (NPT, put(30, -1), "flag of the reference box is neither 0 nor 1"),
    "npt-box-nan": (NPT, put(33, np.nan), "reference box is not a finite number"),
}


def refusal(file, fix, ranks=1):
    """The screen of a LAMMPS that is to refuse the file."""
    pair = SYSTEMS["si-1989"].pair_commands(triad("double", "host"))
    result = run_lammps(f"read_restart half.restart\n{pair}fix integrate all {fix}\nrun 1\n", check=False, ranks=ranks,
                        files={"half.restart": file}, args=("-suffix", "triad"), timeout=60)
    assert result.returncode == 1, result.output  # not a signal
    return result.errors


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_record_is_an_error_that_names_the_fix(name):
    case, change, message = DAMAGE[name]
    fix = CASES[case].fix
    errors = refusal(damaged(case, change), fix)
    style = fix.split()[0]
    assert f"The restart file has no valid state for fix integrate of style {style}/triad: " in errors, errors
    assert message in errors, errors


def test_record_of_the_other_fix():
    nvt, npt = CASES["nvt"].fix, CASES[NPT].fix
    assert "of style npt/triad: it has no barostat" in refusal(damaged("nvt", lambda v: v, b"npt"), npt)
    assert "of style nvt/triad: it has a barostat" in refusal(damaged(NPT, lambda v: v, b"nvt"), nvt)


def test_damaged_record_ends_all_ranks():
    assert "fix integrate of style nvt/triad" in refusal(damaged("nvt", put(1, 1e300)), CASES["nvt"].fix, ranks=2)


@pytest.mark.parametrize("writer", ["stock", "verlet"])
@pytest.mark.parametrize("length", range(0, 6))
def test_record_cut_short(length, writer):
    """LAMMPS does not tell the size. That of the memory is up to three numbers more: nine are needed, five are not."""
    errors = refusal(damaged("nvt", lambda values: values[:length], writer=writer), CASES["nvt"].fix)
    assert "The restart file has no valid state for fix integrate of style nvt/triad" in errors, errors


def test_any_bit_of_a_record_of_ours():
    """One bit of every number, another in each: all are of use, and the checksum knows them all."""
    record = Record(unbroken("verlet", NPT, 1).files["half.restart"])
    numbers = len(record.values())
    for number in [*range(0, numbers - 4, 3), *range(numbers - 3, numbers)]:
        data = bytearray(record.values().tobytes())
        bit = (7 * number + 3) % 64
        data[8 * number + bit // 8] ^= 1 << bit % 8
        errors = refusal(record.replaced(np.frombuffer(bytes(data))), CASES[NPT].fix)
        assert "The restart file has no valid state for fix integrate of style npt/triad" in errors, (number, bit)
