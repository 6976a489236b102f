// A fixed set of threads that runs the chunks of one kernel at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace quince::backend::reference {

/// Threads claim chunks one by one, the caller too, so that a thread the system runs late holds nobody up. They wait by
/// spinning briefly, then block. One job runs at a time; a caller that finds the pool busy with another session's job
/// runs its chunks itself. Who runs which chunk is left to chance: a chunk's result must not depend on it.
class Pool {
 public:
  /// `threads` counts the caller; 0: one per available core.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  /// The most chunks of a job: a few per thread.
  int most_chunks() const { return static_cast<int>(errors_.size()); }

  /// Calls body(i) once for every i in [0, chunks), chunks ≤ most_chunks(). Throws what the lowest failing chunk threw,
  /// after all have ended.
  template <class Body>
  void run(int chunks, Body&& body) {
    using B = std::remove_reference_t<Body>;
    run_job(chunks,
            {[](void* b, int i) { (*static_cast<B*>(b))(i); }, const_cast<void*>(static_cast<const void*>(&body))});
  }

 private:
  struct Job {
    void (*call)(void*, int) = nullptr;
    void* body = nullptr;
  };

  void run_job(int chunks, Job job);
  void work();
  /// Claims a chunk of the current job and runs it; false if all are claimed.
  bool run_one();

  std::vector<std::thread> workers_;
  std::mutex busy_;                         ///< held by the caller whose job runs
  Job job_;                                 ///< changes only while every chunk has ended
  std::vector<std::exception_ptr> errors_;  ///< one per chunk

  /// The job's number, how many chunks it has and how many of them are claimed, in one word.
  std::atomic<std::uint64_t> claims_{0};
  std::atomic<int> pending_{0};   ///< chunks that have not ended
  std::atomic<int> sleepers_{0};  ///< workers that block or are about to
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  ///< guards the blocking waits
  std::condition_variable started_;
  std::condition_variable finished_;
};

}  // namespace quince::backend::reference
