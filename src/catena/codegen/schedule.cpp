#include "catena/codegen/schedule.hpp"

#include <algorithm>
#include <queue>

namespace catena {
namespace {

using Kind = ProgramValue::Kind;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Cycles, in halves: until a value is known once its operands are, and for which it keeps one of
// two units busy.
int latency_of(const ProgramValue& value) {
  switch (value.kind) {
    case Kind::quotient:
      return 26;
    case Kind::square_root:
      return 36;
    case Kind::sign:
      return 12;
    case Kind::polynomial:
      return 8;
    default:
      return 0;
  }
}
int work_of(const ProgramValue& value) {
  int products = 0, plain = 0;
  for (const ProgramTerm& term : value.terms) {
    const int m = multiplications_in(term);
    products += m, plain += m == 0 ? 1 : 0;
  }
  return std::max(1, products + std::max(plain - 1, 0));
}

}  // namespace

std::vector<int> scheduled(const Program& program, const std::vector<int>& values) {
  constexpr int angles_known = 80;
  const std::size_t n = program.values.size();
  std::vector<char> listed(n, 0);
  for (const int v : values) listed[at(v)] = 1;
  std::vector<std::vector<int>> users(n);
  std::vector<int> missing(n, 0), start(n, 0), ahead(n, 0);
  for (const int v : values) {
    for_each_operand(program.values[at(v)], [&](int operand) {
      const Kind kind = program.values[at(operand)].kind;
      if (kind == Kind::sine || kind == Kind::cosine) start[at(v)] = angles_known;
      if (!listed[at(operand)]) return;
      users[at(operand)].push_back(v);
      ++missing[at(v)];
    });
  }
  for (std::size_t k = values.size(); k-- > 0;) {  // what waits for a value, in cycles
    const int v = values[k];
    for (const int user : users[at(v)]) ahead[at(v)] = std::max(ahead[at(v)], ahead[at(user)]);
    ahead[at(v)] += latency_of(program.values[at(v)]);
  }
  const auto later = [&](int x, int y) {
    return std::pair(start[at(x)], x) > std::pair(start[at(y)], y);
  };
  const auto less_urgent = [&](int x, int y) {
    return std::pair(ahead[at(x)], -x) < std::pair(ahead[at(y)], -y);
  };
  std::priority_queue<int, std::vector<int>, decltype(later)> waiting(later);
  std::priority_queue<int, std::vector<int>, decltype(less_urgent)> ready(less_urgent);
  for (const int v : values) {
    if (missing[at(v)] == 0) waiting.push(v);
  }
  std::vector<int> order;
  int now = 0;
  while (order.size() < values.size()) {
    if (ready.empty() && !waiting.empty()) now = std::max(now, start[at(waiting.top())]);
    while (!waiting.empty() && start[at(waiting.top())] <= now)
      ready.push(waiting.top()), waiting.pop();
    const int v = ready.top();
    ready.pop();
    order.push_back(v);
    now += work_of(program.values[at(v)]);
    for (const int user : users[at(v)]) {
      start[at(user)] = std::max(start[at(user)], now + latency_of(program.values[at(v)]));
      if (--missing[at(user)] == 0) waiting.push(user);
    }
  }
  return order;
}

}  // namespace catena
