#include "lanes.hpp"

namespace catena::python {

bool in_lanes(const Robot& r, const States& states, nb::handle method) {
  return states.many && states.count > 0 && r.closed == nullptr &&
         (method.is_none() || nb::cast<std::string>(method) == "spatial");
}

std::size_t Lanes::take(std::size_t states) {
  const std::size_t parts = std::clamp<std::size_t>(states / lanes_chunk, 1, index(num_threads()));
  while (batches_.size() < parts) {  // under the lock
    if (r_.batches.empty()) {
      batches_.push_back(std::make_unique<Batch<double>>(r_.m, BatchOptions{1}));
    } else {
      batches_.push_back(std::move(r_.batches.back()));
      r_.batches.pop_back();
    }
  }
  return parts;
}

Lanes::~Lanes() {
  for (auto& batch : batches_) r_.batches.push_back(std::move(batch));
}

RepeatedRows::RepeatedRows(const Input& input) {
  if (!input.given()) return;
  const auto row = input.row(0);
  data_ = input.data(), width_ = row.size();
  for (std::size_t i = 0; !input.many() && i < lanes_chunk; ++i)
    repeated_.insert(repeated_.end(), row.begin(), row.end());
}

std::vector<double> body_wrenches(const Robot& r, const Wrenches& wrenches, std::size_t first,
                                  std::size_t count) {
  std::vector<double> all;
  if (wrenches.empty()) return all;
  Scratch scratch(r.m, 0);
  all.reserve(count * 6 * r.m.bodies.size());
  for (std::size_t i = first; i < first + count; ++i) {
    for (const Force<double>& F : wrenches.on_bodies(i, scratch))
      all.insert(all.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  }
  return all;
}

void check_status(const Robot& r, const BatchStatus& status, std::size_t first) {
  if (status) return;
  throw NumericalError("state " + std::to_string(first + status.state) + ": " +
                       describe(r.m, status.status));
}

}  // namespace catena::python
