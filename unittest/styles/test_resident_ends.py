"""How runs under run_style verlet/triad end, continue, and what they leave in files and in the log."""

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from courses import HOT
from lammps_run import LMP, run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

RESIDENT = "run_style verlet/triad\n"
THERMO = ("thermo_style custom step atoms temp pe etotal press lx\nthermo_modify norm no format float %.17g\n"
          "thermo 10\n")
DUMP = ("dump out all custom {every} atoms.dump id x y z vx vy vz fx fy fz ix iy iz\n"
        "dump_modify out sort id format float %.17g\n")
INTEGRATORS = {"nve": "fix integrate all nve/triad\n", "nvt": "fix integrate all nvt/triad temp 600 600 0.1\n",
               "npt": "fix integrate all npt/triad temp 600 600 0.1 aniso 0 0 0.3\n",
               "langevin": "fix heat all langevin/triad 600 600 0.1 4711\nfix integrate all nve/triad\n"}


def start(style, system="si-1989"):
    return SYSTEMS[system].commands(style) + RESIDENT + HOT


def same_thermo(found, expected, relative):
    for column, values in expected.items():
        scale = max(np.abs(values).max(), 1e-6)
        np.testing.assert_allclose(found[column], values, rtol=0, atol=relative * scale, err_msg=column)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_output_in_the_middle_is_that_of_a_run_stopped_there(integrator, ranks, backend):
    """Bit by bit in `mixed`, whose forces do not depend on the order of work."""
    script = start(triad("mixed", backend)) + INTEGRATORS[integrator] + THERMO + DUMP.format(every=30)
    script += "restart 30 middle.*\n"
    whole, part = (run_lammps(script + f"run {steps}\n", ranks=ranks) for steps in (60, 30))
    assert whole.files["atoms.dump"].startswith(part.files["atoms.dump"])
    assert whole.files["middle.30"] == part.files["middle.30"]
    same_thermo({name: values[:4] for name, values in whole.runs[0].items()}, part.runs[0], 0)


@pytest.mark.parametrize("integrator", ["nve", "nvt", "npt"])  # Langevin's friction takes velocities of the half step
def test_restart_and_continue(integrator, backend):
    style = triad("double", backend)
    script = start(style) + INTEGRATORS[integrator] + THERMO + "restart 50 middle.*\n"
    whole = run_lammps(script + "run 100\n")
    pair = SYSTEMS["si-1989"].pair_commands(style)
    rest = run_lammps("read_restart middle.50\n" + pair + RESIDENT + INTEGRATORS[integrator] + THERMO + "run 50\n",
                      files={"middle.50": whole.files["middle.50"]})
    expected = {name: values[5:] for name, values in whole.runs[0].items()}
    assert list(rest.runs[0]["Step"]) == [50, 60, 70, 80, 90, 100]
    same_thermo(rest.runs[0], expected, 1e-8)


def test_one_run_equals_many(backend):
    style = triad("double", backend)
    script = start(style) + INTEGRATORS["nvt"] + THERMO
    whole = run_lammps(script + "run 100\n").runs[0]
    pieces = run_lammps(script + "run 37 start 0 stop 100\nrun 0 pre no\nrun 1 pre no post no start 0 stop 100\n"
                        "run 62 start 0 stop 100\n").runs[-1]
    assert pieces["Step"][-1] == 100
    same_thermo({name: values[-1:] for name, values in pieces.items()},
                {name: values[-1:] for name, values in whole.items()}, 1e-8)


COUNTS = re.compile(r"Neighbor list builds = (\d+)\nDangerous builds (.*)")


