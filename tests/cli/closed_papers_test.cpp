// Closed mechanisms on the command line: what the loops decide may be left out of a file.
#include <cstdio>

#include "catena/loops/loop_methods.hpp"
#include "cli/program.hpp"
#include "oracles/planar.hpp"

namespace catena {
namespace {

namespace planar = oracle::planar;
using planar::Jet;

constexpr long double pi = 3.14159265358979323846264338327950288L;

std::string number(long double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17Lg", x);
  return text;
}

TEST(ClosedCommands, CarpetScraperGivesTorqueAndMultipliersOverATurn) {
  for (const std::string name : {"carpet-scraper", "carpet-scraper-left"}) {
    const Desk desk;
    std::string text = "q.II_1,qd.II_1,qdd.II_1\n";
    for (int i = 0; i <= 36; ++i) text += number(pi * i / 18) + "," + number(1.5L * pi) + ",0\n";
    desk.write("motion.csv", text);
    const Outcome run = desk("catena inverse models/" + name +
                             ".yaml --motion motion.csv --reactions --world 2>warnings");
    const Table table = table_of(run);
    ASSERT_EQ(table.num_rows(), 37u);
    for (std::size_t i = 0; i < table.num_rows(); ++i) {
      const Jet crank{pi * static_cast<long double>(i) / 18, 1.5L * pi, 0};
      const auto m = planar::carpet_scraper(crank, name == "carpet-scraper" ? -1 : 1);
      const auto forces = planar::solve(m.links, m.pins, m.slides, m.driven, -9.81L);
      EXPECT_NEAR(value_of(table, i, "tau.II_1"), static_cast<double>(forces.torques[0]), 1e-9);
      for (const int k : {0, 1, 2}) {
        const std::string lambda = "f.lambda_" + std::to_string(k + 1);
        const auto& f = forces.pins[static_cast<std::size_t>(k)];
        EXPECT_NEAR(value_of(table, i, lambda + ".x"), static_cast<double>(f.x()), 1e-8) << i;
        EXPECT_NEAR(value_of(table, i, lambda + ".y"), static_cast<double>(f.y()), 1e-8) << i;
      }
    }
  }
}

// Forces and every multiplier by every method: the paper's machines are parallel manipulators, too.
TEST(ClosedCommands, EveryMethodGivesTheSameForces) {
  const Desk desk;
  desk.write("turn.csv", "q.II_1,qd.II_1\n0,4.7\n1,4.7\n2.5,4.7\n4,4.7\n");
  desk.write("reach.csv",
             "q.leg1_joint1,q.leg2_joint1,qd.leg1_joint1,qdd.leg2_joint1\n0.6,0.7,1,2\n");
  for (const std::string run :
       {"carpet-scraper.yaml --motion turn.csv", "five-bar.yaml --motion reach.csv"}) {
    const std::string command = "catena inverse models/" + run + " --reactions --world --loops ";
    const Table right = table_of(desk(command + "multipliers 2>warnings"));
    for (const std::string& method : loop_method_names()) {
      const Table table = table_of(desk(command + method + " 2>warnings"));
      ASSERT_EQ(table.columns, right.columns);
      for (std::size_t i = 0; i < right.num_rows(); ++i) {
        for (std::size_t c = 0; c < right.num_columns(); ++c)
          EXPECT_NEAR(table.row(i)[c], right.row(i)[c], 1e-8) << method << " " << right.columns[c];
      }
    }
  }
}

TEST(ClosedCommands, SliderCrankAcceleratesAsItsClosedFormSays) {
  const Desk desk;
  std::string text = "q.crank,qd.crank,tau.crank\n";
  for (int i = 0; i < 24; ++i) text += number(pi * i / 12) + ",10,0.3\n";
  desk.write("state.csv", text);
  for (const std::string& method : loop_method_names()) {
    const Table table =
        table_of(desk("catena forward models/slider-crank.yaml --state state.csv --loops " +
                      method + " 2>warnings"));
    for (std::size_t i = 0; i < table.num_rows(); ++i) {
      // The acceleration at which the torque by hand is the one given: it is linear in it.
      const long double angle = pi * static_cast<long double>(i) / 12;
      const auto torque = [&](long double acceleration) {
        const auto m = planar::slider_crank({angle, 10, acceleration});
        return planar::solve(m.links, m.pins, m.slides, m.driven, -9.81L).torques[0];
      };
      const long double at_rest = torque(0), slope = torque(1) - at_rest;
      const long double acceleration = (0.3L - at_rest) / slope;
      const auto m = planar::slider_crank({angle, 10, acceleration});
      const char* names[] = {"qdd.crank", "qdd.rod", "qdd.pin", "qdd.slider"};
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(value_of(table, i, names[j]), static_cast<double>(m.joints[j].dd),
                    1e-9 * (1 + std::abs(static_cast<double>(acceleration))))
            << method << " " << i << " " << names[j];
      }
    }
  }
}

}  // namespace
}  // namespace catena
