// Loops in URDF: <loop> elements, and what <catena> says about closed mechanisms.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.hpp"
#include "catena/readers/urdf_values.hpp"

namespace catena {

// <loop name="tip" type="revolute">
//   <predecessor link="a"> <origin xyz="1 0 0"/> </predecessor>
//   <successor link="b"> <origin xyz="0.5 0 0"/> </successor>
//   <axis xyz="0 0 1"/>
// </loop>
//   throws  InputError
Loop read_urdf_loop(const XmlDocument& xml, const tinyxml2::XMLElement& element,
                    std::vector<std::string>* warnings);

// <actuator joint/>, <driven joint/>, <spring .../> or <start joint q/> within <catena>. False for
// anything else.
bool read_urdf_extension(const UrdfPart& part, const tinyxml2::XMLElement& element, Model& model);

}  // namespace catena
