// Memory for vector registers: aligned to 64 bytes, not initialised, so that the thread which fills it first owns its
// pages.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace triad {

template <class T>
class AlignedArray {
 public:
  /// At least n elements; what it held is lost when it grows.
  void require(std::size_t n) {
    if (n <= size_) return;
    const std::size_t size = n + n / 4;
    memory_.reset();
    size_ = 0;
    memory_.reset(static_cast<T *>(::operator new(size * sizeof(T), alignment)));
    size_ = size;
  }
  T *data() { return memory_.get(); }
  const T *data() const { return memory_.get(); }
  T &operator[](std::size_t k) { return memory_.get()[k]; }
  const T &operator[](std::size_t k) const { return memory_.get()[k]; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T *p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace triad
