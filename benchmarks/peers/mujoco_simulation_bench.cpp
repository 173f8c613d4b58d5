// Simulates a tree with MuJoCo's fourth-order Runge-Kutta method, with the largest step that gives
// the accuracy asked for at the end.
//
//   PROGRAM FILE.machine [--accuracy 1e-6] [--reps 5] [--min-time 0.2]
#include <mujoco/mujoco.h>

#include <functional>

#include "simulation.hpp"

std::string text(std::initializer_list<double> numbers) {
  std::string s;
  char number[40];
  for (double x : numbers) std::snprintf(number, sizeof number, "%.17g ", x), s += number;
  return s;
}

// x y z w of a rotation by rows
std::array<double, 4> quaternion(const std::array<double, 12>& R) {
  const double mat[9] = {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]};
  double q[4];
  mju_mat2Quat(q, mat);
  return {q[0], q[1], q[2], q[3]};
}

// The body of joint j with all that hangs on it. Its frame is that of the joint.
std::string body_xml(const bench::Machine& m, int j) {
  const bench::MachineJoint& joint = m.joints[j];
  if (joint.kind != "revolute") throw std::runtime_error("only revolute joints are simulated");
  const auto& X = joint.pose;
  const auto q = quaternion(X);
  std::string xml = "<body pos='" + text({X[9], X[10], X[11]}) + "' quat='" +
                    text({q[0], q[1], q[2], q[3]}) + "'><joint type='hinge' axis='" +
                    text({joint.axis[0], joint.axis[1], joint.axis[2]}) + "' armature='" +
                    text({joint.armature}) + "'/>";
  // mass centre and inertia in the joint's frame
  const auto& B = joint.body;
  const auto& i = joint.inertia;
  const double I[3][3] = {{i[0], i[1], i[2]}, {i[1], i[3], i[4]}, {i[2], i[4], i[5]}};
  double c[3], J[3][3] = {};
  for (int r = 0; r < 3; ++r) {
    c[r] = B[9 + r];
    for (int k = 0; k < 3; ++k) c[r] += B[3 * r + k] * joint.com[k];
    for (int s = 0; s < 3; ++s)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) J[r][s] += B[3 * r + k] * I[k][l] * B[3 * s + l];
  }
  xml += "<inertial mass='" + text({joint.mass}) + "' pos='" + text({c[0], c[1], c[2]}) +
         "' fullinertia='" + text({J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]}) + "'/>";
  for (int k = 0; k < static_cast<int>(m.joints.size()); ++k)
    if (m.joints[k].parent == j) xml += body_xml(m, k);
  return xml + "</body>\n";
}

int main(int argc, char** argv) try {
  bench::Options o = bench::parse(argc, argv);
  o.states = 1;
  const bench::Machine machine = bench::read_machine(o.urdf);
  std::string xml =
      "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option integrator='RK4' "
      "gravity='" +
      text({machine.gravity[0], machine.gravity[1], machine.gravity[2]}) +
      "'><flag constraint='disable' contact='disable' limit='disable' passive='disable' "
      "actuation='disable' sensornoise='disable'/></option><worldbody>";
  for (int j = 0; j < static_cast<int>(machine.joints.size()); ++j)
    if (machine.joints[j].parent < 0) xml += body_xml(machine, j);
  xml += "</worldbody></mujoco>\n";
  const std::string file = o.urdf + ".xml";
  std::ofstream(file) << xml;
  char error[500] = "";
  mjModel* m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  if (!m) throw std::runtime_error("mujoco: " + file + ": " + error);
  mjData* d = mj_makeData(m);

  const auto run = [&](long steps) {
    m->opt.timestep = bench::duration / static_cast<double>(steps);
    mj_resetData(m, d);
    mju_copy(d->qpos, machine.states[0].q.data(), m->nq);
    mju_copy(d->qvel, machine.states[0].qd.data(), m->nv);
    for (long i = 0; i < steps; ++i) mj_step(m, d);
    return bench::end_error(machine, d->qpos);
  };
  // in steps of a quarter of an octave
  long steps = 1000;
  double off = run(steps);
  for (double n = steps; !(off <= o.accuracy) && steps < 2000000; steps = static_cast<long>(n))
    off = run(static_cast<long>(n *= 1.19)), steps = static_cast<long>(n);
  if (!(off <= o.accuracy)) throw std::runtime_error("mujoco: the accuracy cannot be had");
  const auto ns = bench::repeat(o, [&](int) { run(steps); });
  const bench::Program me{"mujoco", mj_versionString(), "as packaged"};
  char variant[60];
  std::snprintf(variant, sizeof variant, "RK4, step %.3g s", bench::duration / steps);
  struct {
    long steps, evaluations;
  } counts{steps, 4 * steps};
  bench::report_run(me, o, variant, ns, counts, off);
  mj_deleteData(d);
  mj_deleteModel(m);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
