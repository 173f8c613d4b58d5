// A scalar that counts: run an algorithm on it and read what it cost.
//
// Operations with a structural zero or one (a constant of the model, the resting base) are free,
// as the papers count; the raw count, with every operation that is executed, is kept beside it.
#pragma once

#include <cmath>
#include <cstdint>

namespace catena {

struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;  // and subtractions
  std::int64_t divisions = 0;
  std::int64_t trigonometric = 0;  // sine and cosine of one angle count as two
  std::int64_t square_roots = 0;
  std::int64_t raw_multiplications = 0;
  std::int64_t raw_additions = 0;
};

class Counting {
 public:
  Counting() : Counting(0.0) {}
  // A constant: 0, 1 and -1 are structural.
  Counting(double value) : value_(value), form_(form_of(value)) {}
  Counting(int value) : Counting(static_cast<double>(value)) {}
  // A quantity that happens to have this value: never structural.
  static Counting variable(double value) { return Counting(value, Form::general); }

  double value() const { return value_; }

  // The counter of this thread.
  static OperationCount& count() {
    thread_local OperationCount counter;
    return counter;
  }

  friend Counting operator*(Counting a, Counting b) {
    ++count().raw_multiplications;
    if (a.form_ == Form::zero || b.form_ == Form::zero) return Counting(0.0);
    if (a.form_ == Form::one) return b;
    if (b.form_ == Form::one) return a;
    if (a.form_ == Form::minus_one) return -b;
    if (b.form_ == Form::minus_one) return -a;
    ++count().multiplications;
    return variable(a.value_ * b.value_);
  }
  friend Counting operator+(Counting a, Counting b) {
    ++count().raw_additions;
    if (a.form_ == Form::zero) return b;
    if (b.form_ == Form::zero) return a;
    ++count().additions;
    return variable(a.value_ + b.value_);
  }
  friend Counting operator-(Counting a, Counting b) {
    ++count().raw_additions;
    if (b.form_ == Form::zero) return a;
    if (a.form_ == Form::zero) return -b;
    ++count().additions;
    return variable(a.value_ - b.value_);
  }
  // A sign costs nothing: it is absorbed by the addition that follows.
  friend Counting operator-(Counting a) {
    switch (a.form_) {
      case Form::zero:
        return a;
      case Form::one:
        return Counting(-1.0);
      case Form::minus_one:
        return Counting(1.0);
      default:
        return variable(-a.value_);
    }
  }
  friend Counting operator/(Counting a, Counting b) {
    if (a.form_ == Form::zero || b.form_ == Form::one) return a;
    ++count().divisions;
    return variable(a.value_ / b.value_);
  }
  Counting& operator+=(Counting b) { return *this = *this + b; }
  Counting& operator-=(Counting b) { return *this = *this - b; }
  Counting& operator*=(Counting b) { return *this = *this * b; }

  friend Counting sqrt(Counting a) {
    ++count().square_roots;
    return variable(std::sqrt(a.value_));
  }
  friend Counting sign(Counting a) {
    return variable(static_cast<double>((a.value_ > 0) - (a.value_ < 0)));
  }
  friend void sincos(Counting a, Counting& s, Counting& c) {
    count().trigonometric += 2;
    s = variable(std::sin(a.value_));
    c = variable(std::cos(a.value_));
  }

 private:
  enum class Form : std::uint8_t { general, zero, one, minus_one };
  Counting(double value, Form form) : value_(value), form_(form) {}
  static Form form_of(double value) {
    if (value == 0) return Form::zero;
    if (value == 1) return Form::one;
    if (value == -1) return Form::minus_one;
    return Form::general;
  }

  double value_;
  Form form_;
};

}  // namespace catena
