#include "lammps/fix/ave_chunk/fix_ave_chunk_triad.h"

#include <algorithm>
#include <utility>

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fmt/format.h"
#include "force.h"
#include "lammps/util/rank_sums.h"
#include "platform.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

std::string FixAveChunkTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  return read_ave_chunk(lmp, narg, arg).unsupported;
}

FixAveChunkTriad::FixAveChunkTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), motion_(lmp, groupbit), words_(arg, arg + narg), file_(nullptr, &std::fclose) {
  const AveChunkSettings found = read_ave_chunk(lmp, narg, arg);
  if (!found.unsupported.empty())
    error->all(FLERR, "Fix ave/chunk/triad does not support {}; use fix ave/chunk", found.unsupported);
  layout_ = found.layout;
  columns_ = found.columns;
  every_ = found.every;
  repeat_ = found.repeat;
  period_ = found.period;
  norm_ = found.norm;
  average_ = found.average;
  window_ = static_cast<std::size_t>(found.window);
  format_ = found.format;
  overwrite_ = found.overwrite;
  nevery = static_cast<int>(every_);
  global_freq = static_cast<int>(period_);
  time_depend = 1;
  no_change_box = 1;
  array_flag = 1;
  extarray = 0;
  slabs_ = slabs_in_box();
  size_array_rows = slabs_.count;
  size_array_rows_variable = 1;
  size_array_cols = 2 + static_cast<int>(columns_.size());
  next_ = next_sample();
  if (found.file.empty() || comm->me != 0) return;
  file_.reset(std::fopen(found.file.c_str(), found.appends ? "a" : "w"));
  if (!file_) error->one(FLERR, "Cannot open fix ave/chunk file {}: {}", found.file, utils::getsyserror());
  std::string names;
  for (const std::string &name : found.names) names += " " + name;
  fmt::print(file_.get(), "{}\n{}\n{}\n",
             found.title[0].value_or(fmt::format("# Chunk-averaged data for fix {} and group {}", id, arg[1])),
             found.title[1].value_or("# Timestep Number-of-chunks Total-count"),
             found.title[2].value_or("# Chunk Coord1 Ncount" + names));
  std::fflush(file_.get());
  after_header_ = platform::ftell(file_.get());
}

int FixAveChunkTriad::setmask() { return FixConst::END_OF_STEP; }

/// The step of the next sample, from the present step on, by the rule of stock fix ave/chunk.
bigint FixAveChunkTriad::next_sample() const {
  const bigint now = update->ntimestep, end = (now / period_ + 1) * period_;
  if (end - period_ == now && repeat_ == 1) return now;
  const bigint first = end - (repeat_ - 1) * every_;
  return first < now ? first + period_ : first;
}

void FixAveChunkTriad::init() {
  std::vector<char *> arg;
  arg.reserve(words_.size());
  for (std::string &word : words_) arg.push_back(word.data());
  const AveChunkSettings now = read_ave_chunk(lmp, static_cast<int>(arg.size()), arg.data());
  if (!now.unsupported.empty())
    error->all(FLERR,
               "Fix {} {} does not support {}, which has changed since the fix was defined; define the fix again", id,
               style, now.unsupported);
  if (!(now.layout == layout_) && (done_ > 0 || fixed_slabs_))
    error->all(FLERR,
               "Fix {} {}: compute {} has other slabs than those over which the fix averages; define the fix again", id,
               style, now.chunks);
  layout_ = now.layout;
  columns_ = now.columns;
  if (next_ >= update->ntimestep) return;
  done_ = 0;  // steps were skipped, as by minimize or rerun
  next_ = next_sample();
}

void FixAveChunkTriad::engine_end_of_step(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}

void FixAveChunkTriad::end_of_step() {
  const bigint now = update->ntimestep;
  if (now != next_) return;
  if (done_ == 0) {
    if (!fixed_slabs_) {
      slabs_ = slabs_in_box();
      volume_ = SlabLayout::volume_of(slabs_, lmp);
    }
    fixed_slabs_ = average_ != Average::One;
    size_array_rows = slabs_.count;
    period_means_.clear(slabs_.count, columns_.size());
  }
  add_sample();
  if (++done_ < repeat_) {
    next_ += every_;
    return;
  }
  done_ = 0;
  next_ = now + period_ - (repeat_ - 1) * every_;
  finish_period();
  write_row_of_period();
}

/// The slabs of a period that begins in the present box. As in stock compute chunk/atom, atoms above the last slab are
/// in none.
triad::Slabs FixAveChunkTriad::slabs_in_box() const {
  triad::Slabs slabs = layout_.in_box(lmp, holder());
  slabs.drops_above = true;
  return slabs;
}

/// The slabs of the period in the present box: their places stay while the box changes, except that fractions of an
/// edge follow the box, and atoms are moved into the present box.
triad::Slabs FixAveChunkTriad::present_slabs() const {
  triad::Slabs present = slabs_in_box();
  present.first = slabs_.first;
  present.count = slabs_.count;
  return present;
}

/// All samples of a batch have the same slabs. This is impossible if the box has changed since the present period
/// began, and the next period, which may begin in the same batch, has the slabs of the new box.
bool FixAveChunkTriad::samples_in_batches(const triad::MdEngine &) const {
  return fixed_slabs_ || done_ == 0 || present_slabs() == slabs_in_box();
}

