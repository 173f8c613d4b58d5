#include "catena/loops/parallel_structure.hpp"

#include <algorithm>

#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

class Search {
 public:
  explicit Search(const JointGraph& graph) : g_(graph), edges_(index(graph.num_vertices())) {
    for (std::size_t e = 0; e < g_.edges.size(); ++e) add(static_cast<int>(e));
    drop_open_branches();
  }

  ParallelStructure find() const {
    if (std::all_of(edges_.begin(), edges_.end(), [](const auto& e) { return e.empty(); }))
      return refused("it has no closed loop, and so no platform");
    if (edges_[0].size() < 2) return refused(loops_off_the_ground());
    if (const std::vector<int> round = single_loop(); !round.empty()) return middle_of(round);
    ParallelStructure best;
    std::size_t most_legs = 0, longest = 0;
    for (int p = 1; p < g_.num_vertices(); ++p) {
      if (edges_[index(p)].empty()) continue;
      ParallelStructure s = with_platform(p);
      std::size_t length = 0;
      for (const Leg& leg : s.legs) length = std::max(length, leg.bodies.size());
      const bool found = s.refusal.empty(), had = best.platform >= 0 && best.refusal.empty();
      const bool better =
          s.legs.size() > most_legs || (s.legs.size() == most_legs && found && length < longest);
      if (best.platform < 0 || (found && !had) || (found == had && better))
        best = s, most_legs = s.legs.size(), longest = length;
    }
    if (!best.refusal.empty()) best.legs.clear();
    return best;
  }

 private:
  static ParallelStructure refused(const std::string& why) {
    ParallelStructure s;
    s.refusal = why;
    return s;
  }

  void add(int e) {
    if (g_.edges[index(e)].from == g_.edges[index(e)].to) return;
    edges_[index(g_.edges[index(e)].from)].push_back(e);
    edges_[index(g_.edges[index(e)].to)].push_back(e);
  }
  void remove(int e) {
    for (const int v : {g_.edges[index(e)].from, g_.edges[index(e)].to})
      std::erase(edges_[index(v)], e);
  }
  int across(int e, int vertex) const { return g_.other_end(g_.edges[index(e)], vertex); }

  // What hangs on one joint alone, tip after tip, is in no loop.
  void drop_open_branches() {
    for (bool again = true; again;) {
      again = false;
      for (int v = 1; v < g_.num_vertices(); ++v) {
        if (edges_[index(v)].size() != 1) continue;
        remove(edges_[index(v)].front());
        again = true;
      }
    }
  }

  std::string loops_off_the_ground() const {
    std::string loop;
    for (const GraphEdge& e : g_.edges) {
      if (e.closure >= 0 && loop.empty()) loop = e.name;
    }
    return "no loop passes through the ground, so that there is no base: loop " + quoted(loop) +
           " closes between moving bodies";
  }

  // The edges round the machine from the ground and back, if it is one loop.
  std::vector<int> single_loop() const {
    for (const auto& e : edges_) {
      if (!e.empty() && e.size() != 2) return {};
    }
    std::vector<int> round{edges_[0][0]};
    for (int v = across(round[0], 0); v != 0; v = across(round.back(), v)) {
      const auto& both = edges_[index(v)];
      round.push_back(both[0] == round.back() ? both[1] : both[0]);
    }
    return round;
  }

  // Appends the joint that leads away from a vertex.
  int append(Leg& leg, int e, int vertex, int before, bool at_platform) const {
    leg.joints.push_back({e, g_.edges[index(e)].from == vertex, before, at_platform});
    return static_cast<int>(leg.joints.size()) - 1;
  }

  ParallelStructure middle_of(std::vector<int> round) const {
    const std::size_t moving = round.size() - 1;
    ParallelStructure s;
    const bool at_joint = moving % 2 == 0;
    for (int side = 0; side < 2; ++side) {
      Leg leg;
      int vertex = 0, last = -1;
      const std::size_t joints = at_joint ? moving / 2 + 1 : (moving + 1) / 2;
      for (std::size_t i = 0; i < joints; ++i) {
        last = append(leg, round[i], vertex, last, i + 1 == joints);
        vertex = across(round[i], vertex);
        if (i + 1 < joints) leg.bodies.push_back(vertex);
      }
      if (at_joint) {
        s.meeting = round[joints - 1];
      } else {
        s.platform = vertex;
      }
      s.legs.push_back(leg);
      std::reverse(round.begin(), round.end());
    }
    return s;
  }

