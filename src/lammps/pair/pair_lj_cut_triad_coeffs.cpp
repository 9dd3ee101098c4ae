// pair_style lj/cut/triad: settings, coefficients, mixing, and their records.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "lammps/pair/pair_lj_cut_triad.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/settings.h"
#include "memory.h"
#include "potentials/pairwise/laws.h"

using namespace LAMMPS_NS;
using triad::LennardJonesCutSettings;

PairLJCutTriad::~PairLJCutTriad() {
  if (copymode || !allocated) return;
  memory->destroy(setflag);
  memory->destroy(cutsq);
  for (auto *table : {&cut_, &epsilon_, &sigma_}) memory->destroy(*table);
}

void PairLJCutTriad::allocate() {
  allocated = 1;
  const int n = atom->ntypes + 1;
  memory->create(setflag, n, n, "pair:setflag");
  memory->create(cutsq, n, n, "pair:cutsq");
  for (int i = 0; i < n; ++i) {
    std::fill_n(setflag[i], n, 0);
    std::fill_n(cutsq[i], n, 0.0);
  }
  for (auto *table : {&cut_, &epsilon_, &sigma_}) {
    memory->create(*table, n, n, "pair:coefficients");
    for (int i = 0; i < n; ++i) std::fill_n((*table)[i], n, 0.0);
  }
  LennardJonesCutSettings law;
  law.pairs = triad::TypePairTable<Entry>(atom->ntypes);
  setup_.law = law;
  setup_.n_types = atom->ntypes;
}

void PairLJCutTriad::settings(int narg, char **arg) {
  // nothing is taken over before all of it is known to be right
  BackendChoice choice = default_backend(lmp);
  triad::Precision precision = default_precision(lmp);
  double cutoff = 0;
  read_settings(lmp, "pair_style " + style_, narg, arg, [&](triad::SettingReader &words) {
    cutoff = words.not_negative("cutoff");
    words.keywords({{"precision", [&] { precision = read_precision(words); }},
                    {"backend", [&] { choice = read_backend(words); }}});
  });
  choice_ = choice;
  setup_.precision = precision;
  cut_global_ = cutoff;
  backend_.reset();
  renew_revision();
  if (!allocated) return;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j)
      if (setflag[i][j]) cut_[i][j] = cut_global_;
}

void PairLJCutTriad::coeff(int narg, char **arg) {
  if (narg < 4 || narg > 5)
    error->all(FLERR, "pair_coeff for {} needs: type1 type2 epsilon sigma, and may have a cutoff", style_);
  if (!allocated) allocate();
  int range[2][2];
  for (int side = 0; side < 2; ++side)
    utils::bounds(FLERR, arg[side], 1, atom->ntypes, range[side][0], range[side][1], error);
  const double epsilon = utils::numeric(FLERR, arg[2], false, lmp), sigma = utils::numeric(FLERR, arg[3], false, lmp);
  const double cutoff = narg == 5 ? utils::numeric(FLERR, arg[4], false, lmp) : cut_global_;
  int count = 0;
  for (int i = range[0][0]; i <= range[0][1]; ++i)
    for (int j = std::max(range[1][0], i); j <= range[1][1]; ++j, ++count) {
      epsilon_[i][j] = epsilon;
      sigma_[i][j] = sigma;
      cut_[i][j] = cutoff;
      setflag[i][j] = 1;
    }
  if (count == 0)
    error->all(FLERR, "pair_coeff {} {} for {}: the second type must not be below the first", arg[0], arg[1], style_);
}

PairLJCutTriad::Entry PairLJCutTriad::entry_of(int i, int j) const {
  Entry entry;
  entry.epsilon = epsilon_[i][j];
  entry.sigma = sigma_[i][j];
  entry.cutoff = cut_[i][j];
  if (offset_flag && entry.cutoff > 0) {
    const double ratio = std::pow(entry.sigma / entry.cutoff, 6);
    entry.offset = 4 * entry.epsilon * ratio * (ratio - 1);
  }
  return entry;
}

/// Sets the entry of a pair of types for the loops; existing backends and engines become invalid if it is new.
void PairLJCutTriad::set_entry(int i, int j, const Entry &entry) {
  auto &pairs = std::get<LennardJonesCutSettings>(setup_.law).pairs;
  const Entry &held = pairs.at(i, j);
  if (held.epsilon == entry.epsilon && held.sigma == entry.sigma && held.cutoff == entry.cutoff &&
      held.offset == entry.offset)
    return;
  pairs.set(i, j, entry);
  setup_.cutoff = 0;
  for (const Entry &any : pairs.entry) setup_.cutoff = std::max(setup_.cutoff, any.cutoff);
  backend_.reset();
  renew_revision();
}

