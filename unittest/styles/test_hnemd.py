"""fix hnemd/triad: driving force against a plain loop over the potential, outputs, run styles, ranks, restart."""

import os
import re

import numpy as np
import pytest
from lammps_run import run_lammps
from plain_tersoff import driving_forces, read_entries
from styles import triad
from systems import SYSTEMS

FIELD = (0.02, -0.013, 0.007)
DUMP = ("dump atoms all custom 1 atoms.dump id type x y z vx vy vz fx fy fz\n"
        "dump_modify atoms sort id format float %.17g\n")
NVT = "fix bath all nvt/triad temp 600 600 0.1\n"
HOT = "velocity all create 600 2817 loop geom\n"


def drive(field=FIELD, group="all", more=""):
    return f"fix drive {group} hnemd/triad {field[0]} {field[1]} {field[2]} {more}\n"


def forces(result, frame=0):
    atoms = result.frames()[frame]
    return np.column_stack([atoms.fx, atoms.fy, atoms.fz])


def forces_by_the_fix(commands, field=FIELD, files=None, group="all", ranks=1):
    """The difference that the fix makes to the forces of step 0, and the atoms."""
    without, driven = (run_lammps(commands + NVT + fix + DUMP + "run 0\n", files=files, ranks=ranks)
                       for fix in ("", drive(field, group)))
    return forces(driven) - forces(without), driven.frames()[0]


def cluster(rotation=np.eye(3)):
    """A script of 14 atoms of two elements at random places, none closer than 2.1 A, rotated about the origin, their
    positions, types and masses."""
    rng = np.random.default_rng(5)
    places = []
    while len(places) < 14:
        place = rng.uniform(-2.7, 2.7, 3)
        if all(np.linalg.norm(place - other) > 2.1 for other in places):
            places.append(place)
    x = np.array(places) @ rotation.T
    types = np.arange(14) % 2 + 1
    lines = "".join(f"create_atoms {t} single {a:.17g} {b:.17g} {c:.17g} units box\n" for t, (a, b, c) in zip(types, x))
    script = ("units metal\nboundary f f f\nregion box block -20 20 -20 20 -20 20\ncreate_box 2 box\n" + lines +
              "mass 1 28.0855\nmass 2 72.63\n"
              "pair_style tersoff/triad precision double\npair_coeff * * SiCGe.tersoff Si(D) Ge\n")
    return script, x, types, np.array([28.0855, 72.63])[types - 1]


def test_force_is_that_of_a_plain_loop():
    script, x, types, mass = cluster()
    found, _ = forces_by_the_fix(script)
    expected = driving_forces(read_entries("SiCGe.tersoff"), [("Si(D)", "Ge")[t - 1] for t in types], x, FIELD)
    assert np.abs(expected).max() > 0.01
    expected -= np.outer(mass / mass.sum(), expected.sum(axis=0))
    assert np.abs(found - expected).max() < 2e-9  # 6e-10: of the finite differences


def test_forces_turn_with_atoms_and_field():
    turn, _ = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))
    turn *= np.linalg.det(turn)
    straight, _ = forces_by_the_fix(cluster()[0])
    turned, _ = forces_by_the_fix(cluster(turn)[0], turn @ FIELD)
    assert np.abs(turned - straight @ turn.T).max() < 1e-12 * max(1, np.abs(straight).max())


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("name", ["si-melt", "sige", "gan-shuffled", "triclinic", "mod-melt", "modc-slab", "zbl-carbide-shuffled",
                                  "modc-real-units", "mod-crystal-shift+0.4", "zbl-tiled-and-balanced"])
