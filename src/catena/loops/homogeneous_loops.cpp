// Closed chains by homogeneous matrices: loop equations and dynamics of the open chains.
#include "catena/loops/loop_matrices.hpp"
#include "catena/loops/null_space.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class HomogeneousLoops : public LoopSolver {
 public:
  explicit HomogeneousLoops(const ClosedMechanism& m)
      : m_(m),
        tree_(*find_formulation<double>("homogeneous")),
        w_(m.tree, tree_.room(m.tree)),
        loops_(m) {}

  ClosedForward forward(const LoopInput& in, const VectorXd& tau) override {
    loops_.set_motion(in.q, in.qd);
    const Index n = m_.tree.nv;
    const VectorXd force = tau - chain_forces(in, VectorXd());
    Rows M(n, n);
    tree_.inertia_matrix(m_.tree, {in.q.data(), index(m_.tree.nq)}, w_,
                         {M.data(), static_cast<std::size_t>(n * n)});
    const VectorXd scale = inertia_scale(M);
    const NullSpaceMotion motion = null_space_motion(
        scale.asDiagonal() * M * scale.asDiagonal(), loops_.rows() * scale.asDiagonal(),
        loops_.row_values(), scale.cwiseProduct(force));
    if (motion.idle.size() > 0) fail_without_inertia(m_, scale.cwiseProduct(motion.idle));
    ClosedForward r;
    r.qdd = scale.cwiseProduct(motion.x);
    r.rank = motion.rank;
    r.lambda = row_forces(in.state.jacobian(), M * r.qdd - force);
    return r;
  }

  // Virtual work: what the loops allow does no work on the actions in closing joints.
  ClosedInverse inverse(const LoopInput& in, const VectorXd& qdd) override {
    loops_.set_position(in.q);
    const VectorXd needed = chain_forces(in, qdd);
    const MatrixXd G = null_space(unit_rows(loops_.rows()));
    ClosedInverse r = drives_along(m_, G, G.transpose() * needed, needed.norm());
    r.rank = static_cast<int>(m_.tree.nv - G.cols());
    r.lambda = row_forces(in.state.jacobian(), needed - r.tau);
    return r;
  }

 private:
  // tau_i = -Psi_i (x) L_i of the open chains.
  VectorXd chain_forces(const LoopInput& in, const VectorXd& qdd) {
    VectorXd forces(m_.tree.nv);
    tree_.inverse_dynamics(m_.tree, {in.q.data(), index(m_.tree.nq)},
                           {in.qd.data(), index(m_.tree.nv)},
                           {qdd.data(), static_cast<std::size_t>(qdd.size())}, in.Fext_B, w_,
                           {forces.data(), index(m_.tree.nv)});
    return forces;
  }

  const ClosedMechanism& m_;
  const Formulation<double>& tree_;
  Workspace<double> w_;
  LoopMatrices loops_;
};

}  // namespace

std::unique_ptr<LoopSolver> make_homogeneous_loops(const ClosedMechanism& m) {
  return std::make_unique<HomogeneousLoops>(m);
}

}  // namespace catena
