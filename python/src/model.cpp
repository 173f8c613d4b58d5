// Models: from text, and between the dataclasses of catena/model.py and C++.
#include "catena/model/model.hpp"

#include <filesystem>

#include "catena/loops/loops_that_fit.hpp"
#include "catena/model/cut_joints.hpp"
#include "catena/readers/readers.hpp"
#include "catena/readers/text_file.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;

// Python to C++: attributes of the dataclasses.

std::string text(nb::handle object, const char* name) {
  return nb::cast<std::string>(object.attr(name));
}
double number(nb::handle object, const char* name) {
  return nb::cast<double>(nb::float_(nb::handle(object.attr(name))));
}
Vec3<double> vector(nb::handle object, const char* name) {
  const Input x = Input::one(name, object.attr(name), 3);
  return {x.row(0)[0], x.row(0)[1], x.row(0)[2]};
}
// A direction, brought to unit length where it has one.
Vec3<double> direction(nb::handle object, const char* name) {
  const Vec3<double> a = vector(object, name);
  const double square = dot(a, a);
  if (square == 0 || std::abs(square - 1) < 1e-14) return a;  // a unit vector keeps its numbers
  return (1 / std::sqrt(square)) * a;
}
Mat3<double> matrix(nb::handle object, const char* name, std::size_t size) {
  const Input x(name, object.attr(name), size);
  if (!x.many() || x.rows() != size)
    throw SizeError(std::string(name) + " must be " + std::to_string(size) + " by " +
                    std::to_string(size));
  const auto r0 = x.row(0), r1 = x.row(1), r2 = x.row(2);
  return {{r0[0], r1[0], r2[0]}, {r0[1], r1[1], r2[1]}, {r0[2], r1[2], r2[2]}};
}
Pose<double> pose(nb::handle object, const char* name) {
  const Input x(name, object.attr(name), 4);
  const Mat3<double> R = matrix(object, name, 4);
  const Mat3<double> unit = transpose(R) * R;
  const double off[] = {unit.x.x - 1, unit.y.y - 1, unit.z.z - 1, unit.x.y, unit.x.z, unit.y.z};
  for (double e : off) {
    if (std::abs(e) > 1e-6 || dot(cross(R.x, R.y), R.z) < 0)
      throw InputError(
          {}, "'" + text(object, "name") + "': the rotation of " + name + " is not orthonormal");
  }
  return {R, {x.row(0)[3], x.row(1)[3], x.row(2)[3]}};
}
Where where(nb::handle object) {
  const nb::object place = object.attr("where");
  if (place.is_none()) return {};
  return {nb::cast<std::string>(place[0]), nb::cast<int>(place[1]), nb::cast<int>(place[2])};
}
JointKind kind(nb::handle object) {
  const std::string name = text(object, "kind");
  std::vector<std::string> known;
  for (JointKind k : joint_kinds()) {
    if (name == to_string(k)) return k;
    known.emplace_back(to_string(k));
  }
  throw InputError({}, "'" + text(object, "name") + "': there is no joint of kind '" + name + "'" +
                           did_you_mean(name, known));
}

Body body_from(nb::handle o) {
  Body b{text(o, "name"), number(o, "mass"), vector(o, "com"), {}, where(o)};
  const Mat3<double> I = matrix(o, "inertia", 3);
  b.inertia = {I.x.x, I.y.x, I.z.x, I.y.y, I.z.y, I.z.z};
  const Mat3<double> T = transpose(I);
  for (double d : {T.x.y - I.x.y, T.x.z - I.x.z, T.y.z - I.y.z}) {
    if (std::abs(d) > 1e-12 * (std::abs(I.x.x) + std::abs(I.y.y) + std::abs(I.z.z)))
      throw InputError({}, "body '" + b.name + "': the inertia is not symmetric");
  }
  return b;
}

Joint joint_from(nb::handle o) {
  Joint j;
  j.name = text(o, "name"), j.kind = kind(o);
  j.parent = text(o, "parent"), j.child = text(o, "child");
  j.X_PJ = pose(o, "origin"), j.X_MB = pose(o, "child_origin");
  j.axis = direction(o, "axis"), j.axis2 = direction(o, "axis2"), j.pitch = number(o, "pitch");
  j.limits = {number(o, "lower"), number(o, "upper"), number(o, "velocity"), number(o, "effort")};
  j.dynamics = {number(o, "stiffness"), number(o, "rest"),          number(o, "viscous"),
                number(o, "coulomb"),   number(o, "rotor_inertia"), number(o, "gear_ratio")};
  const nb::object mimic = o.attr("mimic");
  if (!mimic.is_none())
    j.mimic = Mimic{nb::cast<std::string>(mimic[0]), nb::cast<double>(mimic[1]),
                    nb::cast<double>(mimic[2])};
  j.where = where(o);
  return j;
}

