// One formulation on one mechanism: vectors in and out, for analyses that compare methods.
#pragma once

#include <vector>

#include "catena/formulations/formulation.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {

template <class T>
class Runner {
 public:
  using Vector = std::vector<T>;

  // Both must outlive it.
  Runner(const Formulation<T>& method, const Mechanism<Constant<T>>& m)
      : method_(method), m_(m), w_(m, method.room(m)), nv_(index(m.nv)) {}

  bool has_inverse() const { return method_.inverse_dynamics != nullptr; }
  bool has_inertia() const { return method_.inertia_matrix != nullptr; }
  bool has_forward() const { return method_.forward_dynamics != nullptr; }

  Vector inverse(const Vector& q, const Vector& qd, const Vector& qdd) {
    Vector tau(nv_);
    method_.inverse_dynamics(m_, q, qd, qdd, {}, w_, tau);
    return tau;
  }
  Vector inertia(const Vector& q) {  // row by row
    Vector M(nv_ * nv_);
    method_.inertia_matrix(m_, q, w_, M);
    return M;
  }
  Vector forward(const Vector& q, const Vector& qd, const Vector& tau) {
    Vector qdd(nv_);
    status_ = method_.forward_dynamics(m_, q, qd, tau, {}, w_, qdd);
    return qdd;
  }
  // Of the last forward().
  const ForwardStatus& status() const { return status_; }
  Workspace<T>& workspace() { return w_; }

 private:
  const Formulation<T>& method_;
  const Mechanism<Constant<T>>& m_;
  Workspace<T> w_;
  std::size_t nv_;
  ForwardStatus status_{};
};

// The same numbers in another scalar.
template <class To, class From>
std::vector<To> converted(const std::vector<From>& v) {
  std::vector<To> r;
  for (const From& x : v) r.push_back(static_cast<To>(x));
  return r;
}

}  // namespace catena
