// A mechanism, its workspace and states of any scalar, with vectors in and out.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "catena/formulations/spatial/factorization.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/model/compile.hpp"
#include "oracles/naive.hpp"
#include "oracles/random.hpp"

namespace catena::oracle {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class T>
struct State {
  std::vector<T> q, qd, qdd, tau;
  std::vector<Force<T>> Fext;
};

// Angles in (-pi, pi), displacements in (-1, 1), attitudes anywhere; rates and forces in (-1, 1).
State<double> random_state(const Mechanism<double>& m, Random& random, bool wrenches = true);

// The wrenches of a state on bodies of the model, as the naive oracle takes them: what Fext does on
// the mechanism's bodies, these do on the model's.
std::map<std::string, BodyWrench> random_wrenches(const Model& model, const Mechanism<double>& m,
                                                  Random& random, State<double>& state);

// Joints in the order of the mechanism's vectors.
std::vector<std::string> coordinate_order(const Mechanism<double>& m);

template <class T>
std::vector<T> convert(const std::vector<double>& v) {
  std::vector<T> r;
  for (double x : v) r.push_back(T(static_cast<Constant<T>>(x)));
  return r;
}
template <class T>
Force<T> convert(const Force<double>& F) {
  auto c = [](double x) { return T(static_cast<Constant<T>>(x)); };
  return {{c(F.n.x), c(F.n.y), c(F.n.z)}, {c(F.f.x), c(F.f.y), c(F.f.z)}};
}
template <class T>
State<T> convert(const State<double>& s) {
  State<T> r{convert<T>(s.q), convert<T>(s.qd), convert<T>(s.qdd), convert<T>(s.tau), {}};
  for (const Force<double>& F : s.Fext) r.Fext.push_back(convert<T>(F));
  return r;
}

#if CATENA_HAS_QUAD
// A rotation known to 1e-16 only, made exact.
Mat3<Quad> orthogonal(Mat3<Quad> R);
#endif

template <class T>
struct Machine {
  Mechanism<Constant<T>> m;
  Workspace<T> w;

  explicit Machine(const Mechanism<double>& mechanism) : m(cast<Constant<T>>(mechanism)), w(m) {}

  using Vector = std::vector<T>;
  Vector inverse(const Vector& q, const Vector& qd, const Vector& qdd,
                 const std::vector<Force<T>>& Fext = {}) {
    Vector tau(at(m.nv));
    inverse_dynamics<T>(m, q, qd, qdd, Fext, w, tau);
    return tau;
  }
  Vector inverse(const State<T>& s) { return inverse(s.q, s.qd, s.qdd, s.Fext); }
  std::vector<Force<T>> reactions(const State<T>& s) {
    Vector tau(at(m.nv));
    std::vector<Force<T>> F(m.bodies.size());
    inverse_dynamics<T>(m, s.q, s.qd, s.qdd, s.Fext, w, tau, F);
    return F;
  }
  Vector forward(const Vector& q, const Vector& qd, const Vector& tau,
                 const std::vector<Force<T>>& Fext = {}) {
    Vector qdd(at(m.nv));
    status = forward_dynamics<T>(m, q, qd, tau, Fext, w, qdd);
    return qdd;
  }
  Vector forward(const State<T>& s) { return forward(s.q, s.qd, s.tau, s.Fext); }
  Vector solve(const Vector& q, const Vector& f) {
    Vector x(at(m.nv));
    status = solve_inertia<T>(m, q, f, w, x);
    return x;
  }
  Vector inertia(const Vector& q) {  // row by row
    Vector M(at(m.nv) * at(m.nv));
    inertia_matrix<T>(m, q, w, M);
    return M;
  }
  std::vector<Pose<T>> poses(const Vector& q) {
    std::vector<Pose<T>> X(m.bodies.size());
    body_poses<T>(m, q, w, X);
    return X;
  }
  struct Motions {
    std::vector<Pose<T>> X;
    std::vector<Motion<T>> V, A;
  };
  Motions motions(const Vector& q, const Vector& qd, const Vector& qdd) {
    Motions r{std::vector<Pose<T>>(m.bodies.size()), std::vector<Motion<T>>(m.bodies.size()),
              std::vector<Motion<T>>(m.bodies.size())};
    body_motions<T>(m, q, qd, qdd, w, r.X, r.V, r.A);
    return r;
  }
  // q after time t at velocity v
  Vector moved(const Vector& q, const Vector& v, const T& t) const {
    Vector step, r(at(m.nq));
    for (const T& x : v) step.push_back(t * x);
    integrate_configuration<T>(m, q, step, r);
    return r;
  }

  ForwardStatus status{};
};

// Rows times a vector.
template <class T>
std::vector<T> times(const std::vector<T>& M, const std::vector<T>& x) {
  std::vector<T> r(x.size(), T(0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) r[i] = r[i] + M[i * x.size() + j] * x[j];
  }
  return r;
}

template <class T>
double magnitude(const T& x) {
  const double v = to_double(x);
  if (!(v <= 1e300 && v >= -1e300)) return std::numeric_limits<double>::infinity();
  return v < 0 ? -v : v;
}
template <class T>
double largest(const std::vector<T>& v) {
  double worst = 0;
  for (const T& x : v) worst = std::max(worst, magnitude(x));
  return worst;
}

// The largest difference, relative to `scale` (or the largest entry of b if that is more).
template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b, double scale = 0) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, magnitude(T(a[i] - b[i])));
  scale = std::max(scale, largest(b));
  return scale > 0 ? worst / scale : worst;
}

// The largest sum of magnitudes in the product of M and x: what its rounding is relative to.
template <class T>
double product_size(const std::vector<T>& M, const std::vector<T>& x) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += magnitude(T(M[i * x.size() + j] * x[j]));
    worst = std::max(worst, sum);
  }
  return worst;
}

// Poses, twists and wrenches as numbers.
template <class T>
std::vector<T> numbers(const Vec3<T>& v) {
  return {v.x, v.y, v.z};
}
template <class T>
std::vector<T> numbers(const Motion<T>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}
template <class T>
std::vector<T> numbers(const Force<T>& F) {
  return {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
}
template <class T>
std::vector<T> numbers(const Pose<T>& X) {
  return {X.R.x.x, X.R.x.y, X.R.x.z, X.R.y.x, X.R.y.y, X.R.y.z,
          X.R.z.x, X.R.z.y, X.R.z.z, X.p.x,   X.p.y,   X.p.z};
}

// The unit roundoff that tolerances are counted in.
template <class T>
double epsilon() {
  if constexpr (std::is_same_v<Constant<T>, float>) return 0x1p-23;
#if CATENA_HAS_QUAD
  if constexpr (std::is_same_v<Constant<T>, Quad>) return 0x1p-112;
#endif
  return 0x1p-52;
}

}  // namespace catena::oracle
