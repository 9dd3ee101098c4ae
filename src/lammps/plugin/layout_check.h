// Check that the classes of the running LAMMPS have the layouts with which this plugin was compiled. The version alone
// does not tell, since options, patches and compilers also change layouts. Compiled once per plugin.
//
// The check calls only LAMMPS's C library interface and constructors of base classes. Sources: LAMMPS's library.h, its
// headers, and the defaults that the constructors set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "force.h"
#include "group.h"
#include "lammps.h"
#include "lammps/compat/verlet_api.h"
#include "library.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "pair.h"
#include "timer.h"
#include "update.h"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace triad {

/// Finds the first class or member whose layout differs in the running LAMMPS.
class LayoutCheck {
 public:
  explicit LayoutCheck(void *lmp) : handle_(lmp), lmp_(static_cast<LAMMPS_NS::LAMMPS *>(lmp)) {}

  /// Returns the name of a class or member that differs, or an empty string.
  std::string difference() {
    for (auto part : {&LayoutCheck::globals, &LayoutCheck::pointers, &LayoutCheck::sizes, &LayoutCheck::settings,
                      &LayoutCheck::constructors}) {
      std::string found = (this->*part)();
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  /// Compares addresses of members with those that the C interface returns. Reads only the object of class LAMMPS.
  std::string globals() const {
    const LAMMPS_NS::Atom *atom = lmp_->atom;
    const LAMMPS_NS::Update *update = lmp_->update;
    const LAMMPS_NS::Domain *domain = lmp_->domain;
    const LAMMPS_NS::Force *force = lmp_->force;
    const struct {
      const char *global, *member;
      const void *here;
    } probes[] = {
        {"natoms", "Atom::natoms", &atom->natoms},
        {"nlocal", "Atom::nlocal", &atom->nlocal},
        {"nghost", "Atom::nghost", &atom->nghost},
        {"nmax", "Atom::nmax", &atom->nmax},
        {"nbonds", "Atom::nbonds", &atom->nbonds},
        {"ntypes", "Atom::ntypes", &atom->ntypes},
        {"q_flag", "Atom::q_flag", &atom->q_flag},
        {"map_style", "Atom::map_style", &atom->map_style},
        {"map_tag_max", "Atom::map_tag_max", &atom->map_tag_max},
        {"sortfreq", "Atom::sortfreq", &atom->sortfreq},
        {"nextsort", "Atom::nextsort", &atom->nextsort},
        {"dt", "Update::dt", &update->dt},
        {"ntimestep", "Update::ntimestep", &update->ntimestep},
        {"atime", "Update::atime", &update->atime},
        {"atimestep", "Update::atimestep", &update->atimestep},
        {"boxlo", "Domain::boxlo", domain->boxlo},
        {"boxhi", "Domain::boxhi", domain->boxhi},
        {"sublo", "Domain::sublo", domain->sublo},
        {"subhi", "Domain::subhi", domain->subhi},
        {"xy", "Domain::xy", &domain->xy},
        {"xz", "Domain::xz", &domain->xz},
        {"yz", "Domain::yz", &domain->yz},
        {"periodicity", "Domain::periodicity", domain->periodicity},
        {"triclinic", "Domain::triclinic", &domain->triclinic},
        {"special_lj", "Force::special_lj", force->special_lj},
        {"special_coul", "Force::special_coul", force->special_coul},
        {"boltz", "Force::boltz", &force->boltz},
        {"mvv2e", "Force::mvv2e", &force->mvv2e},
        {"ftm2v", "Force::ftm2v", &force->ftm2v},
        {"nktv2p", "Force::nktv2p", &force->nktv2p},
        {"procgrid", "Comm::procgrid", lmp_->comm->procgrid},
    };
    for (const auto &probe : probes) {
      const void *there = lammps_extract_global(handle_, probe.global);
      if (there && there != probe.here) return probe.member;
    }
    const struct {
      const char *array, *member;
      const void *here;
    } arrays[] = {{"x", "Atom::x", atom->x},
                  {"v", "Atom::v", atom->v},
                  {"f", "Atom::f", atom->f},
                  {"id", "Atom::tag", atom->tag},
                  {"type", "Atom::type", atom->type},
                  {"mask", "Atom::mask", atom->mask},
                  {"image", "Atom::image", atom->image},
                  {"mass", "Atom::mass", atom->mass},
                  {"rmass", "Atom::rmass", atom->rmass}};
    for (const auto &probe : arrays)
      if (lammps_extract_atom(handle_, probe.array) != probe.here) return probe.member;
    return "";
  }

  /// Compares class Pointers: each object of LAMMPS begins with references to members of class LAMMPS, as the plugin's
  /// objects do.
  std::string pointers() const {
    struct Ours : LAMMPS_NS::Pointers {
      using Pointers::Pointers;
    } const ours(lmp_);
    constexpr std::size_t table = sizeof(void *);  // pointer to the table of virtual functions
    const auto same = [&](const void *theirs) {
      return std::memcmp(static_cast<const char *>(theirs) + table, reinterpret_cast<const char *>(&ours) + table,
                         sizeof(LAMMPS_NS::Pointers) - table) == 0;
    };
    return same(lmp_->atom) && same(lmp_->neighbor) && same(lmp_->modify) ? "" : "Pointers";
  }

  /// Compares sizes of allocated objects, as malloc rounds them up. Not with KOKKOS, which allocates derived classes.
  std::string sizes() const {
#if defined(__GLIBC__)
    if (lmp_->kokkos) return "";
    const struct {
      const char *name;
      void *object;
      std::size_t size;
    } probes[] = {
        {"Atom", lmp_->atom, sizeof(LAMMPS_NS::Atom)},
        {"Update", lmp_->update, sizeof(LAMMPS_NS::Update)},
        {"Neighbor", lmp_->neighbor, sizeof(LAMMPS_NS::Neighbor)},
        {"Domain", lmp_->domain, sizeof(LAMMPS_NS::Domain)},
        {"Force", lmp_->force, sizeof(LAMMPS_NS::Force)},
        {"Modify", lmp_->modify, sizeof(LAMMPS_NS::Modify)},
        {"Output", lmp_->output, sizeof(LAMMPS_NS::Output)},
        {"Group", lmp_->group, sizeof(LAMMPS_NS::Group)},
        {"Timer", lmp_->timer, sizeof(LAMMPS_NS::Timer)},
    };
    constexpr std::size_t remainder = 16;  // malloc may leave this much unused at the end of a block
    for (const auto &probe : probes) {
      std::size_t here = ~std::size_t(0);
      std::vector<std::unique_ptr<char[]>> samples(64);  // after `clear`, some get blocks with a remainder
      for (auto &sample : samples) {
        sample.reset(new char[probe.size]);
        here = std::min(here, malloc_usable_size(sample.get()));
      }
      const std::size_t there = malloc_usable_size(probe.object);
      if (there < here || there > here + remainder) return probe.name;
    }
#endif
    return "";
  }

  /// Checks that settings of class Neighbor, which the C interface does not offer, have values that LAMMPS's commands
  /// accept. Only members that LAMMPS sets before the first run.
  std::string settings() const {
    const LAMMPS_NS::Neighbor &n = *lmp_->neighbor;
    const auto is_flag = [](int value) { return value == 0 || value == 1; };
    const bool possible = n.every >= 1 && n.delay >= 0 && is_flag(n.dist_check) && is_flag(n.build_once) &&
                          n.oneatom >= 1 && n.pgsize >= 10 * n.oneatom && n.skin >= 0 && n.skin < 1e9 &&
                          n.lastcall >= -1 && n.nrequest >= 0 && n.nlist >= 0;
    return possible ? "" : "Neighbor";
  }

  /// Checks base classes of styles: LAMMPS constructs an object in memory that holds a pattern. The constructor must
  /// write nothing behind the end of the plugin's class, and members must have LAMMPS's defaults at the plugin's
  /// offsets.
  std::string constructors() const {
    using namespace LAMMPS_NS;
    struct OfPair : Pair {
      using Pair::Pair;
      void compute(int, int) override {}
      void settings(int, char **) override {}
      void coeff(int, char **) override {}
      bool has_defaults() const {
        return eng_vdwl == 0 && eng_coul == 0 && comm_forward == 0 && comm_reverse == 0 && single_enable == 1 &&
               restartinfo == 1 && one_coeff == 0 && no_virial_fdotr_compute == 0 && setflag == nullptr &&
               cutsq == nullptr && centroidstressflag == CENTROID_SAME && compute_flag == 1 && manybody_flag == 0 &&
               allocated == 0 && eatom == nullptr && vatom == nullptr && cvatom == nullptr && copymode == 0;
      }
    };
    struct OfFix : Fix {
      using Fix::Fix;
      int setmask() override { return 0; }
      bool has_defaults() const {
        return !std::strcmp(id, "triad") && !std::strcmp(style, "none") && groupbit == 1 && force_reneighbor == 0 &&
               time_integrate == 0 && scalar_flag == 0 && vector_flag == 0 && energy_global_flag == 0 &&
               virial_global_flag == 0 && respa_level == -1 && global_freq == 1 && peratom_freq == -1 &&
               pergrid_freq == -1 && extscalar == -1 && extvector == -1 && extarray == -1 && comm_forward == 0 &&
               comm_reverse == 0 && eatom == nullptr && vatom == nullptr && restart_global == 0 && nevery == 1 &&
               datamask_read == 0xffffffffu && datamask_modify == 0xffffffffu;
      }
    };
    struct OfCompute : Compute {
      using Compute::Compute;
      void init() override {}
      bool has_defaults() const {
        return !std::strcmp(id, "triad") && !std::strcmp(style, "none") && groupbit == 1 && scalar_flag == 0 &&
               vector_flag == 0 && tempflag == 0 && pressflag == 0 && peflag == 0 && timeflag == 0 &&
               invoked_scalar == -1 && invoked_vector == -1;
      }
    };
    struct OfVerlet : Verlet {
      using Verlet::Verlet;
      bool has_defaults() const {
        return external_force_clear == 0 && elist_global.empty() && elist_atom.empty() && vlist_global.empty() &&
               vlist_atom.empty() && cvlist_atom.empty();
      }
    };
    char id[] = "triad", all[] = "all", none[] = "none", *arguments[] = {id, all, none};
    if (!constructs<OfPair>(lmp_)) return "Pair";
    if (!constructs<OfFix>(lmp_, 3, arguments)) return "Fix";
    if (!constructs<OfCompute>(lmp_, 3, arguments)) return "Compute";
    if (!constructs<OfVerlet>(lmp_, 0, nullptr)) return "Integrate or Verlet";
    return "";
  }

  template <class Probe, class... Arguments>
  static bool constructs(Arguments... arguments) {
    constexpr unsigned char pattern = 0xA5;
    constexpr std::size_t margin = 4096;  // for a LAMMPS whose class is larger
    struct Deleter {
      void operator()(unsigned char *p) const { ::operator delete(p, std::align_val_t(alignof(Probe))); }
    };
    const std::unique_ptr<unsigned char, Deleter> memory(
        static_cast<unsigned char *>(::operator new(sizeof(Probe) + margin, std::align_val_t(alignof(Probe)))));
    std::memset(memory.get(), pattern, sizeof(Probe) + margin);
    Probe *const probe = new (memory.get()) Probe(arguments...);
    const bool fits = std::all_of(memory.get() + sizeof(Probe), memory.get() + sizeof(Probe) + margin,
                                  [](unsigned char c) { return c == pattern; });
    const bool right = fits && probe->has_defaults();
    probe->~Probe();
    return right;
  }

  void *handle_;
  LAMMPS_NS::LAMMPS *lmp_;
};

}  // namespace triad
