// Many states at once: inverse dynamics of ten thousand random states, and back.
#include <catena/batch/batch.hpp>
#include <catena/kinematics/configuration.hpp>
#include <catena/model/compile.hpp>
#include <catena/readers/readers.hpp>
#include <cmath>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  const auto m = catena::compile(catena::read_model(argc > 1 ? argv[1] : "models/puma.yaml"));
  const std::size_t n = 10000, nq = static_cast<std::size_t>(m.nq),
                    nv = static_cast<std::size_t>(m.nv);
  std::vector<double> q(n * nq), qd(n * nv), qdd(n * nv, 1), tau(n * nv), back(n * nv);
  std::mt19937_64 generator(1);
  for (std::size_t i = 0; i < n; ++i)  // row after row, one per state
    catena::random_configuration(m, generator, std::span(q).subspan(i * nq, nq));
  for (std::size_t i = 0; i < qd.size(); ++i) qd[i] = std::sin(static_cast<double>(i));

  catena::Batch<double> batch(m, {.threads = 2});
  batch.inverse_dynamics(q, qd, qdd, tau);
  if (const auto status = batch.forward_dynamics(q, qd, tau, back); !status) {
    std::cerr << "state " << status.state << ": " << describe(m, status.status) << '\n';
    return 1;
  }
  double worst = 0;
  for (std::size_t i = 0; i < back.size(); ++i) worst = std::max(worst, std::abs(back[i] - 1));
  std::cout << n << " states, accelerations back: " << (worst < 1e-9 ? "yes" : "no") << '\n';
}
