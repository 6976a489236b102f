// The thread pool: a counter per worker starts a job, a countdown ends it.
#include "backend/reference/pool.h"

#include <algorithm>
#include <system_error>

namespace quince::backend::reference {
namespace {

/// About 20–50 µs: longer than the gap between two kernels of a model, shorter than what a user could notice.
constexpr int kSpins = 4000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class Condition>
bool spin_until(Condition condition) {
  for (int i = 0; i < kSpins; ++i) {
    if (condition()) return true;
    relax();
  }
  return condition();
}

}  // namespace

Pool::Pool(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  errors_.resize(static_cast<std::size_t>(std::max(threads, 1)));
  for (int i = 1; i < threads; ++i) {
    auto worker = std::make_unique<Worker>();
    try {
      worker->thread = std::thread([this, w = worker.get(), i] { work(*w, i); });
    } catch (const std::system_error&) {
      break;  // the system allows no more threads: those there are will do
    }
    workers_.push_back(std::move(worker));
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  started_.notify_all();
  for (const auto& worker : workers_) worker->thread.join();
}

void Pool::run_chunk(int index) {
  try {
    job_.call(job_.body, index);
  } catch (...) {
    errors_[static_cast<std::size_t>(index)] = std::current_exception();
  }
}

void Pool::work(Worker& worker, int index) {
  for (std::uint64_t done = 0;; ++done) {
    const auto ready = [&] { return worker.jobs.load(std::memory_order_acquire) != done || stop_.load(); };
    if (!spin_until(ready)) {
      std::unique_lock lock(mutex_);
      started_.wait(lock, ready);
    }
    if (stop_) return;
    run_chunk(index);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::lock_guard lock(mutex_);
      finished_.notify_one();
    }
  }
}

void Pool::run_job(int chunks, Job job) {
  std::unique_lock own(busy_, std::defer_lock);
  if (chunks <= 1 || workers_.empty() || !own.try_lock()) {
    for (int i = 0; i < chunks; ++i) job.call(job.body, i);
    return;
  }
  job_ = job;
  std::ranges::fill(errors_, nullptr);
  pending_.store(chunks - 1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    for (int i = 1; i < chunks; ++i) {
      workers_[static_cast<std::size_t>(i) - 1]->jobs.fetch_add(1, std::memory_order_release);
    }
  }
  started_.notify_all();
  run_chunk(0);
  const auto done = [&] { return pending_.load(std::memory_order_acquire) == 0; };
  if (!spin_until(done)) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, done);
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace quince::backend::reference
