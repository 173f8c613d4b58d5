#include "catena/loops/loops_that_fit.hpp"

#include <cstdio>

#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

constexpr int points_to_try = 8;

bool is_weld_from_elsewhere(const Model& model, const Loop& loop) {
  return !loop.rod && loop.kind == JointKind::fixed && !loop.where.file.empty() &&
         loop.where.file != model.where.file;
}

}  // namespace

Model with_loops_that_fit(const Model& model, const CompileOptions& options,
                          std::vector<std::string>& warnings) {
  Model soft = model;
  int welds = 0;
  for (Loop& loop : soft.loops) {
    if (!is_weld_from_elsewhere(model, loop)) continue;
    loop.kind = JointKind::spherical;
    ++welds;
  }
  if (welds == 0) return model;
  const ClosedMechanism hard = compile_closed(model, options);
  LoopState hard_state(hard);
  const Assembly welded = assemble_from_afar(hard, hard_state, hard.start, {}, points_to_try);
  if (welded.closed) return model;
  const ClosedMechanism loose = compile_closed(soft, options);
  LoopState loose_state(loose);
  if (!assemble_from_afar(loose, loose_state, loose.start).closed) return model;
  const Closure& worst = hard.closures[index(welded.worst_closure)];
  char gap[32];
  std::snprintf(gap, sizeof gap, "%.2g", welded.residual);
  warnings.push_back(to_string(worst.where) + ": loops of type 6d cannot be closed (" + gap +
                     " m or rad remain in '" + worst.name +
                     "'): all of them are taken as 3d, where only the origins of the frames meet");
  return soft;
}

}  // namespace catena
