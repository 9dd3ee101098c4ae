// Points as one array per component, for loops that vectorise.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "loops/pair_points.h"

namespace triad {

template <class Point, class Fields = decltype(Point::fields())>
class PointColumns;

template <class Point, class... Component>
class PointColumns<Point, std::tuple<Component Point::*...>> {
  using Indices = std::index_sequence_for<Component...>;

 public:
  class View {
   public:
    explicit View(const Component *...columns) : column_(columns...) {}
    TRIAD_HD Point at(std::size_t k) const { return at(k, Indices()); }

   private:
    template <std::size_t... F>
    TRIAD_HD Point at(std::size_t k, std::index_sequence<F...>) const {
      return Point{std::get<F>(column_)[k]...};  // fields() are all members, in their order
    }
    std::tuple<const Component *...> column_;
  };

  void resize(std::size_t n) {
    std::apply([n](auto &...column) { (column.resize(n), ...); }, column_);
  }
  void set(std::size_t k, const Point &p) { set(k, p, Indices()); }
  View view() const {
    return std::apply([](const auto &...column) { return View(column.data()...); }, column_);
  }
  double bytes() const {
    return std::apply([](const auto &...column) { return (0.0 + ... + double(column.capacity() * sizeof(column[0]))); },
                      column_);
  }

 private:
  template <std::size_t... F>
  void set(std::size_t k, const Point &p, std::index_sequence<F...>) {
    ((std::get<F>(column_)[k] = p.*std::get<F>(Point::fields())), ...);
  }
  std::tuple<std::vector<Component>...> column_;
};

}  // namespace triad
