#!/usr/bin/env python3
"""Profiles steps of `step_rate` with Nsight Compute, and writes how near each kernel comes to the limits of the GPU.

    benchmarks/kernel_limits.py --step-rate build/benchmarks/step_rate --potentials <folder> sic:1000000:mixed

Each word is system:atoms:precision. Columns: the kernel's time per step, and in per cent of their peaks the
instructions issued, the first-level cache, the second-level cache, device memory and the fp64 pipe, then the share of
resident warps. The last line of a system adds up the kernels: their time, and the time if each reached 100 % of the
peak that it comes nearest to. Nsight Compute runs one kernel at a time; in a whole step kernels overlap.
"""

import argparse
import csv
import io
import re
import subprocess
import sys
from collections import defaultdict

METRICS = {
    "issue": "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "fp64": "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
TIME = "gpu__time_duration.sum"
LIMITS = [name for name in METRICS if name != "warps"]


def profile(options, system, atoms, precision):
    """Rows of (kernel, {metric: value}) of the launches that were profiled, in their order."""
    command = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
               "--cache-control", "none", "--metrics", ",".join([TIME, *METRICS.values()]),
               "--launch-skip", str(options.skip), "--launch-count", str(options.launches),
               options.step_rate, "--system", system, "--atoms", atoms, "--precision", precision,
               "--steps", str(options.steps), "--repeats", "1", "--potentials", options.potentials]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    table = output[output.find('"ID"'):]
    rows = list(csv.DictReader(io.StringIO(table))) if '"ID"' in output else []
    rows = [row for row in rows if row["ID"].isdigit()]  # the row below the header has the units
    if not rows:
        sys.exit(f"Nsight Compute has profiled no kernel of {system} with {atoms} atoms:\n{output}")

    def number(row, metric):
        return float(row[metric].replace(",", "") or "nan")

    return [(re.sub(r"^void |<.*|\(.*", "", row["Kernel Name"]).split("::")[-1],
             {"time": 1e-3 * number(row, TIME), **{name: number(row, metric) for name, metric in METRICS.items()}})
            for row in rows]


def means(launches):
    """{kernel: {metric: mean}} with the time per step. A step has one launch of the most frequent kernel."""
    of_kernel = defaultdict(list)
    for kernel, values in launches:
        of_kernel[kernel].append(values)
    steps = max(len(values) for values in of_kernel.values())
    result = {}
    for kernel, values in of_kernel.items():
        total = sum(v["time"] for v in values)
        result[kernel] = {name: sum(v[name] * v["time"] for v in values) / total for name in METRICS}
        result[kernel]["time"] = total / steps
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="+", help="system:atoms:precision")
    parser.add_argument("--step-rate", default="step_rate")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--potentials", default=".")
    parser.add_argument("--skip", type=int, default=250, help="launches before the first one that is profiled")
    parser.add_argument("--launches", type=int, default=60)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    print("| System | Kernel | us/step | " + " | ".join(f"{name} %" for name in METRICS) + " |")
    print("| --- " * (3 + len(METRICS)) + "|")
    for word in options.systems:
        system, atoms, precision = word.split(":")
        kernels = means(profile(options, system, atoms, precision))
        name = f"{system}, {int(atoms):,}, {precision}"
        for kernel, values in sorted(kernels.items(), key=lambda item: -item[1]["time"]):
            cells = " | ".join(f"{values[metric]:.0f}" for metric in METRICS)
            print(f"| {name} | {kernel} | {values['time']:.1f} | {cells} |")
        total = sum(values["time"] for values in kernels.values())
        at_limits = sum(values["time"] * max(values[limit] for limit in LIMITS) / 100 for values in kernels.values())
        print(f"| {name} | all | {total:.1f} | at the limits: {at_limits:.1f} us/step |" + " |" * (len(METRICS) - 1),
              flush=True)


if __name__ == "__main__":
    main()
