// Means of quantities over the steps of a run, and their errors from the means of blocks of steps. Blocks become longer
// as the run does, so that their number, and the memory, stay bounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace triad {

class BlockMeans {
 public:
  static constexpr int most_blocks = 32;

  /// `width` quantities.
  explicit BlockMeans(std::size_t width) : width_(width), current_(width) {}

  /// Adds one sample, values[width].
  void add(const double *values) {
    for (std::size_t k = 0; k < width_; ++k) current_[k] += values[k];
    ++samples_;
    if (++in_current_ < length_) return;
    sums_.insert(sums_.end(), current_.begin(), current_.end());
    std::fill(current_.begin(), current_.end(), 0.0);
    in_current_ = 0;
    if (blocks() == most_blocks) merge_pairs();
  }

  long long samples() const { return samples_; }
  /// Number of complete blocks.
  int blocks() const { return static_cast<int>(sums_.size() / width_); }

  /// Means over all samples, or zeros without samples.
  std::vector<double> mean() const {
    std::vector<double> all = current_;
    for (std::size_t k = 0; k < sums_.size(); ++k) all[k % width_] += sums_[k];
    for (double &value : all) value /= static_cast<double>(std::max(1LL, samples_));
    return all;
  }

  /// Means over the complete blocks first to last - 1.
  std::vector<double> mean_of_blocks(int first, int last) const {
    std::vector<double> all(width_);
    for (std::size_t k = first * width_; k < last * width_; ++k) all[k % width_] += sums_[k];
    for (double &value : all) value /= static_cast<double>(length_) * std::max(1, last - first);
    return all;
  }

  /// Standard error of f(means), which is a number, over the complete blocks first to last - 1: their standard
  /// deviation over the root of their number. Infinite with fewer than two blocks.
  template <class F>
  double standard_error(F &&f, int first, int last) const {
    const int n = last - first;
    if (n < 2) return INFINITY;
    double sum = 0, squares = 0;
    for (int b = first; b < last; ++b) sum += f(mean_of_blocks(b, b + 1));
    for (int b = first; b < last; ++b) {
      const double difference = f(mean_of_blocks(b, b + 1)) - sum / n;
      squares += difference * difference;
    }
    return std::sqrt(squares / (double(n) * (n - 1)));
  }

  /// All state as numbers, for restart records.
  std::vector<double> pack() const {
    std::vector<double> all = {double(width_), double(length_), double(in_current_), double(samples_)};
    all.insert(all.end(), current_.begin(), current_.end());
    all.insert(all.end(), sums_.begin(), sums_.end());
    return all;
  }
  /// Takes over what pack() returned. False, and nothing changed, if the numbers are of another width or count.
  bool unpack(const std::vector<double> &all) {
    if (all.size() < 4 + width_ || all[0] != double(width_) || (all.size() - 4) % width_ != 0 || !(all[1] >= 1))
      return false;
    length_ = static_cast<long long>(all[1]);
    in_current_ = static_cast<long long>(all[2]);
    samples_ = static_cast<long long>(all[3]);
    current_.assign(all.begin() + 4, all.begin() + 4 + width_);
    sums_.assign(all.begin() + 4 + width_, all.end());
    return true;
  }

 private:
  void merge_pairs() {
    const std::size_t n = blocks() / 2;
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; k < width_; ++k)
        sums_[b * width_ + k] = sums_[2 * b * width_ + k] + sums_[(2 * b + 1) * width_ + k];
    sums_.resize(n * width_);
    length_ *= 2;
  }

  std::size_t width_;
  long long length_ = 1, in_current_ = 0, samples_ = 0;  // samples of a block, of the one that grows, and in all
  std::vector<double> current_, sums_;                   // [width], [blocks][width]
};

}  // namespace triad
