#include "faults/host_faults.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(TRIAD_FAULT_BACKTRACE)
#include <execinfo.h>
#endif

namespace triad {
namespace faults {
namespace {

std::atomic<long long> count{0}, first{0}, last{0};
std::atomic<bool> any_failed{false};

bool strikes() noexcept {
  const long long n = ++count;
  if (n < first.load(std::memory_order_relaxed) || n >= last.load(std::memory_order_relaxed)) return false;
#if defined(TRIAD_FAULT_BACKTRACE)
  void *frames[40];
  backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
#endif
  any_failed = true;
  return true;
}

}  // namespace

void fail_allocation(long long n, long long times) noexcept {
  first = last = 0;
  count = 0;
  any_failed = false;
  last = n > 0 ? n + times : 0;
  first = n;
}

long long allocations() noexcept { return count; }
bool fired() noexcept { return any_failed; }

void *allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (strikes()) return nullptr;
  if (bytes == 0) bytes = 1;
  return alignment ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                   : std::malloc(bytes);
}
void *allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void *const memory = allocate(bytes, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace faults
}  // namespace triad

using triad::faults::allocate;
using triad::faults::allocate_or_throw;

void *operator new(std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void *operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return allocate(bytes, 0); }
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept { return allocate(bytes, 0); }
void *operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept { std::free(memory); }
