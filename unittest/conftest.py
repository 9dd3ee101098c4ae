"""Removes what killed LAMMPS processes leave in shared memory, since a later process can hang on such a file.

A LAMMPS without mpiexec has a file of MPICH there that is named after the process ID. A killed process leaves the file,
and the next LAMMPS with this ID waits in MPI_Init for ever. Process IDs come again after 32768 processes, which is fewer
than the tests start.
"""

import time
from pathlib import Path

import pytest

SHARED_MEMORY = Path("/dev/shm")
AGE = 60  # s. Only a process that starts needs the file; a LAMMPS that runs goes on without it.


@pytest.fixture(autouse=True)
def no_left_files_of_mpi():
    now = time.time()
    for path in SHARED_MEMORY.glob("mpich_sh*"):
        try:
            if now - path.stat().st_mtime > AGE:
                path.unlink()
        except OSError:  # the file is gone, or belongs to somebody else
            pass
