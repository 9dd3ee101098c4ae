"""No memory is used after its end, in runs in which engines and lists come and go: the plugin's part of what valgrind
reports. Otherwise such errors show only where the allocator has given the memory to somebody else."""

import os
import re
import shutil
import subprocess

import pytest
import test_hybrid
from lammps_run import LMP
from styles import triad
from systems import SYSTEMS

pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind was not found (Debian, Ubuntu: apt-get "
                                                                         "install valgrind)")
SILICON = SYSTEMS["si-1989"].commands(triad("mixed", "host"))
SCRIPTS = {
    "coefficients-change-after-the-setup": test_hybrid.case("free-energy", "host", "verlet/triad"),
    "run-styles-change": SILICON + "run_style verlet/triad\nvelocity all create 900 2817 loop geom\nfix integrate all nve\n"
                         "variable t equal temp\nvariable p equal press\nrun 3\nrun_style verlet\nprint '${t} ${p}'\nrun 3\n"
                         "run_style verlet/triad\nprint '${t} ${p}'\nrun 3\nprint '${t} ${p}'\nrun_style verlet\n"
                         "print '${t} ${p}'\n",
    "pair-styles-and-atoms-change": SILICON + "run_style verlet/triad\nvelocity all create 900 2817 loop geom\n"
                                    "fix integrate all nve/triad\nrun 3\npair_coeff * * SiC.tersoff Si\nrun 3 pre no\n"
                                    "replicate 2 1 1\nrun 3\npair_style none\nrun 1\nclear\n" + SILICON + "run 1\n",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_in_runs(name, tmp_path):
    (tmp_path / "in.script").write_text(re.sub(r"^run (\d)\d", r"run \1", SCRIPTS[name], flags=re.MULTILINE))
    reports = tmp_path / "reports.%p"
    process = subprocess.run(["valgrind", "--trace-children=yes", "--undef-value-errors=no", f"--log-file={reports}", LMP,
                              "-in", "in.script", "-log", "none"], cwd=tmp_path, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=300,
                             env={**os.environ, "OMP_NUM_THREADS": "1", "TRIAD_HOST_ISA": "baseline"})
    assert process.returncode == 0, process.stdout[-3000:]
    assert "Triad: run_style verlet/triad made" in process.stdout
    reports = "".join(path.read_text() for path in tmp_path.glob("reports.*"))
    assert "ERROR SUMMARY" in reports
    blocks = re.split(r"^==\d+== *$", reports, flags=re.MULTILINE)
    invalid = [block for block in blocks if "Invalid" in block and "triadplugin" in block]
    assert not invalid, invalid[0]
