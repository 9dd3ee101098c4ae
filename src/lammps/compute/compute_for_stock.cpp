#include "lammps/compute/compute_for_stock.h"

#include <algorithm>

#include "modify.h"

using namespace LAMMPS_NS;

void ComputeForStock::post_constructor() {
  Modify *const list = modify;
  std::vector<std::string> words = arguments_;
  std::vector<char *> arg;
  arg.reserve(words.size());
  for (std::string &word : words) arg.push_back(word.data());
  // LAMMPS counts a new compute before or after this call
  Compute **const mine = std::find(list->compute, list->compute + list->ncompute + 1, static_cast<Compute *>(this));
  Compute *stock = nullptr;
  try {
    stock = list->compute_map->at(words[2])(lmp, static_cast<int>(arg.size()), arg.data());
  } catch (...) {
    if (mine - list->compute < list->ncompute) list->delete_compute(words[0]);
    throw;
  }
  *mine = stock;
  delete this;
  stock->post_constructor();
}
