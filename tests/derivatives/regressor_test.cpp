// Forces as a linear function of parameters, and which parameters forces can tell apart.
#include <Eigen/Dense>

#include "catena/analysis/base_parameters.hpp"
#include "catena/readers/readers.hpp"
#include "derivatives/derivatives.hpp"

namespace catena::oracle {
namespace {

TEST(Regressor, TimesTheParametersIsTheForce) {
  Worst force("Y p", 1e-12);
  for_each_model(
      200,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<double> machine(m);
        const State<double> s = random_state(m, random, false);
        const std::vector<double> p = parameter_values(model, *m.names);
        ASSERT_EQ(p.size(), num_parameters(m));
        ASSERT_EQ(p.size(), parameters(*m.names).size());
        std::vector<double> Y(at(m.nv) * p.size()), tau(at(m.nv), 0.0);
        torque_regressor<double>(m, s.q, s.qd, s.qdd, machine.w, Y);
        double size = 0;
        for (std::size_t i = 0; i < tau.size(); ++i) {
          for (std::size_t k = 0; k < p.size(); ++k) {
            tau[i] += Y[i * p.size() + k] * p[k];
            size = std::max(size, std::abs(Y[i * p.size() + k] * p[k]));
          }
        }
        force.meet(difference(tau, machine.inverse(s), size), where);
      },
      30);
}

Eigen::MatrixXd stacked_regressors(const Mechanism<double>& m, std::uint64_t seed) {
  Random random(seed);
  Machine<double> machine(m);
  const auto columns = static_cast<Eigen::Index>(num_parameters(m));
  const Eigen::Index states = 2 * columns / m.nv + 20;
  Eigen::MatrixXd all(states * m.nv, columns);
  std::vector<double> Y(at(m.nv) * num_parameters(m));
  for (Eigen::Index s = 0; s < states; ++s) {
    const State<double> x = random_state(m, random, false);
    torque_regressor<double>(m, x.q, x.qd, x.qdd, machine.w, Y);
    all.middleRows(s * m.nv, m.nv) =
        Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(Y.data(), m.nv, columns);
  }
  return all;
}

// Rank by singular values of other states; base columns times base values give the same forces.
TEST(BaseParameters, ExplainAllForcesAndAreAsManyAsTheRank) {
  Worst force("base regressor times base values", 1e-7);
  for_each_tree(
      25,
      [&](const Model& model, Random&, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        const BaseParameters b = base_parameters(model);
        const Eigen::MatrixXd Y = stacked_regressors(m, 99);
        Eigen::MatrixXd unit = Y;
        for (Eigen::Index c = 0; c < unit.cols(); ++c) {
          if (unit.col(c).norm() > 1e-12) unit.col(c).normalize();
        }
        const Eigen::VectorXd s = Eigen::BDCSVD<Eigen::MatrixXd>(unit).singularValues();
        EXPECT_EQ((s.array() > 1e-9 * s[0]).count(), static_cast<Eigen::Index>(b.base.size()))
            << where;
        EXPECT_LT(b.condition, 1e6) << where;
        EXPECT_LT(b.largest_dropped, 1e-11) << where;
        EXPECT_GT(b.smallest_kept, 1e-5) << where;
        const std::vector<double> p = parameter_values(model, *m.names),
                                  short_p = base_values(b, p);
        Eigen::VectorXd tau = Eigen::VectorXd::Zero(Y.rows());
        for (std::size_t k = 0; k < b.base.size(); ++k) tau += Y.col(b.base[k].column) * short_p[k];
        const Eigen::VectorXd expected = Y * Eigen::Map<const Eigen::VectorXd>(p.data(), Y.cols());
        force.meet(
            (tau - expected).cwiseAbs().maxCoeff() / (1e-30 + expected.cwiseAbs().maxCoeff()),
            where);
      },
      8);
}

// Planar two-link arm under gravity: the textbook's combinations.
TEST(BaseParameters, OfTheTwoLinkArm) {
  Model model;
  const double length = 0.7;
  for (int i = 1; i <= 2; ++i) {
    const std::string n = std::to_string(i);
    model.bodies.push_back({"link" + n, 1, {0.3, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}, {}});
    Joint j;
    j.name = "joint" + n, j.kind = JointKind::revolute;
    j.parent = i == 1 ? "world" : "link1", j.child = "link" + n;
    if (i == 2) j.X_PJ.p = {length, 0, 0};
    model.joints.push_back(j);
  }
  model.gravity = {0, -9.81, 0};
  const BaseParameters b = base_parameters(model);
  std::vector<std::string> texts;
  for (const BaseParameter& p : b.base) {
    if (b.all[at(p.column)].kind <= ParameterKind::Izz) texts.push_back(describe(b, p));
  }
  const std::vector<std::string> expected = {"Izz.link1 + 0.49 m.link2 + rotor.joint1",
                                             "hx.link1 + 0.7 m.link2",
                                             "hy.link1",
                                             "Izz.link2",
                                             "hx.link2",
                                             "hy.link2"};
  EXPECT_EQ(texts, expected);
}

// Gautier and Khalil: 23 standard inertial parameters of the Stanford arm in its usual form, 36 of
// the PUMA's six links; an arm on a vertical first axis.
TEST(BaseParameters, OfThePumaAreThirtySix) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/puma.yaml");
  const BaseParameters b = base_parameters(model);
  int inertial = 0;
  for (const BaseParameter& p : b.base) inertial += b.all[at(p.column)].kind <= ParameterKind::Izz;
  EXPECT_EQ(inertial, 36);
}

// A closed four-bar has one motion: fewer combinations count than in its open tree.
TEST(BaseParameters, OfClosedChainsAreThoseOfTheirMotions) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/four-bar.yaml");
  const BaseParameters closed = base_parameters(model);
  Model open = model;
  open.loops.clear(), open.springs.clear(), open.actuators.clear();
  const BaseParameters tree = base_parameters(open);
  EXPECT_GT(closed.base.size(), 0u);
  EXPECT_LT(closed.base.size(), tree.base.size());
}

}  // namespace
}  // namespace catena::oracle
