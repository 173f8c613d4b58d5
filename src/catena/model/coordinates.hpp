// Between the user's coordinates and the tree's: the same unless joints are coupled (mimic).
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// Positions and rates in tree coordinates: the user's own memory where nothing is coupled.
template <class T>
const T* tree_positions(const Mechanism<Constant<T>>& m, std::span<const T> q, Arena& arena) {
  if (!m.coupled) return q.data();
  T* tree = arena.take<T>(m.q_map.size());
  for (std::size_t k = 0; k < m.q_map.size(); ++k) {
    const auto& map = m.q_map[k];
    tree[k] = map.ratio * q[static_cast<std::size_t>(map.index)] + map.offset;
  }
  return tree;
}

// An empty span stands for zeros.
template <class T>
const T* tree_rates(const Mechanism<Constant<T>>& m, std::span<const T> v, Arena& arena) {
  if (!m.coupled && !v.empty()) return v.data();
  T* tree = arena.take<T>(m.v_map.size());
  for (std::size_t k = 0; k < m.v_map.size(); ++k) {
    const auto& map = m.v_map[k];
    tree[k] = v.empty() ? T(0) : T(map.ratio * v[static_cast<std::size_t>(map.index)]);
  }
  return tree;
}

// Where an algorithm writes generalized forces of the tree.
template <class T>
T* tree_forces(const Mechanism<Constant<T>>& m, std::span<T> tau, Arena& arena) {
  return m.coupled ? arena.take<T>(m.v_map.size()) : tau.data();
}

// tau = Gᵀ tree: what does the same work on the user's coordinates.
template <class T>
void gather_forces(const Mechanism<Constant<T>>& m, const T* tree, std::span<T> tau) {
  if (!m.coupled) return;
  for (T& t : tau) t = T(0);
  for (std::size_t k = 0; k < m.v_map.size(); ++k) {
    T& t = tau[static_cast<std::size_t>(m.v_map[k].index)];
    t = t + m.v_map[k].ratio * tree[k];
  }
}

// Gᵀ tree G of a square matrix by rows.
template <class T>
void gather_square(const Mechanism<Constant<T>>& m, const T* tree, std::span<T> user) {
  const std::size_t n = static_cast<std::size_t>(m.nv), tree_n = m.v_map.size();
  for (T& entry : user) entry = T(0);
  for (std::size_t i = 0; i < tree_n; ++i) {
    for (std::size_t j = 0; j < tree_n; ++j) {
      const auto& a = m.v_map[i];
      const auto& b = m.v_map[j];
      T& entry = user[static_cast<std::size_t>(a.index) * n + static_cast<std::size_t>(b.index)];
      entry = entry + a.ratio * (b.ratio * tree[i * tree_n + j]);
    }
  }
}

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace catena
