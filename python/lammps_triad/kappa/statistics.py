"""Means, standard errors and how they are printed."""

import math
from dataclasses import dataclass

import numpy as np

LEAST_BLOCKS = 8


@dataclass(frozen=True)
class Estimate:
    value: float
    error: float  # standard error; infinite where it cannot be known

    def __str__(self):
        """The error with two digits, the value to the same place."""
        if not math.isfinite(self.error):
            return f"{self.value:.3g} ± unknown"
        if self.error == 0:
            return f"{self.value:.6g} ± 0"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"


def weighted_mean(values, lengths):
    """Of the values of runs, along the first axis: sum of w_i x_i with the shares w_i of the runs' lengths in their sum."""
    return np.average(values, axis=0, weights=lengths)


def standard_error(values, lengths=None):
    """Of the mean of n independent values with weights w_i that are the shares of their runs' lengths in the sum of the lengths;
    without lengths, all are equal. The variance of a value is inversely proportional to the length of its run, so
    sum w_i (x_i - mean)^2 / (n - 1) is an unbiased estimate of the square of the error. Along the first axis."""
    values = np.asarray(values)
    n = len(values)
    if n < 2:
        return math.inf if values.ndim == 1 else np.full(values.shape[1:], math.inf)
    lengths = np.ones(n) if lengths is None else lengths
    error = np.sqrt(weighted_mean((values - weighted_mean(values, lengths))**2, lengths) / (n - 1))
    return float(error) if values.ndim == 1 else error


def effective_number(lengths):
    """How many runs of equal length count as much as these; the number of runs if their lengths are equal."""
    lengths = np.asarray(lengths, dtype=float)
    return float(lengths.sum()**2 / (lengths**2).sum())


def weights_text(lengths):
    """A part of a sentence on the weights; nothing if all are equal."""
    if len(set(lengths)) < 2:
        return ""
    return f", weighted by their lengths, as good as {effective_number(lengths):.1f} runs of equal length"


def blocks_of(series, length):
    n = len(series) // length
    return series[len(series) - n * length:].reshape(n, length).mean(axis=1)


def block_error(series_list):
    """Standard error of the mean of several series of correlated samples, the length of block that gave it, and whether
    two or more longer lengths have confirmed it; if not, the error is a lower bound.

    Blocks of 1, 2, 4, ... samples are averaged, as long as all series together have at least LEAST_BLOCKS blocks. The
    standard error of the mean of blocks grows with their length until they are independent. The first length is taken
    whose error is not exceeded, beyond its own uncertainty 1/sqrt(2 (n - 1)), by that of any longer block; without one,
    the largest error.
    """
    found = []  # (length, error, uncertainty of the error)
    length = 1
    while True:
        blocks = np.concatenate([blocks_of(series, length) for series in series_list])
        if len(blocks) < LEAST_BLOCKS:
            break
        found.append((length, standard_error(blocks), 1 / math.sqrt(2 * (len(blocks) - 1))))
        length *= 2
    if not found:
        return math.inf, 0, False
    for k, (length, error, uncertainty) in enumerate(found):
        if all(later <= error * (1 + uncertainty + spread) for _, later, spread in found[k + 1:]):
            return error, length, k + 2 < len(found)
    length, error, _ = max(found, key=lambda entry: entry[1])
    return error, length, False


def mean_of_series(series_list):
    """Estimate of the common mean of independent runs, in which all samples count equally, and a sentence on the error. With
    five or more runs the standard error between their means is known too, and the larger one is taken."""
    total = sum(len(series) for series in series_list)
    value = sum(float(series.sum()) for series in series_list) / total
    error, length, settled = block_error(series_list)
    rule = f"blocks of {length} sample{'s' if length > 1 else ''}" if length else f"fewer than {LEAST_BLOCKS} samples, too few for an error"
    if length and not settled:
        rule += ", a lower bound: the runs are short compared with the correlation time of the samples"
    if len(series_list) >= 5:
        lengths = [len(series) for series in series_list]
        between = standard_error([series.mean() for series in series_list], lengths)
        if between > error or not math.isfinite(error):
            error, rule = between, f"{len(series_list)} runs{weights_text(lengths)}"
    return Estimate(value, error), rule


def common_mean(estimates, lengths):
    """Estimate of the mean of independent runs of different lengths from that of each run, and a sentence on the error; see
    mean_of_series()."""
    values, shares = [e.value for e in estimates], np.asarray(lengths) / np.sum(lengths)
    error, rule = math.hypot(*(shares * [e.error for e in estimates])), f"{len(values)} runs{weights_text(lengths)}, from their errors"
    if len(values) >= 5:
        between = standard_error(values, lengths)
        if between > error or not math.isfinite(error):
            error, rule = between, f"{len(values)} runs{weights_text(lengths)}"
    return Estimate(float(weighted_mean(values, lengths)), error), rule


def weighted_line(x, y, errors):
    """Straight line a + b x through points with standard errors: (a, error of a, b, error of b, chi^2 per degree of
    freedom). The errors are enlarged by the root of the latter if that exceeds one."""
    x, y, w = np.asarray(x), np.asarray(y), 1 / np.asarray(errors)**2
    design = np.column_stack([np.ones_like(x), x])
    covariance = np.linalg.inv(design.T @ (w[:, None] * design))
    a, b = covariance @ (design.T @ (w * y))
    freedom = len(x) - 2
    chi = float((w * (y - a - b * x)**2).sum() / freedom) if freedom > 0 else 0.0
    scale = math.sqrt(max(1.0, chi))
    return a, scale * math.sqrt(covariance[0, 0]), b, scale * math.sqrt(covariance[1, 1]), chi
