#include "catena/formulations/forward_status.hpp"

#include "catena/model/coordinates.hpp"

namespace catena {

template <class C>
std::string describe(const Mechanism<C>& m, const ForwardStatus& status) {
  if (status) return "";
  const int body = m.body_of_v[index(status.massless_velocity)];
  for (const JointInfo& j : m.names->joints) {
    // Merged fixed joints share the body they are welded to, but move nothing.
    if (j.kind == JointKind::fixed || body < j.first_body || body > j.body) continue;
    return "joint '" + j.name + "' carries no inertia at this state; give link '" +
           m.names->bodies[index(j.body)] + "' a mass or weld the joint";
  }
  return "a joint carries no inertia at this state";
}

#define CATENA_INSTANTIATE(C) \
  template std::string describe<C>(const Mechanism<C>&, const ForwardStatus&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
