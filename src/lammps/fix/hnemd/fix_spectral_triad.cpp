#include "lammps/fix/hnemd/fix_spectral_triad.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/run/box_deformation.h"
#include "lammps/util/centroid_virials.h"
#include "lammps/util/settings.h"
#include "memory.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixSpectralTriad::FixSpectralTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), compute_id_(std::string(id) + "_flow"), virial_(lmp, this, groupbit) {
  read_settings(lmp, "fix spectral/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    nevery = words.whole_number_from(1, "interval");
    lags_ = words.whole_number_from(2, "number of lags");
    axis_ = words.choice<int>({{"x", 0}, {"y", 1}, {"z", 2}}, "direction");
    words.keywords({{"file", [&] { file_ = words.word(); }}});
  });
  if (lags_ > MAXSMALLINT / width_per_lag)
    error->all(FLERR, "fix spectral/triad number of lags is {}; give a smaller number", lags_);
  dt_ = update->dt;
  check_file();
  create_attribute = 1;
  array_flag = 1;
  size_array_rows = 2 * lags_ - 1;
  size_array_cols = 4;
  extarray = 1;
  global_freq = nevery;
  comm_reverse = 3;
  maxexchange = width();
  sums_.assign(3 * std::size_t(size_array_rows), 0.0);
  products_.assign(lags_, 0);
  atom->add_callback(Atom::GROW);
}

FixSpectralTriad::~FixSpectralTriad() {
  if (modify && modify->get_compute_by_id(compute_id_)) modify->delete_compute(compute_id_);
  atom->delete_callback(id, Atom::GROW);
  memory->destroy(ring_);
}

int FixSpectralTriad::setmask() { return FixConst::END_OF_STEP | FixConst::POST_RUN; }

/// The compute makes the pair style tally per-atom virials in LAMMPS's arrays.
void FixSpectralTriad::post_constructor() {
  modify->add_compute(compute_id_ + " all heat/flux/triad");
  flow_compute()->set_tallies_on_host(true);
}

ComputeHeatFluxTriad *FixSpectralTriad::flow_compute() const {
  auto *const compute = dynamic_cast<ComputeHeatFluxTriad *>(modify->get_compute_by_id(compute_id_));
  if (!compute) error->all(FLERR, "Compute {} of fix {} of style {} was deleted", compute_id_, id, style);
  return compute;
}

void FixSpectralTriad::init() {
  end_samples_of_run();  // an error may have ended the last run
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "Fix spectral/triad does not support run_style respa");
  require_deformation_behind(lmp, this);
  require_centroid_virials(lmp, "Fix spectral/triad");
  if (!force->newton_pair) error->all(FLERR, "Fix spectral/triad requires newton pair on");
  for (Fix *other : modify->get_fix_list()) {
    const auto *const same = dynamic_cast<FixSpectralTriad *>(other);
    if (same && same != this && !file_.empty() && same->file_ == file_)
      error->all(FLERR, "Fix spectral/triad: fixes {} and {} write the same file {}; give each a file of its own", id,
                 same->id, file_);
  }
  take_time_step();
  flow_compute()->addstep((update->ntimestep / nevery + 1) * nevery);
}

/// The command timestep calls this function between runs, a fix that changes the time step during a run.
void FixSpectralTriad::reset_dt() {
  if (update->whichflag == 1 && update->dt != dt_)
    error->all(FLERR, "Fix spectral/triad needs a constant time step during a run; remove the fix that changes it");
  take_time_step();
}

/// Begins new means if the time step has changed, on which the lags depend.
void FixSpectralTriad::take_time_step() {
  if (samples_ && update->dt != dt_) {
    samples_ = total_samples_ = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(products_.begin(), products_.end(), 0);
  }
  dt_ = update->dt;
}

/// Ends before the run if the file cannot be written at the end.
void FixSpectralTriad::check_file() const {
  if (file_.empty() || comm->me != 0) return;
  FILE *const file = fopen(file_.c_str(), "a");
  if (!file) error->one(FLERR, "Cannot open file {} of fix spectral/triad: {}", file_, utils::getsyserror());
  fclose(file);
}

/// The engine of a GPU correlates samples of one rank, which it finds by atom ID.
void FixSpectralTriad::set_on_engine(bool on_engine) {
  EngineRun *const run = engine_run(lmp);
  on_device_ = on_engine && run && run->on_cuda() && comm->nprocs == 1 && atom->tag_enable && atom->tag_consecutive() &&
               atom->nlocal == atom->natoms;
  flow_compute()->set_tallies_on_host(!on_device_);
  flow_compute()->addstep((update->ntimestep / nevery + 1) * nevery);
}

void FixSpectralTriad::engine_end_of_step(triad::MdEngine &engine) {
  if (!device_) {
    memory->destroy(ring_);
    device_ = engine.make_virial_velocity(groupbit, axis_, lags_);
    atoms_on_device_ = atom->nlocal;
    taken_ = samples_of_run_;
  }
  if (atom->nlocal != atoms_on_device_)
    error->all(FLERR, "Fix spectral/triad on a GPU needs a constant number of atoms during a run; use backend host");
  device_->sample();
  count_sample();
}

/// Counts the products of a new sample with itself and with earlier samples of the run.
void FixSpectralTriad::count_sample() {
  for (int lag = 0; lag <= std::min<bigint>(samples_of_run_, lags_ - 1); ++lag) ++products_[lag];
  ++samples_;
  ++samples_of_run_;
}

