#include "engine/exchange/row_plan.h"

#include <algorithm>
#include <numeric>

namespace triad {

RowPlan all_rows(HaloExchange &exchange, int n_owned) {
  const int ranks = exchange.ranks(), rank = exchange.rank();
  RowPlan rows;
  HaloPlan &plan = rows.plan;
  plan.exchange = &exchange;
  plan.shift = {0, 0, 0};
  plan.receive_counts.resize(ranks);
  exchange.allgather(&n_owned, plan.receive_counts.data(), sizeof n_owned);
  rows.first = std::accumulate(plan.receive_counts.begin(), plan.receive_counts.begin() + rank, 0);
  rows.n = std::accumulate(plan.receive_counts.begin(), plan.receive_counts.end(), 0);
  plan.receive_counts[rank] = 0;
  plan.send_counts.assign(ranks, n_owned);
  plan.send_counts[rank] = 0;
  for (int r = 0; r + 1 < ranks; ++r)
    for (int i = 0; i < n_owned; ++i) plan.send.push_back(rows.first + i);
  plan.send_image.assign(plan.send.size(), 0);
  for (int row = 0; row < rows.n; ++row)
    if (row < rows.first || row >= rows.first + n_owned) plan.receive.push_back(row);
  return rows;
}

RowPlan rows_with_ghosts(const HaloPlan &halo, int n_owned) {
  RowPlan rows;
  rows.plan = halo;
  rows.n = n_owned + halo.n_ghosts();
  for (int &row : rows.plan.receive) row += n_owned;
  return rows;
}

namespace {

void copy_rows(const std::vector<int> &index, std::size_t width, const double *rows, std::vector<double> &target) {
  target.resize(width * index.size());
  for (std::size_t k = 0; k < index.size(); ++k) std::copy_n(rows + width * index[k], width, target.data() + width * k);
}

}  // namespace

void HostRows::forward(double *rows) {
  if (!plan_.exchange) return;
  copy_rows(plan_.send, 3, rows, send_buffer_);
  receive_buffer_.resize(3 * plan_.receive.size());
  plan_.exchange->alltoallv(send_buffer_.data(), plan_.send_counts, receive_buffer_.data(), plan_.receive_counts,
                            3 * sizeof(double));
  for (std::size_t k = 0; k < plan_.receive.size(); ++k)
    std::copy_n(receive_buffer_.data() + 3 * k, 3, rows + 3 * std::size_t(plan_.receive[k]));
}

void HostRows::reverse(double *rows, int width) {
  if (!plan_.exchange) return;
  const std::size_t w = width;
  copy_rows(plan_.receive, w, rows, send_buffer_);
  for (const int row : plan_.receive) std::fill_n(rows + w * row, w, 0.0);
  receive_buffer_.resize(w * plan_.send.size());
  plan_.exchange->alltoallv(send_buffer_.data(), plan_.receive_counts, receive_buffer_.data(), plan_.send_counts,
                            w * sizeof(double));
  for (std::size_t k = 0; k < plan_.send.size(); ++k)
    for (std::size_t c = 0; c < w; ++c) rows[w * plan_.send[k] + c] += receive_buffer_[w * k + c];
}

}  // namespace triad