  // Everything that is connected once base and platform are taken out.
  std::vector<std::vector<int>> parts_without(int platform) const {
    std::vector<char> seen(edges_.size(), 0);
    seen[0] = seen[index(platform)] = 1;
    std::vector<std::vector<int>> parts;
    for (int v = 1; v < g_.num_vertices(); ++v) {
      if (seen[index(v)] != 0 || edges_[index(v)].empty()) continue;
      std::vector<int> part{v};
      seen[index(v)] = 1;
      for (std::size_t i = 0; i < part.size(); ++i) {
        for (const int e : edges_[index(part[i])]) {
          const int next = across(e, part[i]);
          if (seen[index(next)] == 0) seen[index(next)] = 1, part.push_back(next);
        }
      }
      parts.push_back(part);
    }
    return parts;
  }

  std::string names_of(const std::vector<int>& part) const {
    std::string text;
    for (std::size_t i = 0; i < part.size() && i < 4; ++i)
      text += (i > 0 ? ", " : "") + quoted(g_.bodies[index(part[i])]);
    return text + (part.size() > 4 ? ", ..." : "");
  }

  // Joints from this part to a vertex.
  int joints_to(const std::vector<int>& part, int vertex) const {
    int count = 0;
    for (const int e : edges_[index(vertex)])
      count += std::count(part.begin(), part.end(), across(e, vertex)) > 0;
    return count;
  }

  std::string why_no_leg(const std::vector<int>& part, int platform) const {
    const int on_base = joints_to(part, 0), on_platform = joints_to(part, platform);
    std::vector<int> all;
    for (const int v : part)
      all.insert(all.end(), edges_[index(v)].begin(), edges_[index(v)].end());
    std::sort(all.begin(), all.end());
    const auto joints = std::unique(all.begin(), all.end()) - all.begin();
    const auto inside = static_cast<int>(joints) - on_base - on_platform;
    std::string why;
    if (on_base == 0) {
      why = "no joint leads to the ground";
    } else if (on_base > 1) {
      why = std::to_string(on_base) + " joints lead to the ground";
    } else if (on_platform == 0) {
      why = "no joint leads to the platform";
    } else if (inside >= static_cast<int>(part.size())) {
      why = "there is a loop among them";
    }
    if (why.empty()) return why;
    return "with " + quoted(g_.bodies[index(platform)]) + " as platform, " + names_of(part) +
           (part.size() == 1 ? " is no leg: " : " are no leg: ") + why;
  }

  Leg leg_of(const std::vector<int>& part, int platform) const {
    Leg leg;
    for (const int e : edges_[0]) {
      if (std::count(part.begin(), part.end(), across(e, 0)) == 0) continue;
      append(leg, e, 0, -1, false);
      leg.bodies.push_back(across(e, 0));
    }
    for (std::size_t i = 0; i < leg.bodies.size(); ++i) {  // body i is moved by joint i
      const int v = leg.bodies[i];
      for (const int e : edges_[index(v)]) {
        const int next = across(e, v);
        if (e == leg.joints[i].edge || next == platform) continue;
        append(leg, e, v, static_cast<int>(i), false);
        leg.bodies.push_back(next);
      }
    }
    for (std::size_t i = 0; i < leg.bodies.size(); ++i) {
      for (const int e : edges_[index(leg.bodies[i])]) {
        if (across(e, leg.bodies[i]) == platform)
          append(leg, e, leg.bodies[i], static_cast<int>(i), true);
      }
    }
    return leg;
  }

  // Legs that were found stay in the result even if it is refused: more are better.
  ParallelStructure with_platform(int platform) const {
    ParallelStructure s;
    s.platform = platform;
    int holding = 0;  // a free joint holds nothing
    for (const int e : edges_[index(platform)]) {
      if (across(e, platform) != 0) continue;
      Leg leg;
      append(leg, e, 0, -1, true);
      s.legs.push_back(leg);
      holding += g_.edges[index(e)].freedoms < 6;
    }
    for (const std::vector<int>& part : parts_without(platform)) {
      const std::string why = why_no_leg(part, platform);
      if (why.empty()) {
        s.legs.push_back(leg_of(part, platform));
        ++holding;
      } else if (s.refusal.empty()) {
        s.refusal = why;
      }
    }
    if (s.refusal.empty() && holding < 2)
      s.refusal = "no body is held by two legs or more, so that there is no platform";
    return s;
  }

  const JointGraph& g_;
  std::vector<std::vector<int>> edges_;  // by vertex, of those in loops
};

}  // namespace

ParallelStructure parallel_structure(const JointGraph& graph) { return Search(graph).find(); }

}  // namespace catena
