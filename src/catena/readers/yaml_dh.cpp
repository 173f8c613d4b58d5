// Denavit-Hartenberg tables.
#include <fmt/format.h>

#include <optional>

#include "catena/readers/yaml_parts.hpp"

namespace catena::yaml {
namespace {

struct DhRow {
  double a, b, alpha, theta;
};

// Sums with zero have no negative zeros.
Pose<double> clean(const Pose<double>& X) {
  const Vec3<double> zero{};
  return {{zero + X.R.x, zero + X.R.y, zero + X.R.z}, zero + X.p};
}

// Rz(theta) Tz(b) Tx(a) Rx(alpha)
Pose<double> standard_pose(const DhRow& row) {
  const auto [st, ct] = sincos_of_constant(row.theta);
  const auto [sa, ca] = sincos_of_constant(row.alpha);
  return clean({{{ct, st, 0}, {-st * ca, ct * ca, sa}, {st * sa, -ct * sa, ca}},
                {row.a * ct, row.a * st, row.b}});
}

// Rx(alpha) Tx(a) Rz(theta) Tz(b)
Pose<double> modified_pose(const DhRow& row) {
  const auto [st, ct] = sincos_of_constant(row.theta);
  const auto [sa, ca] = sincos_of_constant(row.alpha);
  return clean({{{ct, ca * st, sa * st}, {-st, ca * ct, sa * ct}, {0, -sa, ca}},
                {row.a, -sa * row.b, ca * row.b}});
}

const Keys& row_keys() {
  static const Keys keys =
      join(join({"name", "joint", "type", "a", "b", "d", "alpha", "theta", "r"}, mass_keys),
           join({"pitch", "lead"}, force_keys));
  return keys;
}

DhRow read_numbers(const Table& table) {
  const std::string b = table.one_of({"b", "d"});
  return {table.number("a", dimension::length, 0),
          b.empty() ? 0 : table.number(b, dimension::length, 0),
          table.number("alpha", dimension::angle, 0), table.number("theta", dimension::angle, 0)};
}

JointKind read_row_kind(const Table& table) {
  const Value* value = table.find("type");
  if (!value) return JointKind::revolute;
  const JointKind kind = read_kind(table, "type", *value);
  switch (kind) {
    case JointKind::fixed:
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::screw:
    case JointKind::cylindrical:
      return kind;
    default:
      break;
  }
  table.fail(value->where(),
             fmt::format("a {} joint cannot stand in a DH table: it does not move along or about "
                         "one z axis",
                         to_string(kind)),
             "describe this body and joint under bodies and joints");
}

class Chain {
 public:
  Chain(const Table& table, Model& model) : model_(model) {
    const std::string convention = table.text("convention", "standard");
    if (convention != "standard" && convention != "modified") {
      table.fail("convention", fmt::format("'convention: {}' is not known", printable(convention)),
                 "write standard (joint i along z of frame i-1) or modified (along z of frame i)");
    }
    modified_ = convention == "modified";
    parent_ = table.text("base", model.ground);
    X_PJ_ = read_pose(table, "origin");
  }

  // The joint acts along z of J: standard, J is the frame of the link before and the row follows
  // the motion; modified, the row leads to J. Turning and sliding along one z commute, so that the
  // given theta and b are offsets in both.
  void add_row(const Value& value, std::size_t index) {
    const Table table(value, label_of(value, "link", "name", index), row_keys());
    Joint joint;
    joint.where = table.where();
    joint.name = table.text("joint", fmt::format("joint{}", index + 1));
    joint.kind = read_row_kind(table);
    joint.parent = parent_;
    joint.child = table.text("name", fmt::format("link{}", index + 1));
    const DhRow row = read_numbers(table);
    joint.X_PJ = modified_ ? X_PJ_ * modified_pose(row) : X_PJ_;
    if (!modified_) joint.X_MB = standard_pose(row);
    read_pitch(table, joint);
    read_forces(table, joint);

    Body body;
    body.where = joint.where;
    body.name = joint.child;
    read_mass(table, body);
    if (table.one_of({"com", "r"}) == "r") {
      body.com = Vec3<double>{} - table.vector("r", dimension::length, {});
    }
    read_inertia_about(table, body);

    parent_ = joint.child;
    X_PJ_ = {};
    model_.joints.push_back(std::move(joint));
    model_.bodies.push_back(std::move(body));
  }

 private:
  Model& model_;
  bool modified_ = false;
  std::string parent_;
  Pose<double> X_PJ_;
};

void read_chain(const Value& value, Model& model) {
  const Table table(value, "dh", {"convention", "base", "origin", "links"});
  Chain chain(table, model);
  const Value& links = table.need("links", "write the rows of the table as a list under 'links:'");
  const auto& rows = table.list_of("links", links);
  for (std::size_t i = 0; i < rows.size(); ++i) chain.add_row(*rows[i], i);
}

}  // namespace

void read_dh(const Value& value, Model& model) {
  if (value.kind != Value::Kind::list) return read_chain(value, model);
  for (const ValuePtr& chain : value.items) read_chain(*chain, model);
}

}  // namespace catena::yaml
