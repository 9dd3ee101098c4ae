"""Scripts of commands drawn at random by a seed, written once and rendered for LAMMPS's own styles and the plugin's.

A drawn script has placeholders that differ between the two: `{pair}` for the pair style and its coefficients,
`{run_style}`, and `{reload}` for unloading and loading the plugin. `@` stands before names of files.
"""

import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from courses import HOT, twins
from pairwise import fix_of
from styles import STOCK, Style, triad
from system import DEFAULT_PAIR
from systems import SYSTEMS

# What is compared: the styles of the expected run, those of the run that is tested, and its command line.
MODES = {
    "verlet": "stock beside the pair style of the plugin, both with LAMMPS's run style and fixes",
    "foreign": "stock beside the pair style and run style of the plugin, with LAMMPS's fixes",
    "resident": "stock beside the pair style, run style and fixes of the plugin",
    "suffix": "stock beside the same script under -suffix triad",
    "ours": "the plugin under run_style verlet with LAMMPS's fixes beside its run style and fixes; with what LAMMPS lacks",
}
# Per system: which edges are periodic, and whether the box is tilted.
CHOICES = {"si-1989": "xyz", "si-64-atoms": "xyz", "sige": "xyz", "sic-zincblende": "xyz", "bnc-sheet": "xyz",
           "si-slab-ppf": "xy", "triclinic": "xyz tilted", "mod-crystal": "xyz", "zbl-zincblende": "xyz",
           "modc-crystal": "xyz", "gan-wurtzite": "xyz", "si-1988-lambda3": "xyz", "hybrid-two-members": "xyz"}
SORTS = ["0 0", "5 2.5", "1000 3.0"]
LISTS = ["every 1 delay 0 check yes", "every 2 delay 4 check yes", "every 5 delay 0 check no", "delay 10"]
INTEGRATORS = ["nve", "nve", "nve/limit 0.05", "nvt temp 600 600 0.1", "nvt temp 600 300 0.05 tchain 1",
               "npt temp 600 600 0.1 iso 0 0 1.0", "npt temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 couple xy"]
PAIRS = ["coulomb/power coeff * * 0.5 0.1 2", "lj coeff * * 0.01 2.0 range list cutoff 2.9"]
FIXES = ["all setforce NULL NULL 0.0", "some addforce 0.05 -0.02 0.0", "all temp/rescale 3 500 400 5 0.7",
         "all momentum 4 linear 1 1 1", "all momentum 3 linear 1 0 1 rescale",
         "all ave/time 2 3 6 c_ke c_sum file @means.{id}", "all recenter INIT INIT INIT", "all viscous 0.05",
         "some spring/self 0.5", "all temp/csvr 500 400 0.1 4711", "some spring/self 0.2 xz", "all deform 2 x erate 0.2",
         "some move linear 0.1 0.0 -0.1", "all store/state 4 x y z", "all temp/berendsen 500 500 0.05",
         "all ave/correlate 2 2 4 c_sum c_ke file @memory.{id}", "some drag 3 3 3 0.1 1.0", "all vector 1 c_ke",
         "all heat 2 0.1", "all evaporate 4 1 whole 4711", "moving addforce 0.1 0.0 -0.05", "moving setforce 0.0 NULL NULL",
         "all deform 1 x erate 0.3 remap x", "all deform 3 y vel 0.4 remap none", "all deform 2 x wiggle 0.2 0.02 remap v",
         "all balance 5 1.0 shift xyz 5 1.0", "some momentum 5 linear 1 1 1", "all ave/atom 1 4 4 fx vy",
         "some spring tether 5 5 5 2.0 0.5", "some ehex 2 3.0", "some langevin 0 0 0.1 4711 tally yes",
         "all ave/time 1 3 4 c_thermo_temp c_thermo_press[2] c_thermo_pe file @means.{id}",
         "all ave/correlate 1 2 3 c_thermo_press[4] c_thermo_temp file @memory.{id}",
         "all dt/reset 4 1e-5 0.001 0.01 units box", "all print 6 \"$(c_ke:%.9g)\" file @means.{id} screen no"]
COLUMNS = ["step atoms temp pe etotal press lx", "step temp pe press pxy pzz vol", "step temp pe c_ke c_m v_mx",
           "step temp c_sum c_least", "step temp c_pull[1] c_pull[2] fmax"]
OWN_COLUMNS = ["step temp pe press c_j[1] c_j[4]", "step temp c_j[1] c_j[2]",
               "step temp c_layers[1][2] c_layers[3][3] c_layers[5][4]"]
EVERY = ["", " pre no", " post no", ' every 3 "velocity all scale 550"', " every 2 NULL", " pre no post no"]


