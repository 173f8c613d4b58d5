// Key numbers of the report against closed forms and other commands.
#include <cmath>

#include "catena/analysis/paper_counts.hpp"
#include "catena/papers/costs.hpp"
#include "catena/papers/reproduce.hpp"
#include "cli/program.hpp"
#include "oracles/planar.hpp"

namespace catena {
namespace {

namespace planar = oracle::planar;

const std::string papers_folder = CATENA_SOURCE_DIR "/papers";

// The run of one exhibit, under its first reading.
papers::ExhibitResult exhibit_of(const std::string& paper_name, const std::string& id) {
  papers::Paper paper = papers::read_paper(papers_folder, paper_name);
  std::erase_if(paper.exhibits, [&](const papers::Exhibit& e) { return e.id != id; });
  return papers::reproduce(paper, {}).exhibits.at(0);
}

double measured(const papers::ExhibitResult& e, const std::string& name) {
  return std::get<double>(e.run.measures.at(name).value);
}

TEST(ReportNumbers, TorquesOfThePumaAreThoseOfTheCommand) {
  const Desk desk;
  const std::string all = "joint1=pi,joint2=pi,joint3=pi,joint4=pi,joint5=pi,joint6=pi";
  const Table expected =
      table_of(desk("catena trajectory cycloidal models/puma.yaml --to " + all +
                    " --duration 10 --samples 201 -o motion.csv && "
                    "catena inverse models/puma.yaml --motion motion.csv --method gibbs-appell"));
  const Table table = exhibit_of("saha-chains", "fig-6").run.table;
  ASSERT_EQ(table.num_rows(), expected.num_rows());
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    for (const char* joint :
         {"tau.joint1", "tau.joint2", "tau.joint3", "tau.joint4", "tau.joint5", "tau.joint6"})
      EXPECT_NEAR(value_of(table, r, joint), value_of(expected, r, joint), 1e-11);
  }
}

TEST(ReportNumbers, ScrapingMachineIsThatOfFreeBodies) {
  const Table table = exhibit_of("saha-chains", "fig-20").run.table;
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  ASSERT_EQ(table.num_rows(), 241u);
  for (std::size_t r = 0; r < table.num_rows(); r += 20) {
    const auto m =
        planar::carpet_scraper({2 * pi * static_cast<long double>(r) / 240, 1.5L * pi, 0}, -1);
    const auto forces = planar::solve(m.links, m.pins, m.slides, m.driven, -9.81L);
    EXPECT_NEAR(value_of(table, r, "tau.II_1"), static_cast<double>(forces.torques[0]), 1e-9);
    for (const int k : {0, 1, 2}) {
      const std::string name = "f.lambda_" + std::to_string(k + 1);
      EXPECT_NEAR(value_of(table, r, name + ".x"),
                  static_cast<double>(forces.pins[static_cast<std::size_t>(k)].x()), 1e-8);
      EXPECT_NEAR(value_of(table, r, name + ".y"),
                  static_cast<double>(forces.pins[static_cast<std::size_t>(k)].y()), 1e-8);
    }
  }
}

TEST(ReportNumbers, SliderCrankMovesByItsClosedForm) {
  const Table table = exhibit_of("legnani-1996", "section-5").run.table;
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    const double a = value_of(table, r, "q.crank"), s = 0.1 * std::sin(a),
                 root = std::sqrt(0.09 - s * s);
    EXPECT_NEAR(value_of(table, r, "q.slider"), 0.1 * std::cos(a) + root, 1e-11);
    EXPECT_NEAR(value_of(table, r, "qd.slider"), 10 * (-s - s * 0.1 * std::cos(a) / root), 1e-10);
  }
}

TEST(ReportNumbers, TwoBodiesAccelerateByTheExactModel) {
  const Table table = exhibit_of("mata-2002", "fig-2").run.table;
  const double g = 9.81, l1 = 0.02, l2 = 2, m1 = 0.1, m2 = 10, w = 0.02;
  const double I1 = m1 * (l1 * l1 + w * w) / 12, I2 = m2 * (l2 * l2 + w * w) / 12;
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    const double c = std::cos(static_cast<double>(r) * 3.14159265358979323846 / 90);
    const double D22 = I2 + m2 * l2 * l2 / 4, D12 = D22 + m2 * l1 * l2 / 2 * c;
    const double D11 = I1 + m1 * l1 * l1 / 4 + m2 * l1 * l1 + D22 + m2 * l1 * l2 * c;
    const double g2 = m2 * g * l2 / 2 * c, g1 = (m1 / 2 + m2) * g * l1 + g2;
    const double exact = -(D22 * g1 - D12 * g2) / (D11 * D22 - D12 * D12);
    for (const char* method : {"ABA", "CRBA", "GA"}) {
      EXPECT_NEAR(value_of(table, r, std::string("double.") + method), exact, 1e-7);
      EXPECT_NEAR(value_of(table, r, std::string("single.") + method), exact, 3);
    }
  }
}

