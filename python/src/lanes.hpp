// Many states of a tree at once: in the lanes of the processor's registers and in threads, without
// Python's lock.
#pragma once

#include "catena/support/worker_pool.hpp"
#include "robot.hpp"

namespace catena::python {

// Whether a call is for them: many states of a tree, by the default method.
bool in_lanes(const Robot& r, const States& states, nb::handle method = nb::none());

// States that a thread takes at once: they stay in the cache.
inline constexpr std::size_t lanes_chunk = 256;

// Batches of a robot for one call, one per thread; others may have theirs at the same time.
class Lanes {
 public:
  explicit Lanes(Robot& r) : r_(r) {}
  ~Lanes();
  Lanes(const Lanes&) = delete;

  // Calls f(batch, first, count) for pieces of the states, each once.
  template <class F>
  void run(const States& states, const F& f) {
    struct Context {
      Lanes& lanes;
      const States& states;
      const F& f;
      std::size_t parts;
      static void work(void* context, int part) {
        const Context& c = *static_cast<Context*>(context);
        const std::size_t k = index(part), n = c.states.count;
        c.lanes.work(k, k * n / c.parts, (k + 1) * n / c.parts,
                     [&](Batch<double>& batch, std::size_t first, std::size_t count) {
                       // Checked afterwards: now the numbers are in the cache.
                       try {
                         c.f(batch, first, count);
                       } catch (...) {
                         c.states.check_finite(first, first + count);
                         throw;
                       }
                       c.states.check_finite(first, first + count);
                     });
      }
    };
    Context context{*this, states, f, take(states.count)};
    {
      nb::gil_scoped_release release;
      run_parts(static_cast<int>(context.parts), Context::work, &context, false);
    }
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  // Takes batches for so many states; returns how many.
  std::size_t take(std::size_t states);
  template <class F>
  void work(std::size_t part, std::size_t begin, std::size_t end, const F& f) {
    try {
      for (std::size_t first = begin; first < end; first += lanes_chunk)
        f(*batches_[part], first, std::min(lanes_chunk, end - first));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (error_ != nullptr && failed_part_ < part) return;  // the first state's error is told
      error_ = std::current_exception(), failed_part_ = part;
    }
  }

  Robot& r_;
  std::vector<std::unique_ptr<Batch<double>>> batches_;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::size_t failed_part_ = 0;
};

// Rows of an input for some states; that of one state serves for all.
class RepeatedRows {
 public:
  explicit RepeatedRows(const Input& input);
  std::span<const double> at(std::size_t first, std::size_t count) const {
    if (!repeated_.empty()) return {repeated_.data(), count * width_};
    return {data_ + first * width_, count * width_};
  }

 private:
  const double* data_ = nullptr;
  std::size_t width_ = 0;  // 0 if it is not given
  std::vector<double> repeated_;
};

// The wrenches of some states on the bodies of the mechanism; empty if there are none.
std::vector<double> body_wrenches(const Robot& r, const Wrenches& wrenches, std::size_t first,
                                  std::size_t count);

// Throws NumericalError, naming state and joint, for a status that is not good.
void check_status(const Robot& r, const BatchStatus& status, std::size_t first);

}  // namespace catena::python
