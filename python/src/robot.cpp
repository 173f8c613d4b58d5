#include "robot.hpp"

#include <algorithm>
#include <atomic>

#include "catena/data/columns.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"

namespace catena::python {
namespace {

std::atomic<int> threads_wanted{0};

}  // namespace

Robot::Robot(Model model_, const CompileOptions& options_)
    : model(std::move(model_)), options(options_), m(compile(model, options)) {
  if (model.closed()) closed = std::make_unique<ClosedDynamics>(model, options);
  for (const Formulation<double>& f : formulations<double>()) methods_.push_back({&f, nullptr});
  methods_.front().scratch = std::make_unique<Scratch>(m, methods_.front().table->room(m));
}

Robot::Method& Robot::method(nb::handle name) {
  if (name.is_none()) return methods_.front();
  const std::string wanted = nb::cast<std::string>(name);
  const auto found = std::find_if(methods_.begin(), methods_.end(), [&](const Method& method) {
    return method.table->name == wanted;
  });
  if (found == methods_.end()) {
    std::vector<std::string> known;
    for (const Method& method : methods_) known.emplace_back(method.table->name);
    throw InputError({}, "there is no method '" + wanted + "'" + did_you_mean(wanted, known));
  }
  if (found->scratch == nullptr) {
    const std::string refusal = found->table->refusal(m);
    if (!refusal.empty())
      throw InputError({},
                       "method '" + wanted + "' cannot do '" + m.names->model + "': " + refusal);
    found->scratch = std::make_unique<Scratch>(m, found->table->room(m));
  }
  return *found;
}

const FrameInfo& Robot::frame(const std::string& name) const {
  const int i = m.names->frame(name);
  if (i >= 0) return m.names->frames[index(i)];
  std::vector<std::string> known;
  for (const FrameInfo& f : m.names->frames) known.push_back(f.name);
  throw InputError(
      {}, "'" + name + "' is not a frame of '" + m.names->model + "'" + did_you_mean(name, known));
}

Axes axes_of(const std::string& name) {
  if (name == "world_aligned") return Axes::world_aligned;
  if (name == "frame") return Axes::frame;
  if (name == "world") return Axes::world;
  throw InputError({}, "axes are 'world_aligned', 'frame' or 'world', not '" + name + "'");
}

void write_transposed(std::span<const double> columns, std::size_t rows, double* to) {
  const std::size_t n = columns.size() / rows;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = 0; r < rows; ++r) to[r * n + k] = columns[rows * k + r];
}

std::string velocity_name(const Robot& r, int velocity) {
  return velocity_names(r.m)[index(velocity)];
}

Scratch& Robot::derivative_scratch() {
  if (derivative_scratch_ == nullptr)
    derivative_scratch_ = std::make_unique<Scratch>(m, derivatives_room<double>(m));
  return *derivative_scratch_;
}

Wrenches::Wrenches(const Robot& robot, nb::handle dictionary) {
  if (dictionary.is_none()) return;
  if (!nb::isinstance<nb::dict>(dictionary))
    throw nb::type_error("wrenches must be a dictionary: {\"frame\": [nx, ny, nz, fx, fy, fz]}");
  for (auto [key, value] : nb::borrow<nb::dict>(dictionary)) {
    const std::string name = nb::cast<std::string>(key);
    const FrameInfo& frame = robot.frame(name);
    parts_.push_back({name, &frame, Input(frame.name.c_str(), value, 6)});
  }
}

std::span<const Force<double>> Wrenches::on_bodies(std::size_t i, Scratch& scratch) const {
  if (parts_.empty()) return {};
  for (Force<double>& F : scratch.Fext_B) F = {};
  each(i, [&](const FrameInfo& f, const Force<double>& F_F) {
    scratch.Fext_B[index(f.body)] += transform(f.X_BF, F_F);
  });
  return scratch.Fext_B;
}

std::map<std::string, Force<double>> Wrenches::by_name(std::size_t i) const {
  std::map<std::string, Force<double>> all;
  each(i, [&](const FrameInfo& f, const Force<double>& F_F) { all[f.name] = F_F; });
  return all;
}

void Wrenches::check(const States& states) const {
  for (const Part& part : parts_) {
    if (!part.wrench.many() || (states.many && part.wrench.rows() == states.count)) continue;
    throw SizeError("the wrench on '" + part.name + "' is given for " +
                    std::to_string(part.wrench.rows()) + " states, but there " +
                    (states.many ? "are " + std::to_string(states.count) : "is one"));
  }
}

int num_threads() {
  const int wanted = threads_wanted;
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void set_num_threads(int n) { threads_wanted = n; }

void rethrow_for_state(std::exception_ptr error, std::size_t state, bool many) {
  try {
    std::rethrow_exception(error);
  } catch (const NumericalError& e) {
    if (!many) throw;
    throw NumericalError("state " + std::to_string(state) + ": " + e.what());
  }
}

}  // namespace catena::python