/// Adds to sums_ what a device has summed.
void FixSpectralTriad::take_sums() const {
  if (!device_) return;
  device_->take_sums(sums_.data());
  taken_ = samples_of_run_;
}

/// Samples of the next run are not correlated with those of this one. If an error has ended this run, the engine may be
/// gone: the sums that its device still had are lost, and their samples do not count.
void FixSpectralTriad::end_samples_of_run() {
  if (device_) {
    const auto products = [](bigint samples, int lag) { return std::max<bigint>(0, samples - lag); };
    for (int lag = 0; lag < lags_; ++lag) products_[lag] -= products(samples_of_run_, lag) - products(taken_, lag);
    samples_ -= samples_of_run_ - taken_;
  }
  device_.reset();
  samples_of_run_ = 0;
}

/// Adds the products of this sample's virials with the velocities of this and earlier samples (lags <= 0), and of this
/// sample's velocities with the virials of earlier samples (lags > 0).
void FixSpectralTriad::end_of_step() {
  if (!ring_) {
    memory->create(ring_, atom->nmax, width(), "triad:spectral");
    for (int i = 0; i < atom->nlocal; ++i) set_arrays(i);
  }
  double direction[3] = {0, 0, 0};
  direction[axis_] = 1;
  const std::vector<double> &virial = virial_.driving_forces(direction);
  const int now = static_cast<int>(samples_of_run_ % lags_);
  const int held = static_cast<int>(std::min<bigint>(samples_of_run_, lags_ - 1));
  for (int i = 0; i < atom->nlocal; ++i) {
    double *const mine = ring_[i] + 6 * now;
    for (int d = 0; d < 3; ++d) {
      mine[d] = virial[3 * std::size_t(i) + d];
      mine[3 + d] = atom->v[i][d];
    }
    if (!(atom->mask[i] & groupbit)) continue;
    for (int lag = 0; lag <= held; ++lag) {
      const double *const then = ring_[i] + 6 * ((now - lag + lags_) % lags_);
      double *const later = sums_.data() + 3 * std::size_t(lags_ - 1 + lag);  // of the velocity
      for (int d = 0; d < 3; ++d) later[d] += then[d] * mine[3 + d];
      if (lag == 0) continue;
      double *const earlier = sums_.data() + 3 * std::size_t(lags_ - 1 - lag);
      for (int d = 0; d < 3; ++d) earlier[d] += mine[d] * then[3 + d];
    }
  }
  count_sample();
  flow_compute()->addstep(update->ntimestep + nevery);
}

/// Collective.
void FixSpectralTriad::share_sums() const {
  if (total_samples_ == samples_) return;
  take_sums();
  total_.resize(sums_.size());
  MPI_Allreduce(sums_.data(), total_.data(), static_cast<int>(sums_.size()), MPI_DOUBLE, MPI_SUM, world);
  total_samples_ = samples_;
}

/// Lag in time units, then the correlations with the velocities along x, y and z.
double FixSpectralTriad::compute_array(int row, int column) {
  const int lag = row - (lags_ - 1);
  if (column == 0) return lag * nevery * dt_;
  share_sums();
  const bigint products = products_[std::abs(lag)];
  return products > 0 ? total_[3 * std::size_t(row) + column - 1] / static_cast<double>(products) : 0;
}

void FixSpectralTriad::post_run() {
  take_sums();
  end_samples_of_run();
  if (file_.empty() || samples_ == 0) return;
  share_sums();
  if (comm->me != 0) return;
  FILE *const file = fopen(file_.c_str(), "w");
  if (!file) error->one(FLERR, "Cannot open file {} of fix spectral/triad: {}", file_, utils::getsyserror());
  fmt::print(file, "# Virial-velocity correlation of fix {}, direction {}, {} samples\n", id, "xyz"[axis_], samples_);
  fmt::print(file, "# Lag K_x K_y K_z\n");
  for (int row = 0; row < size_array_rows; ++row)
    fmt::print(file, "{:.10g} {:.10g} {:.10g} {:.10g}\n", compute_array(row, 0), compute_array(row, 1),
               compute_array(row, 2), compute_array(row, 3));
  const bool written = !ferror(file);
  if (fclose(file) != 0 || !written)
    error->one(FLERR, "Cannot write file {} of fix spectral/triad: {}", file_, utils::getsyserror());
}

void FixSpectralTriad::grow_arrays(int n) {
  if (ring_) memory->grow(ring_, n, width(), "triad:spectral");
}

void FixSpectralTriad::copy_arrays(int from, int to, int) {
  if (ring_) std::memcpy(ring_[to], ring_[from], width() * sizeof(double));
}

void FixSpectralTriad::set_arrays(int i) {
  if (ring_) std::fill_n(ring_[i], width(), 0.0);
}

int FixSpectralTriad::pack_exchange(int i, double *buffer) {
  if (!ring_) return 0;
  std::copy_n(ring_[i], width(), buffer);
  return width();
}

int FixSpectralTriad::unpack_exchange(int i, double *buffer) {
  if (!ring_) return 0;
  std::copy_n(buffer, width(), ring_[i]);
  return width();
}

double FixSpectralTriad::memory_usage() { return ring_ ? double(atom->nmax) * width() * sizeof(double) : 0; }