def test_force_is_field_times_centroid_virial(name, ranks):
    """In every variant. The centroid virials have tests of their own against the reference potential."""
    system = SYSTEMS[name]
    stress = "compute w all centroid/stress/atom NULL virial\n"
    script = system.commands(triad("double")) + NVT
    columns = DUMP.replace("fz\n", "fz mass c_w[*]\n", 1)
    files = system.files()
    without = run_lammps(script + stress + columns + "run 0\n", files=files, ranks=ranks)
    driven = run_lammps(script + drive() + DUMP + "run 0\n", files=files, ranks=ranks)
    atoms = without.frames()[0]
    w = -np.array([atoms[f"c_w[{k}]"] for k in range(1, 10)]) * stress_to_energy(script)
    matrix = np.array([[w[0], w[3], w[4]], [w[6], w[1], w[5]], [w[7], w[8], w[2]]])
    # LAMMPS's names xy and yx: the first index is that of the position
    expected = np.einsum("a,abi->ib", FIELD, matrix)
    expected -= np.outer(atoms.mass / atoms.mass.sum(), expected.sum(axis=0))
    found = forces(driven) - forces(without)
    scale = max(np.abs(expected).max(), np.abs(forces(without)).max())
    assert np.abs(found - expected).max() < 1e-11 * scale
    assert np.abs(found.sum(axis=0)).max() < 1e-11 * scale


def stress_to_energy(script):
    """centroid/stress/atom is in pressure times volume."""
    return 1 / 1.6021765e6 if "units metal" in script else 1 / 68568.415


OUTPUT = ("thermo_style custom step temp econserve f_drive f_drive[*]\n"
          "thermo_modify norm no format float %.17g\nthermo 5\n")


def run(system, run_style, *, ranks=1, group="all", steps=40, fix="", field=FIELD, before="", precision="double",
        backend="host", output=OUTPUT, **more):
    script = (system.commands(triad(precision, backend)) + f"run_style {run_style}\n" + HOT + before + NVT +
              drive(field, group, fix) + output + DUMP.replace("custom 1 ", f"custom {steps} ") + f"run {steps}\n")
    return run_lammps(script, files=system.files(), ranks=ranks, **more)


def outputs(result):
    thermo = result.runs[0]
    return np.array([column for name, column in thermo.items() if name.startswith("f_drive")])


@pytest.mark.parametrize("name, group", [("si-melt", "all"), ("si-melt", "some"), ("sige", "all"),
                                         ("gan-wurtzite", "some"), ("triclinic", "all")])
def test_run_styles_and_ranks_agree(name, group, backend):
    before = "reset_atoms id sort yes\ngroup some id 1:60\n"  # LAMMPS creates atoms with IDs that depend on ranks
    expected = run(SYSTEMS[name], "verlet", group=group, before=before, steps=20)
    for run_style, ranks in (("verlet/triad", 1), ("verlet/triad", 2), ("verlet/triad", 3), ("verlet", 2)):
        found = run(SYSTEMS[name], run_style, ranks=ranks, group=group, before=before, backend=backend, steps=20)
        assert np.abs(outputs(expected)).max(axis=1).min() > 0
        for a, b in zip(outputs(found), outputs(expected)):
            assert a == pytest.approx(b, abs=1e-9 * np.abs(b).max())
        assert forces(found, -1) == pytest.approx(forces(expected, -1), abs=1e-8)


@pytest.mark.parametrize("name, group", [("si-1989", "all"), ("si-melt", "some"), ("sige", "all")])
def test_ranks_make_batches_where_ghosts_travel_from_gpu_to_gpu(name, group, cuda):
    """Also on a machine with one GPU, on which the ranks take turns."""
    before = "reset_atoms id sort yes\ngroup some id 1:60\n"
    one, two = (run(SYSTEMS[name], "verlet/triad", ranks=ranks, group=group, before=before, backend="cuda",
                    fix="every 5", env={"TRIAD_SHARED_GPU": "yes"}) for ranks in (1, 2))
    assert int(re.search(r"made 40 steps on cuda, (\d+) of them in batches", two.output)[1]) > 30
    for a, b in zip(outputs(two), outputs(one)):
        assert a == pytest.approx(b, abs=1e-9 * np.abs(b).max())
    assert forces(two, -1) == pytest.approx(forces(one, -1), abs=1e-8)


@pytest.mark.parametrize("name, group", [("si-1989", "all"), ("si-1989", "some"), ("si-melt", "all"), ("si-melt", "some"),
                                         ("sige", "all")])