TEST(ReportNumbers, FiveBarStopsWhereItsDistalLinksAreInLine) {
  const papers::ExhibitResult e = exhibit_of("saha-chains", "fig-14");
  const std::size_t last = e.run.table.num_rows() - 1;
  const auto angle = [&](const std::string& leg) {
    return value_of(e.run.table, last, "q." + leg + "_joint1") +
           value_of(e.run.table, last, "q." + leg + "_joint2");
  };
  EXPECT_LT(std::abs(std::sin(angle("leg1") - angle("leg2"))), 0.1);
  // catena simulate stops at the same time, to the sample.
  const Desk desk;
  const Outcome run = desk(
      "catena simulate models/five-bar.yaml --initial 'leg1_joint1=80deg,leg2_joint1=70deg' "
      "--duration 4 -o fall.csv");
  EXPECT_EQ(run.code, 4);
  const auto at = run.err.find("at t = ");
  ASSERT_NE(at, std::string::npos) << run.err;
  EXPECT_NEAR(std::stod(run.err.substr(at + 7)), measured(e, "stop.time"), 1.1e-3);
}

TEST(ReportNumbers, TheToolReachesTheEndOfTheLine) {
  const papers::ExhibitResult e = exhibit_of("mata-2002", "fig-3");
  const std::size_t last = e.run.table.num_rows() - 1;
  EXPECT_NEAR(value_of(e.run.table, last, "x"), 0.62, 1e-4);
  EXPECT_NEAR(value_of(e.run.table, last, "y"), 0.30, 1e-4);
  EXPECT_NEAR(value_of(e.run.table, last, "z"), 0.11, 1e-4);
  EXPECT_NEAR(measured(e, "distance"), std::sqrt(0.12 * 0.12 + 0.3 * 0.3 + 0.06 * 0.06), 1e-15);
  EXPECT_LT(measured(e, "GA.qdd"), 1e-3);
}

TEST(ReportNumbers, FormulasAreThoseOfCatenaCount) {
  const std::pair<const char*, const char*> rows[] = {{"RIDIM, Saha 1999", "ridim"},
                                                      {"Hollerbach 1980", "hollerbach"},
                                                      {"Khalil et al. 1986", "khalil"},
                                                      {"Angeles et al. 1989", "angeles"},
                                                      {"Balafoutis et al. 1988", "balafoutis"}};
  const papers::ExhibitResult e = exhibit_of("saha-1999", "table-1");
  int found = 0;
  for (const PaperCount& count : paper_counts()) {
    for (const auto& [name, row] : rows) {
      if (count.question != Question::inverse || count.algorithm != name) continue;
      ++found;
      EXPECT_EQ(measured(e, std::string(row) + ".mult.6"), evaluate(count.multiplications, 6))
          << name;
      EXPECT_EQ(measured(e, std::string(row) + ".add.6"), evaluate(count.additions, 6)) << name;
    }
  }
  EXPECT_EQ(found, 5);
  const Desk desk;
  const Outcome run = desk("catena count --chain 6 --json");
  const auto at = run.out.find("denoc");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(run.out.find(std::to_string(static_cast<int>(measured(e, "ridim.ours.mult.6"))), at),
            std::string::npos);
}

TEST(ReportNumbers, PolynomialsAreFoundAndWritten) {
  std::vector<double> values;
  for (int n = 6; n <= 12; ++n)
    values.push_back(papers::evaluate_polynomial({1. / 6, 7, 233. / 6, -46}, n));
  const auto p = papers::fitted_polynomial(values);
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(papers::polynomial_text(p), "1/6 n³ + 7n² + 233/6 n − 46");
  EXPECT_EQ(papers::polynomial_text({412, -277}), "412n − 277");
  values.back() += 1;
  EXPECT_TRUE(papers::fitted_polynomial(values).empty());
  // Cholesky by its textbook count.
  for (int n : {1, 2, 6, 10}) {
    const papers::Cost cost = papers::count_of("cholesky", Question::forward, n);
    EXPECT_EQ(cost.multiplications, (n * n * n + 3 * n * n + 2 * n) / 6);
    EXPECT_EQ(cost.additions, (n * n * n - n) / 6);
  }
}

}  // namespace
}  // namespace catena
