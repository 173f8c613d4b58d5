// How a parallel manipulator can move: the legs' joints are eliminated from the platform to the
// base, and their rates come back from the base to the platform.
#include <cmath>

#include "catena/loops/denoc_parallel.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Twists and wrenches about the world's origin, at point e with lengths in other units.
struct PlatformFrame {
  Vec3<double> e;
  double length;

  Vector6 twist(const Motion<double>& S) const {
    const Vec3<double> v = (1 / length) * (S.v + cross(S.w, e));
    return (Vector6() << S.w.x, S.w.y, S.w.z, v.x, v.y, v.z).finished();
  }
  Vector6 wrench(const Force<double>& W) const {
    const Vec3<double> n = W.n - cross(e, W.f), f = length * W.f;
    return (Vector6() << n.x, n.y, n.z, f.x, f.y, f.z).finished();
  }
};

// What a cut joint lets through, and what it demands of the accelerations.
struct CutJoint {
  MatrixXd directions;  // [6 * freedoms]: motions of body 2 against body 1
  Vector6 demanded;
};

CutJoint cut_joint(const Closure& c, const LoopState& state, const PlatformFrame& frame) {
  MatrixXd W(c.num_rows, 6);
  VectorXd k(c.num_rows);
  for (int r = 0; r < c.num_rows; ++r) {
    const Vector6 row = frame.wrench(state.wrenches()[index(c.first_row + r)]);
    W.row(r) = row.transpose() / row.norm();
    k[r] = -state.accelerations()[c.first_row + r] / row.norm();
  }
  return {null_space(W), least_norm(W, k).x};
}

class LegBuilder {
 public:
  LegBuilder(const ClosedMechanism& m, const JointGraph& graph, const ParallelStructure& structure,
             const LoopState& state, const PlatformFrame& frame,
             const std::vector<int>& independent)
      : m_(m),
        graph_(graph),
        structure_(structure),
        state_(state),
        frame_(frame),
        num_independent_(static_cast<Index>(independent.size())),
        index_of_(index(m.tree.nv), -1) {
    for (std::size_t i = 0; i < independent.size(); ++i)
      index_of_[index(independent[i])] = static_cast<int>(i);
  }

  LegMotion build(const Leg& leg, bool first) const {
    LegMotion motion;
    std::vector<int> last;  // by joint: the step that what comes after it moves with
    std::vector<VectorXd> demanded;
    std::vector<int> tips;  // joints
    for (std::size_t j = 0; j < leg.joints.size(); ++j) {
      const LegJoint& joint = leg.joints[j];
      const int before = joint.before < 0 ? -1 : last[index(joint.before)];
      demanded.push_back(joint.before < 0 ? VectorXd(VectorXd::Zero(6))
                                          : demanded[index(joint.before)]);
      last.push_back(add_joint(joint, before, first, motion, demanded.back()));
      if (joint.at_platform) tips.push_back(static_cast<int>(j));
    }
    motion.num_tips = static_cast<int>(tips.size());
    motion.known = MatrixXd::Zero(6 * motion.num_tips, num_independent_ + 1);
    for (int t = 0; t < motion.num_tips; ++t) {
      motion.known.col(num_independent_).segment<6>(6 * t) = demanded[index(tips[index(t)])];
      for (int i = last[index(tips[index(t)])]; i >= 0; i = motion.steps[index(i)].before) {
        LegStep& step = motion.steps[index(i)];
        step.tips.push_back(t);
        if (step.independent >= 0) motion.known.col(step.independent).segment<6>(6 * t) = step.p;
      }
    }
    return motion;
  }

 private:
  // Appends the steps of a joint and returns the last of them.
  int add_joint(const LegJoint& joint, int before, bool first, LegMotion& motion,
                VectorXd& demanded) const {
    const GraphEdge& edge = graph_.edges[index(joint.edge)];
    const double sign = joint.forward ? 1 : -1;
    const auto add = [&](const Vector6& p, int velocity) {
      LegStep step;
      step.p = sign * p, step.before = before, step.velocity = velocity;
      if (velocity >= 0) step.independent = index_of_[index(velocity)];
      motion.steps.push_back(step);
      before = static_cast<int>(motion.steps.size()) - 1;
    };
    if (edge.closure >= 0) {
      const CutJoint cut = cut_joint(m_.closures[index(edge.closure)], state_, frame_);
      for (Index k = 0; k < cut.directions.cols(); ++k) add(cut.directions.col(k), -1);
      // a joint in which two legs meet is a joint of both, and demands once
      if (joint.edge != structure_.meeting || first) demanded += sign * cut.demanded;
      return before;
    }
    const JointInfo& info = m_.tree.names->joints[index(edge.joint)];
    for (int k = 0; k < info.nv; ++k) {
      // what the joint does between two legs is no motion of the platform, unless it is independent
      if (joint.edge == structure_.meeting && !first && index_of_[index(info.v + k)] >= 0) continue;
      add(frame_.twist(state_.directions()[index(info.v + k)]), info.v + k);
    }
    return before;
  }

