// What all styles share when they choose where to compute: the settings precision and backend, and the line in the log.
#pragma once

#include <string>

#include "core/precision.h"
#include "io/setting_reader.h"
#include "lammps/util/run_log.h"
#include "pointers.h"

namespace LAMMPS_NS {

enum class BackendChoice { Auto, Cuda, Host };

/// Reads the value of a keyword. Throws triad::SettingError.
triad::Precision read_precision(triad::SettingReader &words);
BackendChoice read_backend(triad::SettingReader &words);

/// Whether to compute on a GPU. An error where `choice` wants one and there is none; where Auto falls back to the host,
/// `note` says why, for the log.
bool choose_cuda(LAMMPS *lmp, const std::string &command, BackendChoice choice, std::string &note);

/// Writes where `style` is computed and with which precision.
void log_backend(RunLog &log, const std::string &style, const std::string &description, triad::Precision precision,
                 const std::string &note);

}  // namespace LAMMPS_NS
