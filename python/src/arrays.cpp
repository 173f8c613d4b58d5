#include "arrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_19_API_VERSION
#include <numpy/arrayobject.h>

#include <cmath>
#include <cstring>

#include "catena/scalar/isa.hpp"
#include "catena/support/error.hpp"

namespace catena::python {
namespace {

// The functions of numpy, from the first array on.
void need_numpy() {
  if (PyArray_API != nullptr) return;
  if (_import_array() < 0) throw nb::python_error();
}

PyArrayObject* as_array(nb::handle object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

bool is_plain(PyArrayObject* array) {
  return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

std::string shape_text(PyArrayObject* array) {
  std::string text = "(";
  const int n = PyArray_NDIM(array);
  for (int i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + std::to_string(PyArray_DIM(array, i));
  return text + (n == 1 ? ",)" : ")");
}
std::string shape_text(const std::vector<npy_intp>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string kind_of(nb::handle object) {
  need_numpy();
  if (PyArray_Check(object.ptr()))
    return "an array of " + std::string(nb::str(nb::handle(object.attr("dtype"))).c_str());
  return "a " + std::string(nb::str(nb::handle(object.type().attr("__name__"))).c_str());
}

}  // namespace

Input::Input(const char* name, nb::handle object, std::size_t width, If presence, Check check)
    : name_(name), width_(width) {
  if (object.is_none()) {
    if (presence == If::optional) return;
    throw nb::type_error((std::string(name) + " is missing").c_str());
  }
  need_numpy();
  if (!PyArray_Check(object.ptr()) || !is_plain(as_array(object))) {
    convert(object);
    object = copy_;
  }
  PyArrayObject* array = as_array(object);
  const int n = PyArray_NDIM(array);
  const npy_intp* shape = PyArray_DIMS(array);
  if (n < 1 || n > 2 || static_cast<std::size_t>(shape[n - 1]) != width_) {
    const std::string w = std::to_string(width_);
    throw SizeError(std::string(name) + " has shape " + shape_text(array) + ", but (" + w +
                    ",) is needed, or (N, " + w + ") for many states");
  }
  static const double nothing[1] = {};  // arrays without entries may have no memory
  data_ = static_cast<const double*>(PyArray_DATA(array));
  if (data_ == nullptr || width_ == 0) data_ = nothing;
  if (n == 2) many_ = true, rows_ = static_cast<std::size_t>(shape[0]), step_ = width_;
  if (!many_ || check == Check::now) check_finite(0, rows_);
}

Input Input::one(const char* name, nb::handle object, std::size_t width) {
  Input input(name, object, width);
  if (input.many())
    throw SizeError(std::string(name) + " has two dimensions, but one vector of " +
                    std::to_string(width) + " numbers is needed");
  return input;
}

// Anything that numpy takes for real numbers, as a contiguous array.
void Input::convert(nb::handle object) {
  nb::object any = nb::steal(PyArray_FROM_O(object.ptr()));
  if (!any.is_valid()) throw nb::python_error();
  const int type = PyArray_TYPE(as_array(any));
  const bool empty = PyArray_SIZE(as_array(any)) == 0;
  if (!PyTypeNum_ISINTEGER(type) && !PyTypeNum_ISFLOAT(type) && !PyTypeNum_ISBOOL(type) && !empty)
    throw nb::type_error((std::string(name_) + " is " + kind_of(object) +
                          ", but real numbers are needed (float64 or float32)")
                             .c_str());
  single_ = type == NPY_FLOAT;
  copy_ = nb::steal(
      PyArray_FROMANY(any.ptr(), NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  if (!copy_.is_valid()) throw nb::python_error();
}

namespace {

// 0 * x is not 0 for NaN and infinity alone. Several sums at once.
template <class V>
[[gnu::always_inline]] inline bool sums_are_zero(const double* x, std::size_t n) {
  constexpr std::size_t width = sizeof(V) / sizeof(double);
  struct __attribute__((packed, may_alias)) Anywhere {  // rows begin at any address
    V numbers;
  };
  const V zero{};
  V a{}, b{}, c{}, d{};
  std::size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    const auto* p = reinterpret_cast<const Anywhere*>(x + i);
    a += zero * p[0].numbers, b += zero * p[1].numbers;
    c += zero * p[2].numbers, d += zero * p[3].numbers;
  }
  a += b, c += d, a += c;
  double sum = 0;
  for (std::size_t k = 0; k < width; ++k) sum += a[k];
  for (; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}

typedef double Two __attribute__((vector_size(16)));
#if CATENA_ISA_DISPATCH
typedef double Four __attribute__((vector_size(32)));
CATENA_AVX2 bool all_finite_avx2(const double* x, std::size_t n) {
  return sums_are_zero<Four>(x, n);
}
#endif

bool all_finite(const double* x, std::size_t n) {
#if CATENA_ISA_DISPATCH
  if (isa != Isa::baseline && n >= 64) return all_finite_avx2(x, n);
#endif
  return sums_are_zero<Two>(x, n);
}

}  // namespace

void Input::check_finite(std::size_t begin, std::size_t end) const {
  if (all_finite(data_ + begin * width_, (end - begin) * width_)) return;
  for (std::size_t i = begin * width_; i < end * width_; ++i) {
    if (std::isfinite(data_[i])) continue;
    const std::string at = many_ ? std::to_string(i / width_) + ", " : "";
    throw InputError({}, std::string(name_) + "[" + at + std::to_string(i % width_) + "] is " +
                             (std::isnan(data_[i]) ? "NaN" : "infinite") +
                             ", but finite numbers are needed");
  }
}

States::States(std::initializer_list<const Input*> all) {
  const Input* first = nullptr;
  for (const Input* input : all) {
    if (!input->given()) continue;
    given_[num_given_++] = input;
    single_precision = single_precision && input->single_precision();
    if (!input->many()) continue;
    if (first != nullptr && input->rows() != first->rows())
      throw SizeError(std::string(input->name()) + " has " + std::to_string(input->rows()) +
                      " states, but " + first->name() + " has " + std::to_string(first->rows()));
    first = input;
    many = true, count = input->rows();
  }
}

Output::Output(nb::handle out, const States& states, std::initializer_list<std::size_t> tail) {
  need_numpy();
  std::vector<npy_intp> shape;
  if (states.many) shape.push_back(static_cast<npy_intp>(states.count));
  for (std::size_t n : tail) shape.push_back(static_cast<npy_intp>(n)), width_ *= n;
  const int dims = static_cast<int>(shape.size());
  bool direct = false;
  if (!out.is_none()) {
    if (!PyArray_Check(out.ptr()))
      throw nb::type_error(("out is " + kind_of(out) + ", but must be a numpy array").c_str());
    PyArrayObject* array = as_array(out);
    if (PyArray_NDIM(array) != dims || !std::equal(shape.begin(), shape.end(), PyArray_DIMS(array)))
      throw SizeError("out has shape " + shape_text(array) + ", but the result is " +
                      shape_text(shape));
    if (PyArray_TYPE(array) != NPY_DOUBLE && PyArray_TYPE(array) != NPY_FLOAT)
      throw nb::type_error(("out is " + kind_of(out) + ", but must be float64 or float32").c_str());
    if (!PyArray_ISWRITEABLE(array)) throw nb::value_error("out is read-only");
    // Written directly unless it is strided or shares memory with an input.
    direct = is_plain(array);
    const char* begin = static_cast<const char*>(PyArray_DATA(array));
    const char* end = begin + sizeof(double) * width_ * states.count;
    for (const Input* input : states.inputs()) {
      const char* from = reinterpret_cast<const char*>(input->data());
      if (from < end && begin < from + sizeof(double) * input->size()) direct = false;
    }
    (direct ? array_ : target_) = nb::borrow(out);
  }
  if (!direct) {
    array_ = nb::steal(PyArray_SimpleNew(dims, shape.data(), NPY_DOUBLE));
    if (!array_.is_valid()) throw nb::python_error();
  }
  data_ = static_cast<double*>(PyArray_DATA(as_array(array_)));
  scalar_ = dims == 0;
  single_ = states.single_precision && out.is_none() && !states.inputs().empty();
}

nb::object Output::take() {
  if (target_.is_valid()) {
    if (PyArray_CopyInto(as_array(target_), as_array(array_)) < 0) throw nb::python_error();
    return std::move(target_);
  }
  if (scalar_) return nb::float_(data_[0]);
  if (!single_) return std::move(array_);
  nb::object narrow = nb::steal(PyArray_Cast(as_array(array_), NPY_FLOAT));
  if (!narrow.is_valid()) throw nb::python_error();
  return narrow;
}

nb::object new_array(std::span<const double> numbers, std::initializer_list<std::size_t> shape) {
  need_numpy();
  std::vector<npy_intp> dims;
  for (std::size_t n : shape) dims.push_back(static_cast<npy_intp>(n));
  nb::object array =
      nb::steal(PyArray_SimpleNew(static_cast<int>(dims.size()), dims.data(), NPY_DOUBLE));
  if (!array.is_valid()) throw nb::python_error();
  if (!numbers.empty())
    std::memcpy(PyArray_DATA(as_array(array)), numbers.data(), numbers.size_bytes());
  return array;
}

std::vector<double> numbers_of(const char* name, nb::handle object) {
  need_numpy();
  nb::object array =
      nb::steal(PyArray_FROMANY(object.ptr(), NPY_DOUBLE, 1, 1, NPY_ARRAY_CARRAY_RO));
  if (!array.is_valid()) throw nb::python_error();
  const auto n = static_cast<std::size_t>(PyArray_DIM(as_array(array), 0));
  const Input input(name, array, n);
  const std::span<const double> all = input.row(0);
  return {all.begin(), all.end()};
}

}  // namespace catena::python
