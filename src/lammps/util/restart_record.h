// The record of a fix in LAMMPS's restart files.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "error.h"
#include "io/sealed_record.h"
#include "lammps/util/allocated_bytes.h"
#include "lmptype.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Writes the record as Fix::write_restart() has to: the number of bytes, and the numbers. For the rank that writes.
inline void write_restart_record(FILE *file, const std::vector<double> &record) {
  const int bytes = static_cast<int>(record.size() * sizeof(double));
  fwrite(&bytes, sizeof bytes, 1, file);
  fwrite(record.data(), sizeof(double), record.size(), file);
}

/// Returns unpack(buffer, bytes), where `bytes` is the number of bytes of `buffer`, the argument of Fix::restart(),
/// that all ranks can read. RestartRecordError becomes an error of LAMMPS on all ranks, which names the fix.
/// Collective.
template <class Unpack>
auto read_restart_record(LAMMPS *lmp, const char *id, const char *style, char *buffer, Unpack &&unpack) {
  auto mine = static_cast<bigint>(std::min<std::size_t>(allocated_bytes(buffer), MAXSMALLINT)), size = mine;
  MPI_Allreduce(&mine, &size, 1, MPI_LMP_BIGINT, MPI_MIN, lmp->world);  // so that all ranks fail together
  std::string reason;
  try {
    return unpack(static_cast<const char *>(buffer), static_cast<std::size_t>(size));
  } catch (const triad::RestartRecordError &fault) {
    reason = fault.what();
  }
  lmp->error->all(FLERR,
                  "The restart file has no valid state for fix {} of style {}: {}; the file is damaged, or the state "
                  "was written by another kind of fix. Give the fix another ID to start without it",
                  id, style, reason);
}

}  // namespace LAMMPS_NS