  const ClosedMechanism& m_;
  const JointGraph& graph_;
  const ParallelStructure& structure_;
  const LoopState& state_;
  const PlatformFrame& frame_;
  Index num_independent_;
  std::vector<int> index_of_;  // by velocity
};

VectorXd column_of(const LegStep& step, int num_tips) {
  VectorXd column = VectorXd::Zero(6 * num_tips);
  for (const int t : step.tips) column.segment<6>(6 * t) = step.p;
  return column;
}

// From the platform to the base (27). Returns Phi applied to what the leg says of its tips: rows
// for the platform's twist, and the right-hand side.
void eliminate(LegMotion& leg, MatrixXd& platform, MatrixXd& rhs) {
  platform = Vector6::Ones().asDiagonal().toDenseMatrix().replicate(leg.num_tips, 1);
  rhs = leg.known;
  for (int i = static_cast<int>(leg.steps.size()) - 1; i >= 0; --i) {
    LegStep& step = leg.steps[index(i)];
    if (step.independent >= 0) continue;
    step.p_left = column_of(step, leg.num_tips);
    for (int pass = 0; pass < 2; ++pass) {  // twice, so that rounding does not add up
      for (std::size_t j = index(i) + 1; j < leg.steps.size(); ++j) {
        const LegStep& outer = leg.steps[j];
        if (outer.independent < 0)
          step.p_left -= outer.p_left * (outer.p_left.dot(step.p_left) / outer.delta);
      }
    }
    step.delta = step.p_left.squaredNorm();
    platform -= step.p_left * ((step.p_left.transpose() * platform) / step.delta).eval();
    rhs -= step.p_left * ((step.p_left.transpose() * rhs) / step.delta).eval();
  }
}

// From the base to the platform (27a): rates of the steps, one row each.
MatrixXd rates_of(const LegMotion& leg, const MatrixXd& platform_twist) {
  MatrixXd left = platform_twist.replicate(leg.num_tips, 1) - leg.known;
  MatrixXd rates = MatrixXd::Zero(static_cast<Index>(leg.steps.size()), left.cols());
  for (std::size_t i = 0; i < leg.steps.size(); ++i) {
    const LegStep& step = leg.steps[i];
    const auto row = static_cast<Index>(i);
    if (step.independent >= 0) {
      rates(row, step.independent) = 1;
      continue;
    }
    rates.row(row) = step.p_left.transpose() * left / step.delta;
    left -= column_of(step, leg.num_tips) * rates.row(row);
  }
  return rates;
}

Vec3<double> platform_point(const ClosedMechanism& m, const JointGraph& graph,
                            const ParallelStructure& s, const LoopState& state) {
  if (s.platform >= 0) return state.poses()[index(graph.first_body[index(s.platform)])].p;
  const GraphEdge& edge = graph.edges[index(s.meeting)];
  if (edge.closure < 0) return state.poses()[index(graph.first_body[index(edge.to)])].p;
  const Closure& c = m.closures[index(edge.closure)];
  return state.poses()[index(c.body1)] * c.X_1.p;
}

// How far bodies and cut joints are from a point; 1 if they are all there.
double size_from(const ClosedMechanism& m, const LoopState& state, const Vec3<double>& e) {
  double most = 0;
  const auto meet = [&](const Vec3<double>& p) { most = std::max(most, dot(p - e, p - e)); };
  for (std::size_t b = 1; b < state.poses().size(); ++b) meet(state.poses()[b].p);
  for (const Closure& c : m.closures) {
    meet(state.poses()[index(c.body1)] * c.X_1.p);
    meet(state.poses()[index(c.body2)] * c.X_2.p);
  }
  return most > 1e-24 * dot(e, e) ? std::sqrt(most) : 1;
}

}  // namespace

