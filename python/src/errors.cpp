// C++ exceptions as those of catena/_errors.py, with the same text.
#include "catena/support/error.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

void set_error(const char* name, const nb::object& instance) {
  PyErr_SetObject(nb::module_::import_("catena._errors").attr(name).ptr(), instance.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  const auto make = [](const char* name) {
    return nb::module_::import_("catena._errors").attr(name);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& e) {
    nb::object instance = make("InputError")(e.what());
    instance.attr("file") = e.where().file;
    instance.attr("line") = e.where().line;
    instance.attr("column") = e.where().column;
    instance.attr("problem") = e.problem();
    instance.attr("remedy") = e.remedy();
    set_error("InputError", instance);
  } catch (const SizeError& e) {
    set_error("SizeError", make("SizeError")(e.what()));
  } catch (const NumericalError& e) {
    set_error("NumericalError", make("NumericalError")(e.what()));
  } catch (const Error& e) {
    set_error("Error", make("Error")(e.what()));
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace catena::python
