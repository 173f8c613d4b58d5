// Generated C, compiled by the compilers at hand, against the library.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "catena/codegen/generated_function.hpp"
#include "codegen/generated.hpp"

namespace catena::oracle {
namespace {

namespace fs = std::filesystem;

// Compiled files go to a folder of the test's own.
class CodegenCache {
 public:
  CodegenCache() {
    std::string path = (fs::temp_directory_path() / "catena-codegen.XXXXXX").string();
    folder_ = ::mkdtemp(path.data());
  }
  ~CodegenCache() { fs::remove_all(folder_); }
  CodegenCache(const CodegenCache&) = delete;
  CompilerSettings settings(const std::string& compiler, const std::string& flags) const {
    return {compiler, flags, folder_.string()};
  }
  const fs::path& folder() const { return folder_; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> list;
    for (const auto& entry : fs::directory_iterator(folder_)) list.push_back(entry.path());
    return list;
  }

 private:
  fs::path folder_;
};

const char* const strict = "-std=c99 -O0 -Wall -Wextra -Werror -pedantic";
const char* const strict_simd = "-std=gnu99 -O0 -march=native -Wall -Wextra -Werror -pedantic";

bool runs(const std::string& program) {
  return std::system((program + " --version > /dev/null 2>&1").c_str()) == 0;
}
std::vector<std::string> compilers() {
  std::vector<std::string> list;
  for (const char* name : {"gcc", "clang", "clang-16"}) {
    if (runs(name)) list.emplace_back(name);
  }
  return list;
}

template <class Real>
std::vector<Real> call_generated(const GeneratedFunction<Real>& f,
                                 const std::vector<ProgramArray>& arrays,
                                 const std::vector<Real>& inputs, int results) {
  std::vector<std::span<const Real>> in;
  std::size_t first = 0;
  for (const ProgramArray& array : arrays) {
    in.push_back(std::span<const Real>(inputs).subspan(first, at(array.size)));
    first += at(array.size);
  }
  std::vector<Real> out(at(results));
  if (in.size() == 1) f(in[0], out);
  if (in.size() == 2) f(in[0], in[1], out);
  if (in.size() == 3) f(in[0], in[1], in[2], out);
  return out;
}

TEST(Compiled, AgreesWithTheLibraryOnEveryModel) {
  const CodegenCache cache;
  ASSERT_FALSE(compilers().empty());
  for (const std::string& compiler : compilers()) {
    Worst error(compiler + " against library", 1e-12);
    for (const auto& [name, model] : tree_models()) {
      const Mechanism<double> m = compile(model);
      for (const GeneratedRequest& request : all_requests(m)) {
        // The first compiler: all functions of a machine with all joints, and the most important
        // ones of the others. The second: a few.
        const bool first = compiler == compilers().front(), all = name == "joint-zoo";
        const bool important = request.function == "inverse" || request.function == "forward";
        if (first ? !(important || all) : !(important && (all || name == "puma"))) continue;
        const GeneratedCode code = generate(m, request);
        const GeneratedFunction<double> f(code, cache.settings(compiler, strict));
        Random random(3);
        for (int i = 0; i < 10; ++i) {
          const auto inputs = program_inputs(code.inputs, m, random);
          error.meet(generated_error(m, request, inputs,
                                     call_generated(f, code.inputs, inputs, code.output.size)),
                     name + " " + request.function);
        }
      }
    }
  }
}

// Lanes, also those left over, beside one state at a time.
TEST(Compiled, EveryLaneEqualsItsScalarRun) {
  const CodegenCache cache;
  for (const std::string& compiler : compilers()) {
    Worst error(compiler + " lanes", 1e-12);
    for (const char* name : {"puma", "joint-zoo"}) {
      const Mechanism<double> m =
          compile(read_model(CATENA_SOURCE_DIR "/models/" + std::string(name) + ".yaml"));
      const GeneratedRequest request{"inverse"};
      GeneratedOptions options;
      options.simd = true;
      const GeneratedCode code = generate(m, request, options);
      const GeneratedFunction<double> f(code, cache.settings(compiler, strict_simd));
      for (const std::size_t n : {0, 1, 3, 8, 21}) {
        Random random(7);
        std::vector<std::vector<double>> in(3), one;
        for (std::size_t k = 0; k < 3; ++k) in[k].resize(n * at(code.inputs[k].size));
        for (std::size_t i = 0; i < n; ++i) {
          one.push_back(program_inputs(code.inputs, m, random));
          if (i == 2) one.back()[0] = 3e6;  // an angle far away goes to the C library
          std::size_t first = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t r = 0; r < at(code.inputs[k].size); ++r)
              in[k][r * n + i] = one.back()[first++];
          }
        }
        std::vector<double> out(n * at(code.output.size));
        f.many(n, in[0], in[1], in[2], out);
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<double> lane;
          for (std::size_t r = 0; r < at(code.output.size); ++r) lane.push_back(out[r * n + i]);
          error.meet(generated_error(m, request, one[i], lane), name);
        }
      }
    }
  }
}

