// Detection of changes of atoms other than those of positions.
#pragma once

#include <algorithm>
#include <vector>

#include "atom.h"

namespace LAMMPS_NS {

/// Copy of types, groups, IDs and masses of the first atoms of a rank at the last call of pass().
class AtomStamp {
 public:
  /// Copies the data of the first n atoms. Calls work(), which takes them, and returns true if the data or their order
  /// have changed. After an exception, the next call calls work() again.
  template <class Work>
  bool pass(const Atom &atom, int n, Work &&work) {
    changed_ |= renew(atom, n);
    if (!changed_) return false;
    work();
    changed_ = false;
    return true;
  }
  double memory_usage() const {
    return double(type_.capacity() + mask_.capacity()) * sizeof(int) + double(tag_.capacity()) * sizeof(tagint) +
           double(mass_.capacity()) * sizeof(double);
  }

 private:
  /// Copies the data and returns true if they have changed.
  bool renew(const Atom &atom, int n) {
    const bool own_masses = atom.rmass != nullptr;
    const double *const mass = own_masses ? atom.rmass : atom.mass;
    const int n_masses = own_masses ? n : mass ? atom.ntypes + 1 : 0;
    bool changed = own_masses != own_masses_;
    own_masses_ = own_masses;
    changed |= take(type_, atom.type, n);
    changed |= take(mask_, atom.mask, n);
    changed |= take(tag_, atom.tag, n);
    changed |= take(mass_, mass, n_masses);
    return changed;
  }

  template <class T>
  static bool take(std::vector<T> &kept, const T *now, int n) {
    if (int(kept.size()) == n && std::equal(kept.begin(), kept.end(), now)) return false;
    kept.assign(now, now + n);
    return true;
  }

  bool changed_ = false;  // and work() has not returned since
  bool own_masses_ = false;
  std::vector<int> type_, mask_;
  std::vector<tagint> tag_;
  std::vector<double> mass_;
};

}  // namespace LAMMPS_NS
