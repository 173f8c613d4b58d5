// The columns of data files and the vectors of a mechanism: q.JOINT, qd.JOINT, tau.JOINT.2, ...
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "catena/data/table.hpp"
#include "catena/model/mechanism.hpp"
#include "catena/readers/quantity.hpp"

namespace catena {

// "elbow", or "ball.0", "ball.1", ... for a joint of several coordinates; in the order of the
// user's vectors: nq names of positions, nv of velocities, accelerations and forces.
std::vector<std::string> position_names(const Mechanism<double>& m);
std::vector<std::string> velocity_names(const Mechanism<double>& m);
// "q.elbow" from "elbow".
std::vector<std::string> with_prefix(const std::string& prefix,
                                     const std::vector<std::string>& names);

// What each coordinate measures: an angle, a length, or a plain number (of a quaternion).
std::vector<Dimension> position_dimensions(const Mechanism<double>& m);
// An angle or a length (per second): forces along it are torques or forces.
std::vector<Dimension> velocity_dimensions(const Mechanism<double>& m);

// One row of a data file.
struct DataRow {
  double time = 0;  // 0 without a column of that name
  Eigen::VectorXd q, qd, qdd, tau;
  std::map<std::string, Force<double>> wrenches;  // by frame: at its origin, in its axes
};

// Several rows of a data file, one after the other, as a Batch takes them.
struct DataRows {
  std::vector<double> q, qd, qdd, tau;  // qd, qdd, tau: empty if the file has none of them
  std::vector<double> Fext_B;           // empty, or six numbers per body: moment and force, in B
};

// Finds the columns of a table once, then hands out its rows.
//   Column order is free, `time` optional; a missing qd, qdd, tau or part of a wrench is zero. A
//   missing q is an error: no position is assumed. Mimic and fixed joints have no columns.
class DataColumns {
 public:
  // Throws InputError for a column that is unknown or, unless positions may be left to loops, a
  // position that is missing.
  enum class Positions { all, some };
  DataColumns(const Mechanism<double>& m, const Table& table, Positions positions = Positions::all);

  bool has_time() const { return time_ >= 0; }
  // Has any column of that kind: "q", "qd", "qdd", "tau", "n", "f".
  bool has(const std::string& prefix) const;
  // Whether there is a column for this coordinate: of "q" by position, of the others by velocity.
  bool given(const std::string& prefix, int coordinate) const;
  std::size_t num_rows() const { return table_.num_rows(); }
  // Throws InputError, naming the row, for a quaternion whose length is not 1 within 1e-6; the
  // others are brought to unit length.
  DataRow row(std::size_t i) const;
  // The rows first ... first + count - 1; the memory of `rows` is used again.
  void read_rows(std::size_t first, std::size_t count, DataRows& rows) const;
  double time(std::size_t i) const;

 private:
  struct Target {
    std::size_t column;
    int index;
  };
  struct WrenchTarget {
    std::size_t column;
    std::string frame;
    int index;      // of the frame
    int component;  // n.x ... f.z
  };
  void place(const std::string& name, std::size_t column);
  void check_positions() const;
  // Quaternions of one row: throws as row() does, else brings them to unit length.
  void normalise(std::size_t row, double* q) const;
  const std::vector<Target>& targets(const std::string& prefix) const;

  const Mechanism<double>& m_;
  const Table& table_;
  int time_ = -1;
  std::vector<Target> q_, qd_, qdd_, tau_;
  std::vector<WrenchTarget> wrenches_;
};

}  // namespace catena
