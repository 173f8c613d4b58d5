// Planar linkages by hand: geometry by circles, derivatives by Taylor's rule, forces by Newton and
// Euler for every body at once. Nothing of the library takes part.
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <vector>

namespace catena::oracle::planar {

using Real = long double;

// A number with its first and second derivative in time.
struct Jet {
  Real x = 0, d = 0, dd = 0;
  friend Jet operator+(Jet a, Jet b) { return {a.x + b.x, a.d + b.d, a.dd + b.dd}; }
  friend Jet operator-(Jet a, Jet b) { return {a.x - b.x, a.d - b.d, a.dd - b.dd}; }
  friend Jet operator*(Jet a, Jet b) {
    return {a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2 * a.d * b.d + a.x * b.dd};
  }
  // f(a) with derivatives f1 and f2 there
  Jet through(Real f, Real f1, Real f2) const { return {f, f1 * d, f2 * d * d + f1 * dd}; }
};
inline Jet number(Real x) { return {x, 0, 0}; }
inline Jet inverse(Jet a) { return a.through(1 / a.x, -1 / (a.x * a.x), 2 / (a.x * a.x * a.x)); }
inline Jet sqrt(Jet a) {
  const Real r = std::sqrt(a.x);
  return a.through(r, 1 / (2 * r), -1 / (4 * a.x * r));
}
inline Jet cos(Jet a) { return a.through(std::cos(a.x), -std::sin(a.x), -std::cos(a.x)); }
inline Jet sin(Jet a) { return a.through(std::sin(a.x), std::cos(a.x), -std::sin(a.x)); }

struct Point {
  Jet x, y;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(Real s, Point a) { return {number(s) * a.x, number(s) * a.y}; }
  friend Point operator*(Jet s, Point a) { return {s * a.x, s * a.y}; }
};
inline Point point(Real x, Real y) { return {number(x), number(y)}; }
inline Point towards(Jet angle) { return {cos(angle), sin(angle)}; }
inline Jet dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

// The point at distance ra from a and rb from b, to the left (+1) or right (-1) of the way a to b.
inline Point meet(Point a, Real ra, Point b, Real rb, int side) {
  const Point way = b - a;
  const Jet l2 = dot(way, way);
  const Jet along = number(0.5L) * (l2 + number(ra * ra - rb * rb)) * inverse(l2);
  const Jet beside = sqrt(number(ra * ra) * inverse(l2) - along * along);
  const Point normal{number(-1) * way.y, way.x};
  return a + along * way + (number(side) * beside) * normal;
}

// A bar through two points: its angle, rate and acceleration.
inline Jet angle_of(Point way) {
  const Point u = inverse(sqrt(dot(way, way))) * way;
  const Jet &c = u.x, &s = u.y;
  return {std::atan2(s.x, c.x), c.x * s.d - s.x * c.d, c.x * s.dd - s.x * c.dd};
}

struct Link {
  Real mass, inertia;  // about the mass centre
  Point centre;
  Jet angle;
};
struct Pin {
  int one, two;  // links, -1 for the ground; the force acts on two, and against one
  Point at;
};
struct Slide {  // the ground holds a link with a force in this direction, and a moment
  int link;
  Point at;
  Real x, y;
};

struct Forces {
  std::vector<Eigen::Matrix<Real, 2, 1>> pins;  // on link two
  std::vector<Real> torques;
};

// All forces of a linkage whose motion is known; torques act between the ground and these links.
inline Forces solve(const std::vector<Link>& links, const std::vector<Pin>& pins,
                    const std::vector<Slide>& slides, const std::vector<int>& driven,
                    Real gravity_y) {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const auto n = static_cast<Eigen::Index>(3 * links.size());
  Matrix A = Matrix::Zero(n, n);
  Vector b(n);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& l = links[i];
    b.segment(static_cast<Eigen::Index>(3 * i), 3) << l.mass * l.centre.x.dd,
        l.mass * (l.centre.y.dd - gravity_y), l.inertia * l.angle.dd;
  }
  Eigen::Index column = 0;
  const auto act = [&](int link, const Point& at, Real x, Real y, Real sign) {
    if (link < 0) return;
    const Point r = at - links[static_cast<std::size_t>(link)].centre;
    const Eigen::Index row = 3 * link;
    A(row, column) += sign * x, A(row + 1, column) += sign * y;
    A(row + 2, column) += sign * (r.x.x * y - r.y.x * x);
  };
  for (const Pin& p : pins) {
    act(p.two, p.at, 1, 0, 1), act(p.one, p.at, 1, 0, -1), ++column;
    act(p.two, p.at, 0, 1, 1), act(p.one, p.at, 0, 1, -1), ++column;
  }
  for (const Slide& s : slides) {
    act(s.link, s.at, s.x, s.y, 1), ++column;
    A(3 * s.link + 2, column++) = 1;
  }
  for (int link : driven) A(3 * link + 2, column++) = 1;
  const Vector x = A.fullPivLu().solve(b);
  Forces r;
  for (std::size_t i = 0; i < pins.size(); ++i)
    r.pins.emplace_back(x.segment<2>(static_cast<Eigen::Index>(2 * i)));
  for (std::size_t i = 0; i < driven.size(); ++i)
    r.torques.push_back(x[n - static_cast<Eigen::Index>(driven.size() - i)]);
  return r;
}

