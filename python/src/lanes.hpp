// Many states of a tree at once: in the lanes of the processor's registers and in threads, without
// Python's lock.
#pragma once

#include "catena/batch/batch.hpp"
#include "robot.hpp"

namespace catena::python {

// Whether a call is for them: many states of a tree, by the default method.
bool in_lanes(const Robot& r, const States& states, nb::handle method = nb::none());

// A batch of the robot for one call; others may have theirs at the same time.
class Lanes {
 public:
  explicit Lanes(Robot& r);
  ~Lanes();
  Lanes(const Lanes&) = delete;

  // Calls f(batch) without Python's lock.
  template <class F>
  auto run(const F& f) {
    nb::gil_scoped_release release;
    return f(*batch_);
  }

 private:
  Robot& r_;
  std::unique_ptr<Batch<double>> batch_;
};

// All rows of an input, one per state; empty if it is not given.
class AllRows {
 public:
  AllRows(const Input& input, const States& states);
  std::span<const double> span() const { return span_; }

 private:
  std::vector<double> copies_;
  std::span<const double> span_;
};

// The wrenches of all states on the bodies of the mechanism; empty if there are none.
std::vector<double> body_wrenches(const Robot& r, const Wrenches& wrenches, const States& states);

// Throws NumericalError, naming state and joint, for a status that is not good.
void check_status(const Robot& r, const BatchStatus& status);

}  // namespace catena::python