def test_samples_in_every_few_steps(name, group, backend):
    """The atoms take the same course, which a GPU computes in batches of steps, and the means are those of the samples."""
    before = "group some id 1:60\n"
    each = run(SYSTEMS[name], "verlet", group=group, before=before)
    for run_style in ("verlet", "verlet/triad"):
        found = run(SYSTEMS[name], run_style, group=group, before=before, fix="every 5", backend=backend)
        if run_style == "verlet/triad" and backend == "cuda":
            assert int(re.search(r"made 40 steps on cuda, (\d+) of them in batches", found.output)[1]) > 30
        assert forces(found, -1) == pytest.approx(forces(each, -1), abs=1e-8)
        thermo = found.runs[0]
        assert list(thermo["f_drive[17]"]) == list(range(9))
        now = thermo["f_drive[1]"][1:]
        assert now == pytest.approx(each.runs[0]["f_drive[1]"][1:], abs=1e-8 * np.abs(now).max())
        kelvin, mean = thermo["f_drive[16]"][-1], thermo["f_drive[2]"][-1]
        assert kelvin == pytest.approx(thermo["Temp"][1:].mean(), rel=1e-9) or group == "some"
        current = now * (thermo["Temp"][1:] if group == "all" else np.nan)
        assert group == "some" or mean * kelvin == pytest.approx(current.mean(), abs=1e-9 * np.abs(current).max())


@pytest.mark.parametrize("name", ["si-1989", "si-melt"])
def test_batches_in_mixed_follow_double(name, backend):
    """A run on a GPU makes forces and driving forces in one pass, whose rounding is that of the forces."""
    exact = run(SYSTEMS[name], "verlet")
    found = run(SYSTEMS[name], "verlet/triad", fix="every 5", backend=backend, precision="mixed")
    scale = np.abs(forces(exact, -1)).max()
    assert np.abs(forces(found, -1) - forces(exact, -1)).max() < 3e-6 * scale  # 1.0e-6 on the host
    now, expected = (result.runs[0]["f_drive[1]"][1:] for result in (found, exact))
    assert np.abs(now - expected).max() < 2e-6 * np.abs(expected).max()  # 6.9e-7


def test_output_changes_no_bits(backend):
    """Steps with output need tallies, which the pass over the bonds of other steps does not make."""
    found = [run(SYSTEMS["si-1989"], "verlet/triad", fix="every 10", backend=backend, precision="mixed",
                 output=f"thermo_style custom step pe press\nthermo {n}\n") for n in (3, 20)]
    assert np.array_equal(forces(found[0], -1), forces(found[1], -1))


def test_every_precision_drives(precision, run_style):
    expected, found = (outputs(run(SYSTEMS["si-melt"], run_style, precision=p)) for p in ("double", precision))
    for a, b in zip(found, expected):
        assert a == pytest.approx(b, abs=3e-3 * max(np.abs(b).max(), 1e-12))


def test_output_is_that_of_its_definition():
    """kappa = J.F / (T V F^2) of the step, means over steps, currents of compute heat/flux/triad."""
    system = SYSTEMS["si-1989"]
    script = (system.commands(triad("double")) + "run_style verlet/triad\n" + HOT + NVT + drive(more="skip 10") +
              "compute j all heat/flux/triad\n" + OUTPUT.replace("thermo 5", "thermo 1").replace(
                  "econserve", "vol econserve c_j[*]") + "run 40\n")
    thermo = run_lammps(script).runs[0]
    current = np.array([thermo[f"c_j[{k}]"] - thermo[f"c_j[{k + 3}]"] for k in (1, 2, 3)])[:, 1:]
    field = np.array(FIELD)
    now = field @ current / (thermo["Temp"] * thermo["Volume"])[1:] / (field @ field)
    assert thermo["f_drive[1]"][1:] == pytest.approx(now, rel=1e-10)
    mean = (field @ current)[10:].cumsum() / np.arange(1, 31)
    kelvin = thermo["Temp"][11:].cumsum() / np.arange(1, 31)
    assert thermo["f_drive[2]"][11:] == pytest.approx(mean / (kelvin * thermo["Volume"][0] * (field @ field)), rel=1e-9)
    assert (thermo["f_drive[2]"][:11] == 0).all()
    for k in (1, 2, 3):
        assert thermo[f"f_drive[{9 + k}]"][1:] == pytest.approx(current[k - 1], abs=1e-10 * np.abs(current).max())
        assert thermo[f"f_drive[{12 + k}]"][1:] == pytest.approx(thermo[f"c_j[{k + 3}]"][1:], rel=1e-9)
    by_velocity = sum(thermo[f"f_drive[{k}]"] for k in (7, 8, 9))
    assert by_velocity == pytest.approx(thermo["f_drive[2]"], rel=1e-9)
    assert thermo["f_drive[16]"][11:] == pytest.approx(kelvin, rel=1e-10)
    assert list(thermo["f_drive[17]"]) == [0] * 11 + list(range(1, 31))


