"""Description of machine and software for result files."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def output_of(*command):
    """Output of a command, or an empty string if the command is missing or fails."""
    if not shutil.which(command[0]):
        return ""
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process.stdout.strip() if process.returncode == 0 else ""


def commit():
    """Commit of this checkout, with -dirty if files differ from the commit."""
    return output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") or "unknown"


def triad_version():
    """Version in the project's CMakeLists.txt."""
    match = re.search(r"project\(\S+ VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    return match[1] if match else "unknown"


def cpu():
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def gpus():
    """Name, memory and driver of every GPU that nvidia-smi reports."""
    rows = output_of("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
    return [dict(zip(("name", "memory", "driver"), (cell.strip() for cell in row.split(",")))) for row in
            rows.splitlines()]


def cuda_driver():
    """CUDA version that the driver supports, or None without one."""
    match = re.search(r"CUDA Version:\s*([\d.]+)", output_of("nvidia-smi"))
    return match[1] if match else None


def describe():
    return {"cpu": cpu(), "cores": os.cpu_count(), "gpus": gpus(), "cuda_driver": cuda_driver()}