@dataclass
class Drawing:
    """Draws the lines of a script."""

    seed: int
    mode: str = ""
    lines: list = field(default_factory=list)
    fixes: dict = field(default_factory=dict)  # ID -> style

    def __post_init__(self):
        self.random = random.Random(self.seed)
        self.mode = self.mode or self.one(list(MODES))
        names = list(CHOICES)
        if self.mode == "suffix":  # which adds the same suffix to all styles
            names = [name for name in names if SYSTEMS[name].pair == DEFAULT_PAIR]
        self.system = SYSTEMS[self.one(names)]
        self.periodic = CHOICES[self.system.name]
        self.ranks = self.one([1, 1, 2, 3])
        self.pair_fix = self.one(["", *PAIRS]) if self.mode == "ours" else ""
        self.lines = ["{run_style}", HOT.strip(), "group some id 1:60"]
        self.set_up(self.integrators())
        for _ in range(self.random.randint(8, 16)):
            self.one([self.run, self.run, self.run, self.fix, self.fix, self.unfix, self.change, self.change, self.thermo,
                      self.restart if self.random.random() < 0.3 else self.run,
                      self.reload if self.random.random() < 0.3 else self.change])()
        self.lines.append("run 5")

    def one(self, choices):
        return self.random.choice(choices)

    def integrators(self):
        """Styles that this box and the fixes in force allow."""
        deforms = any("deform" in style for style in self.fixes.values())
        return [style for style in INTEGRATORS
                if not (style.startswith("npt") and deforms) and not (" iso " in style and "z" not in self.periodic)
                # of a tilted box npt/triad controls only iso
                and not ("couple" in style and "tilted" in self.periodic and self.mode in ("resident", "ours"))]

    def set_up(self, integrators):
        """What neither a restart file nor the reloaded plugin brings back."""
        self.lines += [f"atom_modify sort {self.one(SORTS)}", f"neighbor {self.one([0.3, 1.0, 2.0])} bin",
                       f"neigh_modify {self.one(LISTS)}", "region whole block INF INF INF INF INF INF",
                       "region half block INF 8 INF INF INF INF units box",
                       f"group moving dynamic all region half every {self.one([1, 3, 4])}", "compute ke all ke",
                       "compute m all gyration", "compute part all pe/atom", "compute sum all reduce sum c_part",
                       "compute least all reduce min c_part", "compute load all stress/atom NULL virial",
                       "compute pull all reduce ave c_load[1] c_load[6]", "compute_modify thermo_temp dynamic/dof yes",
                       "variable mx equal vcm(all,x)"]
        self.own()
        self.integrate(integrators)
        self.thermo()
        self.lines += [f"dump out all custom {self.one([5, 7, 10])} @atoms.dump id x y z vx vy vz fx fy fz",
                       "dump_modify out sort id format float %.17g append yes"]

    def own(self):
        """What only the plugin has."""
        if self.mode == "ours":
            self.lines.append("comm_modify cutoff 7.0")  # covers the list of the pair forces with the widest skin
            self.lines.append("compute j all heat/flux/triad")
            self.lines.append("compute layers some profile/triad x lower 0.2 temp count density/mass units reduced")
        if self.pair_fix:
            self.lines += ["fix pairs all {pairwise} %s precision double backend {backend}" % self.pair_fix,
                           "fix_modify pairs energy yes virial yes"]

    def integrate(self, integrators):
        self.lines.append(f"fix integrate all {self.one(integrators)}")
        self.integrator = self.lines[-1].split()[3]

    def thermo(self):
        self.columns = self.one(COLUMNS + (OWN_COLUMNS if self.mode == "ours" else []))
        self.lines += [f"thermo_style custom {self.columns}", "thermo_modify norm no lost ignore format float %.17g",
                       f"thermo {self.one([1, 3, 5, 10])}"]

    def run(self):
        # what follows another run may leave out its setup
        more = self.one(EVERY) if self.lines[-1].startswith("run ") else ""
        # LAMMPS prints the tensor of the pressure with the velocities before the scaling
        if "velocity" in more and "pxy" in self.columns:
            more = ""
        self.lines.append(f"run {self.one([0, 1, 2, 3, 7, 10, 15])}{more}")

    def fix(self):
        style = self.one(FIXES)
        words = " ".join([*self.fixes.values(), style])
        # stock's chain and fix momentum see late that atoms are gone
        if "evaporate" in words and ("momentum" in words or self.integrator in ("nvt", "npt")):
            return
        # nor does the latter see atoms that leave the box
        if "momentum" in style and "z" not in self.periodic:
            return
        if "deform" in style and (self.integrator == "npt" or words.count("deform") > 1):
            return
        # Removing atoms numbers none of them anew, but what is kept per atom goes with its atom only in restarts.
        if "balance" in style and (self.ranks == 1 or words.count("balance") > 1):
            return
        name = f"f{len(self.lines)}"
        self.fixes[name] = style
        self.lines.append(f"fix {name} {style.replace('{id}', name)}")

    def unfix(self):
        if self.fixes:
            name = self.one(list(self.fixes))
            del self.fixes[name]
            self.lines.append(f"unfix {name}")

    def unfix_all(self):
        self.lines += [f"unfix {name}" for name in self.fixes]
        self.fixes.clear()

    def change(self):
        number = self.random.randint(1, 50)
        first = (2 * number) % 40 + 1
        self.lines += self.one([
            [f"velocity all scale {100 + 10 * number}"], [f"displace_atoms some move 0.0{number % 10} 0.01 -0.02"],
            ["minimize 0 1e-3 2 6"], [f"timestep {self.one([0.0005, 0.001])}"], ["change_box all x scale 1.003 remap"],
            ["group some clear", f"group some id {number}:{number + 60}"], [f"neighbor {self.one([0.5, 1.5])} bin"],
            [f"delete_atoms random count 3 yes all NULL {number} compress no"],
            [f"group few id {first}:{first + 3}", "delete_atoms group few compress no", "group few delete"],
            [f"create_atoms 1 random 2 {number} NULL overlap 1.9 maxtry 40"],
            [f"set atom {first}*{first + 9} type {self.random.randint(1, 2) if self.types() > 1 else 1}"],
            ["neigh_modify exclude group some some", "run 3", "neigh_modify exclude none"],
            ["balance 1.0 shift xyz 5 1.0"] if self.may_balance() else ["velocity some zero linear"],
            ["group moving static", "run 2", "group moving dynamic all region half every 2"]
            if not any(style.startswith("moving") for style in self.fixes.values()) else ["velocity all scale 400"],
            ["run_style verlet"], ["run_style verlet/triad"]])
        if number % 5 == 0:
            self.lines.append("unfix integrate")
            self.integrate(self.integrators())

    def may_balance(self):
        # command balance makes LAMMPS's fix vector allocate a negative number of bytes
        return self.ranks > 1 and not any("vector" in style for style in self.fixes.values())

    def types(self):
        return len(self.system.elements.split())

    def restart(self):
        """Writes a restart file and goes on from it."""
        self.unfix_all()
        integrator = next(line for line in reversed(self.lines) if line.startswith("fix integrate"))
        name = f"@state.{len(self.lines)}"
        self.lines += [f"write_restart {name}", "clear", f"read_restart {name}", "{pair}", "{run_style}"]
        self.set_up([integrator.split(maxsplit=3)[3]])  # which finds its state in the file

    def reload(self):
        """Unloads the plugin, with its styles in use or not, and loads it again.

        The plugin takes along its fixes and computes, also those that the suffix chose, as LAMMPS does with each plugin.
        """
        self.unfix_all()
        self.lines += ["unfix integrate", "thermo_style one", "uncompute ke"]
        if self.mode == "ours":
            self.lines += ["uncompute j", "uncompute layers", *(["unfix pairs"] if self.pair_fix else [])]
        self.lines += self.one([[], ["pair_style none"], ["pair_style none", "run_style verlet"]])
        self.lines += ["{reload}", "{pair}", "{run_style}", "compute ke all ke"]
        self.own()
        self.integrate(self.integrators())
        self.thermo()

    def render(self, tested, backend, prefix=""):
        """(script, arguments of LAMMPS) of the run that is `tested`, or of what is expected."""
        mode, ours = self.mode, tested or self.mode == "ours"
        style = triad("double", backend) if ours else STOCK
        run_style, args = "", ()
        if tested and mode in ("foreign", "resident", "ours"):
            run_style = "run_style verlet/triad"
        if tested and mode == "suffix":
            style, run_style, args = Style("tersoff", f"precision double backend {backend}"), "run_style verlet", (
                "-suffix", "triad")
        plugin = Path(os.environ.get("LAMMPS_PLUGIN_PATH", "."), "triadplugin.so")
        values = {"pair": self.system.pair_commands(style), "run_style": run_style,
                  "reload": f"plugin clear\nplugin load {plugin}" if tested else ""}
        lines = [line for line in self.lines if run_style or not line.startswith("run_style")]
        for name, text in values.items():
            lines = [text if line == "{%s}" % name else line for line in lines]
        script = "\n".join(lines).replace("@", prefix) + "\n"
        for name, text in {"{pairwise}": fix_of(backend)["fix"], "{backend}": fix_of(backend)["backend"]}.items():
            script = script.replace(name, text)
        if tested and mode in ("resident", "ours"):
            script = twins(script)
        return self.system.create + values["pair"] + script, args
