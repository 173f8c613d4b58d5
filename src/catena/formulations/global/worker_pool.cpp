#include "catena/formulations/global/worker_pool.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace catena::constraint_force {
namespace {

class Pool {
 public:
  ~Pool() {
    stop_ = true;
    announce();
    for (std::thread& t : threads_) t.join();
  }

  bool try_run(int parts, void (*f)(void*, int), void* context) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    f_ = f, context_ = context, parts_ = parts;
    while (static_cast<int>(threads_.size()) < parts - 1) {
      const int part = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, part, seen = round_.load()] { work(part, seen); });
    }
    // Every thread answers every round, also those without a part: none may be late for the next.
    working_ = static_cast<int>(threads_.size());
    announce();
    f(context, 0);
    for (int left = working_; left > 0; left = working_) working_.wait(left);
    return true;
  }

 private:
  void announce() {
    ++round_;
    round_.notify_all();
  }
  void work(int part, unsigned seen) {
    for (;;) {
      round_.wait(seen);
      seen = round_.load();
      if (stop_) return;
      if (part < parts_) f_(context_, part);
      if (--working_ == 0) working_.notify_one();
    }
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::atomic<unsigned> round_ = 0;
  std::atomic<int> working_ = 0;
  std::atomic<bool> stop_ = false;
  void (*f_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
};

}  // namespace

void run_parts(int parts, void (*f)(void* context, int part), void* context) {
  static Pool pool;
  if (parts > 1 && pool.try_run(parts, f, context)) return;
  for (int part = 0; part < parts; ++part) f(context, part);
}

}  // namespace catena::constraint_force
