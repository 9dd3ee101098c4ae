// Uninitialised memory for vector registers, aligned to 64 bytes. The thread that first writes a page determines the
// NUMA node of the page.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "core/error.h"
#include "core/messages.h"

namespace triad {

template <class T>
class AlignedArray {
 public:
  /// Ensures a size of at least n elements; growing discards the content. Throws LoopError with the size if memory is
  /// exhausted.
  void require(std::size_t n) {
    if (n <= size_) return;
    const std::size_t size = n + n / 4;
    memory_.reset();
    size_ = 0;
    memory_.reset(static_cast<T *>(allocate(size * sizeof(T))));
    size_ = size;
    ask_for_large_pages();
  }
  T *data() { return memory_.get(); }
  const T *data() const { return memory_.get(); }
  T &operator[](std::size_t k) { return memory_.get()[k]; }
  const T &operator[](std::size_t k) const { return memory_.get()[k]; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  static constexpr std::align_val_t alignment{64};
  /// Requests large pages: the atoms of a chunk are scattered over the array, and with pages of 4 KB most accesses miss
  /// the TLB.
  void ask_for_large_pages() {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t page = 4096, large = std::size_t(1) << 21;
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(data()) % page) % page;
    if (bytes() >= 2 * large)  // only a hint; errors are ignored
      madvise(reinterpret_cast<char *>(data()) + before, (bytes() - before) / page * page, MADV_HUGEPAGE);
#endif
  }
  static void *allocate(std::size_t bytes) {
    void *const memory = ::operator new(bytes, alignment, std::nothrow);
    if (!memory) throw LoopError(out_of_memory("host", "arrays of atoms", bytes));
    return memory;
  }
  struct Free {
    void operator()(T *p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace triad
