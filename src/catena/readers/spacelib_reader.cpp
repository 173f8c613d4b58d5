// Robot data and motion files of SPACELIB: numbers between blanks, in the order that the program
// reads them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "catena/readers/readers.hpp"
#include "catena/readers/spacelib.hpp"
#include "catena/readers/text_file.hpp"

namespace catena {
namespace {

constexpr const char* robot_layout =
    "a robot is: number of links; per link type theta s b a alfa, m jxx jxy jxz jyy jyz jzz, xg yg "
    "zg; gravity gx gy gz; then external actions fx fy fz cx cy cz";

// The words of a text, one after the other, with their places. From '#' to the end of a line is a
// comment.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // byte order mark
    skip();
  }

  bool at_end() const { return at_ == text_.size(); }
  Where where() const { return {file_, line_, static_cast<int>(at_ - line_begin_) + 1}; }
  std::string_view next() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != '#') ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip();
    return word;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip() {
    bool comment = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        comment = false;
        ++line_;
        line_begin_ = at_ + 1;
      } else if (c == '#') {
        comment = true;
      } else if (!comment && !blank(c)) {
        return;
      }
    }
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
};

// A word as it may stand in a message: not too long, and nothing that a terminal obeys.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return word.size() > 40 ? text + "..." : text;
}

// Takes numbers from a file; `what` names the number in messages.
class Numbers {
 public:
  Numbers(std::string_view text, const std::string& file, std::string layout)
      : words_(text, file), layout_(std::move(layout)) {}

  bool at_end() const { return words_.at_end(); }
  Where where() const { return words_.where(); }

  double real(const std::string& what) {
    const Where place = need(what);
    const std::string_view word = words_.next();
    double value = 0;
    if (!parse(word, value)) {
      throw InputError(
          place, fmt::format("'{}' is not a number, but {} is expected here", shown(word), what),
          layout_);
    }
    if (!std::isfinite(value)) {
      throw InputError(place,
                       fmt::format("{} is '{}', which is not a finite number", what, shown(word)),
                       "write e.g. 0.5 or -1.2e-3, in SI units and radians");
    }
    return value;
  }

  // A whole number of at least `least`.
  int whole(const std::string& what, int least, const std::string& remedy) {
    const Where place = need(what);
    const std::string_view word = words_.next();
    int value = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < least) {
      throw InputError(place, fmt::format("{} is '{}'", what, shown(word)), remedy);
    }
    return value;
  }

 private:
  Where need(const std::string& what) const {
    if (words_.at_end()) {
      throw InputError(words_.where(), fmt::format("the file ends where {} should be", what),
                       layout_);
    }
    return words_.where();
  }
  static bool parse(std::string_view word, double& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value);
    if (end != last || word.empty()) return false;
    if (error == std::errc::result_out_of_range) value = HUGE_VAL;
    return error == std::errc() || error == std::errc::result_out_of_range;
  }

  Words words_;
  std::string layout_;
};

SpacelibLink read_link(Numbers& numbers, int i) {
  const auto real = [&](const char* what) {
    return numbers.real(fmt::format("{} of link {}", what, i));
  };
  SpacelibLink link;
  link.where = numbers.where();
  const std::string types = "write 0 for a revolute joint, 1 for a prismatic one";
  const int type = numbers.whole(fmt::format("the joint type of link {}", i), 0, types);
  if (type > 1) {
    throw InputError(link.where, fmt::format("the joint type of link {} is '{}'", i, type), types);
  }
  link.prismatic = type == 1;
  link.theta = real("theta"), link.s = real("s"), link.b = real("b");
  link.a = real("a"), link.alfa = real("alfa");
  const Where mass = numbers.where();
  link.mass = real("the mass m");
  if (link.mass < 0) {
    throw InputError(mass,
                     fmt::format("the mass m of link {} is {}, which is negative", i, link.mass),
                     "count the numbers of this link; its mass is the seventh");
  }
  Sym3<double>& I = link.moments;
  I.xx = real("jxx"), I.xy = real("jxy"), I.xz = real("jxz");
  I.yy = real("jyy"), I.yz = real("jyz"), I.zz = real("jzz");
  link.centre.x = real("xg"), link.centre.y = real("yg"), link.centre.z = real("zg");
  return link;
}

// Sums with zero have no negative zeros.
Pose<double> clean(const Pose<double>& X) {
  const Vec3<double> zero{};
  return {{zero + X.R.x, zero + X.R.y, zero + X.R.z}, zero + X.p};
}

}  // namespace

