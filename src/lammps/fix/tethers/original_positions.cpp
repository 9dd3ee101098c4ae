#include "lammps/fix/tethers/original_positions.h"

#include <algorithm>
#include <string>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "engine/tuning.h"
#include "fmt/format.h"
#include "io/setting_reader.h"
#include "lammps/util/domain_box.h"
#include "memory.h"
#include "modify.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixWithOriginalPositions::FixWithOriginalPositions(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), callbacks_(lmp, this) {
  restart_peratom = 1;
  FixWithOriginalPositions::grow_arrays(atom->nmax);
  for (int i = 0; i < atom->nlocal; ++i) {
    FixWithOriginalPositions::set_arrays(i);
    if (atom->mask[i] & groupbit) domain->unmap(atom->x[i], atom->image[i], original_[i]);
  }
}

FixWithOriginalPositions::~FixWithOriginalPositions() { memory->destroy(original_); }

namespace {

/// Access to protected members of class Modify, through pointers to members that a derived class may form.
struct RestartRecords : Modify {
  static constexpr auto n = &RestartRecords::nfix_restart_peratom;
  static constexpr auto ids = &RestartRecords::id_restart_peratom;
  static constexpr auto styles = &RestartRecords::style_restart_peratom;
  static constexpr auto indices = &RestartRecords::index_restart_peratom;
  static constexpr auto used = &RestartRecords::used_restart_peratom;
  static constexpr auto n_global = &RestartRecords::nfix_restart_global;
  static constexpr auto global_ids = &RestartRecords::id_restart_global;
  static constexpr auto global_styles = &RestartRecords::style_restart_global;
  static constexpr auto states = &RestartRecords::state_restart_global;
  static constexpr auto global_used = &RestartRecords::used_restart_global;
};

}  // namespace

/// LAMMPS compares the name of the style with that in the file: for the positions the full names, for the state of the
/// fix the names without the suffix that is on. The fix takes both or, if the file has none, neither.
void FixWithOriginalPositions::post_constructor() {
  Modify &records = *modify;
  const std::string stock = triad::stock_command(style);
  const auto is_mine = [&](const char *of_id, const char *of_style) {
    return std::string(id) == of_id && (stock == of_style || std::string(style) == of_style);
  };
  const auto say = [&](const char *kind) {
    if (comm->me == 0)
      utils::logmesg(lmp, "Resetting {} fix info from restart file:\n  fix style: {}, fix ID: {}\n", kind, style, id);
  };
  for (int k = 0; restart_global && k < records.*RestartRecords::n_global; ++k) {
    int &used = (records.*RestartRecords::global_used)[k];
    if (used || !is_mine((records.*RestartRecords::global_ids)[k], (records.*RestartRecords::global_styles)[k]))
      continue;
    used = 1;
    restart((records.*RestartRecords::states)[k]);
    say("global");
  }
  for (int k = 0; k < records.*RestartRecords::n; ++k) {
    int &used = (records.*RestartRecords::used)[k];
    if (used || !is_mine((records.*RestartRecords::ids)[k], (records.*RestartRecords::styles)[k])) continue;
    used = 1;
    for (int i = 0; i < atom->nlocal; ++i) unpack_restart(i, (records.*RestartRecords::indices)[k]);
    restart_reset = 1;
    say("peratom");
  }
}

double FixWithOriginalPositions::memory_usage() {
  return 3.0 * sizeof(double) * atom->nmax + sizeof(double) * double(wrapped_.capacity());
}

void FixWithOriginalPositions::grow_arrays(int nmax) { memory->grow(original_, nmax, 3, "fix:original_positions"); }

void FixWithOriginalPositions::copy_arrays(int from, int to, int) { std::copy_n(original_[from], 3, original_[to]); }

void FixWithOriginalPositions::set_arrays(int i) { std::fill_n(original_[i], 3, 0.0); }

int FixWithOriginalPositions::pack_exchange(int i, double *buffer) {
  std::copy_n(original_[i], 3, buffer);
  return 3;
}

int FixWithOriginalPositions::unpack_exchange(int i, double *buffer) {
  std::copy_n(buffer, 3, original_[i]);
  return 3;
}

int FixWithOriginalPositions::pack_restart(int i, double *buffer) {
  buffer[0] = 4;  // numbers, this one included
  std::copy_n(original_[i], 3, buffer + 1);
  return 4;
}

void FixWithOriginalPositions::unpack_restart(int i, int nth) {
  const double *record = atom->extra[i];
  for (int k = 0; k < nth; ++k) record += static_cast<int>(*record);
  std::copy_n(record + 1, 3, original_[i]);
}

/// Number among the fixes with such positions, in LAMMPS's order.
int FixWithOriginalPositions::number() const {
  int number = 0;
  for (int i = 0; i < modify->nfix && modify->fix[i] != this; ++i)
    number += dynamic_cast<const FixWithOriginalPositions *>(modify->fix[i]) != nullptr;
  return number;
}

bool FixWithOriginalPositions::engine_can_take_positions() const {
  return !domain->box_change_size && !domain->box_change_shape && number() < triad::tuning::max_fix_tethers;
}

const double *FixWithOriginalPositions::wrapped_positions() {
  wrapped_.resize(3 * std::size_t(std::max(1, atom->nlocal)));
  const double *const h = domain->h;  // xx yy zz yz xz xy
  for (int i = 0; i < atom->nlocal; ++i) {
    const imageint image = atom->image[i];
    const double edges[3] = {double((image & IMGMASK) - IMGMAX), double((image >> IMGBITS & IMGMASK) - IMGMAX),
                             double((image >> IMG2BITS) - IMGMAX)};
    double *const x = wrapped_.data() + 3 * std::size_t(i);
    for (int d = 0; d < 3; ++d) x[d] = original_[i][d] - h[d] * edges[d];
    if (!domain->triclinic) continue;
    x[0] -= h[5] * edges[1] + h[4] * edges[2];
    x[1] -= h[3] * edges[2];
  }
  return wrapped_.data();
}

int FixWithOriginalPositions::give_positions(triad::MdEngine &engine) {
  const int own = number(), revision = engine_run(lmp)->engine_revision();
  if (revision != engine_revision_ || engine.tether_revision() != tether_revision_)
    engine.set_tethers(own, wrapped_positions(), BoxEdges(domain).edge);
  engine_revision_ = revision;
  tether_revision_ = engine.tether_revision();
  return own;
}
