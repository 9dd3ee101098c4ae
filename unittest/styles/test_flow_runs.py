"""fix flow/triad in LAMMPS: ranks, threads, restarts, time steps, variables, output, and what it refuses."""

import os
import re

import flow as runs
import numpy as np
import pytest
from flow import SCRIPT, files_of, flow, on_backend, outcome  # noqa: F401
from gpu import why_no_cuda
from lammps_run import run_lammps
from test_flow import centred, dam, triangles, with_island


def wave():
    mesh = with_island(triangles(10, 10.0))
    mesh.depth = np.where((mesh.depth > 0) & (mesh.centre[:, 0] < 4), mesh.depth + 0.5, mesh.depth)
    mesh.set_boundary("discharge river", "west")
    mesh.series = "river 0 0.1\nriver 3 0.4\n"
    return mesh


WORDS = "precision {} manning 0.02 rain 1e-3"


def same(one, other):
    np.testing.assert_array_equal(one.state, other.state)


@pytest.mark.usefixtures("on_backend")
@pytest.mark.parametrize("flux", ["roe", "hll"])
def test_ranks_give_the_same_bits(precision, flux):
    words = WORDS.format(precision) + f" flux {flux}"
    one = flow(wave(), 2.0, words, steps=4)
    for ranks, before in ((2, ""), (3, "comm_style tiled"), (3, "processors 1 3 1")):
        several = flow(wave(), 2.0, words, steps=4, ranks=ranks, before=before, every=2,
                       after="fix b all balance 1 1.0 shift x 5 1.1\n" if not before else "")
        same(one, several)
        for name in ("f_w", "f_w[3]", "f_w[4]", "f_w[7]", "f_w[8]"):
            assert several.thermo[name][-1] == pytest.approx(one.thermo[name][-1], rel=1e-13), name


@pytest.mark.usefixtures("on_backend")
@pytest.mark.parametrize("ranks, layout", [(2, "1 2 1"), (3, "3 1 1"), (3, "1 3 1"), (4, "2 2 1")])
def test_periodic_ranks_give_the_same_bits(ranks, layout):
    """Ranks pass on ghosts that are images of their own cells."""
    from lammps_triad import mesh as meshes
    mesh = meshes.grid((12, 6), (12.0, 6.0), periodic=(True, True))
    mesh.depth = 1 + 0.2 * np.sin(mesh.centre[:, 0]) * np.cos(2 * mesh.centre[:, 1])
    same(flow(mesh, 3.0), flow(mesh, 3.0, ranks=ranks, before=f"processors {layout}"))


def test_threads_give_the_same_bits(precision):
    mesh = centred(40, 10.0)
    mesh.depth = np.where(np.hypot(*mesh.centre.T) < 2.5, 2.0, 0.5)
    words = f"precision {precision} manning 0.02"
    one, two = (flow(mesh, 0.5, words, threads=threads) for threads in (1, 2))
    same(one, two)
    assert "host, 2 threads" in two.result.output


@pytest.mark.parametrize("reduction", ["gather", "atomic", "colored"])
@pytest.mark.parametrize("flux", ["roe", "hll"])
def test_cuda_agrees_with_the_host(cuda, flux, precision, reduction):
    """Largest difference of a cell after some hundred sub-steps over an island, between a stage, an inflow and walls."""
    mesh = wave()
    mesh.set_boundary("stage 1.1", "north")
    words = WORDS.format(precision) + f" flux {flux} reduction {reduction}"
    host, device = (flow(mesh, 4.0, words, steps=4, every=1, backend=backend) for backend in ("host", cuda))
    assert "(device 0 of" in device.result.output and f", {reduction}, precision" in device.result.output
    apart = np.abs(host.state - device.state).max()
    print(flux, precision, reduction, apart)
    assert apart < {"double": 1e-11, "mixed": 1e-5, "single": 1e-4}[precision]
    for name in ("f_w", "f_w[3]", "f_w[4]", "f_w[6]", "f_w[7]", "f_w[8]"):
        np.testing.assert_allclose(device.thermo[name], host.thermo[name], rtol={"double": 1e-11}.get(precision, 1e-4))


