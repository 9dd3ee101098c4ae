#include "lammps/compute/compute_for_stock.h"

#include <algorithm>

#include "error.h"
#include "modify.h"

using namespace LAMMPS_NS;

ComputeForStock::ComputeForStock(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), arguments_(arg, arg + narg) {
  if (!calls_post_constructor)
    error->all(FLERR,
               "Compute {} with these arguments needs LAMMPS's own style, and this version of LAMMPS cannot replace a "
               "compute; put 'suffix off' before the command and 'suffix on' after it",
               arg[2]);
}

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
  post_construct(*stock);
}
