// A few threads that wait for work.
#pragma once

namespace catena {

// f(context, part) for part = 0 ... parts - 1, part 0 by the caller and the others by waiting
// threads, which are made when they are first needed. Returns when all are done. If the threads are
// busy for another caller, this one does all parts itself: the result is the same.
// `more` says that the next round follows soon, so that the threads stay awake.
//   throws  std::system_error if a thread cannot be made
void run_parts(int parts, void (*f)(void* context, int part), void* context, bool more);

}  // namespace catena
