#include "catena/formulations/global/worker_pool.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace catena::constraint_force {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns when x is no longer `old`. Sleeps only after some 50 microseconds, and so not between the
// rounds of one computation.
template <class A>
void wait_while(const std::atomic<A>& x, A old) {
  for (int k = 0; k < 1500; ++k) {
    if (x.load() != old) return;
    relax();
  }
  x.wait(old);
}

// A sleeper that is woken on a busy machine often finds himself queued behind the one who woke him.
// Moves this thread to another core then; from there on the scheduler leaves him there.
int this_core() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}
void leave_core(int core) {
#if defined(__linux__)
  cpu_set_t all, others;
  if (core < 0 || core != sched_getcpu() || sched_getaffinity(0, sizeof all, &all) != 0) return;
  others = all;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) == 0) return;
  sched_setaffinity(0, sizeof others, &others);
  sched_setaffinity(0, sizeof all, &all);
#else
  static_cast<void>(core);
#endif
}

class Pool {
 public:
  ~Pool() {
    stop_ = true;
    for (Worker& w : workers_) call(w);
    for (Worker& w : workers_) w.thread.join();
  }

  bool try_run(int parts, void (*f)(void*, int), void* context) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    while (static_cast<int>(workers_.size()) < parts - 1) {
      Worker& w = workers_.emplace_back();
      const int part = static_cast<int>(workers_.size());
      w.thread = std::thread([this, &w, part] { work(w, part); });
    }
    f_ = f, context_ = context, core_ = this_core();
    working_ = parts - 1;
    auto w = workers_.begin();
    for (int part = 1; part < parts; ++part, ++w) call(*w);
    f(context, 0);
    for (int left = working_; left > 0; left = working_) wait_while(working_, left);
    return true;
  }

 private:
  struct alignas(64) Worker {
    std::atomic<unsigned> calls = 0;
    std::thread thread;
  };
  static void call(Worker& w) {
    ++w.calls;
    w.calls.notify_one();
  }
  void work(Worker& w, int part) {
    for (unsigned seen = 0;; ++seen) {
      wait_while(w.calls, seen);
      if (stop_) return;
      leave_core(core_);
      f_(context_, part);
      if (--working_ == 0) working_.notify_one();
    }
  }

  std::mutex mutex_;
  std::list<Worker> workers_;
  alignas(64) std::atomic<int> working_ = 0;
  std::atomic<bool> stop_ = false;
  void (*f_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int core_ = -1;
};

}  // namespace

void run_parts(int parts, void (*f)(void* context, int part), void* context) {
  static Pool pool;
  if (parts > 1 && pool.try_run(parts, f, context)) return;
  for (int part = 0; part < parts; ++part) f(context, part);
}

}  // namespace catena::constraint_force