@pytest.mark.parametrize("reduction", ["gather", "colored"])
def test_ranks_on_cuda_give_the_same_bits(cuda, precision, reduction):
    words = WORDS.format(precision) + f" reduction {reduction}"
    one = flow(wave(), 2.0, words, steps=4, backend=cuda)
    for ranks in (1, 3):
        same(one, flow(wave(), 2.0, words, steps=4, ranks=ranks, backend=cuda))


def test_instruction_sets_agree():
    one, other = (flow(wave(), 1.0, env={"TRIAD_HOST_ISA": isa} if isa else None) for isa in (None, "baseline"))
    assert np.abs(one.state - other.state).max() < 1e-12
    assert "baseline" in other.result.output


# ---- numbers of cells, other atoms, several runs

@pytest.mark.usefixtures("on_backend")
def test_ids_of_any_order_and_other_atoms():
    """Cells of a group beside other atoms, with IDs that are not 1 ... N, sorted anew by LAMMPS."""
    mesh = wave()
    plain = flow(mesh, 1.0, steps=2)
    n = len(mesh.area)
    ids = np.random.default_rng(2).permutation(3 * n)[:n] + 1
    files = files_of(mesh)
    lines = files["basin.mesh"].splitlines()
    section, renamed = "", []
    for line in lines:
        words = line.split("#")[0].split()
        if len(words) == 1:
            section = words[0]
        elif words and section != "Series":
            for k in range({"Cells": 1, "Edges": 2, "Boundary": 1}[section]):
                words[k] = str(ids[int(words[k]) - 1])
            line = " ".join(words)
        renamed.append(line)
    data, _, atoms = files["basin.data"].partition("Atoms # atomic\n\n")
    atoms = [line.split() for line in atoms.splitlines()]
    atoms = [" ".join([str(ids[int(words[0]) - 1]), *words[1:]]) for words in atoms]
    random = np.random.default_rng(3)
    random.shuffle(atoms)
    extra = [f"{3 * n + k} 2 {x!r} {y!r} 0.0" for k, (x, y) in enumerate(random.uniform(1, 9, (20, 2)).tolist(), 1)]
    data = data.replace(f"{n} atoms", f"{n + 20} atoms").replace("1 atom types", "2 atom types")
    data = data.replace("1 1.0", "1 1.0\n2 1.0")
    atoms[5:5] = extra
    script = SCRIPT.replace("fix w all", "group cells type 1\nfix w cells").replace("sort 0 0", "sort 1 0.7")
    result = run_lammps(script.format(boundary="f f", cutoff=3.0, timestep=0.5, words=f"precision double backend {runs.BACKEND}", every=2, steps=2,
                                      before="", after="dump_modify d sort id"),
                        files={"basin.mesh": "\n".join(renamed), "basin.data": data + "Atoms # atomic\n\n" + "\n".join(atoms)})
    frame = result.frames()[-1]
    of_id = {int(atom): k for k, atom in enumerate(frame.id)}
    h = frame["f_w[1]"][[of_id[i] for i in ids]]
    assert np.abs(h - plain.h).max() == 0
    assert np.all(frame["f_w[1]"][[of_id[3 * n + k] for k in range(1, 21)]] == 0)


@pytest.mark.usefixtures("on_backend")
def test_runs_follow_each_other():
    """Several runs, also without setup, and atoms that a rebalancing moves between them, are one run."""
    one = flow(wave(), 2.0, steps=4)
    script = SCRIPT.replace("run {steps}", "run 1\nrun 1 pre no\nbalance 1.0 shift xy 10 1.05\nrun 1\nwrite_restart x\nrun 1")
    for ranks in (1, 2):
        same(one, flow(wave(), 2.0, steps=4, every=1, script=script, ranks=ranks))