@pytest.mark.parametrize("settings", ["neighbor 0.3 bin", "neighbor 0.5 bin\nneigh_modify every 3 delay 6 check yes",
                                      "neighbor 1.0 bin\nneigh_modify every 7 delay 0 check no",
                                      "neighbor 0.3 bin\nneigh_modify every 5 delay 10 check yes",
                                      "neighbor 2.0 bin\nneigh_modify once yes"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_lists_are_renewed_when_stock_renews_them(settings, ranks, backend):
    """Hot melt: every few steps. Dangerous builds are counted alike."""
    run = HOT.replace("600", "6000") + settings + "\nfix integrate all nve{}\n" + THERMO + "run 200\n"
    system = SYSTEMS["si-melt"]
    stock, found = (run_lammps(system.commands(style) + run_style + run.format(suffix), files=system.files(),
                               ranks=ranks)
                    for style, run_style, suffix in ((STOCK, "", ""), (triad("double", backend), RESIDENT, "/triad")))
    expected = COUNTS.search(stock.output).groups()
    assert "once" in settings or int(expected[0]) > 10
    assert COUNTS.search(found.output).groups() == expected
    if "once" not in settings:
        same_thermo(found.runs[0], stock.runs[0], 1e-8)


@pytest.mark.parametrize("run_style", ["verlet", "verlet/triad"])
def test_statistics_of_own_lists(run_style, backend):
    """The line after the run counts what stock's statistics count; the time of lists is in its category."""
    system = SYSTEMS["si-melt"]
    run = HOT.replace("600", "6000") + "neighbor 0.5 bin\nfix integrate all nve\nrun 100\n"
    stock, found = (run_lammps(system.commands(style) + f"run_style {used}\n" + run, files=system.files(), threads=2)
                    for style, used in ((STOCK, "verlet"), (triad("double", backend), run_style)))
    neighbours = re.search(r"Total # of neighbors = (\d+)", stock.output)[1]
    assert f"Triad: the last neighbor list of rank 0 has {neighbours} neighbors, " in found.output
    seconds = dict(re.findall(r"^(Pair|Neigh) +\| (\S+)", found.output, re.MULTILINE))
    assert float(seconds["Neigh"]) > 1e-5 and float(seconds["Pair"]) > 1e-5


@functools.cache
def melt(precision, backend, way, ranks):
    system = SYSTEMS["si-melt"]
    script = (system.commands(triad(precision, backend)) + f"run_style verlet/triad {way}\n" + HOT.replace("600", "6000")
              + "neighbor 0.3 bin\n" + INTEGRATORS["nve"] + THERMO + "run 60\nrun 20 pre no\n")
    return run_lammps(script, files=system.files(), ranks=ranks)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("way", ["", "ghosts auto", "ghosts mpi", "ghosts host"])
def test_ghosts_travel_every_way(way, ranks, precision, backend):
    """The course is that of one rank."""
    alone, found = melt(precision, backend, "", 1), melt(precision, backend, way, ranks)
    for expected, run in zip(alone.runs, found.runs):
        same_thermo(run, expected, {"double": 1e-9, "mixed": 1e-5, "single": 1e-4}[precision])
    told = re.findall("Triad: ghosts of other ranks travel (.*)", found.output)
    assert len(told) == 1  # one summary of the run and its continuation
    if backend == "host":
        assert all(words == ("through MPI" if way in ("ghosts mpi", "ghosts host") else
                             "through memory that ranks share") for words in told)
    elif way == "ghosts host":
        assert all("page-locked memory of the host" in words for words in told)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_package_omp_builds_lists_with_threads(integrator, backend):
    """It costs no copies, and the course is the same."""
    system = SYSTEMS["si-melt"]
    script = (system.commands(triad("double", backend)) + RESIDENT + HOT.replace("600", "6000") + "neighbor 0.3 bin\n"
              + INTEGRATORS[integrator] + THERMO + "run 50\n")
    alone, threads = (run_lammps(script, files=system.files(), threads=2, args=args)
                      for args in ((), ("-package", "omp", "2")))
    assert "multi-threaded neighbor list" in threads.output
    assert "runs this as run_style verlet" not in threads.output
    assert "to the host" not in threads.output.replace("no command copies atoms to the host", "")
    assert COUNTS.search(threads.output).groups() == COUNTS.search(alone.output).groups()
    same_thermo(threads.runs[0], alone.runs[0], 1e-8)


@pytest.mark.parametrize("ranks", [1, 2])
def test_lost_atoms(ranks, backend):
    """Atoms that leave through an open face end the run with LAMMPS's own error, at the next thermo output."""
    system = SYSTEMS["si-slab-ppf"]
    script = system.commands(triad("double", backend)) + RESIDENT + HOT + INTEGRATORS["nve"] + THERMO
    script += "group few id 1:5\nvelocity few set 0 0 -300 units box\nrun 500\n"
    result = run_lammps(script, check=False, ranks=ranks)
    assert result.returncode != 0 and "Lost atoms" in result.output
    ignored = run_lammps(script.replace("run 500", "thermo_modify lost ignore\nrun 500"), ranks=ranks)
    assert "Triad: 5 atoms were lost in steps 0 to 500" in ignored.output
    assert ignored.runs[0]["Atoms"][-1] == ignored.runs[0]["Atoms"][0] - 5


def test_overlapping_atoms_are_an_error(precision, backend):
    script = start(triad(precision, backend)) + INTEGRATORS["nve"] + THERMO
    result = run_lammps(script + "set atom 1 x 1.0 y 1.0 z 1.0\nset atom 2 x 1.0 y 1.0 z 1.0\nrun 50\n", check=False)
    assert result.returncode != 0 and "ERROR" in result.output


def test_timeout(backend):
    script = start(triad("double", backend)) + INTEGRATORS["nve"] + THERMO + "timer timeout 0:00:02 every 10\n"
    began = time.monotonic()
    result = run_lammps(script + "run 100000000\nprint after\n")
    assert time.monotonic() - began < 30
    assert "Wall time limit reached" in result.output


FORCE_TIMEOUT = """
import sys, threading, time
from lammps import lammps

instance = lammps(cmdargs=["-log", "none", "-screen", "none"])
instance.commands_string(sys.argv[1])
threading.Timer(1.0, lambda: instance.lib.lammps_force_timeout(instance.lmp)).start()
began = time.monotonic()
instance.command("run 100000000")
assert time.monotonic() - began < 30
print(instance.extract_global("ntimestep") < 100000000)
"""


def test_stopped_from_another_thread(backend):
    """lammps_force_timeout, by which LAMMPS-GUI's stop button ends a run."""
    script = start(triad("double", backend)) + INTEGRATORS["nve"]
    process = subprocess.run([sys.executable, "-c", FORCE_TIMEOUT, script], capture_output=True, text=True, timeout=120)
    assert process.returncode == 0 and "True" in process.stdout, process.stdout + process.stderr


def test_interrupt_ends_the_process(backend):
    """Ctrl-C: LAMMPS has no handler, and neither have we."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in.script").write_text(start(triad("double", backend)) + INTEGRATORS["nve"] + THERMO
                                             + "run 100000000\n")
        with open(Path(folder, "out"), "w+") as out:
            process = subprocess.Popen([LMP, "-in", "in.script", "-log", "none"], cwd=folder, stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=os.environ)
            limit = time.monotonic() + 60
            while "Step" not in Path(folder, "out").read_text() and time.monotonic() < limit:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) != 0


def test_log_names_what_costs(backend):
    """Once per run, per foreign fix, with the number of times."""
    script = start(triad("double", backend)) + INTEGRATORS["nve"] + THERMO
    silent = run_lammps(script + "run 20\n")
    assert "brought atoms to the host" not in silent.output
    result = run_lammps(script + "fix push all addforce 0 0 0\ncompute k all ke\nfix look all ave/time 1 1 5 c_k\n"
                        "run 20\nrun 10\n")
    found = re.findall(r"Triad: (.*) brought atoms to the host (\d+) times", result.output)
    cause = "compute k (ke) for fix look (ave/time)"
    assert sorted(found[:2]) == [(cause, "4"), ("fix push (addforce)", "20")]  # of 20 calls, 4 samples
    assert sorted(found[2:]) == [(cause, "2"), ("fix push (addforce)", "10")]
    assert result.output.count("by fix push (addforce) in every step, compute k (ke) for fix look (ave/time) every") == 2


# What a script defines, what is sampled of it besides, and what that reads atoms for, if anything.
SAMPLED = {
    "nothing": ("", "", None),
    "unused": ("variable twice equal 2*xcm(all,x)\nvariable each atom x\ncompute v all ke\ncompute m all msd\n"
               "compute c all temp/com\ncompute r all reduce sum vx\n", "", None),
    "formula": ("variable sum equal 1.5e-3*c_t+sqrt(2)*ramp(1,2)+v_pi*count(all)\nvariable pi equal PI*temp+vol\n",
                "v_sum v_pi", None),
    "vector": ("variable both vector c_j*2\n", "v_both[1]", None),
    "format": ("variable x equal xcm(all,x)\nvariable shown format x %.15g\nvariable of equal v_shown\n", "v_of",
               "variable x"),
    "box": ("variable of equal cellalpha+xlat+bonds\n", "v_of", None),
    "string": ("variable word string xcm(all,x)\nvariable of equal c_t+step\n", "v_of", None),
    "compute": ("compute v all ke\n", "c_v", "compute v (ke)"),
    "group": ("variable x equal xcm(all,x)\n", "v_x", "variable x"),
    "atom": ("variable first equal vcm(all,x)+gyration(all)\n", "v_first", "variable first"),
    "through": ("compute m all msd\nvariable a equal v_b+1\nvariable b equal c_m[4]\n", "v_a", "compute m (msd)"),
    "recursion": ("variable a equal c_t+0*v_b\nvariable b equal c_t\n", "v_a v_b", None),
    "temperature": ("compute c all temp/com\nthermo_modify temp c\n", "", "compute c (temp/com)"),
}


@pytest.mark.parametrize("name", SAMPLED)
def test_sampling_of_our_computes_costs_nothing(name, backend):
    """Unless what is sampled reads atoms: then they are brought for every sample, and the log says what for."""
    more, values, reader = SAMPLED[name]
    script = start(triad("double", backend)) + INTEGRATORS["nve"] + THERMO + more + """
compute t all temp/triad
compute j all heat/flux/triad
fix look all ave/time 2 5 10 c_t c_j[1] c_j[2] c_j[3] c_thermo_press c_thermo_pe VALUES file means.txt
fix say all print 4 "at $(step) $(c_t) $(press) ${known}" file said.txt screen no
variable known equal c_t-1
fix memory all ave/correlate 2 5 10 c_j[1] c_j[2] c_j[3] type auto file memory.txt
run 60
"""
    script = script.replace("VALUES", values)
    found, stock = run_lammps(script), run_lammps(script.replace(RESIDENT, ""))
    assert "Triad: atoms stay on " + ("host" if backend == "host" else "cuda") in found.output
    brought = re.findall(r"Triad: (.*) for fix look \(ave/time\) brought atoms to the host (\d+) times", found.output)
    assert brought == ([(reader, "30")] if reader else [])
    for file in ("means.txt", "memory.txt", "said.txt"):
        expected, other = (np.array(re.findall(rb"[-+]?\d[-+.e\d]*", result.files[file]), dtype=float)
                           for result in (stock, found))
        assert len(expected) > 40
        np.testing.assert_allclose(other, expected, rtol=1e-5, atol=1e-9 * np.abs(expected).max())


def test_formulas_of_the_box_evaluate_no_pressure(backend):
    """A formula of an edge needs no pressure, which the thermo output may not have; LAMMPS would log an error."""
    script = start(triad("double", backend)) + INTEGRATORS["nve"] + """
region part block INF 5 INF INF INF INF units box
compute hot all temp/region part
compute p all pressure thermo_temp
variable edge equal lz
thermo_style custom step temp v_edge c_p pe
thermo 5
run 10
"""
    found, stock = run_lammps(script), run_lammps(script.replace(RESIDENT, ""))
    assert "ERROR" not in found.output
    for column, values in stock.runs[0].items():
        np.testing.assert_allclose(found.runs[0][column], values, rtol=1e-8)


def test_squares_are_not_negative(backend):
    """Of displacements and velocities that differ from those of the centre by rounding only."""
    script = start(triad("double", backend)) + """
velocity all set 20 3 0
fix integrate all nve/triad
compute d all msd/triad com yes
compute t all temp/com/triad
group one id 1
compute g one gyration/triad
variable d equal sqrt(c_d[1])+sqrt(c_d[2])+sqrt(c_d[3])+sqrt(c_d[4])
variable t equal sqrt(c_t)
variable g equal sqrt(c_g[1])+sqrt(c_g[2])+sqrt(c_g[3])
thermo_style custom step v_d v_t v_g
thermo 1
run 3
"""
    thermo = run_lammps(script).runs[0]
    for column in ("v_d", "v_t", "v_g"):
        assert abs(thermo[column][0]) < 1e-4 and np.isfinite(thermo[column]).all(), column


@pytest.mark.parametrize("commands, reason", [
    ("pair_style lj/cut 5\npair_coeff * * 0.01 2.5\n", "pair style is lj/cut"),
    ("pair_modify compute no\n", "compute no"),
    ("atom_modify first held\n", "first"),
])
def test_log_says_why_a_run_stays_on_the_host(commands, reason, backend):
    script = "group held empty\n" if "held" in commands else ""
    result = run_lammps(start(triad("double", backend)) + script + commands + INTEGRATORS["nve"] + THERMO + "run 10\n",
                        resident=False)
    assert re.search(f"Triad: run_style verlet/triad runs this as run_style verlet, since .*{reason}", result.output)
    assert len(result.runs[0]["Step"]) == 2


def test_unload_and_clear(backend):
    """The run style goes back to LAMMPS's when the plugin's is unloaded, and `clear` leaves nothing behind."""
    style = triad("double", backend)
    script = start(style) + INTEGRATORS["nve"] + THERMO + "run 10\n"
    again = run_lammps(script + "clear\n" + script + "clear\n" + script)
    for run in again.runs[1:]:
        same_thermo(run, again.runs[0], 0)
    unloaded = run_lammps(script + "unfix integrate\nplugin unload run verlet/triad\nrun 10\n")
    assert len(unloaded.runs) == 2
