#include "catena/codegen/generate.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "catena/codegen/closed_functions.hpp"
#include "catena/codegen/emit_c.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string made_of(const std::string& text) {
  std::string name;
  for (const char c : text) name += is_word(c) ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "_" + name;
  return name;
}

std::string function_name(const Mechanism<double>& m, const GeneratedRequest& request,
                          const std::string& name) {
  if (name.empty()) {
    std::string all = m.names->model + "_" + request.function;
    if (!request.frame.empty()) all += "_" + request.frame;
    return made_of(all);
  }
  static const std::vector<std::string> words = {
      "auto",     "break",   "case",   "char",     "const",  "continue", "default",
      "do",       "double",  "else",   "enum",     "extern", "float",    "for",
      "goto",     "if",      "inline", "int",      "long",   "main",     "register",
      "restrict", "return",  "short",  "signed",   "sizeof", "static",   "struct",
      "switch",   "typedef", "union",  "unsigned", "void",   "volatile", "while"};
  const bool good =
      name == made_of(name) && std::find(words.begin(), words.end(), name) == words.end();
  if (!good)
    throw InputError({}, "'" + name + "' cannot be the name of a function in C",
                     "use letters, digits and _, e.g. '" + made_of(name) + "_f'");
  return name;
}

// "q: 0 shoulder, 1 elbow, ...", in lines of a readable length.
void describe_coordinates(const Mechanism<double>& m, std::vector<std::string>& notes) {
  const auto list = [&](const char* label, auto first, auto count) {
    std::string line = label;
    for (const JointInfo& j : m.names->joints) {
      if (count(j) == 0) continue;
      std::string item = " [" + std::to_string(first(j));
      if (count(j) > 1) item += ".." + std::to_string(first(j) + count(j) - 1);
      item += "] " + made_of(j.name);
      if (line.size() + item.size() > 90) notes.push_back(line), line = "   ";
      line += item;
    }
    notes.push_back(line);
  };
  list(
      "Positions: ", [](const JointInfo& j) { return j.q; },
      [](const JointInfo& j) { return j.mimic ? 0 : j.nq; });
  if (m.nq != m.nv)
    list(
        "Velocities:", [](const JointInfo& j) { return j.v; },
        [](const JointInfo& j) { return j.mimic ? 0 : j.nv; });
}

// Comments cannot hold the end of a comment, nor lines.
std::string comment_text(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::iscntrl(static_cast<unsigned char>(text[i]))) text[i] = ' ';
    if (text[i] == '*' || text[i] == '\\') text[i] = '.';
  }
  return text;
}

const char* words_of(Axes axes) {
  switch (axes) {
    case Axes::frame:
      return "at its origin, in its axes";
    case Axes::world_aligned:
      return "at its origin, in world axes";
    case Axes::world:
      return "at the world's origin, in world axes";
  }
  return "";
}

std::string title_of(const Mechanism<double>& m, const GeneratedRequest& request,
                     const std::string& name) {
  std::string title = name + ": ";
  for (const GeneratedKind& kind : generated_kinds()) {
    if (kind.name != request.function) continue;
    title += std::string(kind.what);
    if (kind.needs_frame) title += " '" + request.frame + "'";
    if (kind.needs_frame && kind.name != "kinematics")
      title += std::string(", ") + words_of(request.axes);
  }
  return comment_text(title + ", of '" + m.names->model + "'. Written by Catena.");
}

std::vector<ReferenceState> reference_states(const Mechanism<double>& m,
                                             const GeneratedRequest& request, const Program& p,
                                             bool single) {
  std::mt19937_64 generator(1);
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
  std::vector<ReferenceState> states(11);  // more than a vector, and a few left over
  for (ReferenceState& state : states) {
    std::vector<double> q(index(m.nq));
    random_configuration(m, generator, q);
    state.inputs = q;
    for (std::size_t k = 1; k < p.inputs.size(); ++k) {
      for (int i = 0; i < m.nv; ++i) state.inputs.push_back(uniform());
    }
    if (single) {
      for (double& x : state.inputs) x = static_cast<double>(static_cast<float>(x));
    }
    state.results = reference_results(m, request, state.inputs);
  }
  return states;
}

// How far results may be off: rounding, and what a rounding error in the state already does.
double tolerance_of(const Mechanism<double>& m, const GeneratedRequest& request,
                    const std::vector<ReferenceState>& states, bool single) {
  const double rounding = single ? 0x1p-24 : 0x1p-53;
  double tolerance = 2000 * rounding;
  for (const ReferenceState& state : states) {
    std::vector<double> inputs = state.inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] *= 1 + (i % 2 == 0 ? 1 : -1) * 1e-9;
    const std::vector<double> moved = reference_results(m, request, inputs);
    double size = 0, change = 0;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      size = std::max(size, std::abs(state.results[k]));
      change = std::max(change, std::abs(moved[k] - state.results[k]));
    }
    if (size > 0) tolerance = std::max(tolerance, 100 * rounding * change / (1e-9 * size));
  }
  return std::min(tolerance, 0.1);
}

}  // namespace

namespace {

GeneratedCode printed(const Mechanism<double>& m, const Program& program,
                      const GeneratedRequest& request, const GeneratedOptions& options,
                      EmitOptions& emit) {
  emit.name = function_name(m, request, options.name);
  emit.simd = options.simd, emit.libm = options.libm;
  emit.single_precision = options.single_precision;
  emit.include = options.include;
  emit.title = title_of(m, request, emit.name);
  describe_coordinates(m, emit.notes);
  GeneratedCode code;
  code.name = emit.name;
  code.source = c_source(program, emit);
  code.header = c_header(program, emit);
  code.cost = cost_of(program);
  code.inputs = program.inputs, code.output = program.output;
  code.simd = options.simd, code.single_precision = options.single_precision;
  return code;
}

}  // namespace

GeneratedCode generate(const Mechanism<double>& m, const GeneratedRequest& request,
                       const GeneratedOptions& options) {
  const Program program = traced_program(m, request);
  EmitOptions emit;
  GeneratedCode code = printed(m, program, request, options, emit);
  if (options.test_main) {
    const auto states = reference_states(m, request, program, options.single_precision);
    code.source += c_test_main(program, emit, states,
                               tolerance_of(m, request, states, options.single_precision));
  }
  return code;
}

GeneratedCode generate(const Model& model, const GeneratedRequest& request,
                       const GeneratedOptions& options, const CompileOptions& compile_options) {
  if (!model.closed()) return generate(compile(model, compile_options), request, options);
  const ClosedMechanism m = compile_closed(model, compile_options);
  const Program program = traced_program(m, request);
  EmitOptions emit;
  GeneratedCode code = printed(m.tree, program, request, options, emit);
  if (options.test_main) {
    std::vector<ReferenceState> states;
    for (const ClosedReference& r : closed_references(model, compile_options, request, 11))
      states.push_back({r.inputs, r.results});
    code.source += c_test_main(program, emit, states, options.single_precision ? 1e-2 : 1e-8);
  }
  return code;
}

}  // namespace catena
