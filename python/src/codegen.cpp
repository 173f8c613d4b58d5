// Generated functions: straight-line C of one function of one robot, compiled on the spot.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "catena/codegen/generated_function.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

struct Generated {
  GeneratedCode code;
  // Once it is compiled; shared with calls that are under way.
  std::shared_ptr<const GeneratedFunction<double>> function{};
};

using Arrays = std::vector<std::pair<std::string, int>>;
using Kept = std::tuple<std::string, std::string, std::string, Arrays, bool, bool>;

Kept kept(const Generated& g) {
  Arrays arrays;
  for (const ProgramArray& a : g.code.inputs) arrays.emplace_back(a.name, a.size);
  arrays.emplace_back(g.code.output.name, g.code.output.size);
  return {g.code.name, g.code.source, g.code.header, arrays, g.code.simd, g.code.single_precision};
}

Generated from_kept(const Kept& kept) {
  const auto& [name, source, header, arrays, simd, single_precision] = kept;
  Generated g;
  g.code.name = name, g.code.source = source, g.code.header = header;
  g.code.simd = simd, g.code.single_precision = single_precision;
  const auto array = [](const auto& a) {
    ProgramArray made;
    made.name = a.first, made.size = a.second;
    return made;
  };
  for (std::size_t k = 0; k + 1 < arrays.size(); ++k) g.code.inputs.push_back(array(arrays[k]));
  g.code.output = array(arrays.back());
  return g;
}

Generated generate_for(const Robot& r, const std::string& function, const std::string& frame,
                       const std::string& axes, const std::string& name, const std::string& scalar,
                       bool simd, bool libm, bool test_main) {
  GeneratedRequest request;
  request.function = function, request.frame = frame, request.axes = axes_of(axes);
  GeneratedOptions options;
  if (scalar != "double" && scalar != "float")
    throw InputError({}, "scalar is 'double' or 'float', not '" + scalar + "'");
  options.single_precision = scalar == "float";
  options.name = name, options.simd = simd, options.libm = libm, options.test_main = test_main;
  return {generate(r.model, request, options, r.options), {}};
}

void compile_it(Generated& g, const std::string& compiler, const std::string& flags,
                const std::string& cache) {
  CompilerSettings settings;
  settings.compiler = compiler, settings.cache = cache;
  if (!flags.empty()) settings.flags = flags;
  const GeneratedCode code = g.code;
  std::shared_ptr<const GeneratedFunction<double>> made;
  {
    nb::gil_scoped_release release;
    made = std::make_shared<GeneratedFunction<double>>(code, settings);
  }
  g.function = std::move(made);
}

nb::object call(Generated& g, const nb::args& arguments, nb::handle out) {
  const auto& wanted = g.code.inputs;
  if (arguments.size() != wanted.size()) {
    std::string names;
    for (const ProgramArray& array : wanted) names += (names.empty() ? "" : ", ") + array.name;
    throw nb::type_error((g.code.name + " takes " + names).c_str());
  }
  if (g.function == nullptr) compile_it(g, "", "", "");
  std::vector<StateInput> inputs;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    inputs.emplace_back(wanted[k].name.c_str(), arguments[k], index(wanted[k].size));
  const Input& last = inputs.back();
  const States states({&inputs.front(), inputs.size() > 1 ? &inputs[1] : &last,
                       inputs.size() > 2 ? &inputs[2] : &last});
  Output result(out, states, {index(g.code.output.size)});
  const auto function = g.function;
  const GeneratedFunction<double>& f = *function;
  int nothing = 0;
  for_states(
      states, nothing, [] { return std::make_unique<int>(0); },
      [&](int&, std::size_t i) {
        if (inputs.size() == 1)
          f(inputs[0].row(i), result.row(i));
        else if (inputs.size() == 2)
          f(inputs[0].row(i), inputs[1].row(i), result.row(i));
        else
          f(inputs[0].row(i), inputs[1].row(i), inputs[2].row(i), result.row(i));
      });
  return result.take();
}

}  // namespace

void bind_codegen(nb::module_& module, nb::class_<Robot>& robot) {
  nb::class_<Generated>(module, "Generated",
                        R"(A function of one robot as C, called as f(q, ...) with one state or many.

It is compiled at the first call by the system's C compiler, or by compile(); what was compiled before comes from a
cache. Arguments and result are the arrays that the comment in the source lists, (n,) or (N, n).)")
      .def_prop_ro(
          "name", [](const Generated& g) { return g.code.name; }, "Name of the C function.")
      .def_prop_ro(
          "source", [](const Generated& g) { return g.code.source; }, "The C source.")
      .def_prop_ro(
          "header", [](const Generated& g) { return g.code.header; }, "Its header.")
      .def_prop_ro(
          "inputs",
          [](const Generated& g) {
            nb::list all;
            for (const ProgramArray& a : g.code.inputs) all.append(nb::make_tuple(a.name, a.size));
            return all;
          },
          nb::sig("def inputs(self) -> list[tuple[str, int]]"), "Names and sizes of the arguments.")
      .def("__getstate__", &kept)
      .def("__setstate__",
           [](Generated& g, const Kept& state) { new (&g) Generated(from_kept(state)); })
      .def("compile", &compile_it, "compiler"_a = "", "flags"_a = "", "cache"_a = "",
           "Compiles it: compiler, flags and cache folder are chosen where they are empty. Raises "
           "InputError if that "
           "fails.")
      .def("__call__", &call, "arguments"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig(
               "def __call__(self, *arguments: ArrayLike, out: NDArray | None = None) -> NDArray"));
  robot.def("generate", &generate_for, "function"_a = "inverse", nb::kw_only(), "frame"_a = "",
            "axes"_a = "world_aligned", "name"_a = "", "scalar"_a = "double", "simd"_a = false,
            "libm"_a = false, "test_main"_a = false,
            R"(C for one function of this robot: straight-line code with all constants folded in.

function: see catena.generated_functions(). frame, axes: for functions of a frame. name: of the C function.
scalar: "double", or "float" for C that is used elsewhere (only double can be called from here).
simd: also NAME_simd for many states in lanes. libm: sine and cosine of the C library. test_main: a main() that
compares with numbers of the library. Returns a Generated, which can be called, or saved as .source and .header.)");
  module.def(
      "generated_functions",
      [] {
        nb::list all;
        for (const GeneratedKind& kind : generated_kinds())
          all.append(nb::make_tuple(std::string(kind.name), std::string(kind.what)));
        return all;
      },
      nb::sig("def generated_functions() -> list[tuple[str, str]]"),
      "Names and meanings of the functions that generate() knows.");
}

}  // namespace catena::python
