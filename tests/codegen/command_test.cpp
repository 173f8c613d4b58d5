// catena codegen on the command line.
#include "cli/program.hpp"

namespace catena {
namespace {

TEST(CodegenCommand, TheTestMainPassesAndFails) {
  const Desk desk;
  for (const std::string flags :
       {"", "--simd", "--libm", "--scalar float", "--scalar float --simd", "--header"}) {
    const Outcome made =
        desk("catena codegen models/scara.yaml --function forward --test-main -o scara.c " + flags);
    ASSERT_EQ(made.code, 0) << made.err;
    const Outcome run = desk("gcc -O0 scara.c -o scara -lm && ./scara");
    EXPECT_EQ(run.code, 0) << flags << run.out << run.err;
    EXPECT_EQ(run.out, "scara_forward: 11 states agree\n") << flags;
  }
  // Alter one digit of one expected number.
  std::string source = desk.read("scara.c");
  const std::size_t place = source.find('.', source.find("expected[11]")) + 1;
  source[place] = source[place] == '7' ? '8' : '7';
  desk.write("scara.c", source);
  const Outcome run = desk("gcc -O0 scara.c -o scara -lm && ./scara");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("scara_forward: state 0: qdd["), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("scara_forward: 1 numbers differ\n"), std::string::npos) << run.out;
}

TEST(CodegenCommand, TheHeaderServesCAndCpp) {
  const Desk desk;
  ASSERT_EQ(
      desk("catena codegen models/puma.yaml --function gravity --header --name hold -o puma.c")
          .code,
      0);
  EXPECT_EQ(desk.files(), "puma.c puma.h");
  desk.write("use.cpp",
             "#include \"puma.h\"\n#include <cstdio>\n"
             "int main() { double q[6] = {0, 0, 0, 0, 0, 0}, tau[6]; hold(q, tau); "
             "std::printf(\"%.9f\\n\", tau[1]); }\n");
  const Outcome run = desk(
      "gcc -std=c99 -Wall -Wextra -Werror -pedantic -c puma.c && g++ use.cpp puma.o -o use -lm && "
      "./use");
  EXPECT_EQ(run.code, 0) << run.err;
  const Table held = table_of(
      desk("printf 'q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6\\n0,0,0,0,0,0\\n' | "
           "catena inverse models/puma.yaml --motion -"));
  EXPECT_NEAR(std::stod(run.out), value_of(held, 0, "tau.joint2"), 1e-8);
}

TEST(CodegenCommand, SaysWhatIsWrong) {
  const Desk desk;
  const struct {
    std::string line;
    int code;
    std::string message;
  } cases[] = {
      {"catena codegen models/puma.yaml --function invers", 2,
       "codegen: --function: 'invers' is not one of: inverse, forward, inertia, bias, gravity, "
       "kinematics, velocity, acceleration, jacobian, jacobian-rate, mass-centre, energy (did you "
       "mean 'inverse'?)\n    see catena codegen --help\n"},
      {"catena codegen models/puma.yaml --function jacobian --frame link7", 3,
       "codegen: 'link7' is not a frame of 'puma' (did you mean 'link1'?)\n"},
      {"catena codegen models/puma.yaml --function jacobian", 3,
       "codegen: function 'jacobian' needs a frame\n    name one of 'puma', e.g. 'link6'\n"},
      {"catena codegen models/puma.yaml --function inverse --frame link6", 3,
       "codegen: function 'inverse' is of the whole model, not of a frame\n    leave the frame "
       "out\n"},
      {"catena codegen models/puma.yaml --name 2fast", 3,
       "codegen: '2fast' cannot be the name of a function in C\n    use letters, digits and _, "
       "e.g. '_2fast_f'\n"},
      {"catena codegen models/puma.yaml --header", 2,
       "codegen: --header writes a file beside the source; name that with --output FILE.c\n"},
      {"catena codegen models/puma.yaml -o puma.txt", 2,
       "codegen: --output: 'puma.txt' does not end in .c\n    see catena codegen --help\n"},
  };
  for (const auto& c : cases) {
    const Outcome run = desk(c.line);
    EXPECT_EQ(run.code, c.code) << c.line;
    EXPECT_EQ(run.err, c.message);
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(desk.files(), "");
}

}  // namespace
}  // namespace catena