// ---- the machines of the papers, as the data sheet describes them ----

struct Machine {
  std::vector<Link> links;
  std::vector<Pin> pins;
  std::vector<Slide> slides;
  std::vector<int> driven;
  std::vector<Jet> joints;  // in the order that is said below
};

inline Link bar(Real mass, Real inertia_at_from, Real to_centre, Point from, Point to) {
  const Point way = to - from;
  const Point u = inverse(sqrt(dot(way, way))) * way;
  return {mass, inertia_at_from - mass * to_centre * to_centre, from + to_centre * u,
          angle_of(way)};
}
inline Link rod(Real mass, Real length, Point from, Point to) {
  return bar(mass, mass * length * length / 3, length / 2, from, to);
}

// Five-bar; joints: leg 1 first and second, leg 2 first and second. side -1: below.
inline Machine five_bar(Jet al1, Jet al2, int side) {
  const Point O1 = point(0, 0), O2 = point(1.2L, 0);
  const Point E1 = O1 + 0.6L * towards(al1), E2 = O2 + 0.7L * towards(al2);
  const Point P = meet(E1, 1.1L, E2, 1.2L, side);
  Machine m;
  m.links = {rod(3, 0.6L, O1, E1), rod(1.6L, 1.1L, E1, P), rod(2, 0.7L, O2, E2),
             rod(1.1L, 1.2L, E2, P)};
  m.pins = {{-1, 0, O1}, {0, 1, E1}, {-1, 2, O2}, {2, 3, E2}, {1, 3, P}};
  m.driven = {0, 2};
  m.joints = {al1, m.links[1].angle - al1, al2, m.links[3].angle - al2};
  return m;
}

// Carpet scraping machine; joints I_1 I_2 II_1 III_1_0 III_2_0 III_3_0 III_1_1; pins lambda_1,
// lambda_2, lambda_3 come first. side -1: J to the right of the way P to B.
inline Machine carpet_scraper(Jet crank, int side) {
  const Point O = point(0, 0), O1 = point(-0.089L, 0), P = point(0.038L, 0.410L);
  const Point A = O + 0.038L * towards(crank);
  const Point M = meet(O1, 0.115L, A, 0.115L, 1);
  const Point B = M + (M - A);
  const Point J = meet(P, 0.096L, B, 0.239L, side);
  const Point K = P + (0.335L / 0.096L) * (J - P);
  const Point N = B + (K - J);
  const Real half = 0.239L * 0.335L / 0.096L / 2;
  Machine m;
  m.links = {bar(1.5L, 7.258e-4L, 0.019L, O, A), bar(3, 0.0133L, 0.0575L, O1, M),
             bar(5, 2.212e-2L, 0, M, B),         bar(4.2L, 0.157L, 0.1675L, P, K),
             bar(10.5L, 2.449L, half, K, N),     bar(3, 0.057L, 0.1195L, N, B),
             bar(3, 0.057L, 0.1195L, J, B)};
  m.pins = {{0, 2, A}, {2, 6, B},  {2, 5, B}, {-1, 0, O}, {-1, 1, O1},
            {1, 2, M}, {-1, 3, P}, {3, 4, K}, {4, 5, N},  {3, 6, J}};
  m.driven = {0};
  const auto& l = m.links;
  m.joints = {l[1].angle,
              l[2].angle - l[1].angle,
              crank,
              l[3].angle,
              l[4].angle - l[3].angle,
              l[5].angle - l[4].angle,
              l[6].angle - l[3].angle};
  return m;
}

// Slider-crank; joints crank, rod, pin, slider.
inline Machine slider_crank(Jet crank) {
  const Point O = point(0, 0), A = 0.1L * towards(crank);
  const Point B{A.x + sqrt(number(0.3L * 0.3L) - A.y * A.y), number(0)};
  Machine m;
  m.links = {rod(1, 0.1L, O, A), rod(2, 0.3L, A, B), {0.5L, 0, B, number(0)}};
  m.pins = {{-1, 0, O}, {0, 1, A}, {1, 2, B}};
  m.slides = {{2, B, 0, 1}};
  m.driven = {0};
  m.joints = {crank, m.links[1].angle - crank, number(0) - m.links[1].angle, B.x};
  return m;
}

}  // namespace catena::oracle::planar
