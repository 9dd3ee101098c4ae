#include "io/flow_record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace triad {
namespace {

constexpr char flow_kind[] = "TRIADFLW";
constexpr double flow_version = 1;
constexpr std::size_t n_flow_values = 10, flow_header = 3, flow_length = flow_header + n_flow_values + 1;

double flow_checksum(const double *values) {
  std::uint32_t sum = 2166136261u;
  const auto *bytes = reinterpret_cast<const unsigned char *>(values);
  for (std::size_t k = 0; k < n_flow_values * sizeof(double); ++k) sum = (sum ^ bytes[k]) * 16777619u;
  return sum;
}

}  // namespace

std::vector<double> pack_flow_record(const FlowRecord &r) {
  std::vector<double> all(flow_length);
  std::memcpy(all.data(), flow_kind, sizeof(double));
  all[1] = flow_version;
  all[2] = n_flow_values;
  const double values[n_flow_values] = {r.cells,     r.edges,      r.mesh_checksum, r.sub_steps,  r.last_sub_steps,
                                        r.last_step, r.volumes[0], r.volumes[1],    r.volumes[2], r.volumes[3]};
  std::copy_n(values, n_flow_values, all.begin() + flow_header);
  all[flow_header + n_flow_values] = flow_checksum(values);
  return all;
}

FlowRecord unpack_flow_record(const char *bytes, std::size_t size) {
  if (size < flow_header * sizeof(double)) throw FlowRecordError("it ends before its version");
  if (std::memcmp(bytes, flow_kind, sizeof(double)) != 0) throw FlowRecordError("it is of another kind");
  double all[flow_length];
  std::memcpy(all, bytes, flow_header * sizeof(double));
  if (all[1] != flow_version || all[2] != n_flow_values)
    throw FlowRecordError("its version is not that of this plugin");
  if (size < sizeof all) throw FlowRecordError("it ends before its checksum");
  std::memcpy(all, bytes, sizeof all);
  const double *v = all + flow_header;
  if (all[flow_length - 1] != flow_checksum(v)) throw FlowRecordError("its checksum is wrong");
  if (!std::all_of(v, v + n_flow_values, [](double x) { return std::isfinite(x); }))
    throw FlowRecordError("it holds a value that is not finite");
  return {v[0], v[1], v[2], v[3], v[4], v[5], {v[6], v[7], v[8], v[9]}};
}

}  // namespace triad
