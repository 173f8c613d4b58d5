#include <array>

#include "catena/formulations/denoc/forward_dynamics.hpp"
#include "catena/formulations/denoc/inertia_matrix.hpp"
#include "catena/formulations/denoc/inverse_dynamics.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/formulations/gibbs_appell/forward_dynamics.hpp"
#include "catena/formulations/gibbs_appell/inertia_matrix.hpp"
#include "catena/formulations/gibbs_appell/inverse_dynamics.hpp"
#include "catena/formulations/global/constraint_force.hpp"
#include "catena/formulations/global/forward_dynamics.hpp"
#include "catena/formulations/global/inertia_matrix.hpp"
#include "catena/formulations/global/inverse_dynamics.hpp"
#include "catena/formulations/homogeneous/forward_dynamics.hpp"
#include "catena/formulations/homogeneous/inertia_matrix.hpp"
#include "catena/formulations/homogeneous/inverse_dynamics.hpp"
#include "catena/formulations/homogeneous/lagrange.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/formulations/tree_method.hpp"

namespace catena {
namespace {

template <class T>
std::string never_refuses(const Mechanism<Constant<T>>&) {
  return "";
}

template <class T>
Formulation<T> spatial_row() {
  return {
      "spatial",
      "spatial vectors: RNEA, CRBA, ABA",
      "Featherstone & Orin 2000",
      [](const Mechanism<Constant<T>>&) -> std::size_t { return 0; },
      never_refuses<T>,
      [](const auto& m, auto q, auto qd, auto qdd, auto Fext_B, auto& w, auto tau) {
        catena::inverse_dynamics<T>(m, q, qd, qdd, Fext_B, w, tau);
      },
      [](const auto& m, auto q, auto& w, auto M) { catena::inertia_matrix<T>(m, q, w, M); },
      catena::forward_dynamics<T>,
      catena::solve_inertia<T>,
  };
}

// Methods are namespaces; a row needs a type.
#define CATENA_METHOD(NAMESPACE)                               \
  struct NAMESPACE##_functions {                               \
    template <class T>                                         \
    static std::size_t room(const Mechanism<Constant<T>>& m) { \
      return NAMESPACE::room<T>(m);                            \
    }                                                          \
    template <class T, class... A>                             \
    static void inverse_dynamics(A&&... a) {                   \
      NAMESPACE::inverse_dynamics<T>(a...);                    \
    }                                                          \
    template <class T, class... A>                             \
    static void inertia_matrix(A&&... a) {                     \
      NAMESPACE::inertia_matrix<T>(a...);                      \
    }                                                          \
    template <class T, class... A>                             \
    static int forward_dynamics(A&&... a) {                    \
      return NAMESPACE::forward_dynamics<T>(a...);             \
    }                                                          \
    template <class T, class... A>                             \
    static int solve_inertia(A&&... a) {                       \
      return NAMESPACE::solve_inertia<T>(a...);                \
    }                                                          \
  };

CATENA_METHOD(denoc)
CATENA_METHOD(gibbs_appell)
CATENA_METHOD(homogeneous)
CATENA_METHOD(lagrange)
CATENA_METHOD(global_analysis)
CATENA_METHOD(constraint_force)

template <class T, class Method>
Formulation<T> row(std::string_view name, std::string_view title, std::string_view source) {
  using Row = TreeMethod<T, Method>;
  return {name,
          title,
          source,
          Row::room,
          never_refuses<T>,
          Row::inverse_dynamics,
          Row::inertia_matrix,
          Row::forward_dynamics,
          Row::solve_inertia};
}

// Forward dynamics alone, and of chains alone.
template <class T>
Formulation<T> constraint_force_row() {
  Formulation<T> r = row<T, constraint_force_functions>("constraint-force",
                                                        "constraint forces of a chain, in parallel",
                                                        "Featherstone & Orin 2000, (28)");
  r.refusal = constraint_force::refusal<T>;
  r.inverse_dynamics = nullptr;
  r.inertia_matrix = nullptr;
  return r;
}

}  // namespace

template <class T>
std::span<const Formulation<T>> formulations() {
  static const std::array table{
      spatial_row<T>(),
      row<T, denoc_functions>("denoc", "decoupled natural orthogonal complement: RIDIM, RFDSIM",
                              "Saha 1999"),
      row<T, gibbs_appell_functions>("gibbs-appell", "derivatives of the Gibbs function",
                                     "Mata et al. 2002"),
      row<T, homogeneous_functions>("homogeneous", "4x4 matrices: Newton-Euler in the base frame",
                                    "Legnani et al. 1996"),
      row<T, lagrange_functions>("lagrange", "4x4 matrices: Lagrange by traces",
                                 "Legnani et al. 1996"),
      row<T, global_analysis_functions>("global", "global analysis: the augmented sparse system",
                                        "Featherstone & Orin 2000, 3.5"),
      constraint_force_row<T>(),
  };
  return table;
}

template <class T>
const Formulation<T>* find_formulation(std::string_view name) {
  for (const Formulation<T>& f : formulations<T>()) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

#define CATENA_INSTANTIATE(T)                                 \
  template std::span<const Formulation<T>> formulations<T>(); \
  template const Formulation<T>* find_formulation<T>(std::string_view);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