void FixAveChunkTriad::add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) {
  const triad::Slabs slabs = fixed_slabs_ ? present_slabs() : slabs_in_box();
  samples_.add({{{std::move(steps)}, groupbit}, slabs, {}}, batch.samplings);
}

/// The sums over the atoms of all ranks in the present step.
std::vector<triad::SlabSums> FixAveChunkTriad::sums_of_sample() {
  const std::vector<triad::SlabSums> *const sample = samples_.in(update->ntimestep);
  std::vector<triad::SlabSums> sums = sample ? *sample : motion_.sum_slabs(present_slabs());
  sum_over_ranks(sums, world);
  return sums;
}

double FixAveChunkTriad::sum_of(const AveChunkColumn &column, const triad::SlabSums &sums) const {
  switch (column.value) {
    case Value::NumberDensity:
      return sums.count;
    case Value::MassDensity:
      return sums.mass * force->mv2d;
    case Value::Temperature:
      return sums.mvv;
    default:
      return 0.5 * force->mvv2e * column.factor * sums.mvv;
  }
}

double FixAveChunkTriad::temperature_of(double mvv, double count) const {
  return mvv * force->mvv2e / (domain->dimension * count * force->boltz);
}

/// Adds the sums of a sample to those of the period, or with norm sample and none the values of the sample.
void FixAveChunkTriad::add_sample() {
  if (layout_.reduced()) volume_ = SlabLayout::volume_of(slabs_, lmp);
  const std::vector<triad::SlabSums> sums = sums_of_sample();
  for (std::size_t slab = 0; slab < sums.size(); ++slab) {
    const double count = sums[slab].count;
    period_means_.count[slab] += count;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Value value = columns_[k].value;
      double sum = sum_of(columns_[k], sums[slab]);
      if (norm_ != Norm::All && columns_[k].is_density()) sum /= volume_;
      if (norm_ != Norm::All && count > 0) {
        if (value == Value::Temperature) sum = temperature_of(sum, count);
        if (value == Value::KineticEnergy && norm_ == Norm::Sample) sum /= count;
      }
      period_means_.value[slab * columns_.size() + k] += sum;
    }
  }
}

/// Makes means over the samples of the period, and averages over periods.
void FixAveChunkTriad::finish_period() {
  const auto samples = static_cast<double>(repeat_);
  for (std::size_t slab = 0; slab < period_means_.count.size(); ++slab) {
    double &count = period_means_.count[slab];
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Value value = columns_[k].value;
      double &mean = period_means_.value[slab * columns_.size() + k];
      if (norm_ != Norm::All)
        mean /= samples;
      else if (columns_[k].is_density())
        mean /= samples * volume_;
      else if (count > 0)
        mean = value == Value::Temperature ? temperature_of(mean, count) : mean / count;
    }
    count /= samples;
  }
  if (average_ == Average::Window) {
    periods_.push_back(period_means_);
    if (periods_.size() > window_) periods_.pop_front();
    total_.clear(period_means_.count.size(), columns_.size());
    for (const Means &one : periods_) total_.add(one);
    periods_in_total_ = static_cast<double>(periods_.size());
  } else if (average_ == Average::Running && periods_in_total_ > 0) {
    total_.add(period_means_);
    ++periods_in_total_;
  } else {
    total_ = period_means_;
    periods_in_total_ = 1;
  }
}

void FixAveChunkTriad::write_row_of_period() {
  std::FILE *const file = file_.get();
  if (!file) return;
  clearerr(file);
  if (overwrite_) platform::fseek(file, after_header_);
  double all = 0;
  for (const double count : total_.count) all += count;
  fmt::print(file, "{} {} {}\n", update->ntimestep, slabs_.count, all);
  for (int slab = 0; slab < slabs_.count; ++slab) {
    std::fprintf(file, "  %d %g %g", slab + 1, compute_array(slab, 0), compute_array(slab, 1));
    for (std::size_t k = 0; k < columns_.size(); ++k)
      std::fprintf(file, format_.c_str(), compute_array(slab, 2 + static_cast<int>(k)));
    std::fputc('\n', file);
  }
  if (ferror(file)) error->one(FLERR, "Cannot write the file of fix {} {}: {}", id, style, utils::getsyserror());
  std::fflush(file);
  if (!overwrite_) return;
  const bigint end = platform::ftell(file);
  if (end > 0 && platform::ftruncate(file, end))
    error->warning(FLERR, "Cannot shorten the file of fix {}: {}", id, utils::getsyserror());
}

double FixAveChunkTriad::compute_array(int i, int j) {
  if (i < 0 || i >= static_cast<int>(total_.count.size())) return 0;
  if (j == 0) return slabs_.first + (i + 0.5) * slabs_.width;
  const double sum = j == 1 ? total_.count[i] : total_.value[i * columns_.size() + (j - 2)];
  return sum / periods_in_total_;
}

double FixAveChunkTriad::memory_usage() {
  return double(slabs_.count) * (1.0 + double(columns_.size())) * sizeof(double) * (2.0 + double(periods_.size()));
}

void FixAveChunkTriad::Means::clear(std::size_t slabs, std::size_t columns) {
  count.assign(slabs, 0);
  value.assign(slabs * columns, 0);
}

void FixAveChunkTriad::Means::add(const Means &other) {
  const auto add_to = [](std::vector<double> &sums, const std::vector<double> &more) {
    std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), [](double a, double b) { return a + b; });
  };
  add_to(count, other.count);
  add_to(value, other.value);
}
