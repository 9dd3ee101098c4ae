"""Fixes and computes of LAMMPS that read or change atoms between our steps, as data. {nve} is the integrator."""

NVE = "fix integrate all {nve}\n"
SOME = "group some id 1:100\ngroup others subtract all some\n"

FOREIGN = {
    "setforce": NVE + "group held id 1:20\nfix hold held setforce 0 NULL 0\n",
    "addforce": NVE + "fix push all addforce 0.01 0 -0.02\n",
    "addforce-with-energy": NVE + "region half block 0 1.5 INF INF INF INF\nvariable pull equal 0.1*sin(step/10)\n"
                            "fix push all addforce v_pull 0 0 region half\nfix_modify push energy yes virial yes\n",
    "viscous": NVE + "fix drag all viscous 0.01\n",
    "spring": NVE + "group few id 1:50\nfix pull few spring tether 5 5 5 6 1.0\n",
    "stock-integrator-beside": SOME + "fix integrate some {nve}\nfix other others nve\n",
    "stock-integrator-alone": "fix integrate all nve\n",
    "stock-nvt": "fix integrate all nvt temp 600 600 0.1\n",
    "stock-npt": "fix integrate all npt temp 600 600 0.1 iso 0 0 0.5\n",
    "stock-langevin": NVE + "fix heat all langevin 600 600 0.1 4711\n",
    "temp-rescale": NVE + "fix heat all temp/rescale 7 600 300 10 0.5\n",
    "temp-berendsen": NVE + "fix heat all temp/berendsen 300 300 0.05\n",
    "press-berendsen": NVE + "fix load all press/berendsen iso 0 0 0.5 modulus 1000000\n",
    "momentum-angular": NVE + "fix still all momentum 9 linear 1 1 1 angular\n",
    "recenter": NVE + "fix middle all recenter INIT INIT INIT shift all\n",
    "deform": NVE + "fix pull all deform 1 x erate 0.5 remap x\n",
    "deform-velocities": NVE + "fix pull all deform 1 x erate 2.0 remap v\n",
    "deform-by-turns": NVE + "fix pull all deform 7 y erate -0.5 remap none\n",
    "move": SOME + "fix integrate some {nve}\nfix along others move linear 0.1 0 0\n",
    "print-and-averages": NVE + 'fix words all print 7 "at $(step) $(temp:%.9g) $(pe:%.9g)" file words.txt\n'
                          "compute motion all ke\nfix mean all ave/time 2 5 10 c_thermo_temp c_motion file mean.txt\n",
    "stress-averages": NVE + "compute stress all stress/atom NULL\ncompute sum all reduce sum c_stress[*]\n"
                       "fix mean all ave/time 1 10 10 c_sum[*] file mean.txt\n",
    "displacements-and-memory": NVE + "compute far all msd\ncompute memory all vacf\n"
                                "fix mean all ave/time 5 1 5 c_far[4] c_memory[4] file mean.txt\n",
    "atoms-averaged": NVE + "compute heat all ke/atom\nfix mean all ave/atom 1 10 10 c_heat x vx fz\n"
                      "dump means all custom 50 means.dump id f_mean[*]\n"
                      "dump_modify means sort id format float %.17g\n",
    "dynamic-group": "region left block 0 1.5 INF INF INF INF\ngroup left dynamic all region left every 5\n" + NVE
                     + "fix push left addforce 0.05 0 0\n",
    "dynamic-group-integrated": "region left block 0 1.5 INF INF INF INF\ngroup left dynamic all region left every 5\n"
                                "fix integrate left {nve}\n",
    "balance": NVE + "fix even all balance 10 1.05 shift xyz 5 1.0\n",
    "store-state": NVE + "fix kept all store/state 10 xu yu zu\n",
    "halt": NVE + "variable hot equal temp\nfix stop all halt 10 v_hot > 310 error continue\n",
    "forces-of-its-own": NVE + "fix slope all numdiff/virial 10 0.01\n"
                         "thermo_style custom step pe f_slope[1] f_slope[6]\n",
    "variables-in-thermo": NVE + "variable momentum equal vcm(all,x)\nvariable here equal xcm(all,y)\n"
                           "thermo_style custom step v_momentum v_here fmax fnorm\n",
}
