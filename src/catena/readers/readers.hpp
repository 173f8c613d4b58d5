// Readers and writers: text to Model and back. The format follows from the file's ending.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/model.hpp"

namespace catena {

struct ReadOptions {
  bool allow_unphysical = false;  // inertias that no real body can have become warnings
  bool floating_base = false;     // on a free joint 'root', as with_free_base() does
  std::string loop_file{};  // of a URDF: its loops (readers/loop_file.hpp), if not found by name
};

// Reads and validates a model: .yaml, .yml (native), .urdf, .xml (URDF), .spacelib, .dat (robot
// data of SPACELIB; readers/spacelib.hpp).
//   writes  warnings, if given: one sentence each, with their place
//   throws  InputError
Model read_model(const std::string& path, const ReadOptions& options = {},
                 std::vector<std::string>* warnings = nullptr);

// The same from text; `file` names the source in messages. Not validated: call validate().
Model parse_yaml(std::string_view text, const std::string& file,
                 std::vector<std::string>* warnings = nullptr);
Model parse_urdf(std::string_view text, const std::string& file,
                 std::vector<std::string>* warnings = nullptr);

Model parse_spacelib(std::string_view text, const std::string& file,
                     std::vector<std::string>* warnings = nullptr);

// Text that reads back to a model with the same results. Numbers round-trip bit for bit.
std::string to_yaml(const Model& model);
// Writes what URDF cannot say (screw, springs, rotors, gravity, ...) as <catena .../> elements,
// which other readers ignore, and says so in `warnings`.
std::string to_urdf(const Model& model, std::vector<std::string>* warnings = nullptr);

// By the ending of `path`; throws InputError for an ending that is no model format.
std::string to_text(const Model& model, const std::string& path,
                    std::vector<std::string>* warnings = nullptr);

}  // namespace catena
