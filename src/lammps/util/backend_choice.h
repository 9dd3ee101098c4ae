// Choice of precision and backend, and the line about them in the log, for all styles.
#pragma once

#include <string>

#include "core/precision.h"
#include "io/setting_reader.h"
#include "lammps/util/run_log.h"
#include "pointers.h"

namespace LAMMPS_NS {

enum class BackendChoice { Auto, Cuda, Host };

/// Read the values of the keywords precision and backend. Throw triad::SettingError.
triad::Precision read_precision(triad::SettingReader &words);
BackendChoice read_backend(triad::SettingReader &words);

/// True if the backend is to be on a GPU; with Auto, the same on all ranks, and the first call of a LAMMPS instance is
/// collective. Error if `choice` requires a GPU and there is none. If Auto falls back to the host, `note` receives the
/// reason for the log.
bool choose_cuda(LAMMPS *lmp, const std::string &command, BackendChoice choice, std::string &note);

/// Writes the backend and precision of `style` to the log.
void log_backend(RunLog &log, const std::string &style, const std::string &description, triad::Precision precision,
                 const std::string &note);

}  // namespace LAMMPS_NS
