// What the commands compute is what the library computes, number by number.
#include "catena/batch/batch.hpp"
#include "catena/data/columns.hpp"
#include "catena/dynamics.hpp"
#include "catena/readers/readers.hpp"
#include "cli/program.hpp"

namespace catena {
namespace {

const char* const models[] = {"puma", "stanford", "joint-zoo", "pendulum", "quadruped"};

std::string model_path(const std::string& name) {
  return CATENA_SOURCE_DIR "/models/" + name + ".yaml";
}

// Random rows with every column, wrenches on the first two frames that move.
struct Sample {
  Table table;
  std::vector<DataRow> rows;
};

Sample sample(Dynamics& dynamics, const std::vector<std::string>& frames) {
  const Mechanism<double>& m = dynamics.mechanism();
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Sample s;
  Table& t = s.table;
  t.columns = {"time"};
  for (const auto& c : with_prefix("q", position_names(m))) t.columns.push_back(c);
  for (const char* prefix : {"qd", "qdd", "tau"}) {
    for (const auto& c : with_prefix(prefix, velocity_names(m))) t.columns.push_back(c);
  }
  for (const std::string& f : frames) {
    for (const char* part : {"n.", "f."}) {
      for (const char* axis : {".x", ".y", ".z"}) t.columns.push_back(part + f + axis);
    }
  }
  for (int r = 0; r < 4; ++r) {
    std::vector<double> row = {0.1 * r};
    const Eigen::VectorXd q = dynamics.random(generator);
    row.insert(row.end(), q.begin(), q.end());
    while (row.size() < t.num_columns()) row.push_back(uniform(generator));
    t.add_row(row);
  }
  const DataColumns columns(m, t);  // quaternions are normalised once here as in the program
  for (std::size_t r = 0; r < t.num_rows(); ++r) s.rows.push_back(columns.row(r));
  return s;
}

// The frames of the first two bodies.
std::vector<std::string> two_frames(const Mechanism<double>& m) {
  std::vector<std::string> frames;
  for (const FrameInfo& f : m.names->frames) {
    if (f.body > 0 && frames.size() < 2) frames.push_back(f.name);
  }
  return frames;
}

class Results : public testing::TestWithParam<const char*> {
 protected:
  Results()
      : dynamics(read_model(model_path(GetParam()))),
        frames(two_frames(dynamics.mechanism())),
        data(sample(dynamics, frames)),
        names(velocity_names(dynamics.mechanism())) {
    desk.write("data.csv", to_csv(data.table));
  }
  Table run(const std::string& command, const std::string& more = "") const {
    return table_of(desk("catena " + command + " models/" + GetParam() + ".yaml " + more));
  }
  DataRows all_rows() const {
    DataRows rows;
    DataColumns(dynamics.mechanism(), data.table).read_rows(0, data.table.num_rows(), rows);
    return rows;
  }

