"""Thermal conductivities from the output of LAMMPS: the command `lammps_triad kappa`."""
