// The 4x4 matrices that a paper prints, entry by entry, against those of the chain itself.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "catena/formulations/homogeneous/chain.hpp"
#include "catena/papers/expression.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

using homogeneous::ChainObject;
using Matrix = homogeneous::Matrix4<double>;

struct PrintedMatrix {
  std::string id, name, of;
  int link = 1;
  std::vector<std::vector<std::string>> entries;
  Where where{};
};

PrintedMatrix read_matrix(const yaml::Value& value, std::size_t i, int links) {
  const yaml::Table table(value, yaml::label_of(value, "matrix", "id", i),
                          {"id", "name", "of", "link", "entries"});
  PrintedMatrix p;
  p.where = value.where();
  p.id = table.text_of("id", table.need("id", "matrices are named in claims"));
  p.name = table.text("name", p.id);
  p.of = table.text("of", "position");
  p.link = static_cast<int>(table.number("link", dimension::number, 1));
  if (p.link < 1 || p.link > links)
    table.fail("link", fmt::format("there is no link {}", p.link),
               fmt::format("write a number from 1 to {}", links));
  for (const auto& row : table.list_of("entries", table.need("entries", "write four rows"))) {
    p.entries.emplace_back();
    for (const auto& entry : table.list_of("entries", *row))
      p.entries.back().push_back(entry->text);
  }
  for (const auto& row : p.entries) {
    if (p.entries.size() != 4 || row.size() != 4)
      table.fail("entries", "a matrix has four rows of four entries", "write [[1, 0, 0, 0], ...]");
  }
  return p;
}

Matrix computed(const ChainObject& chain, const PrintedMatrix& p) {
  const homogeneous::LinkObject& link = chain[p.link];
  if (p.of == "position") return homogeneous::matrix(link.A);
  if (p.of == "screw") return homogeneous::matrix(link.L0.at(0));
  if (p.of == "screw-squared")
    return homogeneous::matrix(
        homogeneous::square(homogeneous::Velocity<double>{link.L0.at(0).u, link.L0.at(0).b}));
  throw InputError(p.where, "there is no matrix '" + p.of + "'",
                   "write position, screw or screw-squared");
}

}  // namespace

Run run_matrices(const Settings& s) {
  Run run;
  ChainObject chain(s.model());
  Variables constants;
  for (const auto& [name, text] : s.pairs("constants"))
    constants[name] = evaluate_expression(text, {});
  std::vector<PrintedMatrix> printed;
  const auto& items = s.part("matrices").list_of("matrices", s.need("matrices"));
  for (std::size_t i = 0; i < items.size(); ++i)
    printed.push_back(read_matrix(*items[i], i, chain.links()));
  const int states = s.whole("states", 5);
  const auto n = static_cast<std::size_t>(chain.links());

  for (const PrintedMatrix& p : printed) {
    double worst = 0;
    std::vector<std::vector<double>> off(4, std::vector<double>(4, 0));
    for (int k = 0; k < states; ++k) {
      std::vector<double> q(n), zero(n, 0);
      Variables variables = constants;
      for (std::size_t i = 0; i < n; ++i) {
        q[i] = std::sin(1.7 * static_cast<double>(i) + 2.3 * k + 0.4);
        const std::string number = std::to_string(i + 1);
        variables["C" + number] = std::cos(q[i]);
        variables["S" + number] = std::sin(q[i]);
        if (chain[static_cast<int>(i) + 1].joint == Primitive::prismatic)
          variables["d" + number] = q[i];
      }
      chain.inverse_dynamics(q, zero, zero);
      const Matrix matrix = computed(chain, p);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          const std::string& text =
              p.entries[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
          double value = 0;
          try {
            value = evaluate_expression(text, variables);
          } catch (const std::invalid_argument& error) {
            throw InputError(p.where, error.what(),
                             "names are C1, S1, ... of the joints, and the constants");
          }
          double& entry = off[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
          entry = std::max(entry, std::abs(value - matrix.at(i, j)));
          worst = std::max(worst, entry);
        }
      }
    }
    int differing = 0;
    Grid grid{p.name, {"", "", "", ""}, {}, 0};
    for (std::size_t i = 0; i < 4; ++i) {
      grid.rows.emplace_back();
      for (std::size_t j = 0; j < 4; ++j) {
        const bool differs = off[i][j] > 1e-12;
        differing += differs;
        grid.rows.back().push_back(p.entries[i][j] + (differs ? " ✗" : ""));
      }
    }
    run.grids.push_back(grid);
    run.set(p.id + ".entries_that_differ", differing, "", "number of entries that differ");
    run.set(p.id + ".worst", worst, "", "largest difference");
    run.claims.push_back({p.id,
                          p.name + " is as printed, entry by entry",
                          {{p.id + ".entries_that_differ", Check::Kind::at_most, 0, 0, "", p.where},
                           {p.id + ".worst", Check::Kind::shown, 0, 0, "", p.where}},
                          {},
                          p.where});
  }
  return run;
}

}  // namespace catena::papers
