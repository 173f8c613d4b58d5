// Times Orocos KDL as its package ships it, on chains only: its solvers know no trees.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl_parser/kdl_parser.hpp>

#include "bench.hpp"

struct State {
  KDL::JntArray q, qd, qdd, tau;
};

// The only path from the root to a leaf; false if the tree branches.
bool single_chain(const KDL::Tree& tree, KDL::Chain& chain) {
  auto element = tree.getRootSegment();
  const std::string root = element->first;
  while (element->second.children.size() == 1) element = element->second.children.front();
  return element->second.children.empty() && tree.getChain(root, element->first, chain);
}

int main(int argc, char** argv) {
  const bench::Options o = bench::parse(argc, argv);
  KDL::Tree tree;
  KDL::Chain chain;
  if (!kdl_parser::treeFromFile(o.urdf, tree)) return 3;
  if (!single_chain(tree, chain))
    return std::fprintf(stderr, "kdl: %s is not a chain\n", o.urdf.c_str()), 3;
  const int n = static_cast<int>(chain.getNrOfJoints());

  bench::Random random;
  std::vector<State> states(
      o.states, State{KDL::JntArray(n), KDL::JntArray(n), KDL::JntArray(n), KDL::JntArray(n)});
  for (State& x : states) {
    random.fill(x.q.data, n, M_PI);
    random.fill(x.qd.data, n, 1);
    random.fill(x.qdd.data, n, 1);
    random.fill(x.tau.data, n, 1);
  }

  State fixed = states[0];
  int i = 0;
  for (const KDL::Segment& segment : chain.segments) {
    const KDL::Joint& joint = segment.getJoint();
    if (joint.getType() == KDL::Joint::None) continue;
    fixed.q(i) = bench::check_value(joint.getName(), bench::Kind::q);
    fixed.qd(i) = bench::check_value(joint.getName(), bench::Kind::qd);
    fixed.qdd(i) = bench::check_value(joint.getName(), bench::Kind::qdd);
    fixed.tau(i) = bench::check_value(joint.getName(), bench::Kind::tau);
    ++i;
  }

  const KDL::Vector gravity(0, 0, -9.81);
  KDL::ChainIdSolver_RNE inverse(chain, gravity);
  KDL::ChainDynParam parameters(chain, gravity);
  KDL::ChainFdSolver_RNE forward(chain, gravity);
  const KDL::Wrenches no_wrenches(chain.getNrOfSegments());
  KDL::JntArray result(n);
  KDL::JntSpaceInertiaMatrix M(n);

  const bench::Program me{"kdl", KDL_VERSION_STRING, "as packaged"};
  const auto time = [&](const char* computation, auto call, auto check) {
    if (!o.wants(computation)) return;
    if (call(fixed) < 0) {
      std::fprintf(stderr, "kdl: %s of %s failed\n", computation, o.model().c_str());
      return;
    }
    const double check_now = check();
    const auto ns = bench::repeat(o, [&](int s) {
      call(states[s]);
      bench::keep(result);
      bench::keep(M);
    });
    bench::report(me, o, computation, "", ns, check_now);
  };
  const auto sum = [&] { return result.data.lpNorm<1>(); };

  time(
      "inverse_dynamics",
      [&](const State& x) { return inverse.CartToJnt(x.q, x.qd, x.qdd, no_wrenches, result); },
      sum);
  time(
      "inertia_matrix", [&](const State& x) { return parameters.JntToMass(x.q, M); },
      [&] { return Eigen::MatrixXd(M.data.triangularView<Eigen::Upper>()).cwiseAbs().sum(); });
  time(
      "forward_dynamics",
      [&](const State& x) { return forward.CartToJnt(x.q, x.qd, x.tau, no_wrenches, result); },
      sum);
}
