"""Draws the charts of the documentation from stored results: `python benchmarks/plot.py` writes doc/pictures/*.svg.

Every chart exists for a light and for a dark page. Colours are those of Okabe and Ito, which people with colour
blindness can tell apart; lines differ by marker too, bars by their labels. `--png FOLDER` also writes PNG files, to look at.
"""

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
H200 = ROOT / "benchmarks" / "results" / "h200"
XEON = ROOT / "benchmarks" / "results" / "xeon"

# Okabe, Ito (2008)
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
THEMES = {
    "light": {"text": "#222222", "grid": "#D0D0D0", "grey": "#767676", "single": BLUE, "mixed": VERMILION,
              "double": GREEN, "other": PURPLE, "stock": "#4D4D4D"},
    "dark": {"text": "#E6E6E6", "grid": "#4A4A4A", "grey": "#A0A0A0", "single": SKY, "mixed": ORANGE, "double": "#2FC79B",
             "other": PURPLE, "stock": "#D0D0D0"},
}
MARKERS = {"single": "o", "mixed": "s", "double": "^"}


def load(path):
    return json.loads(path.read_text())


def style(theme):
    """Settings of matplotlib for one theme. Backgrounds are transparent, so that the page shows through."""
    colours = THEMES[theme]
    return {
        "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "text.color": colours["text"],
        "axes.edgecolor": colours["grey"], "axes.labelcolor": colours["text"], "xtick.color": colours["text"],
        "ytick.color": colours["text"], "grid.color": colours["grid"], "grid.linewidth": 0.7, "font.size": 11,
        "axes.titlesize": 11.5, "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.8,
        "lines.markersize": 6, "legend.frameon": False, "svg.hashsalt": "triad", "svg.fonttype": "path",
    }


def draw_peers(colours):
    """Whole steps beside other programs, from peers.json, and beside stock on one core, from host.json: rates as bars."""
    results = load(H200 / "peers.json")["results"]
    stock = {r["system"]: r["atom_steps_per_s"] for r in load(XEON / "host.json")["results"] if r["style"] == "tersoff"}
    systems = (("si", 32768, "silicon crystal\n32,768 atoms"), ("si", 1000000, "silicon crystal\n1,000,000 atoms"),
               ("sic", 1000000, "silicon carbide\n1,000,000 atoms"), ("melt", 262144, "liquid silicon\n262,144 atoms"))
    codes = (("tersoff", "double", "LAMMPS tersoff, one CPU core *", colours["stock"]),
             ("gpumd", "double", "GPUMD 5.6, double", colours["grey"]),
             ("tersoff/kk", "double", "LAMMPS tersoff/kk, double", colours["other"]),
             ("triad", "double", "Triad, double", colours["double"]),
             ("triad", "mixed", "Triad, mixed (default)", colours["mixed"]),
             ("triad", "single", "Triad, single", colours["single"]))
    figure, axes = pyplot.subplots(figsize=(8.2, 4.6), layout="constrained")
    width = 0.155
    for number, (code, precision, label, colour) in enumerate(codes):
        for group, (system, atoms, _) in enumerate(systems):
            rate = 1e-9 * stock[system] if code == "tersoff" else next(
                1e-9 * r["atom_steps_per_s"] for r in results if
                (r["system"], r["atoms"], r["code"], r["precision"]) == (system, atoms, code, precision))
            at = group + (number - 2.5) * width
            axes.bar(at, rate, 0.92 * width, color=colour, label=label if group == 0 else None)
            text = f"{rate:.4f}" if rate < 0.01 else f"{rate:.2f}" if rate < 1 else f"{rate:.1f}"
            axes.text(at - (0.05 if code == "tersoff" else 0), 1.1 * rate, text, ha="center", fontsize=7.5)
    axes.set_yscale("log")
    axes.set(xticks=range(len(systems)), xticklabels=[name for *_, name in systems], ylim=(0.0001, 400),
             ylabel="billion atom-steps per second",
             title="Whole time steps on one NVIDIA H200, and on one CPU core")
    axes.set_xlabel("* 32,768 atoms on one Xeon core, double; the melt at 3000 K", fontsize=9)
    axes.set_yticks([0.001, 0.01, 0.1, 1, 10], ["0.001", "0.01", "0.1", "1", "10"])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.legend(ncols=3, loc="upper center", fontsize=9.5, columnspacing=1.2, handlelength=1.2)
    return figure


def draw_sizes(colours):
    """Whole steps of the silicon crystal against the number of atoms, from peers.json."""
    results = [r for r in load(H200 / "peers.json")["results"] if (r["system"], r["code"]) == ("si", "triad")]
    figure, axes = pyplot.subplots(figsize=(6.2, 4.0), layout="constrained")
    for precision, marker in MARKERS.items():
        rows = sorted((r["atoms"], 1e-9 * r["atom_steps_per_s"]) for r in results if r["precision"] == precision)
        axes.plot(*zip(*rows), marker=marker, color=colours[precision], label=precision)
    sizes = sorted({r["atoms"] for r in results})
    axes.set(xscale="log", ylim=(0, None), xlabel="number of atoms", ylabel="billion atom-steps per second",
             title="Silicon crystal, whole steps, one H200")
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes], rotation=20)
    axes.minorticks_off()
    axes.grid()
    axes.legend(title="precision")
    return figure


