// Interface of the correlation of virials with velocities, for the heat current by frequency.
#pragma once

namespace triad {

/// An engine makes a VirialVelocity, which uses the atoms of that engine and must not be used after it. One rank only.
class VirialVelocity {
 public:
  virtual ~VirialVelocity() = default;

  /// Adds a sample of the atoms as they are: the products of its virials with the velocities of this and earlier
  /// samples (lags <= 0), and of its velocities with the virials of earlier samples (lags > 0). Throws LoopError.
  virtual void sample() = 0;

  /// Adds the products since the last call to sums [2 lags - 1][3], by lag and component of the velocity. Throws
  /// LoopError.
  virtual void take_sums(double *sums) = 0;

  /// Bytes held on the device.
  virtual double device_bytes() const = 0;
};

}  // namespace triad