def test_parts_add_up():
    before = "region left block INF 8 INF INF INF INF units box\ngroup left region left\ngroup rest subtract all left\n"
    thermo = run(SYSTEMS["si-melt"], "verlet/triad", before=before, fix="part left part rest volume 1000").runs[0]
    parts = thermo["f_drive[18]"] + thermo["f_drive[19]"]
    assert parts == pytest.approx(thermo["f_drive[2]"], abs=1e-9 * np.abs(parts).max())
    assert np.abs(thermo["f_drive[18]"]).max() > 0.01 * np.abs(parts).max()


LONG = "TRIAD_BALANCE_STEPS" in os.environ  # CTest sets it under the label long


@pytest.mark.parametrize("name, every, bound", [("si-1989", 1, 0.0009), ("sige", 1, 0.0009), ("si-1989", 10, 3e-4 if LONG else 0.0033)])
def test_energy_balance(name, every, bound):
    """Work of the driving force equals what the thermostat takes: econserve stays, over 4 ps to 3e-4 of the work, and 1.1e-3
    with a sample in every tenth step. Over 1e5 steps: 3e-5 and 1e-4."""
    system = SYSTEMS[name]
    steps = int(os.environ.get("TRIAD_BALANCE_STEPS", "8000"))
    script = (system.commands(triad("double")) + "run_style verlet/triad\n" + HOT + "timestep 0.0005\n" + NVT +
              drive((0.01, 0, 0), more=f"every {every}") + OUTPUT.replace("thermo 5", "thermo 100") + f"run {steps}\n")
    thermo = run_lammps(script, timeout=3600).runs[0]
    conserved, work = thermo["Econserve"], -thermo["f_drive"]
    assert work[-1] > 2
    assert np.abs(conserved[1:] - conserved[1]).max() < bound * work[-1]


def test_momentum_stays_zero(run_style):
    system = SYSTEMS["sige"]
    script = (system.commands(triad("double")) + f"run_style {run_style}\n" + HOT +
              "velocity all zero linear\nvariable px equal vcm(all,x)\nvariable py equal vcm(all,y)\n" + NVT + drive() +
              "thermo_style custom step v_px v_py\nthermo 100\nrun 100\n")
    thermo = run_lammps(script).runs[0]
    assert max(abs(thermo["v_px"][-1]), abs(thermo["v_py"][-1])) < 1e-12


def test_a_part_whose_group_is_defined_anew():
    """With another bit of the masks, while another group has the old one."""
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double", "host")) + HOT + NVT + "group left id 1:100\n" + drive(more="part left") + OUTPUT
    again = "group left delete\ngroup other id 1:5\ngroup left id 1:100\n"
    same, anew = (run_lammps(start + "run 1\n" + change + "run 4\n").runs[1] for change in ("", again))
    assert anew["f_drive[18]"] == pytest.approx(same["f_drive[18]"], rel=1e-9) and np.all(same["f_drive[18]"] != 0)