  Desk desk;
  Dynamics dynamics;
  std::vector<std::string> frames;
  Sample data;
  std::vector<std::string> names;
};

// To the bit what a batch gives, which is what one state gives up to rounding.
TEST_P(Results, InverseIsTheLibrarys) {
  const Table t = run("inverse", "--motion data.csv");
  ASSERT_EQ(t.num_rows(), data.rows.size());
  ASSERT_EQ(t.columns.front(), "time");
  const DataRows rows = all_rows();
  std::vector<double> all(names.size() * t.num_rows());
  Batch<double>(dynamics.mechanism()).inverse_dynamics(rows.q, rows.qd, rows.qdd, all, rows.Fext_B);
  for (std::size_t r = 0; r < t.num_rows(); ++r) {
    const DataRow& row = data.rows[r];
    const auto tau = dynamics.inverse_dynamics(row.q, row.qd, row.qdd, row.wrenches);
    EXPECT_EQ(value_of(t, r, "time"), row.time);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(value_of(t, r, "tau." + names[i]), all[r * names.size() + i]);
      EXPECT_NEAR(value_of(t, r, "tau." + names[i]), tau[static_cast<Eigen::Index>(i)], 1e-12);
    }
  }
}

TEST_P(Results, ReactionsAreThereForEveryJoint) {
  CompileOptions keep;
  keep.keep_fixed = true;
  Dynamics kept(read_model(model_path(GetParam())), keep);
  for (const bool world : {false, true}) {
    const Table t =
        run("inverse", std::string("--motion data.csv --reactions") + (world ? " --world" : ""));
    for (std::size_t r = 0; r < t.num_rows(); ++r) {
      const DataRow& row = data.rows[r];
      const auto reactions = kept.reactions(row.q, row.qd, row.qdd, row.wrenches, world);
      const auto& joints = kept.mechanism().names->joints;
      ASSERT_EQ(reactions.size(), joints.size());
      for (std::size_t j = 0; j < joints.size(); ++j) {
        EXPECT_EQ(value_of(t, r, "n." + joints[j].name + ".x"), reactions[j].n.x);
        EXPECT_EQ(value_of(t, r, "n." + joints[j].name + ".z"), reactions[j].n.z);
        EXPECT_EQ(value_of(t, r, "f." + joints[j].name + ".x"), reactions[j].f.x);
        EXPECT_EQ(value_of(t, r, "f." + joints[j].name + ".y"), reactions[j].f.y);
      }
    }
  }
}

TEST_P(Results, ForwardIsTheLibrarys) {
  const Table t = run("forward", "--state data.csv");
  const DataRows rows = all_rows();
  std::vector<double> all(names.size() * t.num_rows());
  ASSERT_TRUE(Batch<double>(dynamics.mechanism())
                  .forward_dynamics(rows.q, rows.qd, rows.tau, all, rows.Fext_B));
  for (std::size_t r = 0; r < t.num_rows(); ++r) {
    const DataRow& row = data.rows[r];
    const auto qdd = dynamics.forward_dynamics(row.q, row.qd, row.tau, row.wrenches);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(value_of(t, r, "qdd." + names[i]), all[r * names.size() + i]);
      EXPECT_NEAR(value_of(t, r, "qdd." + names[i]), qdd[static_cast<Eigen::Index>(i)], 1e-9);
    }
  }
}

// The torques of one command are the input of the other: with the motion's own time and positions.
TEST_P(Results, ForwardUndoesInverseThroughFiles) {
  const Table tau = run("inverse", "--motion data.csv");
  Table state = data.table;
  for (std::size_t r = 0; r < state.num_rows(); ++r) {
    for (std::size_t c = 0; c < state.num_columns(); ++c) {
      if (!state.columns[c].starts_with("tau.")) continue;
      state.values[r * state.num_columns() + c] = value_of(tau, r, state.columns[c]);
    }
  }
  desk.write("state.csv", to_csv(state));
  const Table qdd = run("forward", "--state state.csv");
  for (std::size_t r = 0; r < qdd.num_rows(); ++r) {
    for (const std::string& name : names) {
      EXPECT_NEAR(value_of(qdd, r, "qdd." + name), value_of(data.table, r, "qdd." + name), 1e-8);
    }
  }
}

TEST_P(Results, InertiaAndItsFactors) {
  const Table udut = run("inertia", "--state data.csv --factor udut");
  const Table ltl = run("inertia", "--state data.csv --factor ltl");
  const auto n = static_cast<Eigen::Index>(names.size());
  const auto matrix = [&](const Table& t, std::size_t r, const std::string& name) {
    Eigen::MatrixXd result(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        result(i, j) = value_of(t, r,
                                name + "." + names[static_cast<std::size_t>(i)] + "." +
                                    names[static_cast<std::size_t>(j)]);
      }
    }
    return result;
  };
  for (std::size_t r = 0; r < udut.num_rows(); ++r) {
    const Eigen::MatrixXd M = dynamics.inertia_matrix(data.rows[r].q);
    EXPECT_EQ(matrix(udut, r, "M"), M);
    Eigen::VectorXd D(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      D[i] = value_of(udut, r, "D." + names[static_cast<std::size_t>(i)]);
    }
    const Eigen::MatrixXd U = matrix(udut, r, "U"), L = matrix(ltl, r, "L");
    EXPECT_TRUE(U.isUpperTriangular());
    EXPECT_TRUE(L.isLowerTriangular());
    EXPECT_LT((U * D.asDiagonal() * U.transpose() - M).norm(), 1e-12 * M.norm());
    EXPECT_LT((L.transpose() * L - M).norm(), 1e-12 * M.norm());
  }
}