def draw_threads(colours):
    """Speed-up of one rank over threads on 16 cores, from scaling.json."""
    results = [r for r in load(XEON / "scaling.json")["results"] if r.get("ranks") == 1 and r.get("atoms") == 262144]
    figure, axes = pyplot.subplots(figsize=(6.2, 4.0), layout="constrained")
    axes.plot((1, 16), (1, 16), ":", color=colours["grey"], label="ideal")
    for precision in ("mixed", "double"):
        rows = sorted((r["threads"], r["atom_steps_per_s"]) for r in results if f"precision {precision}" in r["style"])
        axes.plot([n for n, _ in rows], [rate / rows[0][1] for _, rate in rows], marker=MARKERS[precision],
                  color=colours[precision], label=precision)
    axes.set(xscale="log", yscale="log", xlabel="threads", ylabel="speed-up over one thread",
             title="262,144 silicon atoms on 16 cores of a Xeon")
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks((1, 2, 4, 8, 16), ("1", "2", "4", "8", "16"))
    axes.minorticks_off()
    axes.grid()
    axes.legend()
    return figure


def draw_ablation(colours):
    """Gain of each optimisation step over the baseline, ours and that of Lin et al. (2023), from ablation.json."""
    results = load(H200 / "ablation.json")["results"]
    figure, axes = pyplot.subplots(figsize=(6.2, 4.0), layout="constrained")
    shades = (colours["single"], colours["mixed"], colours["double"], colours["other"], colours["text"])
    for number, system in enumerate(results):
        steps = [v["variant"] for v in system["variants"]]
        seconds = [v["seconds_per_1000_steps"] for v in system["variants"]]
        if "engine_seconds_per_1000_steps" in system:
            steps.append("engine")
            seconds.append(system["engine_seconds_per_1000_steps"])
        axes.plot(steps, [seconds[0] / s for s in seconds], marker="os^Dv"[number], color=shades[number],
                  label=f"{system['atoms']:,} atoms")
        paper = system.get("paper_seconds_per_1000_steps", [])
        axes.plot(steps[: len(paper)], [paper[0] / s for s in paper], "x:", color=colours["grey"], linewidth=1.2)
    axes.plot([], [], "x:", color=colours["grey"], label="Lin et al., the same sizes, V100")
    axes.set(ylabel="speed-up over the baseline", ylim=(0, None),
             title="Optimisation steps of Lin et al. (2023), fp32, one H200")
    axes.grid(axis="y")
    axes.legend(fontsize=9.5)
    return figure


def draw_scaling(colours):
    """Speed-up over one GPU for fixed numbers of atoms, measured and by the model, from scaling.json."""
    report = load(H200 / "scaling.json")
    figure, axes = pyplot.subplots(figsize=(6.8, 4.6), layout="constrained")
    shades = (colours["single"], colours["mixed"], colours["double"], colours["other"])
    rows = report["predicted"]["mixed"]
    runs = [r for r in report["measured"] if r["precision"] == "mixed" and r["route"] == "gpu"
            and r["commit"] in report["models"]["mixed"]["fitted_to"]]
    gpus = sorted({r["gpus"] for r in rows})
    axes.plot(gpus, gpus, ":", color=colours["grey"], label="ideal")
    for shade, marker, atoms in zip(shades, "osD^", (1_000_000, 8_000_000, 64_000_000, 512_000_000)):
        model = {r["gpus"]: r["us"] for r in rows if r["kind"] == "strong" and r["atoms"] == atoms}
        for part, line in (([n for n in gpus if n <= 8], "-"), ([n for n in gpus if n >= 16], "--")):
            axes.plot(part, [model[1] / model[n] for n in part], line, color=shade,
                      label=f"{atoms // 1_000_000} million atoms" if line == "-" else None)
        of_size = {r["gpus"]: r["us"] for r in runs if r["atoms"] == atoms}
        if 1 in of_size:
            axes.plot(list(of_size), [of_size[1] / us for us in of_size.values()], marker, color=shade)
    axes.plot([], [], "o", color=colours["grey"], label="measured")
    axes.plot([], [], "-", color=colours["grey"], label="model, one host")
    axes.plot([], [], "--", color=colours["grey"], label="model, hosts of 8 through MPI")
    axes.set(xscale="log", yscale="log", xlabel="GPUs", ylabel="speed-up over one GPU", ylim=(0.2, 1200),
             title="Silicon crystal, mixed, H200")
    axes.set_xticks((1, 2, 4, 8, 16, 64, 256, 1024), ("1", "2", "4", "8", "16", "64", "256", "1024"))
    axes.set_yticks((1, 10, 100, 1000), ("1", "10", "100", "1000"))
    axes.minorticks_off()
    axes.grid()
    axes.legend(fontsize=9.5)
    return figure


CHARTS = {"speed": draw_peers, "sizes": draw_sizes, "threads": draw_threads, "ablation": draw_ablation,
          "scaling": draw_scaling}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "doc" / "pictures", help="folder of the SVG files")
    parser.add_argument("--png", type=Path, help="folder for PNG files of the same charts on their backgrounds")
    options = parser.parse_args()
    if options.png:
        options.png.mkdir(parents=True, exist_ok=True)
    for theme, colours in THEMES.items():
        with pyplot.rc_context(style(theme)):
            for name, draw in CHARTS.items():
                figure = draw(colours)
                figure.savefig(options.output / f"{name}-{theme}.svg", metadata={"Date": None})
                if options.png:
                    background = {"light": "white", "dark": "#131416"}[theme]
                    figure.savefig(options.png / f"{name}-{theme}.png", dpi=100, facecolor=background)
                pyplot.close(figure)


if __name__ == "__main__":
    main()