def test_atoms_created_after_the_fix_are_cells():
    mesh = centred(4, 4.0)
    mesh.depth = 1 + 0.1 * mesh.centre[:, 0]
    script = SCRIPT.replace("read_data basin.data", "lattice sq 1\nregion b block -2 2 -2 2 -0.5 0.5\ncreate_box 1 b\nmass 1 1.0\n"
                            "lattice sq 1 origin 0.5 0.5 0").replace(
                                "thermo_style", 'create_atoms 1 box\nprint "before the run $(f_w) $(f_w[4])"\nthermo_style', 1)
    created = flow(mesh, 0.5, script=script)
    same(flow(mesh, 0.5), created)
    volume, dry = map(float, re.search("^before the run (.*) (.*)$", created.result.output, re.M).groups())
    assert (volume, dry) == (pytest.approx((mesh.area * mesh.depth).sum(), rel=1e-14), 0)


def test_other_atoms_created_after_the_fix_have_no_water():
    script = (SCRIPT.replace("read_data basin.data", "read_data basin.data extra/atom/types 1\ngroup cells type 1\nmass 2 1")
              .replace("fix w all", "fix w cells")
              .replace("thermo_style", "create_atoms 2 single 0.1 0.1 0\ncompute sum all reduce sum f_w[1]\nthermo_style", 1)
              .replace("f_w f_w[*]", "f_w f_w[*] c_sum", 1))
    run = flow(dam(20, 0.2), 0.001, script=script)
    assert np.all(run.thermo["c_sum"] > 0) and np.all(np.isfinite(run.state)) and len(run.state) == 21


# ---- restart

READ = """
units si
atom_modify map array sort 0 0
read_restart half.restart
pair_style none
comm_modify cutoff 3.0
timestep 0.5
fix w all flow/triad mesh basin.mesh {words}
thermo_style custom step time dt f_w f_w[*]
thermo_modify norm no format float %.17g
thermo 1
dump d all custom 4 atoms.dump id f_w[*]
dump_modify d sort id format float %.17g
run 2
"""


@pytest.mark.usefixtures("on_backend")
@pytest.mark.parametrize("step", ["fixed", "cfl"])
def test_restart_continues_with_the_same_bits(precision, step):
    words = WORDS.format(precision) + f" step {step}"
    half = flow(wave(), 2.0, words, steps=4, every=1, script=SCRIPT.replace("run {steps}", "run 2\nwrite_restart half.restart\nrun 2"))
    for ranks, read in ((1, READ), (2, READ.replace("timestep 0.5\n", ""))):  # the restart file holds the time step, too
        files = {**files_of(wave()), "half.restart": half.result.files["half.restart"]}
        again = outcome(run_lammps(read.format(words=f"{words} backend {runs.BACKEND}"), files=files, ranks=ranks))
        same(half, again)
        for name in ("Time", "f_w", "f_w[1]", "f_w[2]", "f_w[3]", "f_w[7]", "f_w[8]"):
            assert again.thermo[name][-1] == pytest.approx(half.thermo[name][-1], rel=1e-13), name
        assert again.thermo["f_w[3]"][0] == half.result.runs[0]["f_w[3]"][-1], "the counts are there before a step"


def test_restart_refuses_another_mesh():
    half = flow(wave(), 1.0, steps=2, script=SCRIPT.replace("run {steps}", "run 2\nwrite_restart half.restart"))
    files = {**files_of(dam(10, 0.1)), "half.restart": half.result.files["half.restart"]}
    result = run_lammps(READ.format(words=""), files=files, check=False)
    assert result.returncode != 0
    assert re.search("for a mesh of 200 cells and 280 edges, and basin.mesh has 10 and 9; give", result.errors), result.output[-2000:]


@pytest.mark.parametrize("change", ["bed", "area"])
def test_restart_refuses_another_mesh_of_as_many_cells(change):
    """Boundaries, friction and initial states may differ; cells and edges may not."""
    half = flow(wave(), 1.0, steps=2, script=SCRIPT.replace("run {steps}", "run 2\nwrite_restart half.restart"))
    other = wave()
    setattr(other, change, 1.01 * getattr(other, change))
    restart = {"half.restart": half.result.files["half.restart"]}
    result = run_lammps(READ.format(words=""), files={**files_of(other), **restart}, check=False)
    assert result.returncode != 0
    assert "state of fix w for another mesh than basin.mesh: IDs, areas, beds or edges differ; give" in result.errors
    fine = wave()
    fine.set_boundary("wall")
    fine.series = ""
    fine.depth[:], fine.manning[:] = 0, 0.1
    again = outcome(run_lammps(READ.format(words=""), files={**files_of(fine), **restart}))
    assert again.volume[0] == half.volume[-1]


