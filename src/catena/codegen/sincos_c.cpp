#include "catena/codegen/sincos_c.hpp"

namespace catena {
namespace {

// Replaces every NAME by the function's name.
std::string named(std::string text, const std::string& name) {
  const std::string mark = "NAME";
  for (std::size_t i = 0; (i = text.find(mark, i)) != std::string::npos; i += name.size())
    text.replace(i, mark.size(), name);
  return text;
}

// The steps of one angle r = x - n pi/2, |r| <= pi/4; real and whole are the types, for one number
// or a vector of them. They leave sine, cosine and quadrant.
const char* const steps_double =
    "    const REAL shifted = XI * 0x1.45f306dc9c883p-1 + 0x1.8p+52;\n"
    "    const REAL turns = shifted - 0x1.8p+52;\n"
    "    const REAL t = XI - turns * 0x1.921fb544p+0;\n"
    "    const REAL w = turns * 0x1.0b4611a6p-34;\n"
    "    const REAL r = t - w;\n"
    "    const REAL tail = ((t - r) - w) - turns * 0x1.3198a2e037073p-69;\n"
    "    const REAL z = r * r, z2 = z * z, z4 = z2 * z2, half = 0.5 * z, most = 1.0 - half;\n"
    "    const REAL ps = (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03) +\n"
    "                      z2 * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +\n"
    "                      z4 * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);\n"
    "    const REAL pc = (4.16666666666666019037e-02 + z * -1.38888888888741095749e-03) +\n"
    "                      z2 * (2.48015872894767294178e-05 + z * -2.75573143513906633035e-07) +\n"
    "                      z4 * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11);\n"
    "    const REAL sine = r + (r * z * ps + tail * (1.0 - 0.5 * z));\n"
    "    const REAL cosine = most + (((1.0 - most) - half) + (z2 * pc - r * tail));\n";
const char* const steps_float =
    "    const REAL shifted = XI * 0.63661977236758134f + 12582912.0f;\n"
    "    const REAL turns = shifted - 12582912.0f;\n"
    "    const REAL r = ((XI - turns * 1.5703125f) - turns * 4.837512969970703125e-4f) -\n"
    "                   turns * 7.54978995489188216e-8f;\n"
    "    const REAL z = r * r;\n"
    "    const REAL sine = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f +\n"
    "                                   z * -1.9515295891e-4f));\n"
    "    const REAL cosine = (1.0f - 0.5f * z) + z * z * (4.166664568298827e-2f +\n"
    "                        z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));\n";

std::string steps(bool single, const std::string& real, const std::string& angle) {
  std::string text = single ? steps_float : steps_double;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size())
      text.replace(i, from.size(), to);
  };
  replace("REAL", real);
  replace("XI", angle);
  return text;
}

struct Words {
  const char *real, *whole, *unsigned_whole, *sine, *cosine, *limit, *shift;
};
constexpr Words words_double{"double", "int64_t", "uint64_t", "sin", "cos", "1e5", "62"};
constexpr Words words_float{"float", "int32_t", "uint32_t", "sinf", "cosf", "8192.0f", "30"};

}  // namespace

std::string sincos_source(const EmitOptions& o) {
  const Words& w = o.single_precision ? words_float : words_double;
  const std::string real = w.real, limit = w.limit, shift = w.shift;
  const std::string head = "static inline void NAME_sincos4(" + real + " x0, " + real + " x1, " +
                           real + " x2, " + real + " x3, " + real + " *s, " + real +
                           " *c)\n{\n  const " + real + " x[4] = {x0, x1, x2, x3};\n  int i;\n";
  const std::string library =
      std::string("s[i] = ") + w.sine + "(x[i]), c[i] = " + w.cosine + "(x[i])";
  const std::string all = "  for (i = 0; i < 4; ++i) " + library + ";\n";
  if (o.libm) return named(head + all + "}\n", o.name);

  std::string text =
      "/* Sine and cosine of four angles, right to the last digit or so; large angles go to the C\n"
      "   library, and so do all with -ffast-math, which would break the reduction. */\n" +
      head + "#ifdef __FAST_MATH__\n" + all + "#else\n";
  // GCC and clang: all four at once.
  text += "#ifdef __GNUC__\n  typedef " + real + " four __attribute__((vector_size(4 * sizeof(" +
          real + "))));\n  typedef " + w.whole + " mask __attribute__((vector_size(4 * sizeof(" +
          real + "))));\n  const four angle = {x0, x1, x2, x3};\n  {\n";
  text += steps(o.single_precision, "four", "angle");
  text +=
      "    const mask quadrant = (mask)shifted;\n"
      "    const mask swap = -(quadrant & 1);\n"
      "    const mask a = (((mask)cosine & swap) | ((mask)sine & ~swap)) ^\n"
      "                   ((quadrant & 2) << " +
      shift +
      ");\n"
      "    const mask b = (((mask)sine & swap) | ((mask)cosine & ~swap)) ^\n"
      "                   (((quadrant + 1) & 2) << " +
      shift +
      ");\n"
      "    memcpy(s, &a, sizeof a);\n    memcpy(c, &b, sizeof b);\n  }\n#else\n";
  const std::string bits = w.unsigned_whole;
  text += "  for (i = 0; i < 4; ++i) {\n";
  text += steps(o.single_precision, real, "x[i]");
  text += "    " + bits + " quadrant, a, b;\n    " + real +
          " first, second;\n"
          "    memcpy(&quadrant, &shifted, sizeof quadrant);\n"
          "    first = quadrant & 1 ? cosine : sine;\n"
          "    second = quadrant & 1 ? sine : cosine;\n"
          "    memcpy(&a, &first, sizeof a);\n"
          "    memcpy(&b, &second, sizeof b);\n"
          "    a ^= (quadrant & 2) << " +
          shift +
          ";\n"
          "    b ^= ((quadrant + 1) & 2) << " +
          shift +
          ";\n"
          "    memcpy(&s[i], &a, sizeof a);\n    memcpy(&c[i], &b, sizeof b);\n  }\n#endif\n";
  text += "  for (i = 0; i < 4; ++i)\n    if (!(x[i] >= -" + limit + " && x[i] <= " + limit +
          ")) " + library + ";\n#endif\n}\n";
  return named(text, o.name);
}