Loop loop_from(nb::handle o) {
  Loop l;
  l.name = text(o, "name"), l.rod = text(o, "kind") == "rod";
  l.kind = l.rod ? JointKind::spherical : kind(o);
  l.body1 = text(o, "body1"), l.body2 = text(o, "body2");
  l.X_1L = pose(o, "origin1"), l.X_2L = pose(o, "origin2");
  l.axis = direction(o, "axis"), l.axis2 = direction(o, "axis2");
  l.pitch = number(o, "pitch"), l.length = number(o, "length"), l.where = where(o);
  return l;
}

SpringDamper spring_from(nb::handle o) {
  return {text(o, "name"),      text(o, "body1"),    text(o, "body2"),
          vector(o, "point1"),  vector(o, "point2"), number(o, "stiffness"),
          number(o, "damping"), number(o, "length"), where(o)};
}

Model model_from(nb::handle o) {
  Model m;
  m.name = text(o, "name"), m.note = text(o, "note"), m.ground = text(o, "ground");
  m.gravity = vector(o, "gravity"), m.where = where(o);
  for (nb::handle part : o.attr("bodies")) m.bodies.push_back(body_from(part));
  for (nb::handle part : o.attr("joints")) m.joints.push_back(joint_from(part));
  for (nb::handle part : o.attr("frames"))
    m.frames.push_back({text(part, "name"), text(part, "body"), pose(part, "origin"), where(part)});
  for (nb::handle part : o.attr("loops")) m.loops.push_back(loop_from(part));
  for (nb::handle part : o.attr("springs")) m.springs.push_back(spring_from(part));
  for (nb::handle part : o.attr("actuators"))
    m.actuators.push_back({nb::cast<std::string>(part), {}});
  for (nb::handle part : o.attr("driven")) m.driven.push_back({nb::cast<std::string>(part), {}});
  for (auto [joint, q] : nb::cast<nb::dict>(o.attr("start"))) {
    const bool one = PyFloat_Check(q.ptr()) || PyLong_Check(q.ptr());
    m.start.push_back({nb::cast<std::string>(joint),
                       one ? std::vector<double>{nb::cast<double>(q)} : numbers_of("start", q),
                       {}});
  }
  return m;
}

// C++ to Python: keyword arguments of the dataclasses.