def test_restart_refuses_a_damaged_record():
    half = flow(wave(), 1.0, steps=2, script=SCRIPT.replace("run {steps}", "run 2\nwrite_restart half.restart"))
    record = half.result.files["half.restart"]
    at = record.index(b"TRIADFLW") + 30
    files = {**files_of(wave()), "half.restart": record[:at] + b"\x05" + record[at + 1:]}
    result = run_lammps(READ.format(words=""), files=files, check=False)
    assert result.returncode != 0 and "no valid state for fix w of style flow/triad: its checksum is wrong" in result.errors


# ---- time steps

@pytest.mark.usefixtures("on_backend")
def test_sub_steps_end_at_the_time_step():
    mesh = dam(100, 0.2)
    one, many = flow(mesh, 1.0), flow(mesh, 1.0, steps=50)
    assert one.thermo["f_w[2]"][-1] == one.thermo["f_w[3]"][-1] > 20
    assert many.thermo["Time"][-1] == pytest.approx(1.0)
    assert np.abs(one.h - many.h).max() < 0.02


@pytest.mark.usefixtures("on_backend")
def test_step_cfl_sets_the_time_step():
    mesh = dam(100, 0.2)
    run = flow(mesh, 1000.0, "precision double step cfl cfl 0.5", steps=40, every=1, script=SCRIPT.replace(
        "timestep 25.0", "timestep 25.0"))
    dt, time, last = run.thermo["Dt"], run.thermo["Time"], run.thermo["f_w[1]"]
    speed = np.sqrt(9.81)  # left of the dam at the start; an area a, four sides: 2 cfl a^2 / (4 a speed)
    assert dt[0] == pytest.approx(0.5 * 0.2 / (2 * speed), rel=1e-12)
    np.testing.assert_allclose(np.diff(time), dt[:-1], rtol=1e-12)
    np.testing.assert_array_equal(last[1:], dt[:-1])
    assert np.all(run.thermo["f_w[2]"][1:] == 1) and run.thermo["f_w[3]"][-1] == 40
    fixed = flow(mesh, float(time[-1]), "precision double cfl 0.5")
    assert np.abs(run.h - fixed.h).max() < 1e-3


@pytest.mark.usefixtures("on_backend")
def test_step_cfl_while_ranks_exchange_atoms():
    runs = [flow(wave(), 10.0, "precision double step cfl", steps=30, ranks=ranks,
                 after="fix b all balance 7 1.0 shift xy 5 1.05\n" if ranks > 1 else "") for ranks in (1, 3)]
    same(*runs)
    assert runs[0].thermo["Time"][-1] == runs[1].thermo["Time"][-1]


@pytest.mark.usefixtures("on_backend")
def test_step_cfl_stays_below_the_time_step_of_the_script():
    run = flow(dam(20, 0.2), 0.01, "step cfl", steps=10, every=1)
    np.testing.assert_allclose(run.thermo["Dt"], 0.001)
    dry = meshes_dry()
    run = flow(dry, 5.0, "step cfl", steps=5, every=1)
    np.testing.assert_allclose(run.thermo["Time"], np.arange(6.0))
    assert np.all(run.thermo["f_w[4]"] == len(dry.area))


def test_step_cfl_takes_a_time_step_without_setup():
    """The command timestep between runs is the new limit, also for `run N pre no`."""
    script = SCRIPT.replace("run {steps}", "run 2\ntimestep 1e-4\nrun 3 pre no\nrun 2")
    run = flow(dam(20, 0.2), 0.01, "step cfl", every=1, script=script)
    np.testing.assert_allclose(np.concatenate([part["Dt"] for part in run.result.runs[1:]]), 1e-4, rtol=1e-12)


def meshes_dry():
    mesh = centred(3, 3.0)
    mesh.depth[:] = 0
    return mesh


# ---- variables

