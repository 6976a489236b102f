// The thread pool: one word tells which chunks are left, a countdown tells when they have ended.
#include "backend/reference/pool.h"

#include <algorithm>
#include <system_error>

namespace quince::backend::reference {
namespace {

/// About 20–50 µs: longer than the gap between two kernels of a model, shorter than what a user could notice.
constexpr int kSpins = 4000;
constexpr int kChunksPerThread = 4;

// The word of claims: job number, chunks, claimed chunks.
constexpr int kChunkBits = 16;
constexpr std::uint64_t kChunkMask = (std::uint64_t{1} << kChunkBits) - 1;

std::uint64_t claimed(std::uint64_t word) { return word & kChunkMask; }
std::uint64_t chunks_of(std::uint64_t word) { return (word >> kChunkBits) & kChunkMask; }
bool has_work(std::uint64_t word) { return claimed(word) < chunks_of(word); }

std::uint64_t next_job(std::uint64_t word, int chunks) {
  const std::uint64_t number = (word >> (2 * kChunkBits)) + 1;
  return number << (2 * kChunkBits) | static_cast<std::uint64_t>(chunks) << kChunkBits;
}

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
  constexpr int kMostThreads = static_cast<int>(kChunkMask) / kChunksPerThread;
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  threads = std::clamp(threads, 1, kMostThreads);
  for (int i = 1; i < threads; ++i) {
    try {
      workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      break;  // the system allows no more threads: those there are will do
    }
  }
  errors_.resize(static_cast<std::size_t>(workers_.empty() ? 1 : this->threads() * kChunksPerThread));
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Pool::run_one() {
  std::uint64_t word = claims_.load();
  do {
    if (!has_work(word)) return false;
  } while (!claims_.compare_exchange_weak(word, word + 1));
  // The job cannot end, and so its fields cannot change, before this chunk has.
  const auto chunk = static_cast<int>(claimed(word));
  try {
    job_.call(job_.body, chunk);
  } catch (...) {
    errors_[static_cast<std::size_t>(chunk)] = std::current_exception();
  }
  if (pending_.fetch_sub(1) == 1) {
    const std::lock_guard lock(mutex_);
    finished_.notify_one();
  }
  return true;
}

void Pool::work() {
  const auto ready = [&] { return has_work(claims_.load()) || stop_.load(); };
  while (!stop_) {
    if (!spin_until(ready)) {
      std::unique_lock lock(mutex_);
      ++sleepers_;
      started_.wait(lock, ready);
      --sleepers_;
    }
    if (!stop_) run_one();
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
  pending_ = chunks;
  claims_ = next_job(claims_.load(), chunks);
  if (sleepers_ > 0) {
    const std::lock_guard lock(mutex_);
    started_.notify_all();
  }
  while (run_one()) {
  }
  const auto done = [&] { return pending_.load() == 0; };
  if (!spin_until(done)) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, done);
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace quince::backend::reference
