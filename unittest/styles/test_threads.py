"""The number of threads: no more than cores, and what the log says about it. The GPUs of partitions."""

import os
import re

import pytest
from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS

NVE = "fix integrate all nve\nrun 20\n"


def log_line(result):
    return re.search(r"^Triad: tersoff/triad on host, (\d+) threads?, .*$", result.output, re.MULTILINE)


def run(threads, ranks=1, **environment):
    env = {"TRIAD_OVERSUBSCRIBE": "", **environment}
    return run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + NVE, threads=threads, ranks=ranks, env=env)


def test_no_more_threads_than_cores():
    asked = 4 * len(os.sched_getaffinity(0))
    result = run(asked)
    line = log_line(result)
    used = int(line[1])
    assert used < asked
    said = re.search(r"; (\d+) of the (\d+) OpenMP threads are not used, since this process may use (\d+) cores?$", line[0])
    assert [int(number) for number in said.groups()] == [asked - used, asked, used]
    alone = run(1)
    assert result.runs[-1]["TotEng"][-1] == pytest.approx(alone.runs[-1]["TotEng"][-1], rel=1e-12)


def test_the_limit_can_be_removed():
    asked = 4 * len(os.sched_getaffinity(0))
    assert int(log_line(run(asked, TRIAD_OVERSUBSCRIBE="1"))[1]) == asked


PAIRS = ("units lj\nlattice fcc 0.8\nregion box block 0 5 0 5 0 5\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1\n"
         "velocity all create 1 4711 loop geom\n{}\nthermo_style custom step pe press\nthermo_modify norm no format float %.17g\n" + NVE)


@pytest.mark.parametrize("forces", [
    "fix p all pairwise/triad lj coeff * * 1 1 range list cutoff 2.5 {}\ncomm_modify cutoff 2.8\nfix_modify p energy yes virial yes",
    "fix p all pairwise/triad gravity 0.01 0.5 {}\nfix_modify p energy yes virial yes",
    "pair_style lj/cut/triad 2.5 {}\npair_coeff * * 1 1"], ids=["list", "all", "pair-style"])
def test_openmp_may_give_fewer_threads(forces):
    """A limit of OpenMP on the threads of a process is unknown before they start."""
    script = PAIRS.format(forces.format("backend host precision double"))
    alone, limited = (run_lammps(script, threads=threads, env={"TRIAD_OVERSUBSCRIBE": "1", "OMP_THREAD_LIMIT": "1"})
                      for threads in (1, 3))
    for column in ("PotEng", "Press"):
        assert limited.runs[0][column] == pytest.approx(alone.runs[0][column], rel=1e-10)


def test_ranks_share_the_cores():
    """Ranks of one machine get their share of the cores; more ranks than cores are named."""
    cores = int(log_line(run(4 * len(os.sched_getaffinity(0))))[1])
    ranks = 2 * cores
    assert f"; the {ranks} ranks of this machine may use {cores} core" in log_line(run(1, ranks))[0]
    if cores > 1:
        assert log_line(run(cores, 2))[1] == str(cores // 2)


def test_unused_cores_are_named():
    cores = int(log_line(run(4 * len(os.sched_getaffinity(0))))[1])
    if cores == 1:
        pytest.skip("this machine has one core")
    assert log_line(run(1))[0].endswith(f"; this process may use {cores} cores, see OMP_NUM_THREADS")


def test_partitions_share_the_cores():
    cores = int(log_line(run(4 * len(os.sched_getaffinity(0))))[1])
    if cores == 1:
        pytest.skip("this machine has one core")
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("double", "host")) + NVE, threads=cores, ranks=2, check=False,
                        env={"TRIAD_OVERSUBSCRIBE": ""}, args=("-partition", "2x1"))
    assert result.returncode == 0, result.output
    for k in (0, 1):
        said = result.files[f"log.lammps.{k}"].decode()
        assert f"tersoff/triad on host, {cores // 2} thread" in said and f"the 2 ranks of this machine may use {cores}" in said


def test_partitions_take_different_gpus(cuda):
    """Partitions of one machine are counted together; with one GPU, all use that."""
    result = run_lammps(SYSTEMS["si-1989"].commands(triad("mixed", cuda)) + NVE, ranks=3, check=False, args=("-partition", "3x1"))
    assert result.returncode == 0, result.output
    for k in range(3):
        device, count = map(int, re.search(r"\(device (\d+) of (\d+)\)", result.files[f"log.lammps.{k}"].decode()).groups())
        assert device == k % count