@pytest.mark.usefixtures("on_backend")
def test_rain_and_friction_by_variables():
    mesh = centred(6, 6.0)
    mesh.depth[:] = 0.5
    before = "variable rain atom 1e-3*(x>0)\nvariable n equal 0.01*(1+step)\n"
    run = flow(mesh, 1.0, "precision double rain v_rain manning v_n", steps=4, before=before)
    fallen = run.thermo["f_w[8]"][-1]
    assert fallen == pytest.approx(1e-3 * 18.0, rel=1e-12)
    assert run.volume[-1] == pytest.approx(run.volume[0] + fallen, rel=1e-13)
    left = mesh.centre[:, 0] < 0
    assert run.h[left].mean() < run.h[~left].mean()


@pytest.mark.usefixtures("on_backend")
def test_evaporation_ends_when_the_water_does():
    mesh = centred(3, 3.0)
    mesh.depth[:] = 0.01
    run = flow(mesh, 20.0, "precision double rain -1e-3", steps=20)
    assert run.volume[-1] == 0 and run.thermo["f_w[8]"][-1] == pytest.approx(-0.09, rel=1e-12)
    assert run.thermo["f_w[4]"][-1] == 9


# ---- what is refused

BAD = {
    "flux godunov": ["flux: godunov", "known: roe, hll"],
    "cfl 1.5": ["cfl is 1.5"],
    "cfl 0": ["cfl is 0"],
    "dry -1": ["dry is -1"],
    "gravity nan": ["gravity is nan"],
    "manning -0.1": ["manning is -0.1"],
    "manning v_nobody": ["no variable nobody"],
    "rain fast": ["rain is fast"],
    "rain v_": ["rain is v_; give the name of a variable"],
    "manning v_": ["manning is v_; give the name of a variable"],
    "rain v_word": ["variable word has the wrong style"],
    "precision half": ["precision: half"],
    "backend opencl": ["backend: opencl"],
    "reduction tree": ["reduction: tree", "known: auto, gather, atomic, colored"],
    "step long": ["step: long", "known: fixed, cfl"],
    "colour blue": ["keyword: colour", "mesh, flux, cfl"],
    "flux": ["Missing value after fix flow/triad keyword: flux", "known: roe, hll"],
    "mesh nowhere.mesh": ["Cannot open", "nowhere.mesh"],
    "mesh nan.mesh": [r"nan\.mesh:2: bed = 'nan' is outside|nan\.mesh:2: bed = 'nan'"],
    "mesh other.mesh": [r"other\.mesh:3: there is no atom with ID 77"],
    "mesh small.mesh": ["atom [0-9]+ has no cell in small.mesh"],
    "rain v_bad": ["rain of cell 1 is -?nan|rain of cell 1 is inf", "variable bad"],
}
MESHES = {"nan.mesh": "Cells\n1 1 nan 1 0 0 0\n", "small.mesh": "Cells\n1 1 0 1 0 0 0\n",
          "other.mesh": "Cells\n" + "".join(f"{k} 1 0 1 0 0 0\n" for k in (1, 77, 2, 3, 4)) +
                        "Edges\n1 77 1 0 1\n77 2 1 0 1\n2 3 1 0 1\n3 4 1 0 1\nBoundary\n1 -1 0 1 wall\n4 1 0 1 wall\n"}


@pytest.mark.parametrize("words", BAD)
def test_refused(words):
    run = flow_refused(words)
    assert run.returncode != 0
    for said in BAD[words]:
        assert re.search(said, run.errors), run.output[-1500:]


@pytest.mark.skipif(not why_no_cuda(), reason="there is a usable GPU")
def test_cuda_without_gpu():
    assert re.search("fix w flow/triad backend cuda: .*; use backend host or auto", flow_refused("backend cuda").errors)


def flow_refused(words, before="variable word string dry\nvariable bad equal 10^400\n", after="", **options):
    mesh = centred(2, 2.0)
    mesh.depth[:] = 1
    text = SCRIPT.format(boundary="f f", cutoff=3.0, timestep=1.0, words=words, every=1, steps=1, before=before, after=after)
    return run_lammps(text, files={**files_of(mesh), **MESHES}, check=False, **options)


