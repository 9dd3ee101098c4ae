#include "engine/exchange/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

namespace triad {
namespace {

/// Room for all of the segment, or false: an access beyond what the system can give would end the process.
bool reserve(int file, std::size_t bytes) {
#if defined(__APPLE__)
  return ftruncate(file, static_cast<off_t>(bytes)) == 0;
#else
  return posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
#endif
}

}  // namespace

bool SharedMemory::create(std::size_t bytes) {
  close();
  std::random_device random;
  name_.secret = std::uint64_t(random()) << 32 | random();
  // not by process numbers, which containers that share this memory have alike
  std::snprintf(name_.name, sizeof name_.name, "/triad-%016llx", static_cast<unsigned long long>(name_.secret));
  const int file = shm_open(name_.name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (file < 0) {
    name_.name[0] = '\0';  // another process's, or nobody's
    return false;
  }
  const bool good = reserve(file, head + bytes) && map(file, bytes);
  ::close(file);
  if (good) std::memcpy(data_ - head, &name_.secret, sizeof name_.secret);
  return good;
}

bool SharedMemory::open(const SharedName &name, std::size_t bytes) {
  close();
  if (!name.name[0]) return false;
  const int file = shm_open(name.name, O_RDWR, 0);
  if (file < 0) return false;
  // a segment of this name on another host may be shorter
  const bool good = lseek(file, 0, SEEK_END) >= static_cast<off_t>(head + bytes) && map(file, bytes);
  ::close(file);
  if (good && std::memcmp(data_ - head, &name.secret, sizeof name.secret) == 0) return true;
  close();
  return false;
}

bool SharedMemory::map(int file, std::size_t bytes) {
  void *const at = mmap(nullptr, head + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return false;
  data_ = static_cast<char *>(at) + head;
  bytes_ = bytes;
  return true;
}

void SharedMemory::forget_name() {
  if (name_.name[0]) shm_unlink(name_.name);
  name_.name[0] = '\0';
}

void SharedMemory::close() {
  forget_name();
  if (data_) munmap(data_ - head, head + bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace triad