def test_another_run_style_in_the_next_run(backend):
    """The engine of a GPU computes currents without tallies of each step, stock verlet with them."""
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double", backend)) + "run_style {}\n" + HOT + NVT + drive(more="every 5") + OUTPUT
    runs = [run_lammps(start.format(style) + "run 10\nrun_style verlet\nrun 20\n").runs[1] for style in ("verlet", "verlet/triad")]
    assert runs[1]["f_drive[2]"] == pytest.approx(runs[0]["f_drive[2]"], rel=1e-7)


def test_restart_without_the_thermostat_of_the_run():
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double", "host")) + HOT
    whole = run_lammps(start + NVT + drive() + OUTPUT + "run 20\nunfix bath\nwrite_restart end\n")
    later = run_lammps("units metal\nread_restart end\n" + system.pair_commands(triad("double", "host")) + NVT + drive() + OUTPUT
                       + "run 5\n", files={"end": whole.files["end"]})
    assert "starts new means" not in later.errors and later.runs[0]["f_drive[17]"][-1] == 25


@pytest.mark.parametrize("ranks", [1, 2])
def test_restart_keeps_the_means(ranks):
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double")) + "run_style verlet/triad\n" + HOT
    rest = NVT + drive(more="skip 5") + OUTPUT
    whole = run_lammps(start + rest + "run 30\nwrite_restart middle\nrun 30\n", ranks=ranks)
    again = ("units metal\nread_restart middle\n" + system.pair_commands(triad("double")) + "run_style verlet/triad\n")
    later = run_lammps(again + rest + "run 30\n", files={"middle": whole.files["middle"]}, ranks=ranks)
    for name, column in later.runs[0].items():
        if name.startswith("f_drive") and name not in {"f_drive[1]", "f_drive[10]", "f_drive[11]", "f_drive[12]",
                                                        "f_drive[13]", "f_drive[14]", "f_drive[15]"}:
            expected = whole.runs[1][name]
            assert column == pytest.approx(expected, rel=1e-7, abs=1e-9 * np.abs(expected).max()), name
    other = run_lammps(again + NVT + drive((0.01, 0, 0)) + OUTPUT + "run 5\n",
                       files={"middle": whole.files["middle"]}, ranks=ranks)
    assert "starts new means" in other.errors and other.runs[0]["f_drive[17]"][0] == 0


@pytest.mark.parametrize("fix", [drive(more="part two"), drive(group="two", more="part one"), drive()],
                         ids=["part", "group", "none"])
def test_restart_with_other_groups_starts_new_means(fix):
    system = SYSTEMS["si-1989"]
    groups = "group one id 1:20\ngroup two id 21:40\n"
    written = run_lammps(system.commands(triad("double")) + HOT + groups + NVT + drive(more="part one") +
                         "run 10\nwrite_restart middle\n").files["middle"]
    again = "units metal\nread_restart middle\n" + system.pair_commands(triad("double")) + NVT
    other = run_lammps(again + fix + OUTPUT + "run 5\n", files={"middle": written})
    assert "starts new means" in other.errors and other.runs[0]["f_drive[17]"][0] == 0
    assert "those of another group or parts" in other.errors
    same = run_lammps(again + drive(more="part one") + OUTPUT + "run 5\n", files={"middle": written})
    assert "starts new means" not in same.errors and same.runs[0]["f_drive[17]"][0] == 10


@pytest.mark.parametrize("before, fix, message", [("", drive(more="every 5"), "those of another every"),
                                                  ("group some id 5\ndelete_atoms group some\n", drive(), "those of another number of atoms"),
                                                  ("", drive(more="volume 1000 every 5"), "those of another volume, every")],
                         ids=["every", "atoms", "volume and every"])
def test_restart_names_what_differs(before, fix, message):
    system = SYSTEMS["si-1989"]
    written = run_lammps(system.commands(triad("double")) + HOT + NVT + drive() + "run 10\nwrite_restart middle\n").files["middle"]
    again = "units metal\nread_restart middle\n" + system.pair_commands(triad("double")) + before + NVT
    other = run_lammps(again + fix + OUTPUT + "run 5\n", files={"middle": written})
    assert message in other.errors and other.runs[0]["f_drive[17]"][0] == 0


