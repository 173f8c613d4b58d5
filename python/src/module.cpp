// catena._core: what the Python package is made of.
#include "catena/loops/closed_dynamics.hpp"
#include "catena/scalar/isa.hpp"
#include "robot.hpp"
#include "spacelib.hpp"

NB_MODULE(_core, module) {
  using namespace catena;
  using namespace catena::python;
  using namespace nb::literals;

  module.doc() = "Catena in C++. The public names are in the package catena.";
  bind_errors(module);
  bind_model(module);

  nb::class_<Robot> robot(module, "Robot", "A compiled model; catena.Robot is what people use.");
  robot.def(
      "__init__",
      [](Robot* self, const Model& model, bool keep_fixed, bool allow_unphysical) {
        CompileOptions options;
        options.keep_fixed = keep_fixed;
        options.allow_unphysical = allow_unphysical;
        new (self) Robot(model, options);
      },
      "model"_a, "keep_fixed"_a = false, "allow_unphysical"_a = false);
  robot.def_prop_ro("_model", [](const Robot& r) { return r.model; });
  robot.def_prop_ro(
      "name", [](const Robot& r) { return r.m.names->model; }, "Name of the model.");
  bind_dynamics(robot);
  bind_kinematics(robot);
  bind_derivatives(robot);
  bind_closed(robot);
  bind_drives(robot);
  bind_motion(robot);
  bind_table(module);
  bind_simulation(module, robot);
  bind_rollout(robot);
  bind_analysis(module, robot);
  bind_codegen(module, robot);
  bind_papers(module);
  bind_spacelib(module);

  module.def(
      "methods",
      [] {
        nb::list all;
        for (const Formulation<double>& f : formulations<double>())
          all.append(
              nb::make_tuple(std::string(f.name), std::string(f.title), std::string(f.source)));
        return all;
      },
      nb::sig("def methods() -> list[tuple[str, str, str]]"),
      "Name, title and source of every formulation, the default first.");
  module.def("loop_methods", &loop_method_names,
             "Names of the ways to solve loops in forward dynamics.");
  module.def("threads", &num_threads, "How many threads work on many states.");
  module.def(
      "set_threads",
      [](int n) {
        if (n < 0)
          throw nb::value_error("the number of threads must be positive, or 0 for all processors");
        set_num_threads(n);
      },
      "n"_a, "Sets how many threads work on many states; 0: as many as there are processors.");
  module.def(
      "instruction_set", [] { return to_string(isa); },
      "The instruction set in use: baseline, avx2 or avx512.");
}
