// MuJoCo on random trees of hinge, slide, ball and free joints.
#ifdef CATENA_HAS_MUJOCO
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstring>
#include <memory>
#include <sstream>

#include "catena/formulations/formulation.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::string text(const Vec3<double>& v) {
  std::ostringstream s;
  s.precision(17);
  s << v.x << ' ' << v.y << ' ' << v.z;
  return s.str();
}
// w x y z
std::string quaternion(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond e(R);
  std::ostringstream s;
  s.precision(17);
  s << e.w() << ' ' << e.x() << ' ' << e.y() << ' ' << e.z();
  return s.str();
}

std::string quaternion(const Mat3<double>& m) {
  Eigen::Matrix3d R;
  R << m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z;
  return quaternion(R);
}

// Principal moments and axes: MuJoCo's own diagonalisation of `fullinertia` keeps seven digits.
std::string inertia(const Sym3<double>& I) {
  Eigen::Matrix3d m;
  m << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(m);
  Eigen::Matrix3d R = principal.eigenvectors();
  if (R.determinant() < 0) R.col(0) = -R.col(0);
  const Eigen::Vector3d d = principal.eigenvalues();
  return "quat='" + quaternion(R) + "' diaginertia='" + text({d[0], d[1], d[2]}) + "'";
}

void write_body(const Model& model, const Joint& joint, std::ostream& out) {
  const Body* body = nullptr;
  for (const Body& b : model.bodies) {
    if (b.name == joint.child) body = &b;
  }
  const Pose<double> X = joint.X_PJ * joint.X_MB, X_BM = inverse(joint.X_MB);
  out << "<body name='" << body->name << "' pos='" << text(X.p) << "' quat='" << quaternion(X.R)
      << "'>\n<inertial mass='" << body->mass << "' pos='" << text(body->com) << "' "
      << inertia(body->inertia) << "/>\n";
  const JointDynamics& d = joint.dynamics;
  const char* type = joint.kind == JointKind::revolute    ? "hinge"
                     : joint.kind == JointKind::prismatic ? "slide"
                     : joint.kind == JointKind::spherical ? "ball"
                                                          : "free";
  if (joint.kind != JointKind::fixed) {
    out << "<joint name='" << joint.name << "' type='" << type << "' damping='" << d.viscous
        << "' armature='" << d.rotor_inertia * d.gear_ratio * d.gear_ratio << "'";
    if (joint.kind != JointKind::free) {
      out << " pos='" << text(X_BM.p) << "' axis='" << text(X_BM.R * joint.axis) << "' stiffness='"
          << d.stiffness << "' springref='" << d.rest << "'";
    }
    out << "/>\n";
  }
  for (const Joint& next : model.joints) {
    if (next.parent == joint.child) write_body(model, next, out);
  }
  out << "</body>\n";
}

std::string mjcf(const Model& model) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option gravity='"
      << text(model.gravity)
      << "'><flag constraint='disable' contact='disable'/></option><worldbody>\n";
  for (const Joint& joint : model.joints) {
    if (joint.parent == model.ground) write_body(model, joint, out);
  }
  out << "</worldbody></mujoco>\n";
  return out.str();
}

struct MuJoCo {
  std::unique_ptr<mjModel, void (*)(mjModel*)> m{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> d{nullptr, mj_deleteData};

  explicit MuJoCo(const Model& model) {
    const std::string xml = mjcf(model);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "model.xml")], xml.data(), xml.size());
    char error[500] = "";
    m.reset(mj_loadXML("model.xml", files.get(), error, sizeof error));
    mj_deleteFileVFS(files.get(), "model.xml");
    if (!m) throw std::runtime_error(std::string(error) + "\n" + xml);
    d.reset(mj_makeData(m.get()));
  }

  // Positions, and v_theirs = T v_ours (a free joint has its linear velocity in the world, and
  // first). Returns T; `bias` is the part of their acceleration that is there when ours is zero.
  MatrixXd set(const Mechanism<double>& mechanism, const State<double>& s, VectorXd& bias) {
    MatrixXd T = MatrixXd::Zero(m->nv, mechanism.nv);
    bias = VectorXd::Zero(m->nv);
    for (const JointInfo& j : mechanism.names->joints) {
      if (j.nv == 0) continue;
      const int id = mj_name2id(m.get(), mjOBJ_JOINT, j.name.c_str());
      double* q = d->qpos + m->jnt_qposadr[id];
      const int v = m->jnt_dofadr[id];
      const double* ours = s.q.data() + j.q;
      if (j.nq == 1) q[0] = ours[0];
      if (j.nq == 7) q[0] = ours[0], q[1] = ours[1], q[2] = ours[2], q += 3, ours += 3;
      if (j.nq > 1) q[0] = ours[3], q[1] = ours[0], q[2] = ours[1], q[3] = ours[2];
      if (j.nq != 7) {
        for (int k = 0; k < j.nv; ++k) T(v + k, j.v + k) = 1;
        continue;
      }
      const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      T.block(v, j.v + 3, 3, 3) = R;
      T.block(v + 3, j.v, 3, 3).setIdentity();
      const Eigen::Vector3d w(s.qd[at(j.v)], s.qd[at(j.v + 1)], s.qd[at(j.v + 2)]);
      const Eigen::Vector3d u(s.qd[at(j.v + 3)], s.qd[at(j.v + 4)], s.qd[at(j.v + 5)]);
      bias.segment(v, 3) = R * w.cross(u);
    }
    return T;
  }
};

VectorXd eigen(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}
std::vector<double> plain(const VectorXd& v) { return {v.data(), v.data() + v.size()}; }

