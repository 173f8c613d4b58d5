// The main() that compares a generated function with numbers of the library.
#include <charconv>

#include "catena/codegen/emit_c.hpp"

namespace catena {
namespace {

std::string digits_of(double x) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

std::string list_of(const std::vector<double>& numbers) {
  std::string text = "{", line;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    line += (i == 0 ? "" : ", ") + digits_of(numbers[i]);
    if (line.size() > 80) text += line + "\n    ", line.clear();
  }
  return text + line + "}";
}

}  // namespace

std::string c_test_main(const Program& p, const EmitOptions& o,
                        const std::vector<ReferenceState>& states, double tolerance) {
  const std::string real = o.single_precision ? "float" : "double";
  const std::string count = std::to_string(states.size());
  std::size_t inputs = 0;
  for (const ProgramArray& array : p.inputs) inputs += static_cast<std::size_t>(array.size);
  const std::string results = std::to_string(p.output.size);
  std::string text = "\n#include <stdio.h>\n\n";
  text += "/* Compares the function with numbers of the library at " + count + " states. */\n";
  text += "static const double states[" + count + "][" + std::to_string(inputs) + "] = {\n";
  for (const ReferenceState& state : states) text += "  " + list_of(state.inputs) + ",\n";
  text += "};\nstatic const double expected[" + count + "][" + results + "] = {\n";
  for (const ReferenceState& state : states) text += "  " + list_of(state.results) + ",\n";
  text += "};\n\nstatic int failures(const char *function, int state, const " + real +
          " *found)\n{\n"
          "  double size = 0;\n  int k, wrong = 0;\n"
          "  for (k = 0; k < " +
          results +
          "; ++k) if (fabs(expected[state][k]) > size) size = fabs(expected[state][k]);\n"
          "  for (k = 0; k < " +
          results +
          "; ++k) {\n"
          "    if (fabs(found[k] - expected[state][k]) <= " +
          digits_of(tolerance) +
          " * size) continue;\n"
          "    printf(\"%s: state %d: " +
          p.output.name +
          "[%d] is %.17g, expected %.17g\\n\", function, state, k,\n"
          "           (double)found[k], expected[state][k]);\n    ++wrong;\n  }\n  return "
          "wrong;\n}\n\n";
  const auto declare = [&](const std::string& prefix, const ProgramArray& a, const std::string& n) {
    text += "  static " + real + " " + prefix + a.name + "[" + std::to_string(a.size) + n + "];\n";
  };
  text += "int main(void)\n{\n  int i, k, wrong = 0;\n";
  for (const ProgramArray& array : p.inputs) declare("", array, "");
  declare("", p.output, "");
  if (o.simd) {
    for (const ProgramArray& array : p.inputs) declare("all_", array, " * " + count);
    declare("all_", p.output, " * " + count);
  }
  text += "  for (i = 0; i < " + count + "; ++i) {\n";
  int first = 0;
  for (const ProgramArray& array : p.inputs) {
    text += "    for (k = 0; k < " + std::to_string(array.size) + "; ++k) ";
    const std::string source = "(" + real + ")states[i][k + " + std::to_string(first) + "]";
    text +=
        o.simd ? "all_" + array.name + "[k * " + count + " + i] = " + array.name + "[k] = " + source
               : array.name + "[k] = " + source;
    text += ";\n";
    first += array.size;
  }
  text += "    " + o.name + "(";
  for (const ProgramArray& array : p.inputs) text += array.name + ", ";
  text += p.output.name + ");\n    wrong += failures(\"" + o.name + "\", i, " + p.output.name +
          ");\n  }\n";
  if (o.simd) {
    text += "  " + o.name + "_simd(" + count;
    for (const ProgramArray& array : p.inputs) text += ", all_" + array.name;
    text += ", all_" + p.output.name + ");\n  for (i = 0; i < " + count +
            "; ++i) {\n    for (k = 0; k < " + results + "; ++k) " + p.output.name + "[k] = all_" +
            p.output.name + "[k * " + count + " + i];\n    wrong += failures(\"" + o.name +
            "_simd\", i, " + p.output.name + ");\n  }\n";
  }
  text += "  if (wrong) {\n    printf(\"" + o.name +
          ": %d numbers differ\\n\", wrong);\n    return 1;\n  }\n"
          "  printf(\"" +
          o.name + ": " + count + " states agree\\n\");\n  return 0;\n}\n";
  return text;
}

}  // namespace catena
