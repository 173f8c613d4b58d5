// Arrays: numpy in and out, one state or many.
//
// An argument is (width,) for one state or (N, width) for many; a C-contiguous float64 array is
// read where it lies, everything else (lists, float32, strides) is copied. numpy is imported at the
// first array, not with the module.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace catena::python {

namespace nb = nanobind;

// One argument that holds numbers of each state. None is allowed where `optional`, and is then
// empty.
class Input {
 public:
  enum class If { required, optional };
  enum class Check { now, later };  // of many states: NaN and infinity
  // Of one state only: SizeError for many.
  static Input one(const char* name, nb::handle object, std::size_t width);
  //   throws  TypeError if it holds no real numbers, SizeError for a wrong shape, InputError for
  //   NaN and infinity
  Input(const char* name, nb::handle object, std::size_t width, If presence = If::required,
        Check check = Check::now);

  bool given() const { return data_ != nullptr; }
  bool many() const { return many_; }
  bool single_precision() const { return single_; }
  std::size_t rows() const { return rows_; }
  const char* name() const { return name_; }
  // Of state i; one state serves for all; empty if not given.
  std::span<const double> row(std::size_t i) const {
    return {data_ + i * step_, data_ == nullptr ? 0 : width_};
  }
  const double* data() const { return data_; }
  std::size_t size() const { return rows_ * width_; }
  //   throws  InputError for NaN and infinity in these rows
  void check_finite(std::size_t begin, std::size_t end) const;

 private:
  void convert(nb::handle object);

  const char* name_;
  const double* data_ = nullptr;
  std::size_t width_, rows_ = 1, step_ = 0;
  bool many_ = false, single_ = false;
  nb::object copy_;
};

// The same, where for_states() or Lanes check the numbers of many states, some at a time while they
// are in the cache.
struct StateInput : Input {
  StateInput(const char* name, nb::handle object, std::size_t width, If presence = If::required)
      : Input(name, object, width, presence, Check::later) {}
};

// How many states a call has: the inputs that hold many must agree.
struct States {
  States(std::initializer_list<const Input*> inputs);

  std::size_t count = 1;
  bool many = false;
  bool single_precision = true;  // all of them: results are too
  std::span<const Input* const> inputs() const { return {given_, num_given_}; }
  //   throws  InputError for NaN and infinity in these states
  void check_finite(std::size_t begin, std::size_t end) const {
    for (const Input* input : inputs()) {
      if (input->many()) input->check_finite(begin, end);
    }
  }

 private:
  const Input* given_[6] = {};
  std::size_t num_given_ = 0;
};

// The result of a call: `out` itself, or a new array of shape (N,) + tail, or tail for one state.
class Output {
 public:
  //   throws  TypeError, SizeError or ValueError if `out` cannot take the result
  Output(nb::handle out, const States& states, std::initializer_list<std::size_t> tail);

  std::span<double> row(std::size_t i) { return {data_ + i * width_, width_}; }
  std::span<double> rows(std::size_t first, std::size_t count) {
    return {data_ + first * width_, count * width_};
  }
  // The array, once all rows are written; a float for a scalar of one state.
  nb::object take();

 private:
  double* data_ = nullptr;
  std::size_t width_ = 1;
  bool scalar_ = false, single_ = false;
  nb::object array_, target_;  // target: what array_ is copied into at the end
};

// A new array with these numbers.
nb::object new_array(std::span<const double> numbers, std::initializer_list<std::size_t> shape);
// Numbers of any array-like object of one dimension.
std::vector<double> numbers_of(const char* name, nb::handle object);

}  // namespace catena::python
