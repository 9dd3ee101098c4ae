"""Runs of the fixes that have a twin of the plugin's, as data. Each follows the course of the stock fix."""

import re
from dataclasses import dataclass

TWINS = ("nve|nvt|npt|momentum|setforce|aveforce|addforce|viscous|temp/rescale|temp/berendsen|temp/csvr|langevin|heat|"
         "ehex|dt/reset|spring/self|move|wall/reflect|deform")


def twins(commands):
    """The same commands with the plugin's fixes, where these have the settings."""
    return re.sub(rf"^(fix \S+ \S+ (?:{TWINS}))(?=\s|$)(?!.* remap (?:v|none))", r"\1/triad", commands,
                  flags=re.MULTILINE)


@dataclass(frozen=True)
class Course:
    """`commands`: after the pair style, up to `run`. A fix called `integrate` has its own output compared."""

    name: str
    commands: str
    steps: int = 200
    system: str = "si-1989"
    ranks: int = 1
    # Largest difference from stock relative to the largest value of a column.
    relative: float = 1e-8
    outputs: str = ""  # of the fix `integrate`


HOT = "velocity all create 600 2817 loop geom\n"
MELTING = HOT.replace("600", "6000") + "neighbor 1.0 bin\n"  # lists are renewed often
TWO_GROUPS = "group some id 1:100\ngroup others subtract all some\n"
PER_ATOM_MASS = ("fix masses all property/atom rmass ghost yes\nvariable m atom 20+0.05*id\n"
                 "set group all mass v_m\n")


def nh(style, keywords, outputs=12, **more):
    """A course under fix nvt or npt. `outputs`: length of the fix's vector, which is compared too."""
    before = more.pop("before", "")
    after = more.pop("after", "")
    vector = " ".join(["f_integrate", *(f"f_integrate[{n}]" for n in range(1, outputs + 1))])
    return {"commands": HOT + before + f"fix integrate all {style} {keywords}\n" + after, "outputs": vector, **more}


FORCE_OF_PUSH = "f_push f_push[1] f_push[2] f_push[3]"
PUSH = "fix push some addforce 0.1 -0.2 0.3\nfix_modify push energy yes virial yes\n"


