// catena kinematics: where frames are and how they move, Jacobians, mass centre and energies.
#include <fmt/format.h>

#include <optional>

#include "catena/dynamics.hpp"
#include "catena/loops/independent_rates.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct KinematicsOptions {
  ModelOptions model;
  std::string state, axes = "world_aligned";
  std::vector<std::string> frames;
  bool rpy = false, rotation = false, jacobian = false, jacobian_rate = false, com = false,
       energy = false;
  OutputOptions output;
};

Axes axes_of(const std::string& name) {
  if (name == "frame") return Axes::frame;
  return name == "world" ? Axes::world : Axes::world_aligned;
}

// Numbers and, in the first row, the columns they belong to: so that the two cannot differ.
class RowBuilder {
 public:
  explicit RowBuilder(Result& result) : result_(result) {}

  void begin_row() { numbers_.clear(); }
  void end_row() {
    result_.table.add_row(numbers_);
    named_ = true;
  }
  void add(const std::string& column, const std::string& panel, double value) {
    if (!named_) result_.add_column(column, panel);
    numbers_.push_back(value);
  }
  template <class V>
  void add_xyz(const std::string& column, const std::string& panel, const V& v) {
    const char* const axes[] = {".x", ".y", ".z"};
    for (int k = 0; k < 3; ++k) add(column + axes[k], panel, v[k]);
  }
  bool named() const { return named_; }

 private:
  Result& result_;
  std::vector<double> numbers_;
  bool named_ = false;
};

void add_attitude(const KinematicsOptions& o, const std::string& frame, const Eigen::Matrix3d& R,
                  RowBuilder& row) {
  Eigen::Quaterniond quaternion(R);
  if (quaternion.w() < 0) quaternion.coeffs() *= -1;  // of the two, the one that turns less
  const char* const parts[] = {".x", ".y", ".z", ".w"};
  for (int k = 0; k < 4; ++k) {
    row.add("quat." + frame + parts[k], "attitude (quaternion)", quaternion.coeffs()[k]);
  }
  if (o.rpy) {
    const auto column = [&](int k) { return Vec3<double>{R(0, k), R(1, k), R(2, k)}; };
    const Vec3<double> rpy = rpy_from_rotation({column(0), column(1), column(2)});
    row.add("rpy." + frame + ".roll", "roll, pitch, yaw, rad", rpy.x);
    row.add("rpy." + frame + ".pitch", "roll, pitch, yaw, rad", rpy.y);
    row.add("rpy." + frame + ".yaw", "roll, pitch, yaw, rad", rpy.z);
  }
  for (int i = 0; o.rotation && i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      row.add(fmt::format("R.{}.{}.{}", frame, i, j), "rotation matrix", R(i, j));
    }
  }
}

template <class Matrix>
void add_matrix(const std::string& name, const std::string& frame, const Matrix& J,
                const std::vector<std::string>& velocities, RowBuilder& row) {
  const std::string panel = name + " of " + frame;
  for (int i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < velocities.size(); ++j) {
      const std::string column =
          row.named() ? "" : fmt::format("{}.{}.{}.{}", name, frame, i, velocities[j]);
      row.add(column, panel, J(i, static_cast<Eigen::Index>(j)));
    }
  }
}

// The frames asked for, or those of all bodies but the ground.
std::vector<std::string> frames_of(const KinematicsOptions& o, const Model& model,
                                   const MechanismNames& names) {
  std::vector<std::string> known, bodies;
  for (const FrameInfo& f : names.frames) {
    known.push_back(f.name);
    if (f.is_body && f.name != model.ground && f.name != "world") bodies.push_back(f.name);
  }
  for (const std::string& name : o.frames) {
    if (names.frame(name) >= 0) continue;
    throw UsageError(
        fmt::format("--frame: '{}' is not a frame of '{}'{}\n    catena info lists "
                    "the frames",
                    name, names.model, did_you_mean(name, known)));
  }
  return o.frames.empty() ? bodies : o.frames;
}

// One row, completed by the loops if there are any; Jacobians are then along independent joints.
struct KinematicsRow {
  double time = 0;
  Eigen::VectorXd q, qd, qdd;
  std::vector<std::string> velocities;
  IndependentRates independent{};  // empty for trees
};

class KinematicsRows {
 public:
  KinematicsRows(const KinematicsOptions& o, const Model& model, const Table& table)
      : o_(o), mechanism_(compile_closed(model, compile_options(o.model))), loops_(mechanism_) {
    if (mechanism_.num_rows() > 0)
      closed_.emplace(mechanism_, loops_, table, ClosedRows::Use::motion);
    columns_.emplace(mechanism_.tree, table,
                     closed_ ? DataColumns::Positions::some : DataColumns::Positions::all);
  }

  const DataColumns& columns() const { return *columns_; }

  KinematicsRow next() {
    const auto names = velocity_names(mechanism_.tree);
    if (!closed_) {
      const DataRow row = columns_->row(row_++);
      return {row.time, row.q, row.qd, row.qdd, names};
    }
    const ClosedRow row = closed_->next();
    KinematicsRow r{row.time, row.q, row.qd, row.qdd, {}};
    for (int v : closed_->independent()) r.velocities.push_back(names[static_cast<std::size_t>(v)]);
    if (!chosen_.empty() && chosen_ != r.velocities && (o_.jacobian || o_.jacobian_rate))
      throw NumericalError(fmt::format(
          "row {}: other joints are independent here than in the first row, so that the columns of "
          "the Jacobian would change\n    give positions of as many joints as there are degrees of "
          "freedom",
          row_ + 1));
    chosen_ = r.velocities;
    if (o_.jacobian || o_.jacobian_rate)
      r.independent = independent_rates(mechanism_, loops_, row.q, row.qd, closed_->independent());
    ++row_;
    return r;
  }

