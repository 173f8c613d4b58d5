// How a run is remembered, to go on with --resume.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "simulate.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;

// FNV-1a of a file, or of the text itself if there is no such file.
std::string digest(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u; };
  if (stream) {
    for (std::istreambuf_iterator<char> i(stream), end; i != end; ++i) add(*i);
  } else {
    for (char c : path) add(c);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string fingerprint(const SimulateOptions& o) {
  Json all = {{"model", digest(o.model.path)},
              {"floating_base", o.model.floating_base},
              {"loop_file", digest(o.model.loop_file)},
              {"sample", sample_step(o)},
              {"method", o.method},
              {"integrator", o.integrator},
              {"step", o.step},
              {"max_step", o.max_step},
              {"rtol", o.rtol},
              {"atol", o.atol},
              {"initial", digest(o.initial)},
              {"motion", digest(o.motion)},
              {"controller", o.controller},
              {"kp", o.kp},
              {"kd", o.kd},
              {"interpolation", o.interpolation},
              {"stops", o.stops},
              {"restitution", o.restitution},
              {"energy", o.energy},
              {"qdd", o.accelerations},
              {"tau", o.forces},
              {"driven", o.driven},
              {"loops", o.loops},
              {"stabilise", o.stabilise},
              {"baumgarte", o.baumgarte},
              {"coordinates", o.coordinates},
              {"through_singularities", o.through_singularities}};
  for (const std::string& torque : o.torques) all["torque"].push_back(digest(torque));
  return all.dump();
}

std::string checkpoint_path(const std::string& file) { return file + ".resume"; }

void write_checkpoint(const std::string& file, const Checkpoint& c) {
  const SimulationState& s = c.state;
  const Json all = {{"run", c.run},
                    {"bytes", c.bytes},
                    {"rows", c.rows},
                    {"first_energy", c.first_energy},
                    {"drift", c.drift},
                    {"most_kinetic", c.most_kinetic},
                    {"residual", c.residual},
                    {"last_time", c.last_time},
                    {"events", Json::parse(c.events)},
                    {"nearest",
                     {{"distance", c.nearest.distance},
                      {"time", c.nearest.time},
                      {"q", std::vector<double>(c.nearest.q.begin(), c.nearest.q.end())}}},
                    {"choices", c.choices},
                    {"time", s.time},
                    {"q", s.q},
                    {"v", s.v},
                    {"step", s.memory.step},
                    {"last_error", s.memory.last_error},
                    {"steps", s.counts.steps},
                    {"rejected", s.counts.rejected},
                    {"evaluations", s.counts.evaluations},
                    {"next_sample", s.next_sample},
                    {"regime", s.regime},
                    {"switches", s.switches}};
  write_file_whole(checkpoint_path(file), all.dump() + "\n");
}

Checkpoint read_checkpoint(const std::string& file, const std::string& run) {
  const std::string path = checkpoint_path(file);
  std::ifstream stream(path);
  if (!stream)
    throw InputError({file}, "there is nothing to go on with: " + path + " is missing",
                     "the run is finished, or never began; leave --resume out to begin anew");
  Checkpoint c;
  try {
    const Json all = Json::parse(stream);
    c.run = all.at("run");
    c.bytes = all.at("bytes"), c.rows = all.at("rows");
    c.first_energy = all.at("first_energy"), c.drift = all.at("drift");
    c.most_kinetic = all.at("most_kinetic"), c.residual = all.at("residual");
    c.last_time = all.at("last_time"), c.events = all.at("events").dump();
    const Json& nearest = all.at("nearest");
    const auto q = nearest.at("q").get<std::vector<double>>();
    c.nearest = {nearest.at("distance"), nearest.at("time"),
                 Eigen::VectorXd::Map(q.data(), static_cast<Eigen::Index>(q.size()))};
    c.choices = all.at("choices");
    SimulationState& s = c.state;
    s.time = all.at("time");
    s.q = all.at("q").get<std::vector<double>>();
    s.v = all.at("v").get<std::vector<double>>();
    s.memory = {all.at("step"), all.at("last_error")};
    s.counts = {all.at("steps"), all.at("rejected"), all.at("evaluations")};
    s.next_sample = all.at("next_sample");
    s.regime = all.at("regime");
    s.switches = all.at("switches");
  } catch (const nlohmann::json::exception& error) {
    throw InputError({path}, std::string("not what --resume needs: ") + error.what(),
                     "the file has been changed; leave --resume out to begin anew");
  }
  if (c.run != run) {
    const Json before = Json::parse(c.run), now = Json::parse(run);
    for (const auto& [key, value] : now.items()) {
      if (before.value(key, Json()) != value)
        throw InputError({file}, "the run that was interrupted had another '" + key + "'",
                         "give the same options and files as then; only --duration may change");
    }
  }
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size < static_cast<std::uintmax_t>(c.bytes))
    throw InputError({file}, "the file is missing or shorter than it was",
                     "leave --resume out to begin anew");
  return c;
}

void remove_checkpoint(const std::string& file) {
  std::error_code error;
  std::filesystem::remove(checkpoint_path(file), error);
}

}  // namespace catena::cli