TEST(Compiled, FloatHasTheDigitsOfFloat) {
  const CodegenCache cache;
  const Mechanism<double> m = compile(read_model(CATENA_SOURCE_DIR "/models/puma.yaml"));
  GeneratedOptions options;
  options.single_precision = true;
  const GeneratedCode code = generate(m, {"inverse"}, options);
  const GeneratedFunction<float> f(code, cache.settings(compilers().front(), strict));
  Worst error("float against double", 2e-6);
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const auto inputs = program_inputs(code.inputs, m, random);
    std::vector<float> in(inputs.begin(), inputs.end());
    const std::vector<float> out = call_generated(f, code.inputs, in, code.output.size);
    error.meet(generated_error(m, {"inverse"}, std::vector<double>(in.begin(), in.end()),
                               std::vector<double>(out.begin(), out.end())),
               "state " + std::to_string(i));
  }
  EXPECT_THROW(GeneratedFunction<double>(code, cache.settings("", strict)), InputError);
}

// Over the whole range, at the joins of the reduction, far away, and where there is no angle.
TEST(Compiled, SineAndCosineAreThoseOfTheLibrary) {
  const CodegenCache cache;
  Random random(1);
  Model model = single_joint(random, JointKind::revolute);
  const Mechanism<double> m = compile(model);
  const GeneratedRequest request{"gravity"};
  const GeneratedCode own = generate(m, request);
  GeneratedOptions options;
  options.libm = true;
  const GeneratedCode library = generate(m, request, options);
  EXPECT_EQ(library.source.find("0x1.8p+52"), std::string::npos);
  const GeneratedFunction<double> f(own, cache.settings("", strict)),
      g(library, cache.settings("", strict));
  const auto at_angle = [](const GeneratedFunction<double>& h, double x) {
    double tau = 0;
    h(std::span<const double>(&x, 1), std::span<double>(&tau, 1));
    return tau;
  };
  double size = 0;
  for (int i = 0; i < 100; ++i) size = std::max(size, std::abs(at_angle(g, 0.07 * i)));
  Worst error("own sine and cosine", 4e-16);
  for (int i = 0; i < 4000; ++i) {
    double x = i * (M_PI / 16) * (i % 2 == 0 ? 1 : -1);
    if (i % 3 == 0) x = random.uniform(-1e5, 1e5);
    if (i % 7 == 0) x = random.uniform(-1e9, 1e9);
    error.meet(std::abs(at_angle(f, x) - at_angle(g, x)) / size, std::to_string(x));
  }
  EXPECT_TRUE(std::isnan(at_angle(f, NAN)));
  EXPECT_TRUE(std::isnan(at_angle(f, INFINITY)));
}

TEST(Compiled, IsCompiledOnceAndKeptWhole) {
  const CodegenCache cache;
  const Mechanism<double> m = compile(read_model(CATENA_SOURCE_DIR "/models/pendulum.yaml"));
  const GeneratedCode code = generate(m, {"inverse"});
  const auto settings = cache.settings(compilers().front(), strict);
  std::vector<std::thread> threads;  // all at once
  std::vector<double> tau(4, 0);
  for (std::size_t t = 0; t < tau.size(); ++t) {
    threads.emplace_back([&, t] {
      const GeneratedFunction<double> f(code, settings);
      tau[t] = call_generated(f, code.inputs, {0.5, 1, 2}, 1)[0];
    });
  }
  for (std::thread& t : threads) t.join();
  for (const double x : tau) EXPECT_EQ(x, tau[0]);
  ASSERT_EQ(cache.files().size(), 1u);  // and no temporary ones
  const auto made = fs::last_write_time(cache.files()[0]);
  static_cast<void>(GeneratedFunction<double>(code, settings));
  EXPECT_EQ(fs::last_write_time(cache.files()[0]), made);
  static_cast<void>(GeneratedFunction<double>(code, cache.settings(compilers().front(), "-O0")));
  EXPECT_EQ(cache.files().size(), 2u);  // other flags, another file
  // A broken file is made anew.
  std::ofstream(cache.files()[0]) << "no library";
  std::ofstream(cache.files()[1]) << "no library";
  const GeneratedFunction<double> mended(code, settings);
  EXPECT_EQ(call_generated(mended, code.inputs, {0.5, 1, 2}, 1)[0], tau[0]);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Compiled, SaysWhatIsMissing) {
  const CodegenCache cache;
  const Mechanism<double> m = compile(read_model(CATENA_SOURCE_DIR "/models/pendulum.yaml"));
  const GeneratedCode code = generate(m, {"inverse"});
  EXPECT_EQ(message_of([&] {
              GeneratedFunction<double>(code, cache.settings("no-such-compiler", strict));
            }),
            "there is no C compiler 'no-such-compiler' to compile generated code with\n"
            "    install gcc or clang, or name one in the environment variable CC");
  const std::string failed =
      message_of([&] { GeneratedFunction<double>(code, cache.settings("gcc", "-fno-such-flag")); });
  EXPECT_TRUE(failed.starts_with("'gcc' cannot compile generated code (exit code 1): ")) << failed;
  EXPECT_TRUE(cache.files().empty());
  const GeneratedFunction<double> f(code, cache.settings("gcc", strict));
  std::vector<double> one(1), two(2);
  EXPECT_EQ(message_of([&] { f(one, one, two, one); }),
            "qdd has 2 entries, but the mechanism needs 1");
  EXPECT_EQ(message_of([&] { f(one, one); }),
            "the list of arrays has 1 entries, but the mechanism needs 3");
  EXPECT_EQ(message_of([&] { f.many(2, two, two, two, two); }),
            "this function was generated for one state at a time\n    generate it with simd");
}

}  // namespace
}  // namespace catena::oracle
