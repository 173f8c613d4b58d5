// Times MuJoCo as its package ships it. No contacts, constraints or actuators take part; timed are
// exactly these calls:
//   inverse_dynamics  mj_kinematics, mj_comPos, mj_comVel, mj_rne with acceleration
//   inertia_matrix    mj_kinematics, mj_comPos, mj_crb (stays in MuJoCo's sparse form)
//   forward_dynamics  mj_kinematics, mj_comPos, mj_crb, mj_factorM, mj_comVel, mj_rne without
//   acceleration, mj_solveM
// MuJoCo reads the URDF itself; a `floating` joint becomes its free joint.
#include <mujoco/mujoco.h>

#include "bench.hpp"

using Vector = std::vector<double>;

struct State {
  Vector q, qd, qdd, tau;
};

void inverse_dynamics(const mjModel* m, mjData* d, const State& x, Vector& tau) {
  mju_copy(d->qpos, x.q.data(), m->nq);
  mju_copy(d->qvel, x.qd.data(), m->nv);
  mju_copy(d->qacc, x.qdd.data(), m->nv);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 1, tau.data());
}

void inertia_matrix(const mjModel* m, mjData* d, const State& x) {
  mju_copy(d->qpos, x.q.data(), m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
}

void forward_dynamics(const mjModel* m, mjData* d, const State& x, Vector& qdd) {
  inertia_matrix(m, d, x);
  mj_factorM(m, d);
  mju_copy(d->qvel, x.qd.data(), m->nv);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  mju_sub(d->qfrc_smooth, x.tau.data(), d->qfrc_bias, m->nv);
  mj_solveM(m, d, qdd.data(), d->qfrc_smooth, 1);
}

int main(int argc, char** argv) {
  const bench::Options o = bench::parse(argc, argv);
  char error[500] = "";
  mjModel* m = mj_loadXML(o.urdf.c_str(), nullptr, error, sizeof error);
  if (!m) return std::fprintf(stderr, "mujoco: %s: %s\n", o.urdf.c_str(), error), 3;
  mjData* d = mj_makeData(m);
  if (!d) return std::fprintf(stderr, "mujoco: %s: not enough memory\n", o.urdf.c_str()), 3;

  bench::Random random;
  std::vector<State> states(o.states,
                            State{Vector(m->nq), Vector(m->nv), Vector(m->nv), Vector(m->nv)});
  for (State& x : states) {
    random.fill(x.q, m->nq, M_PI);
    for (int j = 0; j < m->njnt; ++j)
      if (m->jnt_type[j] == mjJNT_FREE) random.fill_quaternion(x.q, m->jnt_qposadr[j] + 3);
    random.fill(x.qd, m->nv, 1);
    random.fill(x.qdd, m->nv, 1);
    random.fill(x.tau, m->nv, 1);
  }

  State fixed{Vector(m->nq), Vector(m->nv), Vector(m->nv), Vector(m->nv)};
  for (int j = 0; j < m->njnt; ++j) {
    const int iq = m->jnt_qposadr[j], iv = m->jnt_dofadr[j];
    if (m->jnt_type[j] == mjJNT_FREE) {
      fixed.q[iq + 3] = 1;
      continue;
    }
    const std::string name = mj_id2name(m, mjOBJ_JOINT, j);
    fixed.q[iq] = bench::check_value(name, bench::Kind::q);
    fixed.qd[iv] = bench::check_value(name, bench::Kind::qd);
    fixed.qdd[iv] = bench::check_value(name, bench::Kind::qdd);
    fixed.tau[iv] = bench::check_value(name, bench::Kind::tau);
  }

  const bench::Program me{"mujoco", mj_versionString(), "as packaged"};
  Vector result(m->nv);
  const auto time = [&](const char* computation, auto call, auto check) {
    if (!o.wants(computation)) return;
    const auto ns = bench::repeat(o, [&](int s) {
      call(states[s]);
      bench::keep(result);
    });
    call(fixed);
    bench::report(me, o, computation, "", ns, check());
  };
  const auto sum = [&] { return bench::sum_of_magnitudes(result, m->nv); };

  time(
      "inverse_dynamics", [&](const State& x) { inverse_dynamics(m, d, x, result); }, sum);
  time(
      "inertia_matrix", [&](const State& x) { inertia_matrix(m, d, x); },
      [&] { return bench::sum_of_magnitudes(d->qM, m->nM); });  // one triangle, without its zeros
  time(
      "forward_dynamics", [&](const State& x) { forward_dynamics(m, d, x, result); }, sum);
  mj_deleteData(d);
  mj_deleteModel(m);
}