  double spring_energy(const Eigen::VectorXd& q) {
    loops_.set_position(q);
    return loops_.spring_energy();
  }

 private:
  const KinematicsOptions& o_;
  ClosedMechanism mechanism_;
  LoopState loops_;
  std::optional<ClosedRows> closed_;
  std::optional<DataColumns> columns_;
  std::vector<std::string> chosen_;
  std::size_t row_ = 0;
};

void add_jacobians(const KinematicsOptions& o, const std::string& frame, const KinematicsRow& row,
                   Axes axes, Dynamics& dynamics, RowBuilder& out) {
  const bool closed = row.independent.G.cols() > 0;
  const Eigen::MatrixXd& G = row.independent.G;
  if (o.jacobian) {
    const auto J = dynamics.jacobian(frame, row.q, axes);
    add_matrix("J", frame, closed ? Eigen::MatrixXd(J * G) : Eigen::MatrixXd(J), row.velocities,
               out);
  }
  if (o.jacobian_rate) {
    const auto rate = dynamics.jacobian_rate(frame, row.q, row.qd, axes);
    Eigen::MatrixXd all = rate;
    if (closed) all = rate * G + dynamics.jacobian(frame, row.q, axes) * row.independent.Gdot;
    add_matrix("Jdot", frame, all, row.velocities, out);
  }
}

void run_kinematics(const KinematicsOptions& o) {
  const Model model = load_model(o.model);
  Dynamics dynamics(model, compile_options(o.model));
  const Mechanism<double>& m = dynamics.mechanism();
  const auto frames = frames_of(o, model, *m.names);
  const Table state = read_table(o.state);
  KinematicsRows rows(o, model, state);
  const DataColumns& columns = rows.columns();
  const Axes axes = axes_of(o.axes);
  const bool accelerations = columns.has("qdd"), rates = accelerations || columns.has("qd");
  Result result;
  result.title = m.names->model + ": kinematics";
  RowBuilder out(result);
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const KinematicsRow row = rows.next();
    out.begin_row();
    if (columns.has_time()) out.add("time", "", row.time);
    for (const std::string& frame : frames) {
      const Eigen::Isometry3d X = dynamics.pose(frame, row.q);
      out.add_xyz("p." + frame, "position, m", X.translation());
      add_attitude(o, frame, X.linear(), out);
      if (rates) {
        const auto V = dynamics.twist(frame, row.q, row.qd, axes);
        out.add_xyz("w." + frame, "angular velocity, rad/s", V.head<3>());
        out.add_xyz("v." + frame, "velocity, m/s", V.tail<3>());
      }
      if (accelerations) {
        const auto A = dynamics.acceleration(frame, row.q, row.qd, row.qdd, axes);
        out.add_xyz("alpha." + frame, "angular acceleration, rad/s²", A.head<3>());
        out.add_xyz("a." + frame, "acceleration, m/s²", A.tail<3>());
      }
      add_jacobians(o, frame, row, axes, dynamics, out);
    }
    if (o.com) out.add_xyz("com", "mass centre, m", dynamics.mass_centre(row.q));
    if (o.energy) {
      out.add("energy.kinetic", "energy, J", dynamics.kinetic_energy(row.q, row.qd));
      out.add("energy.potential", "energy, J",
              dynamics.potential_energy(row.q) + rows.spring_energy(row.q));
    }
    out.end_row();
    check_finite(result.table, state, r);
  }
  write_result(o.output, result);
}

}  // namespace

void add_kinematics_command(Command& app) {
  Command& command =
      add_command(app, "kinematics", "Poses, velocities and Jacobians of frames",
                  "printf 'q.hinge,qd.hinge\\n0.5,2\\n' |\n"
                  "  catena kinematics models/pendulum.yaml --state - --frame tip --jacobian");
  const auto o = std::make_shared<KinematicsOptions>();
  add_model_options(command, o->model);
  add_table_option(command, "--state", o->state,
                   "CSV with columns q.JOINT; with qd.JOINT there are velocities, with qdd.JOINT "
                   "accelerations. Of a model with loops the independent joints are enough");
  command.add_option("--frame", o->frames, "Frames and bodies to look at (default: every body)")
      ->type_name("NAME");
  add_choice(command, "--axes", o->axes, {"frame", "world_aligned", "world"},
             "Axes of velocities, accelerations and Jacobians");
  command.add_flag("--rpy", o->rpy, "Attitude also as roll, pitch, yaw: rpy.FRAME.roll");
  command.add_flag("--rotation", o->rotation, "Attitude also as a matrix: R.FRAME.row.column");
  command.add_flag(
      "--jacobian", o->jacobian,
      "J.FRAME.row.JOINT, rows wx wy wz vx vy vz as 0 to 5; of a model with loops along "
      "its independent joints");
  command.add_flag("--jacobian-rate", o->jacobian_rate,
                   "Its time derivative: Jdot.FRAME.row.JOINT");
  command.add_flag("--com", o->com, "The mass centre of everything: com.x");
  command.add_flag("--energy", o->energy, "energy.kinetic, energy.potential (gravity and springs)");
  add_output_options(command, o->output);
  when_run(command, [o] { run_kinematics(*o); });
}

}  // namespace catena::cli