def test_another_temperature_starts_new_means(run_style):
    """Between runs and after a restart; a ramp that goes on keeps the means."""
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double")) + f"run_style {run_style}\n" + HOT
    warmer = NVT.replace("600 600", "700 700")
    assert warmer != NVT
    told = "the target temperature is 700 instead of 600"
    result = run_lammps(start + NVT + drive() + OUTPUT + "run 10\nwrite_restart middle\n" + "unfix bath\n" + warmer + "run 10\n")
    assert told in result.errors and result.runs[1]["f_drive[17]"][-1] == 10
    again = "units metal\nread_restart middle\n" + system.pair_commands(triad("double")) + f"run_style {run_style}\n"
    later = run_lammps(again + warmer + drive() + OUTPUT + "run 10\n", files={"middle": result.files["middle"]})
    assert told in later.errors and later.runs[0]["f_drive[17]"][-1] == 10
    ramp = run_lammps(start + NVT.replace("600 600", "600 700") + drive() + OUTPUT + "run 10 start 0 stop 20\nrun 10 start 0 stop 20\n")
    assert "starts new means" not in ramp.errors and ramp.runs[1]["f_drive[17]"][-1] == 20


def test_temperature_counts_the_atoms_that_are_left(run_style):
    """fix evaporate deletes atoms in steps 2 and 4; compute temp counts again under dynamic/dof."""
    script = (SYSTEMS["si-1989"].commands(triad("double")) + f"run_style {run_style}\n" + HOT + NVT + drive() +
              "region whole block INF INF INF INF INF INF\nfix less all evaporate 2 5 whole 71\n"
              "compute left all temp\ncompute_modify left dynamic/dof yes\n"
              "thermo_style custom step atoms c_left f_drive[16]\nthermo_modify lost ignore format float %.17g\nthermo 1\nrun 5\n")
    thermo = run_lammps(script).runs[0]
    assert len(set(thermo["Atoms"])) == 3
    mean = thermo["c_left"][1:].cumsum() / np.arange(1, 6)
    assert thermo["f_drive[16]"][1:] == pytest.approx(mean, rel=1e-9)


def test_a_box_that_is_not_periodic_is_told_once():
    script = SYSTEMS["si-1989"].commands(triad("double")) + "change_box all boundary s s s\n" + NVT
    told = "divides by the volume of a box that is not periodic"
    assert run_lammps(script + drive() + "run 1\n").errors.count(told) == 1
    assert told not in run_lammps(script + drive(more="volume 1000") + "run 1\n").errors


def test_a_thermostat_of_some_atoms_is_told():
    script = (SYSTEMS["si-1989"].commands(triad("double")) + "group a id 1:30\nfix 1 a langevin 300 300 0.1 8\n"
              "fix 2 all nve\n" + drive() + "run 0\n")
    assert "thermostats act on 30 of the " in run_lammps(script).errors
    assert "thermostats act on" not in run_lammps(script.replace("fix 1 a", "fix 1 all")).errors


def test_damaged_restart_is_refused():
    system = SYSTEMS["si-1989"]
    start = system.commands(triad("double")) + HOT + NVT + drive() + "run 5\nwrite_restart middle\n"
    written = run_lammps(start).files["middle"]
    at = written.index(b"TRIADHNE") + 80
    damaged = written[:at] + bytes([written[at] ^ 1]) + written[at + 1:]
    again = ("units metal\nread_restart middle\n" + system.pair_commands(triad("double")) + NVT + drive() + "run 1\n")
    result = run_lammps(again, files={"middle": damaged}, check=False)
    assert result.returncode != 0 and "its checksum is wrong" in result.errors


def test_a_strong_field_is_told():
    """A field ten times beyond the linear regime, and a weak one."""
    told = []
    for strength in (0.3, 1e-4):
        result = run(SYSTEMS["si-1989"], "verlet/triad", field=(strength, 0, 0), steps=4000)
        told.append("the driving field is too strong" in result.output)
        assert "grew" not in result.output or "W/(m K) in the second" in result.output
    assert told == [True, False]