std::string lanes_source(const EmitOptions& o, bool angles, bool sign, bool root) {
  const Words& w = o.single_precision ? words_float : words_double;
  const std::string real = w.real, whole = w.whole;
  const int bytes = o.single_precision ? 4 : 8;
  std::string text =
      "/* As many lanes as a register of the target holds. */\n"
      "#if defined(__AVX512F__)\n#define LANES " +
      std::to_string(64 / bytes) + "\n#elif defined(__AVX__)\n#define LANES " +
      std::to_string(32 / bytes) + "\n#else\n#define LANES " + std::to_string(16 / bytes) +
      "\n#endif\n";
  text += "#define HELPER static inline __attribute__((unused))\n";
  const std::string size = " __attribute__((vector_size(LANES * sizeof(" + real + "))));\n";
  text += "typedef " + real + " vec" + size + "typedef " + whole + " mask" + size + "\n";
  text += "HELPER vec load(const " + real +
          " *from)\n{\n  vec v;\n"
          "  memcpy(&v, from, sizeof v);\n  return v;\n}\n\n";
  text += "HELPER void store(" + real + " *to, vec v)\n{\n  memcpy(to, &v, sizeof v);\n}\n\n";
  text += "HELPER vec splat(" + real + " x)\n{\n  return (vec){0} + x;\n}\n\n";
  if (sign)
    text +=
        "HELPER vec sign(vec x)\n{\n  const mask one = (mask)splat(1);\n"
        "  return (vec)((mask)(x > splat(0)) & one) - (vec)((mask)(x < splat(0)) & one);\n}\n\n";
  if (root)
    text += "HELPER vec root(vec x)\n{\n  int i;\n  for (i = 0; i < LANES; ++i) x[i] = " +
            std::string(o.single_precision ? "sqrtf" : "sqrt") + "(x[i]);\n  return x;\n}\n\n";
  if (!angles) return named(text, o.name);
  text += "HELPER void sincos_lanes(const vec *x, vec *s, vec *c, int n)\n{\n  int i, j;\n";
  const std::string library =
      std::string("s[i][j] = ") + w.sine + "(x[i][j]), c[i][j] = " + w.cosine + "(x[i][j])";
  const std::string all =
      "  for (i = 0; i < n; ++i)\n    for (j = 0; j < LANES; ++j) " + library + ";\n";
  if (o.libm) return named(text + all + "}\n", o.name);
  text += "#ifdef __FAST_MATH__\n" + all + "#else\n  mask far = (mask){0};\n  " + whole +
          " any = 0;\n"
          "  for (i = 0; i < n; ++i) {\n";
  text += steps(o.single_precision, "vec", "x[i]");
  const std::string shift = w.shift;
  text +=
      "    const mask quadrant = (mask)shifted;\n"
      "    const mask swap = -(quadrant & 1);\n"
      "    const mask first = ((mask)cosine & swap) | ((mask)sine & ~swap);\n"
      "    const mask second = ((mask)sine & swap) | ((mask)cosine & ~swap);\n"
      "    s[i] = (vec)(first ^ ((quadrant & 2) << " +
      shift +
      "));\n"
      "    c[i] = (vec)(second ^ (((quadrant + 1) & 2) << " +
      shift +
      "));\n"
      "    far |= ~((x[i] >= splat(-" +
      std::string(w.limit) + ")) & (x[i] <= splat(" + w.limit +
      ")));\n  }\n"
      "  for (j = 0; j < LANES; ++j) any |= far[j];\n"
      "  if (!any) return;\n"
      "  for (i = 0; i < n; ++i)\n    for (j = 0; j < LANES; ++j)\n      if (!(x[i][j] >= -" +
      std::string(w.limit) + " && x[i][j] <= " + w.limit + ")) " + library + ";\n#endif\n}\n";
  return named(text, o.name);
}

}  // namespace catena
