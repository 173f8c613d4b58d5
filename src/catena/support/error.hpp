// Errors: where it is, what is wrong, what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace catena {

// A place in a text file. Line and column count from 1; 0 means unknown.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
};

// "arm.urdf:41:7", with the unknown parts left out.
std::string to_string(const Where& where);

// The base of everything Catena throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file, a model or a table that a person can mend. what() is complete: place, problem, remedy.
class InputError : public Error {
 public:
  InputError(Where where, const std::string& problem, const std::string& remedy = "");

  const Where& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  Where where_;
  std::string problem_;
  std::string remedy_;
};

// An argument whose size does not fit the mechanism.
class SizeError : public Error {
 public:
  using Error::Error;
};

// A result that does not exist: a singular matrix, a joint that carries no inertia.
class NumericalError : public Error {
 public:
  using Error::Error;
};

// Throws SizeError "name has 5 entries, but the mechanism needs 6" unless actual == expected.
[[noreturn]] void throw_size_error(const char* name, std::size_t actual, std::size_t expected);
inline void check_size(const char* name, std::size_t actual, std::size_t expected) {
  if (actual != expected) throw_size_error(name, actual, expected);
}

// The candidate nearest in spelling, or "" when none is near: for "did you mean ...?".
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

// " (did you mean 'elbow'?)", or "" when no candidate is near.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace catena