BAD = [
    ("fix 1 all hnemd/triad 0.1 0", "missing"),
    ("fix 1 all hnemd/triad 0 0 0", "other than 0 0 0"),
    ("fix 1 all hnemd/triad nan 0 0", "driving field is nan; give a finite number"),
    ("fix 1 all hnemd/triad 0.1 0 0 colour red", "keyword: colour"),
    ("fix 1 all hnemd/triad 0.1 0 0 skip", "skip"),
    ("fix 1 all hnemd/triad 0.1 0 0 skip -1", "skip is -1; give"),
    ("fix 1 all hnemd/triad 0.1 0 0 every 0", "every is 0; give"),
    ("fix 1 all hnemd/triad 0.1 0 0 volume 0", "volume is 0; give a positive number"),
    ("fix 1 all hnemd/triad 0.1 0 0 part nobody", "there is no group nobody"),
    ("fix 1 all hnemd/triad 0.1 0 0\nfix 2 all nve\nrun 0", "needs a thermostat"),
    ("group a id 1:30\ngroup b id 31:60\nfix 1 a nvt temp 300 300 0.1\nfix 2 b hnemd/triad 0.1 0 0\nrun 0",
     "no thermostat acts on atoms of group b"),
    (f"{NVT}group some dynamic all every 1\nfix 1 some hnemd/triad 0.1 0 0\nrun 0", "group some is dynamic; use a static group"),
    (f"{NVT}group some dynamic all every 1\nfix 1 all hnemd/triad 0.1 0 0 part some\nrun 0", "group some of keyword part is dynamic"),
    (f"{NVT}group none empty\nfix 1 all hnemd/triad 0.1 0 0 part none\nrun 0", "group none of keyword part has no atoms"),
    (f"{NVT}group half id 1:9\nfix 1 all hnemd/triad 0.1 0 0 part half\ngroup half delete\nrun 0", "was deleted; define the group again before the run"),
    (f"{NVT}group none empty\nfix 1 none hnemd/triad 0.1 0 0\nrun 0", "has 0 atoms"),
    (f"{NVT}fix pull all deform/triad 1 x erate 0.1\nfix 1 all hnemd/triad 0.1 0 0\nrun 0",
     "fix pull moves the atoms before fix 1 (hnemd/triad) reads heat currents; define fix pull behind it"),
    (f"{NVT}fix 1 all hnemd/triad 0.1 0 0\nfix 2 all hnemd/triad 0 0.1 0\nrun 0", "one fix hnemd/triad only"),
    (f"{NVT}fix 1 all hnemd/triad 0.1 0 0\npair_style sw\npair_coeff * * Si.sw Si\nrun 0", "centroid virials"),
    (f"{NVT}fix 1 all hnemd/triad 0.1 0 0\npair_style lj/cut 5\npair_coeff * * 0.01 2.2\nrun 0", "centroid virials"),
]


@pytest.mark.parametrize("commands, message", BAD, ids=[commands for commands, _ in BAD])
def test_wrong_settings_are_named(commands, message):
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + commands + "\n", check=False)
    assert result.returncode != 0 and message.lower() in result.errors.lower(), result.errors


def test_two_dimensions():
    """The temperature of the conductivity is that of two components; without constraints, that of compute temp of 2 N - 2."""
    script = ("units metal\ndimension 2\nlattice custom 2.5 a1 1 0 0 a2 0 1.7320508 0 a3 0 0 1 basis 0 0 0 "
              "basis 0.5 0.5 0 basis 0.5 0.1666667 0 basis 0 0.6666667 0\nregion box block 0 6 0 3 -0.1 0.1\n"
              "create_box 1 box\ncreate_atoms 1 box\nmass 1 12.011\npair_style tersoff/triad precision double backend host\n"
              "pair_coeff * * SiC.tersoff C\nfix flat all enforce2d\n" + HOT + NVT + drive((1e-4, 0, 0)) +
              "timestep 0.0005\nthermo_style custom step temp f_drive[16]\nthermo 1\nthermo_modify format float %.15g\nrun 1\n")
    found = run_lammps(script).runs[0]
    assert found["f_drive[16]"][1] == pytest.approx(found["Temp"][1], rel=1e-12)
