// The parts that DH rows and general bodies and joints have in common.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.hpp"
#include "catena/readers/yaml_table.hpp"

namespace catena::yaml {

// All keys of a body's mass, of a joint's forces: for the list of allowed keys.
extern const Keys mass_keys;
extern const Keys force_keys;
Keys join(const Keys& a, const Keys& b);

// mass, com, inertia, inertia_axes
void read_mass(const Table& table, Body& body);

// inertia_about, once the mass centre is known
void read_inertia_about(const Table& table, Body& body);

// limits, stiffness, rest, viscous, coulomb, rotor_inertia, gear_ratio, mimic
void read_forces(const Table& table, Joint& joint);

JointKind read_kind(const Table& table, const std::string& key, const Value& value);

// pitch (metres per radian) or lead (metres per turn) of a screw
void read_pitch(const Table& table, Joint& joint);

// "origin: {xyz, rpy | quaternion | rotation}" or "origin: [x, y, z]"; identity without the key
Pose<double> read_pose(const Table& table, const std::string& key);

// Unit vector: "axis: [0, 0, 1]" or "axis: z" (x, y, z, -x, -y, -z)
Vec3<double> read_axis(const Table& table, const std::string& key,
                       std::vector<std::string>* warnings);

// The rotation in a table that has at most one of rpy, quaternion, rotation.
Mat3<double> read_rotation(const Table& table);

// One entry of loops and of springs; the lists of actuators, driven joints and start positions
// (once the joints are there).
Loop read_loop(const Value& value, std::size_t index, std::vector<std::string>* warnings);
SpringDamper read_spring(const Value& value, std::size_t index);
void read_actuators(const Table& table, const Value& value, Model& model);
void read_driven(const Table& table, const Value& value, Model& model);
void read_start(const Value& value, Model& model);

// Adds the bodies and joints of one chain or of a list of chains to the model.
void read_dh(const Value& value, Model& model);

}  // namespace catena::yaml
