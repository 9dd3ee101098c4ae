// Memory that processes of one host share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triad {

/// What another process needs to find a segment. The secret tells segments of equal name on different hosts apart.
struct SharedName {
  char name[32];
  std::uint64_t secret;
};

/// One mapping of a segment. Nothing throws: where a host does not give shared memory, callers have another way.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;
  ~SharedMemory() { close(); }

  /// A new segment of `bytes`, zero and backed by memory, so that no later access can fail. False if there is none.
  bool create(std::size_t bytes);
  /// Maps the segment of another process. False if this host does not have it.
  bool open(const SharedName &name, std::size_t bytes);
  /// Of the segment that create() has made.
  const SharedName &name() const { return name_; }
  /// Takes the name away once all have opened it: the memory goes with the last mapping, whatever ends a process.
  void forget_name();
  void close();

  /// False once the mapping that create() has made is closed, by its owner or by the end of its process, whatever ended
  /// it. The owner holds a lock of the file, which the system takes back. Always true where files have no such locks.
  bool owner_is_there() const;

  char *data() const { return data_; }  ///< aligned to 64, null without a segment
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t head = 64;  // in front of the data: the secret
  bool map(std::size_t bytes);

  SharedName name_ = {};
  int file_ = -1;
  bool own_ = false, locked_ = false;
  char *data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace triad
