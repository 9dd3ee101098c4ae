#include "engine/exchange/shared_memory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

namespace triad {
namespace {

/// Allocates all memory of a segment. Returns false if the system cannot: without this check, a later access to a page
/// that the system cannot provide would kill the process (SIGBUS).
bool reserve(int file, std::size_t bytes) {
#if defined(__APPLE__)
  return ftruncate(file, static_cast<off_t>(bytes)) == 0;
#else
  return posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
#endif
}

}  // namespace

bool SharedMemory::create(std::size_t bytes, Owner owner) {
  close();
  std::random_device random;
  name_.secret = std::uint64_t(random()) << 32 | random();
  // The name is random: process numbers can be equal in two containers that share this memory.
  std::snprintf(name_.name, sizeof name_.name, "/triad-%016llx", static_cast<unsigned long long>(name_.secret));
  file_ = shm_open(name_.name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (file_ < 0) {
    name_.name[0] = '\0';  // this process does not own the name and must not unlink it
    return false;
  }
  if (!reserve(file_, head + bytes) || !map(bytes)) {
    close();
    return false;
  }
  const bool locked = owner == Owner::Watched && flock(file_, LOCK_EX | LOCK_NB) == 0;
  const std::uint64_t first[2] = {name_.secret, locked};
  std::memcpy(data_ - head, first, sizeof first);
  if (!locked) close_file();
  return true;
}

bool SharedMemory::open(const SharedName &name, std::size_t bytes) {
  close();
  if (!name.name[0]) return false;
  file_ = shm_open(name.name, O_RDWR, 0);
  if (file_ < 0) return false;
  // a segment of this name on another host may be shorter
  if (lseek(file_, 0, SEEK_END) < static_cast<off_t>(head + bytes) || !map(bytes)) {
    close();
    return false;
  }
  std::uint64_t first[2];
  std::memcpy(first, data_ - head, sizeof first);
  locked_ = first[1] != 0;
  if (first[0] != name.secret) {
    close();
    return false;
  }
  if (!locked_) close_file();
  return true;
}

bool SharedMemory::map(std::size_t bytes) {
  void *const at = mmap(nullptr, head + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) return false;
  data_ = static_cast<char *>(at) + head;
  bytes_ = bytes;
  return true;
}

bool SharedMemory::owner_alive() const {
  if (!locked_) return true;
  if (flock(file_, LOCK_SH | LOCK_NB) != 0) return true;
  flock(file_, LOCK_UN);
  return false;
}

void SharedMemory::unlink() {
  if (name_.name[0]) shm_unlink(name_.name);
  name_.name[0] = '\0';
}

void SharedMemory::close_file() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void SharedMemory::close() {
  unlink();
  if (data_) munmap(data_ - head, head + bytes_);
  close_file();
  locked_ = false;
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace triad
