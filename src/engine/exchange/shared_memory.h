// Shared memory between processes of one host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triad {

/// What another process needs to open a segment. The secret distinguishes segments of the same name on other hosts.
struct SharedName {
  char name[32];
  std::uint64_t secret;
};

/// One mapping of a segment. No function throws, since callers can work without shared memory.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;
  ~SharedMemory() { close(); }

  /// Watched: owner_alive() works, for which all processes keep the file open.
  enum class Owner { Unwatched, Watched };

  /// Creates a segment of `bytes` zeros. All of its memory is allocated, so that no later access can fail. Returns
  /// false if that is not possible.
  bool create(std::size_t bytes, Owner owner = Owner::Unwatched);
  /// Maps the segment of another process. Returns false if this host does not have it.
  bool open(const SharedName &name, std::size_t bytes);
  /// Name of the segment that create() has made.
  const SharedName &name() const { return name_; }
  /// Removes the name once all have opened the segment; the system frees the memory with the last mapping, however the
  /// processes end.
  void unlink();
  void close();

  /// False once the owner has closed its mapping or its process has ended: the owner holds a lock of the file, which
  /// the system releases. Always true for a segment that is not watched, and where files cannot be locked.
  bool owner_alive() const;

  char *data() const { return data_; }  ///< aligned to 64, null without a segment
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t head = 64;  // bytes before the data, which hold the secret
  bool map(std::size_t bytes);
  void close_file();

  SharedName name_ = {};
  int file_ = -1;
  bool locked_ = false;  // another process holds the lock
  char *data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace triad
