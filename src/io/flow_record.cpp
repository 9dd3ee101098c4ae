#include "io/flow_record.h"

#include <algorithm>
#include <cmath>

namespace triad {
namespace {

constexpr const char *flow_kind = "TRIADFLW";
constexpr double flow_version = 3;
constexpr std::size_t n_flow_values = 12;

}  // namespace

std::vector<double> pack_flow_record(const FlowRecord &r) {
  return seal_record(flow_kind, flow_version,
                     {r.cells, r.edges, r.mesh_checksum, r.sub_steps, r.last_sub_steps, r.last_step, r.volumes[0],
                      r.volumes[1], r.volumes[2], r.volumes[3], r.user_step, r.set_step});
}

FlowRecord unpack_flow_record(const char *bytes, std::size_t size) {
  const std::vector<double> v = unseal_record(flow_kind, flow_version, bytes, size);
  if (v.size() != n_flow_values) throw RestartRecordError("its number of values is not that of this plugin");
  if (!std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }))
    throw RestartRecordError("it holds a value that is not finite");
  return {v[0], v[1], v[2], v[3], v[4], v[5], {v[6], v[7], v[8], v[9]}, v[10], v[11]};
}

}  // namespace triad
