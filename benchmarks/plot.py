"""Draws what force_rate and ablation stored: `python benchmarks/plot.py benchmarks/results/h200` writes force.png there."""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

COLOURS = {"single": "tab:blue", "mixed": "tab:orange", "double": "tab:green"}
PAPER = "paper, V100"


def draw_rates(axes, results):
    """Force kernels and force computation with upkeep against the number of atoms."""
    for precision, colour in COLOURS.items():
        rows = [r for r in results if r["precision"] == precision]
        atoms = [r["atoms"] for r in rows]
        axes.plot(atoms, [1e-9 * r["kernel_atom_steps_per_s"] for r in rows], "o-", color=colour, label=precision)
        axes.plot(atoms, [1e-9 * r["upkeep_atom_steps_per_s"] for r in rows], "s--", color=colour, mfc="white")
    axes.plot([], [], "s--", color="gray", mfc="white", label="with storing, checking\nand short-list upkeep")
    axes.set(xscale="log", xlabel="silicon atoms", ylabel="G atom-steps/s", ylim=(0, 27), title="Force computation")
    axes.legend(frameon=False)


def draw_ablation(axes, results):
    """Seconds per 1000 steps of each optimisation step, ours and the paper's, relative to the baseline."""
    for system in results:
        steps = [v["variant"] for v in system["variants"]]
        seconds = [v["seconds_per_1000_steps"] for v in system["variants"]]
        axes.plot(steps, [seconds[0] / s for s in seconds], "o-", label=f"{system['atoms']:,} atoms")
        paper = system.get("paper_seconds_per_1000_steps", [])
        axes.plot(steps[: len(paper)], [paper[0] / s for s in paper], "x:", color="gray")
    axes.plot([], [], "x:", color="gray", label=PAPER)
    axes.set(ylabel="gain over the baseline", ylim=(0, None), title="Lin et al. (2023), step by step, fp32")
    axes.legend(frameon=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder that holds force_rate.json and ablation.json")
    folder = parser.parse_args().folder
    rates = json.loads((folder / "force_rate.json").read_text())
    ablation = json.loads((folder / "ablation.json").read_text())
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_rates(left, rates["results"])
    draw_ablation(right, ablation["results"])
    figure.suptitle(f"Triad on one {rates['device']}, commit {rates['commit']}", fontsize=10)
    figure.savefig(folder / "force.png", dpi=110)


if __name__ == "__main__":
    main()
