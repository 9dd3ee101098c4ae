#include "lammps/run/halo.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "core/error.h"
#include "domain.h"
#include "lammps/util/domain_box.h"
#include "memory.h"

using namespace LAMMPS_NS;

namespace {

constexpr double none = -1;  // instead of a rank

/// True if MPI says that it accepts device memory. The query is an extension that not every MPI has.
bool mpi_takes_device_memory() {
  const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query && query() == 1;
}

}  // namespace

Halo::Halo(LAMMPS *lmp, Route route)
    : Pointers(lmp), route_(route), device_memory_(route != Route::HostMemory && mpi_takes_device_memory()) {
  MPI_Comm_dup(world, &ranks_);
  if (comm->nprocs > 1) status_.connect(*this);
}

Halo::~Halo() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  // after an error, a message of the failed run may still arrive, and would match a later communicator that reuses the
  // context of this one
  if (!finalized && !broken_ && !status_.failed()) MPI_Comm_free(&ranks_);
}

void Halo::fail(const char *why) noexcept {
  broken_ = comm->nprocs > 1;
  status_.fail(why);
}

void Halo::start() {
  if (comm->nprocs == 1) return;
  int broken = broken_ || status_.failed();
  MPI_Allreduce(MPI_IN_PLACE, &broken, 1, MPI_INT, MPI_MAX, world);
  if (!broken) return;
  status_.start();
  MPI_Comm_dup(world, &ranks_);  // the old one is kept, see the destructor
  broken_ = false;
}

void Halo::throw_other_atoms() {
  throw triad::LoopError(
      "the atoms, their ghosts or the box are others than in the last run; after a command such as balance, "
      "reset_atoms, delete_atoms, displace_atoms or change_box, use run without pre no");
}

/// [n_all][5] rank, index and position of the owner of each atom and ghost, which the caller destroys.
double **Halo::find_origins() {
  const int n_owned = atom->nlocal, n_all = n_owned + atom->nghost;
  // LAMMPS's communication gives each ghost the rank, index and position of its owner. If the communication is still
  // that of earlier atoms, it writes other rows than those of the ghosts, but none beyond nmax.
  const int n_rows = std::max({1, n_all, atom->nmax});
  double **origin;
  memory->create(origin, n_rows, 5, "triad:halo");
  for (int i = 0; i < n_rows; ++i) {
    origin[i][0] = i < n_owned ? comm->me : none;
    origin[i][1] = i;
    if (i < n_owned) std::copy_n(atom->x[i], 3, origin[i] + 2);
  }
  comm->forward_comm_array(5, origin);
  bool of_these_ghosts = true;
  for (int i = n_owned; i < n_rows; ++i) of_these_ghosts = of_these_ghosts && (i < n_all) == (origin[i][0] != none);
  if (!of_these_ghosts) {
    memory->destroy(origin);
    throw_other_atoms();
  }
  return origin;
}

void Halo::check_ghosts() {
  double **origin = find_origins();
  memory->destroy(origin);
}

triad::HaloPlan Halo::make_plan() {
  const int n_owned = atom->nlocal, n_ghosts = atom->nghost;
  double **origin = find_origins();
  images_ = {Image{0, 0, 0}};
  triad::HaloPlan plan;
  plan.owner.assign(n_ghosts, triad::HaloPlan::remote);
  plan.image.assign(n_ghosts, 0);
  std::vector<std::vector<int>> wanted(comm->nprocs);  // index and image of the atoms needed from each rank
  std::vector<std::vector<int>> ghosts(comm->nprocs);
  for (int g = 0; g < n_ghosts; ++g) {
    const double *from = origin[n_owned + g];
    const int rank = static_cast<int>(from[0]), index = static_cast<int>(from[1]);
    const Image image = image_between(from + 2, atom->x[n_owned + g]);
    if (rank == comm->me) {
      plan.owner[g] = index;
      plan.image[g] = index_of(image);
    } else {
      ghosts[rank].push_back(g);
      wanted[rank].insert(wanted[rank].end(), {index, image[0], image[1], image[2]});
    }
  }
  memory->destroy(origin);

  if (comm->nprocs > 1) {
    receive_counts_.assign(comm->nprocs, 0);
    send_counts_.assign(comm->nprocs, 0);
    std::vector<int> requests;
    for (int rank = 0; rank < comm->nprocs; ++rank) {
      receive_counts_[rank] = static_cast<int>(ghosts[rank].size());
      plan.receive.insert(plan.receive.end(), ghosts[rank].begin(), ghosts[rank].end());
      requests.insert(requests.end(), wanted[rank].begin(), wanted[rank].end());
    }
    const std::vector<int> wanted_counts = receive_counts_;
    send_counts_ = set_send_counts(wanted_counts);
    receive_counts_ = wanted_counts;
    const int n_send = std::accumulate(send_counts_.begin(), send_counts_.end(), 0);
    std::vector<int> asked(4 * std::size_t(n_send));
    alltoallv(requests.data(), receive_counts_, asked.data(), send_counts_, 4 * sizeof(int));
    for (int k = 0; k < n_send; ++k) {
      const int *ask = asked.data() + 4 * std::size_t(k);
      if (ask[0] < 0 || ask[0] >= n_owned)
        throw triad::LoopError("another rank asked for the position of an atom that this rank does not have");
      plan.send.push_back(ask[0]);
      plan.send_image.push_back(index_of({ask[1], ask[2], ask[3]}));
    }
    plan.send_counts = send_counts_;
    plan.receive_counts = receive_counts_;
    plan.exchange = this;
  }
  plan.shift = shifts();
  return plan;
}