nb::object array(const Vec3<double>& v) {
  const double all[3] = {v.x, v.y, v.z};
  return new_array(all, {3});
}
nb::object array(const Pose<double>& X) {
  const double all[16] = {X.R.x.x, X.R.y.x, X.R.z.x, X.p.x, X.R.x.y, X.R.y.y, X.R.z.y, X.p.y,
                          X.R.x.z, X.R.y.z, X.R.z.z, X.p.z, 0,       0,       0,       1};
  return new_array(all, {4, 4});
}
nb::object array(const Sym3<double>& I) {
  const double all[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  return new_array(all, {3, 3});
}
nb::object place(const Where& w) {
  if (w.file.empty() && w.line == 0) return nb::none();
  return nb::make_tuple(w.file, w.line, w.column);
}

nb::dict parts_of(const Body& b) {
  nb::dict d;
  d["name"] = b.name, d["mass"] = b.mass, d["com"] = array(b.com), d["inertia"] = array(b.inertia);
  d["where"] = place(b.where);
  return d;
}

nb::dict parts_of(const Joint& j) {
  nb::dict d;
  d["name"] = j.name, d["kind"] = to_string(j.kind), d["parent"] = j.parent, d["child"] = j.child;
  d["origin"] = array(j.X_PJ), d["child_origin"] = array(j.X_MB);
  d["axis"] = array(j.axis), d["axis2"] = array(j.axis2), d["pitch"] = j.pitch;
  d["lower"] = j.limits.lower, d["upper"] = j.limits.upper;
  d["velocity"] = j.limits.velocity, d["effort"] = j.limits.effort;
  d["stiffness"] = j.dynamics.stiffness, d["rest"] = j.dynamics.rest;
  d["viscous"] = j.dynamics.viscous, d["coulomb"] = j.dynamics.coulomb;
  d["rotor_inertia"] = j.dynamics.rotor_inertia, d["gear_ratio"] = j.dynamics.gear_ratio;
  if (j.mimic) d["mimic"] = nb::make_tuple(j.mimic->joint, j.mimic->multiplier, j.mimic->offset);
  d["where"] = place(j.where);
  return d;
}

nb::dict parts_of(const Frame& f) {
  nb::dict d;
  d["name"] = f.name, d["body"] = f.body, d["origin"] = array(f.X_BF), d["where"] = place(f.where);
  return d;
}

nb::dict parts_of(const Loop& l) {
  nb::dict d;
  d["name"] = l.name, d["kind"] = l.rod ? "rod" : to_string(l.kind);
  d["body1"] = l.body1, d["body2"] = l.body2;
  d["origin1"] = array(l.X_1L), d["origin2"] = array(l.X_2L);
  d["axis"] = array(l.axis), d["axis2"] = array(l.axis2);
  d["pitch"] = l.pitch, d["length"] = l.length, d["where"] = place(l.where);
  return d;
}

nb::dict parts_of(const SpringDamper& s) {
  nb::dict d;
  d["name"] = s.name, d["body1"] = s.body1, d["body2"] = s.body2;
  d["point1"] = array(s.point1), d["point2"] = array(s.point2);
  d["stiffness"] = s.stiffness, d["damping"] = s.damping, d["length"] = s.length;
  d["where"] = place(s.where);
  return d;
}

template <class T>
nb::list list_of(const std::vector<T>& parts) {
  nb::list all;
  for (const T& part : parts) all.append(parts_of(part));
  return all;
}

nb::dict parts_of_model(const Model& m) {
  nb::dict d;
  d["name"] = m.name, d["note"] = m.note, d["ground"] = m.ground, d["gravity"] = array(m.gravity);
  d["bodies"] = list_of(m.bodies), d["joints"] = list_of(m.joints), d["frames"] = list_of(m.frames);
  d["loops"] = list_of(m.loops), d["springs"] = list_of(m.springs);
  nb::list actuators;
  for (const Actuator& a : m.actuators) actuators.append(a.joint);
  d["actuators"] = actuators;
  nb::list driven;
  for (const DrivenJoint& j : m.driven) driven.append(j.joint);
  d["driven"] = driven;
  nb::dict start;
  for (const StartPosition& s : m.start) start[s.joint.c_str()] = new_array(s.q, {s.q.size()});
  d["start"] = start;
  d["where"] = place(m.where);
  return d;
}

// Readers. Each returns (model, warnings).

nb::tuple read(const std::string& path, bool allow_unphysical, bool floating_base,
               const std::string& loop_file) {
  std::vector<std::string> warnings;
  const Model model = read_model(path, {allow_unphysical, floating_base, loop_file}, &warnings);
  CompileOptions options;
  options.allow_unphysical = allow_unphysical;
  return nb::make_tuple(with_loops_that_fit(model, options, warnings), warnings);
}

nb::tuple parse(const std::string& model_text, const std::string& format, const std::string& file) {
  check_is_text(model_text, file);
  std::vector<std::string> warnings;
  Model model;
  if (format == "yaml")
    model = with_cut_joints(parse_yaml(model_text, file, &warnings), &warnings);
  else if (format == "urdf")
    model = parse_urdf(model_text, file, &warnings);
  else if (format == "spacelib")
    model = parse_spacelib(model_text, file, &warnings);
  else
    throw InputError({}, "formats are 'yaml', 'urdf' and 'spacelib', not '" + format + "'");
  return nb::make_tuple(model, warnings);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A model in C++; catena.Model is what people use.")
      .def(nb::new_(&model_from), "model"_a, "From the parts of a catena.Model.")
      .def("parts", &parts_of_model, nb::sig("def parts(self) -> dict[str, Any]"),
           "Keyword arguments of the dataclasses of catena.model.")
      .def("validate", &validate, "allow_unphysical"_a = false,
           "Warnings; raises InputError at the first thing that cannot be.")
      .def("with_free_base", &with_free_base, "joint_name"_a = "root",
           "The model on a free joint from the world to its base.")
      .def(
          "with_cut_joints", [](const Model& m) { return with_cut_joints(m); },
          "The model with joints that go round in cycles cut to loops.")
      .def(
          "to_text", [](const Model& m, const std::string& path) { return to_text(m, path); },
          "path"_a, "Text in the format that the ending of a path stands for.");
  module.def(
      "read_model", &read, "path"_a, "allow_unphysical"_a = false, "floating_base"_a = false,
      "loop_file"_a = "",
      nb::sig("def read_model(path: str, allow_unphysical: bool = False, floating_base: bool = "
              "False, loop_file: str = '') -> tuple[Model, list[str]]"),
      "A model file and warnings about it.");
  module.def(
      "parse_model", &parse, "text"_a, "format"_a, "file"_a,
      nb::sig("def parse_model(text: str, format: str, file: str) -> tuple[Model, list[str]]"),
      "A model from text and warnings about it.");
}

}  // namespace catena::python