ParallelMotion DenocParallel::motion(const LoopState& state) const {
  ParallelMotion r;
  r.independent = sound_velocities(m_, state.jacobian());
  r.point = platform_point(m_, graph_, structure_, state);
  r.length = size_from(m_, state, r.point);
  const PlatformFrame frame{r.point, r.length};
  const LegBuilder builder(m_, graph_, structure_, state, frame, r.independent);
  const auto d = static_cast<Index>(r.independent.size());
  MatrixXd A(0, 6), B(0, d + 1);
  for (const Leg& leg : structure_.legs) {
    r.legs.push_back(builder.build(leg, r.legs.empty()));
    MatrixXd platform, rhs;
    eliminate(r.legs.back(), platform, rhs);
    A.conservativeResize(A.rows() + platform.rows(), 6);
    B.conservativeResize(B.rows() + rhs.rows(), d + 1);
    A.bottomRows(platform.rows()) = platform, B.bottomRows(rhs.rows()) = rhs;
  }
  // t_e = Phi⁻¹ Σ Phi_l ... (29), Phi = Σ Phi_l = Aᵀ A: by A, since Phi has the squares of its
  // singular values.
  const MatrixXd platform_twist = least_norms(A, B);
  r.J = platform_twist.leftCols(d);
  MatrixXd all = MatrixXd::Zero(m_.tree.nv, d + 1);
  for (const LegMotion& leg : r.legs) {
    const MatrixXd rates = rates_of(leg, platform_twist);
    for (std::size_t i = 0; i < leg.steps.size(); ++i) {
      if (leg.steps[i].velocity >= 0)
        all.row(leg.steps[i].velocity) += rates.row(static_cast<Index>(i));
    }
  }
  for (Index k = 0; k < d; ++k) {  // exact, and those of joints that are in no leg
    const int v = r.independent[static_cast<std::size_t>(k)];
    all.row(v).setZero();
    all(v, k) = 1;
  }
  r.G = all.leftCols(d), r.x0 = all.col(d);
  return r;
}

ParallelFactors parallel_factors(const ParallelMotion& motion) {
  const auto d = static_cast<Index>(motion.independent.size());
  Index num_steps = 0;
  Eigen::Matrix<double, 6, 6> Phi = Eigen::Matrix<double, 6, 6>::Zero();
  const auto part = [](const LegStep& i, const std::vector<int>& tips) {
    Vector6 sum = Vector6::Zero();
    for (const int t : tips) sum += i.p_left.segment<6>(6 * t);
    return sum;
  };
  const auto whole = [&](const LegStep& i) { return part(i, i.tips); };
  for (const LegMotion& leg : motion.legs) {
    num_steps += static_cast<Index>(leg.steps.size());
    Phi.diagonal().array() += leg.num_tips;
    for (const LegStep& i : leg.steps) {
      if (i.independent < 0) Phi -= whole(i) * whole(i).transpose() / i.delta;
    }
  }
  const MatrixXd inverse = least_norms(Phi, MatrixXd::Identity(6, 6));
  ParallelFactors f{MatrixXd::Identity(6 * num_steps, 6 * num_steps),
                    MatrixXd::Zero(6 * num_steps, 6 * d), MatrixXd::Zero(6 * d, d)};
  // A-_k: what the platform is told by the rate of an independent joint
  MatrixXd told = MatrixXd::Zero(6, 6 * d);
  for (const LegMotion& leg : motion.legs) {
    for (const LegStep& k : leg.steps) {
      if (k.independent < 0) continue;
      f.N_d.block<6, 1>(6 * k.independent, k.independent) = k.p;
      told.middleCols<6>(6 * k.independent) =
          Eigen::Matrix<double, 6, 6>::Identity() * static_cast<double>(k.tips.size());
      for (const LegStep& i : leg.steps) {
        if (i.independent < 0)
          told.middleCols<6>(6 * k.independent) -= whole(i) * part(i, k.tips).transpose() / i.delta;
      }
    }
  }
  Index first = 0;
  for (const LegMotion& leg : motion.legs) {
    for (std::size_t n = 0; n < leg.steps.size(); ++n) {
      const LegStep& i = leg.steps[n];
      const Index row = 6 * (first + static_cast<Index>(n));
      Eigen::Matrix<double, 6, 6> Psi = Eigen::Matrix<double, 6, 6>::Identity();
      if (i.independent >= 0) {
        f.N_c.block<6, 6>(row, 6 * i.independent).setIdentity();
      } else {
        Psi -= i.p * whole(i).transpose() / i.delta;  // (31)
        f.N_c.middleRows<6>(row) = i.p * (whole(i).transpose() * inverse * told) / i.delta;
        for (std::size_t o = n + 1; o < leg.steps.size(); ++o) {  // independent, further out
          const LegStep& k = leg.steps[o];
          bool beyond = false;
          for (int b = k.before; b >= 0; b = leg.steps[index(b)].before)
            beyond = beyond || b == static_cast<int>(n);
          if (beyond && k.independent >= 0)
            f.N_c.block<6, 6>(row, 6 * k.independent) -=
                i.p * part(i, k.tips).transpose() / i.delta;
        }
      }
      if (i.before >= 0)  // (32d): row i is Psi_i times the row of the step before
        f.N_l.block(row, 0, 6, row) = Psi * f.N_l.block(6 * (first + i.before), 0, 6, row);
    }
    first += static_cast<Index>(leg.steps.size());
  }
  return f;
}

}  // namespace catena