/// Returns the combination of box vectors between two positions, which differ from it only by rounding.
Halo::Image Halo::image_between(const double *owner, const double *ghost) const {
  double rest[3] = {ghost[0] - owner[0], ghost[1] - owner[1], ghost[2] - owner[2]};
  Image image;
  image[2] = static_cast<int>(std::lround(rest[2] / domain->zprd));
  if (domain->triclinic) rest[1] -= image[2] * domain->yz;
  image[1] = static_cast<int>(std::lround(rest[1] / domain->yprd));
  if (domain->triclinic) rest[0] -= image[1] * domain->xy + image[2] * domain->xz;
  image[0] = static_cast<int>(std::lround(rest[0] / domain->xprd));
  return image;
}

int Halo::index_of(const Image &image) {
  const auto found = std::find(images_.begin(), images_.end(), image);
  const int index = static_cast<int>(found - images_.begin());
  if (found == images_.end()) images_.push_back(image);
  return index;
}

std::vector<double> Halo::shifts() const {
  std::vector<double> shifts;
  const triad::UpperTriangular edges = box_of(domain).edges();
  for (const Image &n : images_) {
    const triad::Vec3<double> shift = edges * triad::Vec3<double>{double(n[0]), double(n[1]), double(n[2])};
    shifts.insert(shifts.end(), {shift.x, shift.y, shift.z});
  }
  return shifts;
}

/// Waits for messages. If another rank of this host fails or ends, throws LoopError with its reason. With `cancels`,
/// for messages between two ranks, the function first cancels the messages and waits up to 0.1 s for those that cannot
/// be cancelled: the caller may then free the buffers. Without `cancels`, the buffers must stay allocated.
void Halo::wait(std::vector<MPI_Request> &requests, bool cancels) {
  const int n = static_cast<int>(requests.size());
  if (!status_.connected()) {
    MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  triad::PollingWait others(status_, std::numeric_limits<double>::infinity());
  for (;;) {
    int done = 0;
    MPI_Testall(n, requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done) return;
    if (others.keep_waiting()) continue;
    broken_ = true;
    if (cancels) {
      for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
      for (const double start = MPI_Wtime(); !done && MPI_Wtime() - start < 0.1;)
        MPI_Testall(n, requests.data(), &done, MPI_STATUSES_IGNORE);
      for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    status_.check();
  }
}

/// Calls start(in, out, request), which starts an operation of all ranks, with a copy of the n_in values and an array
/// for n_out values, and waits for it. Returns that array. After an error, the memory stays allocated, since the
/// operation may go on.
template <class Value, class Start>
std::vector<Value> Halo::of_all(const Value *in, std::size_t n_in, std::size_t n_out, Start &&start) {
  auto buffers = std::make_unique<std::array<std::vector<Value>, 2>>();
  (*buffers)[0].assign(in, in + n_in);
  (*buffers)[1].resize(n_out);
  std::vector<MPI_Request> request(1);
  start((*buffers)[0].data(), (*buffers)[1].data(), &request[0]);
  try {
    wait(request, false);
  } catch (...) {
    (void)buffers.release();
    throw;
  }
  return std::move((*buffers)[1]);
}

std::vector<int> Halo::set_send_counts(const std::vector<int> &send_counts) {
  send_counts_ = send_counts;
  receive_counts_ =
      of_all(send_counts.data(), send_counts.size(), send_counts.size(), [&](int *in, int *out, MPI_Request *request) {
        MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, ranks_, request);
      });
  return receive_counts_;
}

void Halo::forward(const void *send, void *receive, std::size_t item) {
  alltoallv(send, send_counts_, receive, receive_counts_, item);
}

void Halo::reverse(const void *receive, void *send, std::size_t item) {
  alltoallv(receive, receive_counts_, send, send_counts_, item);
}

void Halo::alltoallv(const void *send, const std::vector<int> &send_counts, void *receive,
                     const std::vector<int> &receive_counts, std::size_t item) {
  const char *out = static_cast<const char *>(send);
  char *in = static_cast<char *>(receive);
  std::vector<MPI_Request> requests;
  requests.reserve(2 * std::size_t(comm->nprocs));  // with a receive under way, nothing may throw before wait()
  MPI_Datatype atom_item;
  MPI_Type_contiguous(static_cast<int>(item), MPI_BYTE, &atom_item);
  MPI_Type_commit(&atom_item);
  for (int rank = 0; rank < comm->nprocs; ++rank) {
    if (receive_counts[rank]) {
      requests.emplace_back();
      MPI_Irecv(in, receive_counts[rank], atom_item, rank, 0, ranks_, &requests.back());
      in += item * receive_counts[rank];
    }
  }
  for (int rank = 0; rank < comm->nprocs; ++rank) {
    if (send_counts[rank]) {
      requests.emplace_back();
      MPI_Isend(out, send_counts[rank], atom_item, rank, 0, ranks_, &requests.back());
      out += item * send_counts[rank];
    }
  }
  MPI_Type_free(&atom_item);  // when the messages that use this type are done
  wait(requests, true);
}

void Halo::allreduce_max(double *values, int n) {
  const std::vector<double> all = of_all(values, n, n, [&](double *in, double *out, MPI_Request *request) {
    MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_MAX, ranks_, request);
  });
  std::copy(all.begin(), all.end(), values);
}

int Halo::rank() const { return comm->me; }

int Halo::ranks() const { return comm->nprocs; }

void Halo::allgather(const void *mine, void *all, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const std::vector<char> found = of_all(static_cast<const char *>(mine), bytes, bytes * comm->nprocs,
                                         [&](char *in, char *out, MPI_Request *request) {
                                           MPI_Iallgather(in, count, MPI_BYTE, out, count, MPI_BYTE, ranks_, request);
                                         });
  std::copy(found.begin(), found.end(), static_cast<char *>(all));
}
