#include "catena/support/worker_pool.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace catena {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns when x is no longer `old`. Sleeps only after some 80 microseconds, or much later: a
// sleeper may have to wait for milliseconds until a busy core lets him in again.
template <class A>
void wait_while(const std::atomic<A>& x, A old, bool patient) {
  for (int k = 0; k < (patient ? 500000 : 1500); ++k) {
    if (x.load() != old) return;
    relax();
  }
  x.wait(old);
}

int this_core() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}
// On a busy machine a sleeper is often queued behind the one who woke him, on the same core. This
// keeps a thread off that core, if there is another one.
void keep_off(std::thread& thread, int core) {
#if defined(__linux__)
  cpu_set_t others;
  if (core < 0 || sched_getaffinity(0, sizeof others, &others) != 0) return;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) > 0) {
    pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
  }
#else
  static_cast<void>(thread), static_cast<void>(core);
#endif
}

class Pool {
 public:
  ~Pool() {
    stop_ = true;
    for (Worker& w : workers_) call(w);
    for (Worker& w : workers_) w.thread.join();
  }

  bool try_run(int parts, void (*f)(void*, int), void* context, bool more) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    while (static_cast<int>(workers_.size()) < parts - 1) {
      Worker& w = workers_.emplace_back();
      const int part = static_cast<int>(workers_.size());
      w.thread = std::thread([this, &w, part] { work(w, part); });
    }
    f_ = f, context_ = context, more_ = more;
    const int core = this_core();
    working_ = parts - 1;
    auto w = workers_.begin();
    for (int part = 1; part < parts; ++part, ++w) {
      if (w->off != core) keep_off(w->thread, w->off = core);
      call(*w);
    }
    f(context, 0);
    for (int left = working_; left > 0; left = working_) wait_while(working_, left, false);
    return true;
  }

 private:
  struct alignas(64) Worker {
    std::atomic<unsigned> calls = 0;
    std::thread thread;
    int off = -1;  // the core it is kept off
  };
  static void call(Worker& w) {
    ++w.calls;
    w.calls.notify_one();
  }
  void work(Worker& w, int part) {
    bool more = false;
    for (unsigned seen = 0;; ++seen) {
      wait_while(w.calls, seen, more);
      if (stop_) return;
      f_(context_, part);
      more = more_;
      if (--working_ == 0) working_.notify_one();
    }
  }

  std::mutex mutex_;
  std::list<Worker> workers_;
  alignas(64) std::atomic<int> working_ = 0;
  std::atomic<bool> stop_ = false;
  void (*f_)(void*, int) = nullptr;
  void* context_ = nullptr;
  bool more_ = false;
};

}  // namespace

void run_parts(int parts, void (*f)(void* context, int part), void* context, bool more) {
  static Pool pool;
  if (parts > 1 && pool.try_run(parts, f, context, more)) return;
  for (int part = 0; part < parts; ++part) f(context, part);
}

}  // namespace catena