TEST_P(Results, KinematicsIsTheLibrarys) {
  const std::string& frame = frames.back();
  const std::pair<const char*, Axes> all_axes[] = {
      {"frame", Axes::frame}, {"world_aligned", Axes::world_aligned}, {"world", Axes::world}};
  for (const auto& [name, axes] : all_axes) {
    const Table t = run("kinematics", "--state data.csv --frame '" + frame + "' --axes " + name +
                                          " --jacobian --jacobian-rate --com --energy --rotation");
    for (std::size_t r = 0; r < t.num_rows(); ++r) {
      const DataRow& row = data.rows[r];
      const Eigen::Isometry3d X = dynamics.pose(frame, row.q);
      const auto V = dynamics.twist(frame, row.q, row.qd, axes);
      const auto A = dynamics.acceleration(frame, row.q, row.qd, row.qdd, axes);
      const auto J = dynamics.jacobian(frame, row.q, axes);
      const auto Jdot = dynamics.jacobian_rate(frame, row.q, row.qd, axes);
      const auto com = dynamics.mass_centre(row.q);
      const char* const xyz[] = {".x", ".y", ".z"};
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(value_of(t, r, "p." + frame + xyz[k]), X.translation()[k]);
        EXPECT_EQ(value_of(t, r, "w." + frame + xyz[k]), V[k]);
        EXPECT_EQ(value_of(t, r, "v." + frame + xyz[k]), V[3 + k]);
        EXPECT_EQ(value_of(t, r, "alpha." + frame + xyz[k]), A[k]);
        EXPECT_EQ(value_of(t, r, "a." + frame + xyz[k]), A[3 + k]);
        EXPECT_EQ(value_of(t, r, std::string("com") + xyz[k]), com[k]);
        EXPECT_EQ(value_of(t, r, "R." + frame + ".1." + std::to_string(k)), X.linear()(1, k));
      }
      const auto part = [&](const char* p) { return value_of(t, r, "quat." + frame + p); };
      const Eigen::Quaterniond quaternion(part(".w"), part(".x"), part(".y"), part(".z"));
      EXPECT_LT((quaternion.toRotationMatrix() - X.linear()).norm(), 1e-14);
      EXPECT_GE(quaternion.w(), 0);
      for (int i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < names.size(); ++j) {
          const std::string column = "." + frame + "." + std::to_string(i) + "." + names[j];
          EXPECT_EQ(value_of(t, r, "J" + column), J(i, static_cast<Eigen::Index>(j)));
          EXPECT_EQ(value_of(t, r, "Jdot" + column), Jdot(i, static_cast<Eigen::Index>(j)));
        }
      }
      EXPECT_EQ(value_of(t, r, "energy.kinetic"), dynamics.kinetic_energy(row.q, row.qd));
      EXPECT_EQ(value_of(t, r, "energy.potential"), dynamics.potential_energy(row.q));
    }
  }
}

TEST_P(Results, ConvertingChangesNothing) {
  const std::string model = std::string("models/") + GetParam() + ".yaml";
  ASSERT_EQ(desk("catena convert " + model + " a.urdf && catena convert a.urdf b.yaml").code, 0);
  const Table t = run("inverse", "--motion data.csv");
  for (const char* file : {"a.urdf", "b.yaml"}) {
    const Outcome converted = desk(std::string("catena inverse ") + file + " --motion data.csv");
    ASSERT_EQ(converted.code, 0) << converted.err;
    const Table other = parse_table(converted.out, file);
    ASSERT_EQ(other.num_rows(), t.num_rows());
    for (std::size_t r = 0; r < t.num_rows(); ++r) {
      for (const std::string& column : t.columns) {
        const double expected = value_of(t, r, column);
        EXPECT_NEAR(value_of(other, r, column), expected, 1e-11 * (1 + std::abs(expected)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Results, testing::ValuesIn(models), [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace catena
