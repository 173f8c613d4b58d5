#include "catena/codegen/schedule.hpp"

#include <algorithm>
#include <queue>

#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Kind = ProgramValue::Kind;

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
  for (const int v : values) listed[index(v)] = 1;
  std::vector<std::vector<int>> users(n);
  std::vector<int> missing(n, 0), start(n, 0), ahead(n, 0);
  for (const int v : values) {
    for_each_operand(program.values[index(v)], [&](int operand) {
      const Kind kind = program.values[index(operand)].kind;
      if (kind == Kind::sine || kind == Kind::cosine) start[index(v)] = angles_known;
      if (!listed[index(operand)]) return;
      users[index(operand)].push_back(v);
      ++missing[index(v)];
    });
  }
  for (std::size_t k = values.size(); k-- > 0;) {  // what waits for a value, in cycles
    const int v = values[k];
    for (const int user : users[index(v)])
      ahead[index(v)] = std::max(ahead[index(v)], ahead[index(user)]);
    ahead[index(v)] += latency_of(program.values[index(v)]);
  }
  const auto later = [&](int x, int y) {
    return std::pair(start[index(x)], x) > std::pair(start[index(y)], y);
  };
  const auto less_urgent = [&](int x, int y) {
    return std::pair(ahead[index(x)], -x) < std::pair(ahead[index(y)], -y);
  };
  std::priority_queue<int, std::vector<int>, decltype(later)> waiting(later);
  std::priority_queue<int, std::vector<int>, decltype(less_urgent)> ready(less_urgent);
  for (const int v : values) {
    if (missing[index(v)] == 0) waiting.push(v);
  }
  std::vector<int> order;
  int now = 0;
  while (order.size() < values.size()) {
    if (ready.empty() && !waiting.empty()) now = std::max(now, start[index(waiting.top())]);
    while (!waiting.empty() && start[index(waiting.top())] <= now)
      ready.push(waiting.top()), waiting.pop();
    const int v = ready.top();
    ready.pop();
    order.push_back(v);
    now += work_of(program.values[index(v)]);
    for (const int user : users[index(v)]) {
      start[index(user)] = std::max(start[index(user)], now + latency_of(program.values[index(v)]));
      if (--missing[index(user)] == 0) waiting.push(user);
    }
  }
  return order;
}

}  // namespace catena