Force<double> SpacelibRobot::action(std::size_t instant) const {
  return actions.empty() ? Force<double>{} : actions[std::min(instant, actions.size() - 1)];
}

SpacelibRobot parse_spacelib_robot(std::string_view text, const std::string& file) {
  check_is_text(text, file);
  Numbers numbers(text, file, robot_layout);
  SpacelibRobot robot;
  const int n =
      numbers.whole("the number of links", 1, "begin the file with the number of links, e.g. 6");
  for (int i = 1; i <= n; ++i) robot.links.push_back(read_link(numbers, i));
  robot.gravity.x = numbers.real("gravity gx");
  robot.gravity.y = numbers.real("gravity gy");
  robot.gravity.z = numbers.real("gravity gz");
  while (!numbers.at_end()) {
    const auto real = [&](const char* what) {
      return numbers.real(fmt::format("{} of external action {}", what, robot.actions.size() + 1));
    };
    Force<double> F;
    F.f.x = real("fx"), F.f.y = real("fy"), F.f.z = real("fz");
    F.n.x = real("cx"), F.n.y = real("cy"), F.n.z = real("cz");
    robot.actions.push_back(F);
  }
  return robot;
}

SpacelibMotion parse_spacelib_motion(std::string_view text, const std::string& file,
                                     std::size_t num_links) {
  const std::string layout = fmt::format(
      "a motion is q qp qpp of each of the {} links, instant by instant; a time step may stand "
      "before",
      num_links);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError({file}, "the file is empty", layout);
  }
  check_is_text(text, file);
  Numbers numbers(text, file, layout);
  SpacelibMotion motion;
  motion.num_links = num_links;
  const Where begin = numbers.where();
  Where last = begin;
  for (std::size_t k = 1; !numbers.at_end(); ++k) {
    last = numbers.where();
    motion.numbers.push_back(numbers.real(fmt::format("number {}", k)));
  }
  const std::size_t all = motion.numbers.size(), per_instant = 3 * num_links;
  if (all % per_instant == 1 && all > 1) {  // programs after the paper's begin with dt
    motion.dt = motion.numbers.front();
    if (motion.dt <= 0) {
      throw InputError(begin, fmt::format("the time step is {}", motion.dt),
                       "write a positive number of seconds");
    }
    motion.numbers.erase(motion.numbers.begin());
  } else if (all % per_instant != 0 || all == 0) {
    throw InputError(
        last,
        fmt::format("the file has {} number{}, which is no multiple of the {} of an instant", all,
                    all == 1 ? "" : "s", per_instant),
        layout);
  }
  return motion;
}

Model to_model(const SpacelibRobot& robot, const std::string& name) {
  Model model;
  model.name = name;
  model.gravity = robot.gravity;
  std::string parent = model.ground;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const SpacelibLink& link = robot.links[i];
    const auto [st, ct] = sincos_of_constant(link.theta);
    const auto [sa, ca] = sincos_of_constant(link.alfa);
    Joint joint;
    joint.name = fmt::format("joint{}", i + 1);
    joint.kind = link.prismatic ? JointKind::prismatic : JointKind::revolute;
    joint.parent = parent;
    joint.child = fmt::format("link{}", i + 1);
    joint.where = link.where;
    // Rz(theta) T(a, b, s) Rx(alfa)
    joint.X_MB = clean({{{ct, st, 0}, {-st * ca, ct * ca, sa}, {st * sa, -ct * sa, ca}},
                        {link.a * ct - link.b * st, link.a * st + link.b * ct, link.s}});
    model.bodies.push_back({joint.child, link.mass, link.centre, link.moments, link.where});
    parent = joint.child;
    model.joints.push_back(std::move(joint));
  }
  return model;
}

Model parse_spacelib(std::string_view text, const std::string& file,
                     std::vector<std::string>* warnings) {
  const SpacelibRobot robot = parse_spacelib_robot(text, file);
  const bool acts =
      std::any_of(robot.actions.begin(), robot.actions.end(),
                  [](const Force<double>& F) { return dot(F.f, F.f) + dot(F.n, F.n) > 0; });
  if (acts && warnings) {
    warnings->push_back(file + ": the external actions are left out; catena spacelib takes them");
  }
  return to_model(robot, std::filesystem::path(file).stem().string());
}

}  // namespace catena
