"""The wheel and the sdist that release/build_wheel.py writes.

Builds them for the CPU, the wheel from the unpacked sdist alone, and both twice: three CPU minutes. TRIAD_WHEEL names a
finished wheel to test instead, for instance one with GPU code.
"""

import hashlib
import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TREE = Path(__file__).parents[2]
# nothing of the build under test, of compiler caches or of pip's cache may help or differ
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("LAMMPS_", "TRIAD_", "PYTHON", "LD_LIBRARY_PATH", "OMP_"))}
# CPU seconds from nothing to the end of examples/silicon. Measured: 6.7, and 20 by the clock on two busy cores.
INSTALLED_WITHIN = 20


def cpu_seconds():
    """CPU time of the finished child processes, which other programs on the machine do not lengthen much."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def build(folder):
    """The folder with the sdist and the wheel, built in `folder`."""
    command = [sys.executable, TREE / "release" / "build_wheel.py", "--nvcc", "off", "--output", folder / "dist", "--work",
               folder / "work"]
    environment = {"SOURCE_DATE_EPOCH": "1700000000", **ENVIRONMENT}
    process = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.returncode == 0, process.stdout
    return folder / "dist"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    if "TRIAD_WHEEL" in os.environ:
        return Path(os.environ["TRIAD_WHEEL"]).parent
    return build(tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def wheel(dist):
    return Path(os.environ["TRIAD_WHEEL"]) if "TRIAD_WHEEL" in os.environ else next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of an environment with nothing but the wheel and what it needs, and the CPU seconds that it took."""
    folder = tmp_path_factory.mktemp("installed")
    begin = cpu_seconds()
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check", wheel],
                   check=True, env=ENVIRONMENT)
    return folder, cpu_seconds() - begin


def run(folder, program, *arguments, **environment):
    process = subprocess.run([folder / "bin" / program, *map(str, arguments)], cwd=folder, env=ENVIRONMENT | environment,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    assert process.returncode == 0, process.stdout
    return process.stdout


def test_wheel_is_for_every_python_and_holds_no_library_of_lammps(wheel):
    assert "-py3-none-manylinux_2_" in wheel.name
    with zipfile.ZipFile(wheel) as files:
        libraries = [Path(name).name.split("-")[0] for name in files.namelist() if ".so" in name]
    assert sorted(libraries) == ["libgomp", "triadplugin.so"]


def test_wheel_is_smaller_than_pypi_allows(wheel):
    assert wheel.stat().st_size < 100e6  # PyPI's bound for a file; 2.1e6 without GPU code


def test_installs_and_runs_within_a_minute(installed):
    folder, seconds = installed
    begin = cpu_seconds()
    output = run(folder, "lmp", "-in", TREE / "examples" / "silicon" / "in.silicon", "-log", "none")
    assert "Triad: tersoff/triad on " in output and "32768 atoms" in output
    seconds += cpu_seconds() - begin
    print(f"{seconds:.1f} CPU seconds")
    assert seconds < INSTALLED_WITHIN


TWO_RUNTIMES = """
from lammps import lammps

def total_energy(arguments, suffix, tersoff):
    instance = lammps(cmdargs=["-log", "none", "-screen", "none", *arguments])
    instance.commands_string(f'''
units metal
lattice diamond 5.432
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass * 28.0855
pair_style hybrid/overlay {tersoff} lj/cut{suffix} 5
pair_coeff * * {tersoff} SiCGe.tersoff Si(D)
pair_coeff * * lj/cut{suffix} 0.001 2.0
displace_atoms all random 0.1 0.1 0.1 1 units box
velocity all create 900 1
fix 1 all nve{suffix}
thermo_modify norm no
run 50
''')
    energy = instance.get_thermo("pe")
    instance.close()
    return energy

print(total_energy(["-pk", "omp", "2"], "/omp", "tersoff/triad"))
print(total_energy([], "", "tersoff"))
print(len({line.split()[-1] for line in open("/proc/self/maps") if "libgomp" in line}))
"""


def test_two_openmp_runtimes_in_one_process(installed):
    """Threads of LAMMPS's package OPENMP and those of Triad belong to two copies of libgomp; forces are those of stock."""
    folder, _ = installed
    script = folder / "two_runtimes.py"
    script.write_text(TWO_RUNTIMES)
    output = run(folder, "python", script, OMP_NUM_THREADS="2", LD_LIBRARY_PATH=str(folder / "lib"))
    ours, stock, runtimes = output.splitlines()[-3:]
    assert runtimes == "2"
    assert float(ours) == pytest.approx(float(stock), abs=3e-4)  # 1.1e-4 eV of 512 atoms after 50 steps, measured


@pytest.mark.skipif("TRIAD_WHEEL" in os.environ, reason="the wheel was not built here")
def test_two_builds_in_different_folders_give_the_same_bytes(dist, tmp_path, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "CCACHE_DISABLE", "1")
    digests = [{path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
               for folder in (dist, build(tmp_path))]
    assert len(digests[0]) == 2 and digests[0] == digests[1]
