#include "lanes.hpp"

namespace catena::python {

bool in_lanes(const Robot& r, const States& states, nb::handle method) {
  return states.many && states.count > 0 && r.closed == nullptr &&
         (method.is_none() || nb::cast<std::string>(method) == "spatial");
}

Lanes::Lanes(Robot& r) : r_(r) {
  const int threads = num_threads();
  while (!r.batches.empty() && batch_ == nullptr) {  // under the lock
    batch_ = std::move(r.batches.back());
    r.batches.pop_back();
    if (batch_->threads() != threads) batch_ = nullptr;
  }
  if (batch_ == nullptr) batch_ = std::make_unique<Batch<double>>(r.m, BatchOptions{threads});
}

Lanes::~Lanes() { r_.batches.push_back(std::move(batch_)); }

AllRows::AllRows(const Input& input, const States& states) {
  if (!input.given()) return;
  if (input.many()) {
    span_ = {input.data(), input.size()};
    return;
  }
  const auto row = input.row(0);
  copies_.reserve(states.count * row.size());
  for (std::size_t i = 0; i < states.count; ++i)
    copies_.insert(copies_.end(), row.begin(), row.end());
  span_ = copies_;
}

std::vector<double> body_wrenches(const Robot& r, const Wrenches& wrenches, const States& states) {
  std::vector<double> all;
  if (wrenches.empty()) return all;
  Scratch scratch(r.m, 0);
  all.reserve(states.count * 6 * r.m.bodies.size());
  for (std::size_t i = 0; i < states.count; ++i) {
    for (const Force<double>& F : wrenches.on_bodies(i, scratch))
      all.insert(all.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  }
  return all;
}

void check_status(const Robot& r, const BatchStatus& status) {
  if (status) return;
  throw NumericalError("state " + std::to_string(status.state) + ": " +
                       describe(r.m, status.status));
}

}  // namespace catena::python