double PairLJCutTriad::init_one(int i, int j) {
  if (setflag[i][j] == 0) {
    epsilon_[i][j] = mix_energy(epsilon_[i][i], epsilon_[j][j], sigma_[i][i], sigma_[j][j]);
    sigma_[i][j] = mix_distance(sigma_[i][i], sigma_[j][j]);
    cut_[i][j] = mix_distance(cut_[i][i], cut_[j][j]);
  }
  set_entry(i, j, entry_of(i, j));
  if (tail_flag) add_tail_correction(i, j);
  return cut_[i][j];
}

/// Integrals of energy and of r dE/dr beyond the cutoff at the mean density (Sun, J. Phys. Chem. B 102, 7338 (1998),
/// eq. 7 and 8), times the volume.
void PairLJCutTriad::add_tail_correction(int i, int j) {
  double mine[2] = {0, 0}, all[2];
  for (int k = 0; k < atom->nlocal; ++k) {
    mine[0] += atom->type[k] == i;
    mine[1] += atom->type[k] == j;
  }
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, world);
  const double pi = 3.14159265358979323846;
  const double sigma6 = std::pow(sigma_[i][j], 6), cutoff3 = std::pow(cut_[i][j], 3), cutoff6 = cutoff3 * cutoff3;
  const double factor = 8 * pi * all[0] * all[1] * epsilon_[i][j] * sigma6 / (9 * cutoff6 * cutoff3);
  etail_ij = factor * (sigma6 - 3 * cutoff6);
  ptail_ij = 2 * factor * (2 * sigma6 - 3 * cutoff6);
}

double PairLJCutTriad::single(int, int, int itype, int jtype, double rsq, double, double factor_lj, double &fforce) {
  const Entry entry = entry_of(std::min(itype, jtype), std::max(itype, jtype));
  const auto pair = triad::lennard_jones(rsq, triad::LennardJonesCoefficients<double>(entry));
  fforce = -factor_lj * pair.pull;
  return factor_lj * (pair.energy - entry.offset);
}

void *PairLJCutTriad::extract(const char *name, int &dim) {
  dim = 2;
  if (std::strcmp(name, "epsilon") == 0) return epsilon_;
  if (std::strcmp(name, "sigma") == 0) return sigma_;
  return nullptr;
}

void PairLJCutTriad::write_restart(FILE *file) {
  write_restart_settings(file);
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      fwrite(&setflag[i][j], sizeof(int), 1, file);
      if (!setflag[i][j]) continue;
      for (const double value : {epsilon_[i][j], sigma_[i][j], cut_[i][j]}) fwrite(&value, sizeof value, 1, file);
    }
}

template <class Value>
void PairLJCutTriad::read_number(Value &value, FILE *file) {
  if (comm->me == 0) utils::sfread(FLERR, &value, sizeof value, 1, file, nullptr, error);
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, world);
}

void PairLJCutTriad::read_restart(FILE *file) {
  read_restart_settings(file);
  allocate();
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j) {
      read_number(setflag[i][j], file);
      if (!setflag[i][j]) continue;
      for (auto *table : {&epsilon_, &sigma_, &cut_}) read_number((*table)[i][j], file);
    }
}

void PairLJCutTriad::write_restart_settings(FILE *file) {
  fwrite(&cut_global_, sizeof cut_global_, 1, file);
  for (const int flag : {offset_flag, mix_flag, tail_flag}) fwrite(&flag, sizeof flag, 1, file);
}

/// Precision and backend are not in the record; the defaults of the run apply.
void PairLJCutTriad::read_restart_settings(FILE *file) {
  read_number(cut_global_, file);
  for (int *flag : {&offset_flag, &mix_flag, &tail_flag}) read_number(*flag, file);
  choice_ = default_backend(lmp);
  setup_.precision = default_precision(lmp);
  renew_revision();
}

void PairLJCutTriad::write_data(FILE *file) {
  for (int i = 1; i <= atom->ntypes; ++i) fprintf(file, "%d %g %g\n", i, epsilon_[i][i], sigma_[i][i]);
}

void PairLJCutTriad::write_data_all(FILE *file) {
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = i; j <= atom->ntypes; ++j)
      fprintf(file, "%d %d %g %g %g\n", i, j, epsilon_[i][j], sigma_[i][j], cut_[i][j]);
}