COURSES = {course.name: course for course in [
    Course("nve", HOT + "fix integrate all nve\n"),
    Course("nve-melt", HOT.replace("600", "6000") + "fix integrate all nve\n", system="si-melt"),
    Course("nve-melt-narrow-skin", MELTING + "neighbor 0.5 bin\nfix integrate all nve\n", system="si-melt"),
    Course("nve-melt-sorted-atoms", "atom_modify sort 30 3.0\n" + MELTING + "fix integrate all nve\n", system="si-melt"),
    Course("nve-melt-lists-of-others", MELTING + "fix integrate all nve\ncompute near all coord/atom cutoff 2.8\n"
           "compute pairs all reduce sum c_near\ncompute path all msd\n", system="si-melt",
           outputs="c_pairs c_path[4]"),
    Course("nve-melt-per-atom", MELTING + "fix integrate all nve\ncompute part all pe/atom\n"
           "compute least all reduce min c_part\n", system="si-melt", outputs="c_least"),
    Course("nve-melting-triclinic", MELTING + "fix integrate all nve\n", system="triclinic"),
    Course("nve-melting-slab", MELTING.replace("6000", "1000") + "fix integrate all nve\n", system="si-slab-ppf"),
    Course("nve-triclinic", HOT + "fix integrate all nve\n", system="triclinic"),
    Course("nve-two-elements", HOT + "fix integrate all nve\n", system="sige"),
    Course("nve-one-group-moves", HOT + TWO_GROUPS + "fix integrate some nve\n"),
    Course("nve-two-groups", HOT + TWO_GROUPS + "fix integrate some nve\nfix other others nve\n"),
    Course("nve-masses-of-atoms", PER_ATOM_MASS + HOT + "fix integrate all nve\n"),
    Course("nve-real-units", HOT + "fix integrate all nve\n", system="si-real-units"),
    Course("nvt", **nh("nvt", "temp 600 600 0.1")),
    Course("nvt-ramp", **nh("nvt", "temp 600 300 0.05 drag 0.2")),
    Course("nvt-one-thermostat", **nh("nvt", "temp 600 600 0.1 tchain 1", outputs=4)),
    Course("nvt-five-thermostats", **nh("nvt", "temp 600 900 0.1 tchain 5 tloop 3", outputs=20)),
    Course("nvt-group", HOT + TWO_GROUPS + "fix integrate some nvt temp 500 500 0.1\nfix other others nve\n"),
    Course("nvt-two-groups", HOT + TWO_GROUPS + "fix integrate some nvt temp 900 900 0.1\n"
           "fix other others nvt temp 300 300 0.1\n"),
    Course("nvt-masses-of-atoms", **nh("nvt", "temp 600 600 0.1", before=PER_ATOM_MASS)),
    Course("nvt-real-units", **nh("nvt", "temp 600 600 100"), system="si-real-units"),
    Course("nvt-three-elements", **nh("nvt", "temp 600 600 0.1"), system="bnc-sheet"),
    Course("nvt-own-temperature", **nh("nvt", "temp 600 600 0.1", before="compute own all temp\n"
                                       "compute_modify own extra/dof 6\n", after="fix_modify integrate temp own\n")),
    Course("nvt-two-ranks", **nh("nvt", "temp 600 600 0.1"), ranks=2),
    Course("nvt-melt", **nh("nvt", "temp 4000 4000 0.05"), system="si-melt", ranks=2),
    Course("npt-iso", **nh("npt", "temp 600 600 0.1 iso 0 1000 0.5", outputs=28)),
    Course("npt-iso-group", HOT + TWO_GROUPS + "fix integrate some npt temp 900 300 0.05 iso 0 0 0.5\n"
           "fix other others nve\n"),
    Course("npt-iso-triclinic", **nh("npt", "temp 600 600 0.1 iso 0 1000 0.5", outputs=28), system="triclinic"),
    Course("npt-aniso", **nh("npt", "temp 600 600 0.1 aniso 0 0 0.5 drag 0.1", outputs=36)),
    Course("npt-own-targets", **nh("npt", "temp 600 600 0.1 x 0 100 0.5 y 5000 0 0.4 z 0 0 0.3 nreset 50",
                                   outputs=37)),
    Course("npt-aniso-triclinic", **nh("npt", "temp 600 600 0.1 aniso 0 1000 0.5", outputs=36),
           system="triclinic-crystal"),
    Course("npt-own-targets-triclinic", **nh("npt", "temp 600 600 0.1 x 0 9000 0.5 y 5000 0 0.4 z -7000 0 0.3 nreset 50",
                                             outputs=37), system="triclinic-crystal"),
    Course("npt-coupled-triclinic-two-ranks", **nh("npt", "temp 600 600 0.1 x 5000 0 0.5 y 5000 0 0.5 couple xy",
                                                   outputs=37), system="triclinic-crystal", ranks=2),
    Course("npt-one-edge", **nh("npt", "temp 600 600 0.1 z 10000 10000 0.3", outputs=37)),
    Course("npt-coupled", **nh("npt", "temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 z 100 0 0.7 couple xy tchain 5 pchain 2 "
                               "mtk no tloop 3 ploop 2", outputs=41)),
    Course("npt-all-coupled", **nh("npt", "temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 z 0 0 0.5 couple xyz pchain 0 "
                                   "fixedpoint 0 0 0", outputs=17)),
    Course("npt-slab", **nh("npt", "temp 600 600 0.1 x 0 0 0.5 y 0 0 0.5 couple xy", outputs=37),
           system="si-slab-ppf"),
    Course("npt-evaporating", **nh("npt", "temp 600 600 0.1 iso 0 0 0.5", outputs=28, after="""
region everywhere block INF INF INF INF INF INF
fix leave all evaporate 20 5 everywhere 4711
""")),
    Course("npt-melt", **nh("npt", "temp 5000 4000 0.05 aniso 0 0 0.1", outputs=36), system="si-melt"),
    Course("npt-two-ranks", **nh("npt", "temp 600 600 0.1 iso 0 0 0.2", outputs=28), ranks=2),
    Course("npt-four-ranks-tiled", **nh("npt", "temp 600 600 0.1 aniso 0 0 0.2", outputs=36),
           system="tiled-and-balanced", ranks=4),
    Course("npt-own-computes", **nh("npt", "temp 600 600 0.1 iso 0 0 0.5", outputs=28, before="""
compute heat all temp
compute load all pressure heat
""", after="fix_modify integrate temp heat\nfix_modify integrate press load\n")),
    # the kinetic tensor that the fix has measured, or that of the velocities after it
    *(Course(f"npt-{kind}-output-of-its-computes", HOT + f"fix integrate all npt temp 900 300 0.05 {kind} 0 0 0.3\n",
             outputs="c_integrate_temp c_integrate_press c_integrate_press[1] c_integrate_press[4]")
      for kind in ("iso", "aniso")),
    Course("temp-rescale-of-thermo-temp", HOT + "fix integrate all nve\nfix heat all temp/rescale 2 900 300 1 0.5\n"
           "fix_modify heat temp thermo_temp\n", outputs="f_heat"),
    Course("momentum", HOT + "velocity all set 3 -2 1 sum yes units box\nfix integrate all nve\n"
           "fix still all momentum 7 linear 1 0 1\n"),
    Course("momentum-rescale", HOT + TWO_GROUPS + "fix integrate all nvt temp 600 600 0.1\n"
           "fix still some momentum 3 linear 1 1 1 rescale\n"),
    Course("temp-rescale", HOT + "fix integrate all nve\nfix heat all temp/rescale 5 600 300 10 0.5\n", outputs="f_heat"),
    Course("temp-rescale-group-two-ranks", HOT + TWO_GROUPS + "fix integrate all nve\n"
           "fix heat some temp/rescale 2 900 900 0 1.0\n", outputs="f_heat", ranks=2),
    Course("temp-rescale-own-temperature", HOT + TWO_GROUPS + "fix integrate all nve\ncompute own all temp\n"
           "fix heat some temp/rescale 5 500 500 5 0.3\nfix_modify heat temp own\n", outputs="f_heat"),
    Course("temp-berendsen", HOT + "fix integrate all nve\nfix heat all temp/berendsen 300 900 0.05\n",
           outputs="f_heat"),
    Course("temp-berendsen-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix heat some temp/berendsen 300 300 0.1\n", system="si-melt", outputs="f_heat", ranks=2),
    # at temperature 0, where there is no noise
    Course("langevin-friction", HOT + TWO_GROUPS + "fix integrate all nve\nfix heat all langevin 0 0 0.1 1 tally yes\n"
           "fix more some langevin 0 0 0.2 1 tally yes\nfix third others langevin 0 0 0.5 1\n",
           outputs="f_heat f_more f_third ecouple"),
    Course("langevin-friction-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix heat some langevin 0 0 0.5 1 tally yes scale 1 2.0\n", system="si-melt", outputs="f_heat", ranks=2),
    Course("langevin-friction-second-run", PER_ATOM_MASS + HOT + "fix integrate all nve\n"
           "fix heat all langevin 0 0 0.5 1 tally yes\nthermo_style custom step f_heat econserve\nthermo 7\nrun 20\n"
           "run 20 pre no\n", outputs="f_heat"),
    Course("heat", HOT + TWO_GROUPS + "fix integrate all nve\nfix hot some heat 1 2.0\nfix cold others heat 1 -2.0\n",
           outputs="f_hot f_cold"),
    Course("heat-region-two-ranks", HOT + "region end block INF 5.4 INF INF 1 INF units box\nfix integrate all nve\n"
           "fix hot all heat 3 1.5 region end\n", outputs="f_hot", ranks=2),
    Course("heat-real-units", HOT + "fix integrate all nve\nfix cold all heat 2 -0.5\n", system="si-real-units",
           outputs="f_cold"),
    Course("ehex", HOT + TWO_GROUPS + "fix integrate all nve\nfix hot some ehex 1 50.0\nfix cold others ehex 1 -20.0\n",
           outputs="f_hot f_cold"),
    Course("ehex-two-elements", HOT + "fix integrate all nve\nfix hot all ehex 2 100.0 hex\n", system="sige",
           outputs="f_hot"),
    Course("ehex-melt-regions-two-ranks", MELTING + "region left block INF 5.4 INF INF INF INF units box\n"
           "region right block 7 INF 2 9 INF INF units box\nfix integrate all nve\n"
           "fix hot all ehex 1 30.0 region left\nfix cold all ehex 1 -30.0 region right\n", system="si-melt",
           outputs="f_hot f_cold", ranks=2),
    # atoms of the blocks and groups are few, and steps between two outputs are many enough to list them
    Course("ehex-thin-slabs", MELTING.replace("6000", "2000") + "neighbor 0.5 bin\n"
           "region left block INF 1.5 INF INF INF INF units box\n"
           "region right block 5 6.5 INF INF INF INF units box\nfix integrate all nve\n"
           "fix hot all ehex 1 30.0 region left\nfix cold all ehex 1 -30.0 region right\n", steps=320, system="si-melt",
           outputs="f_hot f_cold"),
    Course("few-atoms-in-several-actions", MELTING.replace("6000", "2000") + "neighbor 0.5 bin\n"
           "group some id 1:30\ngroup few id 20:40\n"
           "region left block INF 1.5 INF INF INF INF units box\nfix integrate all nve\n"
           "fix hot all ehex 1 10.0 region left\nfix cold some heat 3 -5.0\n"
           "fix bath few temp/rescale 2 2000 2000 0 1.0\n", steps=320, system="si-melt",
           outputs="f_hot f_cold f_bath"),
    Course("dt-reset", HOT.replace("600", "6000") + "fix integrate all nve\n"
           "fix fit all dt/reset 3 1e-5 0.002 0.004 units box\n", system="si-melt", outputs="f_fit dt time"),
    Course("dt-reset-work-two-ranks", HOT + PER_ATOM_MASS + TWO_GROUPS + "fix integrate all nvt temp 600 600 0.1\n"
           "fix fit some dt/reset 1 NULL NULL 0.01 emax 0.001\n", outputs="f_fit dt time", ranks=2),
    Course("dt-reset-langevin", HOT + "fix integrate all nve\nfix heat all langevin 0 0 0.5 1 tally yes\n"
           "fix fit all dt/reset 7 NULL 0.001 0.002\n", outputs="f_fit dt time f_heat", system="si-real-units"),
    Course("ends-of-steps-in-order", HOT + TWO_GROUPS + "fix integrate all nve\nfix warm some heat 1 1.0\n"
           "fix cool all temp/berendsen 300 900 0.05\nfix still all momentum 5 linear 1 1 1\n"
           "fix hot others ehex 1 20.0\nfix scale some temp/rescale 5 700 500 5 0.5\n",
           outputs="f_warm f_cool f_hot f_scale"),
    Course("ends-of-steps-nvt", HOT + TWO_GROUPS + "fix integrate all nvt temp 600 600 0.1\nfix warm some heat 1 2.0\n"
           "fix cool others temp/berendsen 300 300 0.1\n", outputs="f_integrate f_warm f_cool"),
    Course("ends-of-steps-of-few-atoms-nvt", HOT + "group few id 1:30\nfix integrate all nvt temp 600 600 0.1\n"
           "fix warm few heat 3 2.0\n", outputs="f_integrate f_warm", steps=400),
    Course("ends-of-steps-after-samples", HOT + "fix integrate all nve\nfix sample all ave/time 2 5 10 c_thermo_temp\n"
           "fix cool all temp/rescale 1 300 300 0 0.1\n", outputs="f_sample f_cool"),
    Course("ends-of-steps-and-friction", HOT + TWO_GROUPS + "fix integrate all nve\nfix warm all heat 2 5.0\n"
           "fix friction some langevin 0 0 0.1 1 tally yes\n", outputs="f_warm f_friction"),
    Course("friction-and-ends-of-steps", HOT + TWO_GROUPS + "fix integrate all nve\n"
           "fix friction some langevin 0 0 0.1 1 tally yes\nfix warm all heat 2 5.0\n"
           "fix cool others temp/rescale 2 500 500 0 0.3\n", outputs="f_warm f_friction f_cool c_cool_temp"),
    Course("temp-csvr", HOT + "fix integrate all nve\nfix heat all temp/csvr 300 900 0.05 4711\n", outputs="f_heat"),
    Course("temp-csvr-group-lists-expire", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix heat some temp/csvr 3000 3000 0.1 17\n", system="si-melt", outputs="f_heat"),
    Course("temp-csvr-few-atoms-two-ranks", HOT + "group few id 1:4\nfix integrate all nve\n"
           "fix heat few temp/csvr 300 300 0.1 5\n", outputs="f_heat", ranks=2),
    Course("temp-csvr-in-pieces", HOT + "fix integrate all nve\nfix heat all temp/csvr 300 300 0.05 99\n"
           "thermo 7\nrun 20\nrun 20 pre no\n", outputs="f_heat"),
    Course("spring-self", HOT + TWO_GROUPS + "fix integrate all nve\nfix tie some spring/self 2.0\n"
           "fix_modify tie energy yes\n", outputs="f_tie"),
    Course("spring-self-direction-melt", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix tie some spring/self 0.5 xz\n", system="si-melt", outputs="f_tie"),
    Course("spring-self-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix tie some spring/self 0.5\nfix more all spring/self 0.1 y\n", system="si-melt", ranks=2,
           outputs="f_tie f_more"),
    Course("spring-self-triclinic", MELTING + "group some id 1:30\nfix integrate all nve\n"
           "fix tie some spring/self 0.5\n", system="triclinic", outputs="f_tie"),
    Course("spring-self-npt", HOT + TWO_GROUPS + "fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n"
           "fix tie some spring/self 0.5\n", outputs="f_tie"),
    Course("spring-self-minimisation", HOT + TWO_GROUPS + "fix integrate all nve\nfix tie some spring/self 5.0\n"
           "displace_atoms all random 0.1 0.1 0.1 87287\nminimize 0 1e-4 20 40\nreset_timestep 0\n",
           outputs="f_tie"),
    Course("move", HOT + TWO_GROUPS + "fix integrate others nve\nfix pull some move linear 0.5 -1.0 0.25 units box\n"),
    Course("move-melt-two-ranks", MELTING + TWO_GROUPS + "fix integrate others nve\n"
           "fix pull some move linear 0.1 0 -0.2\n", system="si-melt", ranks=2),
    Course("move-lists-expire", MELTING + TWO_GROUPS + "fix integrate others nve\n"
           "fix pull some move linear 0 0 20.0 units box\n", system="si-melt"),
    Course("move-with-thermostats", HOT + TWO_GROUPS + "fix integrate others nvt temp 600 600 0.1\n"
           "fix pull some move linear 0 0 0.5 units box\nfix scale all temp/berendsen 300 300 0.1\n",
           outputs="f_integrate f_scale"),
    Course("move-and-friction-in-pieces", HOT + TWO_GROUPS + "fix integrate others nve\n"
           "fix heat others langevin 0 0 0.1 1 tally yes\nfix pull some move linear 0 1 0 units box\nthermo 7\n"
           "run 20\nrun 20 pre no\n", outputs="f_heat"),
    Course("wall-reflect", HOT.replace("600", "3000") + "fix integrate all nve\nfix wall all wall/reflect zlo EDGE "
           "zhi EDGE\n", system="si-slab-ppf"),
    Course("wall-reflect-group-melt", MELTING.replace("6000", "3000") + "group some id 1:50\nfix integrate all nve\n"
           "fix wall some wall/reflect zhi 1.5 zlo 0.1 units lattice\n", system="si-slab-ppf"),
    Course("wall-reflect-two-ranks", HOT.replace("600", "3000") + "fix integrate all nvt temp 3000 3000 0.1\n"
           "fix wall all wall/reflect zlo EDGE units box\n", system="si-slab-ppf", ranks=2, outputs="f_integrate"),
    Course("deform", HOT + "fix integrate all nve\nfix pull all deform 1 z erate 1.0 x scale 0.99\n"),
    Course("deform-beside-npt", HOT + "fix pull all deform 1 x erate 0.2\n"
           "fix integrate all npt temp 600 600 0.1 y 0 0 0.5 z 0 1000 0.5\n", outputs="f_integrate lx ly lz"),
    Course("deform-rates", HOT + "fix integrate all nve\nfix pull all deform 4 x wiggle 0.1 0.05 y trate 0.3 z volume\n"
           "compute flow all temp/deform\n", outputs="c_flow"),
    Course("deform-wiggle-nvt", HOT + "fix integrate all nvt temp 600 600 0.1\n"
           "fix pull all deform 3 y wiggle 0.1 0.05\n", outputs="f_integrate ly"),
    Course("deform-melt-npt", MELTING + "fix integrate all npt temp 4000 4000 0.1 z 0 0 0.5\n"
           "fix pull all deform 1 x erate -0.5 y trate 0.3\n", system="si-melt", outputs="f_integrate lx ly lz"),
    Course("deform-melt", MELTING + "fix integrate all nvt temp 4000 4000 0.1\n"
           "fix pull all deform 5 x final 0.5 11.5 y vel -2.0 z trate 1.0 units box\n", system="si-melt",
           outputs="f_integrate"),
    Course("deform-volume", HOT + "fix integrate all nve\n"
           "fix pull all deform 2 x delta -0.2 0.1 y volume z volume units box\n"),
    Course("deform-two-ranks", HOT + "fix integrate all nve\nfix pull all deform 1 z erate 1.0\n", ranks=2),
    Course("deform-volume-two-ranks", HOT + "fix integrate all nve\n"
           "fix pull all deform 2 x delta -0.2 0.1 y volume z volume units box\n", ranks=2),
    Course("deform-shifted", HOT + "fix integrate all nve\n"
           "fix pull all deform 1 x delta 0.2 0.2 y scale 1.01 units box\n", outputs="xlo xhi"),
    Course("deform-triclinic", HOT + "fix integrate all nve\n"
           "fix pull all deform 1 x erate 0.5 y scale 0.99\n", outputs="lx ly xy", system="triclinic-crystal"),
    Course("deform-shear-flips", HOT + "fix integrate all nvt temp 600 600 0.1\n"
           "fix pull all deform 2 xy erate 1.5 z erate 0.1\n", outputs="f_integrate xy xz yz",
           system="triclinic-crystal"),
    Course("deform-shear-melt-two-ranks", MELTING + "change_box all triclinic\nfix integrate all nve\n"
           "fix pull all deform 1 xz erate 2.0 x erate -0.1\n", system="si-melt", ranks=2, outputs="xz"),
    Course("setforce", HOT + TWO_GROUPS + "fix integrate all nve\nfix hold some setforce 0.0 0.1 NULL\n",
           outputs="f_hold[1] f_hold[2] f_hold[3]"),
    Course("setforce-nvt-of-others", HOT + TWO_GROUPS + "velocity some set 0 0 0\n"
           "fix integrate others nvt temp 600 600 0.1\nfix hold some setforce 0.0 0.0 0.0\n",
           outputs="f_hold[1] f_hold[2] f_hold[3] f_integrate"),
    Course("setforce-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix hold some setforce 0.0 NULL 0.0\n", system="si-melt", ranks=2, outputs="f_hold[1] f_hold[2] f_hold[3]"),
    Course("setforce-minimisation", HOT + TWO_GROUPS + "fix integrate all nve\nfix hold some setforce 0.0 0.0 NULL\n"
           "displace_atoms all random 0.1 0.1 0.1 87287\nminimize 0 1e-4 20 40\nreset_timestep 0\n"),
    Course("addforce", HOT + TWO_GROUPS + "fix integrate all nve\n" + PUSH, outputs=FORCE_OF_PUSH),
    Course("addforce-melt", MELTING + "group some id 1:100\nfix integrate all nve\n" + PUSH, system="si-melt",
           outputs=FORCE_OF_PUSH),
    Course("addforce-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n" + PUSH,
           system="si-melt", ranks=2, outputs=FORCE_OF_PUSH),
    Course("addforce-triclinic", MELTING + "group some id 1:30\nfix integrate all nve\n" + PUSH, system="triclinic",
           outputs=FORCE_OF_PUSH),
    Course("addforce-npt", HOT + TWO_GROUPS + "fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n" + PUSH,
           outputs=FORCE_OF_PUSH),
    Course("addforce-stress-of-atoms", HOT + TWO_GROUPS + "fix integrate all nve\n" + PUSH +
           "compute load all stress/atom NULL\ncompute most all reduce max c_load[1] c_load[5]\n",
           outputs=FORCE_OF_PUSH + " c_most[1] c_most[2]"),
    Course("aveforce", HOT + TWO_GROUPS + "fix integrate all nve\nfix wall some aveforce NULL 0.02 0.0\n",
           outputs="f_wall[1] f_wall[2] f_wall[3]"),
    Course("aveforce-two-ranks", HOT + TWO_GROUPS + "fix integrate all nve\nfix wall some aveforce 0.0 NULL 0.05\n",
           outputs="f_wall[1] f_wall[2] f_wall[3]", ranks=2),
    Course("viscous", HOT + "fix integrate all nve\nfix drag all viscous 0.002 scale 2 2.5\n", system="sige"),
    Course("viscous-melt-two-ranks", MELTING + "group some id 1:100\nfix integrate all nve\n"
           "fix drag some viscous 0.001\n", system="si-melt", ranks=2),
    Course("force-changes-in-order", HOT + TWO_GROUPS + "fix integrate all nve\nfix drag all viscous 0.001\n" + PUSH +
           "fix wall others aveforce 0.0 0.0 0.0\nfix hold some setforce NULL NULL 0.0\n",
           outputs=FORCE_OF_PUSH + " f_wall[3] f_hold[1] f_hold[3]"),
]}

# A small crystal for as long as rounding errors stay below the tolerance.
LONG = {course.name: course for course in [
    Course(style, HOT + f"fix integrate all {style}{keywords}\n", steps=10_000, system="si-64-atoms")
    for style, keywords in [("nve", ""), ("nvt", " temp 300 300 0.1"), ("npt", " temp 300 300 0.1 aniso 0 0 0.5")]
]}
