"""Triad: Tersoff forces on NVIDIA GPUs and on the host, as a plugin for LAMMPS."""
