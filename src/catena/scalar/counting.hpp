// A scalar that counts: run an algorithm on it and read what it cost.
//
// Operations with a structural zero or one (a constant of the model, the resting base) are free,
// as the papers count; the raw count, with every operation that is executed, is kept beside it.
#pragma once

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
  Counting() : value_(0), form_(Form::zero) {}
  // A constant: 0, 1 and -1 are structural.
  Counting(double value);
  Counting(int value) : Counting(static_cast<double>(value)) {}
  // A quantity that happens to have this value: never structural.
  static Counting variable(double value) { return Counting(value, Form::general); }

  double value() const { return value_; }

  // The counter of this thread.
  static OperationCount& count();

  // Not inline: algorithms are compiled for this scalar too, and nobody waits for it.
  friend Counting operator*(Counting a, Counting b);
  friend Counting operator+(Counting a, Counting b);
  friend Counting operator-(Counting a, Counting b);
  friend Counting operator-(Counting a);  // costs nothing: the addition that follows absorbs it
  friend Counting operator/(Counting a, Counting b);
  Counting& operator+=(Counting b) { return *this = *this + b; }
  Counting& operator-=(Counting b) { return *this = *this - b; }
  Counting& operator*=(Counting b) { return *this = *this * b; }
  friend Counting sqrt(Counting a);
  friend Counting sign(Counting a);
  friend void sincos(Counting a, Counting& s, Counting& c);

 private:
  enum class Form : std::uint8_t { general, zero, one, minus_one };
  Counting(double value, Form form) : value_(value), form_(form) {}
  static Form form_of(double value);

  double value_;
  Form form_;
};

}  // namespace catena
