#include "catena/scalar/counting.hpp"

#include <cmath>

namespace catena {

Counting::Form Counting::form_of(double value) {
  if (value == 0) return Form::zero;
  if (value == 1) return Form::one;
  if (value == -1) return Form::minus_one;
  return Form::general;
}

Counting::Counting(double value) : Counting(value, form_of(value)) {}

OperationCount& Counting::count() {
  thread_local OperationCount counter;
  return counter;
}

Counting operator*(Counting a, Counting b) {
  using Form = Counting::Form;
  ++Counting::count().raw_multiplications;
  if (a.form_ == Form::zero || b.form_ == Form::zero) return Counting(0.0);
  if (a.form_ == Form::one) return b;
  if (b.form_ == Form::one) return a;
  if (a.form_ == Form::minus_one) return -b;
  if (b.form_ == Form::minus_one) return -a;
  ++Counting::count().multiplications;
  return Counting::variable(a.value_ * b.value_);
}

Counting operator+(Counting a, Counting b) {
  ++Counting::count().raw_additions;
  if (a.form_ == Counting::Form::zero) return b;
  if (b.form_ == Counting::Form::zero) return a;
  ++Counting::count().additions;
  return Counting::variable(a.value_ + b.value_);
}

Counting operator-(Counting a, Counting b) {
  ++Counting::count().raw_additions;
  if (b.form_ == Counting::Form::zero) return a;
  if (a.form_ == Counting::Form::zero) return -b;
  ++Counting::count().additions;
  return Counting::variable(a.value_ - b.value_);
}

Counting operator-(Counting a) {
  using Form = Counting::Form;
  switch (a.form_) {
    case Form::zero:
      return a;
    case Form::one:
      return Counting(-1.0);
    case Form::minus_one:
      return Counting(1.0);
    default:
      return Counting::variable(-a.value_);
  }
}

Counting operator/(Counting a, Counting b) {
  if (a.form_ == Counting::Form::zero || b.form_ == Counting::Form::one) return a;
  ++Counting::count().divisions;
  return Counting::variable(a.value_ / b.value_);
}

Counting sqrt(Counting a) {
  ++Counting::count().square_roots;
  return Counting::variable(std::sqrt(a.value_));
}

Counting sign(Counting a) {
  return Counting::variable(static_cast<double>((a.value_ > 0) - (a.value_ < 0)));
}

void sincos(Counting a, Counting& s, Counting& c) {
  Counting::count().trigonometric += 2;
  s = Counting::variable(std::sin(a.value_));
  c = Counting::variable(std::cos(a.value_));
}

}  // namespace catena