def test_ghosts_that_do_not_reach_are_refused_with_the_distance():
    mesh = centred(6, 6.0)
    text = SCRIPT.format(boundary="f f", cutoff=0.3, timestep=1.0, words="", every=1, steps=1, before="", after="")
    result = run_lammps(text, files=files_of(mesh), check=False, ranks=2)
    assert result.returncode != 0
    assert re.search(r"basin\.mesh:\d+: the cells \d+ and \d+ are farther apart .* use comm_modify cutoff 1.01 or more",
                     result.errors), result.output[-1500:]


def test_respa_and_dt_reset_are_refused():
    result = flow_refused("", after="run_style respa 2 2\n")
    assert "does not support run_style respa" in result.errors
    mesh = centred(2, 2.0)
    mesh.depth[:] = 1
    text = SCRIPT.format(boundary="f f", cutoff=3.0, timestep=1.0, words="step cfl", every=1, steps=1, before="",
                         after="fix r all dt/reset 1 NULL 1 0.1")
    result = run_lammps(text, files=files_of(mesh), check=False)
    assert "both set the time step" in result.errors


@pytest.mark.parametrize("words, timestep, said", [
    ("", -1.0, "the time step is -1; give zero or more by the command timestep"),
    ("step cfl", -1.0, "the time step is -1; give a positive number by the command timestep"),
    ("step cfl", 0.0, "the time step is 0; give a positive number by the command timestep")])
def test_time_steps_that_do_not_advance_are_refused(words, timestep, said):
    result = flow_refused(words, after=f"timestep {timestep}\n")
    assert result.returncode != 0 and said in result.errors


def test_one_fix_sets_the_time_step():
    second = "fix v all flow/triad mesh basin.mesh step {}\n"
    result = flow_refused("step cfl", after=second.format("cfl"))
    assert result.returncode != 0
    assert "fix w flow/triad step cfl and fix v flow/triad step cfl both set the time step; give one" in result.errors
    assert flow_refused("step cfl", after=second.format("fixed")).returncode == 0


def test_a_cell_without_size_is_told_and_does_not_hang():
    mesh = centred(3, 3.0)
    mesh.depth[:] = 1 + 0.1 * mesh.centre[:, 0]
    mesh.area[4] = 1e-300
    text = SCRIPT.format(boundary="f f", cutoff=3.0, timestep=1.0, words="", every=1, steps=1, before="", after="")
    result = run_lammps(text, files=files_of(mesh), check=False, timeout=60)
    assert result.returncode != 0 and "which does not advance the time of 0 or is less than" in result.errors
    assert "check both, the mesh for tiny cells" in result.errors


@pytest.mark.parametrize("words, timestep", [("cfl 1e-300", 1.0), ("cfl 1e-10", 1.0), ("step cfl cfl 1e-300", 1.0),
                                             ("", 1e300)])
def test_endless_sub_steps_are_an_error(words, timestep):
    """More than 1e8 sub-steps in a LAMMPS step."""
    mesh = centred(3, 3.0)
    mesh.depth[:] = 1 + 0.1 * mesh.centre[:, 0]
    text = SCRIPT.format(boundary="f f", cutoff=3.0, timestep=timestep, words=words, every=1, steps=1, before="",
                         after="")
    result = run_lammps(text, files=files_of(mesh), check=False, timeout=60)
    assert result.returncode != 0
    cfl = words.split()[-1] if words else "0.9"
    assert f"is less than 1e-08 of a LAMMPS step; timestep is {timestep:g} and cfl is {float(cfl):g}: " in result.errors


def test_no_more_threads_than_cores():
    mesh = centred(4, 4.0)
    mesh.depth[:] = 1
    asked = 4 * len(os.sched_getaffinity(0))
    output = flow(mesh, 0.1, threads=asked, env={"TRIAD_OVERSUBSCRIBE": ""}).result.output
    used = int(re.search(r"fix w flow/triad on host, (\d+) thread", output)[1])
    assert used < asked and f"; {asked - used} of the {asked} OpenMP threads are not used, since" in output