Model mujoco_tree(Random& random) {
  TreeOptions options;
  options.bodies = 1 + random.below(random.chance(0.2) ? 50 : 15);
  options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical,
                   JointKind::revolute};
  if (options.bodies > 3) options.kinds.push_back(JointKind::fixed);
  options.branching = random.uniform(0, 1);
  options.floating = random.chance(0.5);
  options.passive = random.chance(0.5);
  Model model = random_model(random, options);
  for (Joint& joint : model.joints) {
    joint.dynamics.coulomb = 0;  // a constraint there
    if (joint.kind == JointKind::spherical) joint.X_MB.R = {};
    if (joint.kind != JointKind::free) continue;
    joint.X_PJ = {}, joint.X_MB = {};
    joint.dynamics = {};
  }
  return model;
}

TEST(MuJoCo, AgreesOnRandomTrees) {
  Worst inertia("inertia matrix", 1e-10), bias("bias forces", 1e-10),
      inverse("inverse dynamics", 1e-10);
  Worst forward("forward dynamics", 1e-10), residual("forces of its accelerations", 1e-10);
  Worst method_M("inertia matrix of any method", 1e-10),
      method_tau("inverse dynamics of any method", 1e-10),
      method_qdd("forces of accelerations of any method", 1e-10);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(9000 + seed);
    const Model model = mujoco_tree(random);
    const std::string where = "tree " + std::to_string(seed);
    const Mechanism<double> m = compile(model);
    if (m.nv == 0) continue;
    Machine<double> machine(m);
    State<double> s = random_state(m, random);
    const auto wrenches = random_wrenches(model, m, random, s);
    MuJoCo other(model);
    ASSERT_EQ(other.m->nv, m.nv);
    VectorXd a0;
    const MatrixXd T = other.set(m, s, a0);
    mjData* d = other.d.get();
    auto put = [&](const VectorXd& v, mjtNum* to) { std::copy(v.data(), v.data() + v.size(), to); };
    put(T * eigen(s.qd), d->qvel);
    mj_forward(other.m.get(), d);  // positions and velocities

    RowMatrix M(m.nv, m.nv);
    mj_fullM(other.m.get(), M.data(), d->qM);
    const RowMatrix M_ours = T.transpose() * M * T;
    const std::vector<double> ours = machine.inertia(s.q);
    inertia.meet(difference(ours, {M_ours.data(), M_ours.data() + M_ours.size()}), where);

    // bias: their acceleration that belongs to zero of ours, less what their passive forces do
    const VectorXd c =
        Eigen::Map<VectorXd>(d->qfrc_bias, m.nv) - Eigen::Map<VectorXd>(d->qfrc_passive, m.nv);
    const VectorXd h = T.transpose() * (c + M * a0);
    std::vector<double> h_ours(at(m.nv));
    bias_forces<double>(m, s.q, s.qd, machine.w, h_ours);
    const double scale = 1 + c.cwiseAbs().maxCoeff();
    bias.meet(difference(h_ours, plain(h), scale), where);

    // external wrenches: at their body's mass centre, in world axes
    VectorXd external = VectorXd::Zero(m.nv);
    for (const auto& [name, F] : wrenches) {
      const int b = mj_name2id(other.m.get(), mjOBJ_BODY, name.c_str());
      const Eigen::Map<const RowMatrix> R(d->xmat + 9 * b, 3, 3);
      const Eigen::Vector3d f = R * F.f.cast<double>(), n = R * F.n.cast<double>();
      mj_applyFT(other.m.get(), d, f.data(), n.data(), d->xpos + 3 * b, b, external.data());
    }
    put(T * eigen(s.qdd) + a0, d->qacc);
    mj_inverse(other.m.get(), d);
    const VectorXd tau = T.transpose() * (Eigen::Map<VectorXd>(d->qfrc_inverse, m.nv) - external);
    inverse.meet(difference(machine.inverse(s), plain(tau), scale), where);

    // tau_theirs = T⁻ᵀ tau_ours, and T is orthogonal
    put(T * eigen(s.tau) + external, d->qfrc_applied);
    mj_forward(other.m.get(), d);
    const VectorXd qdd = T.transpose() * (Eigen::Map<VectorXd>(d->qacc, m.nv) - a0);
    const std::vector<double> mine = machine.forward(s);
    residual.meet(difference(machine.inverse(s.q, s.qd, plain(qdd), s.Fext), s.tau,
                             scale + product_size(ours, plain(qdd))),
                  where);
    // accelerations themselves where the inertia matrix loses few digits
    const VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
    if (eigenvalues.maxCoeff() < 1e4 * eigenvalues.minCoeff()) {
      forward.meet(difference(mine, plain(qdd)), where);
    }

    // every formulation that can do the tree
    for (const Formulation<double>& f : formulations<double>()) {
      if (!f.refusal(m).empty()) continue;
      const std::string what = where + " by " + std::string(f.name);
      Workspace<double> w(m, f.room(m));
      std::vector<double> out(at(m.nv)), matrix(ours.size());
      if (f.inertia_matrix != nullptr) {
        f.inertia_matrix(m, s.q, w, matrix);
        method_M.meet(difference(matrix, {M_ours.data(), M_ours.data() + M_ours.size()}), what);
      }
      if (f.inverse_dynamics != nullptr) {
        f.inverse_dynamics(m, s.q, s.qd, s.qdd, s.Fext, w, out);
        method_tau.meet(difference(out, plain(tau), scale), what);
      }
      ASSERT_TRUE(f.forward_dynamics(m, s.q, s.qd, s.tau, s.Fext, w, out)) << what;
      method_qdd.meet(difference(machine.inverse(s.q, s.qd, out, s.Fext),
                                 machine.inverse(s.q, s.qd, plain(qdd), s.Fext),
                                 scale + product_size(ours, plain(qdd))),
                      what);
    }
  }
}

}  // namespace
}  // namespace catena::oracle
#endif
