// A fixed set of threads that runs the chunks of one kernel at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace quince::backend::reference {

/// Threads wait by spinning briefly, then block. One job runs at a time; a caller that finds the pool busy with
/// another session's job runs its chunks itself, so results never depend on who got the pool.
class Pool {
 public:
  /// `threads` counts the caller; 0: one per available core.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body(i) once for every i in [0, chunks), chunks ≤ threads(). Throws what the lowest failing chunk threw,
  /// after all have ended.
  template <class Body>
  void run(int chunks, Body&& body) {
    using B = std::remove_reference_t<Body>;
    run_job(chunks, {[](void* b, int i) { (*static_cast<B*>(b))(i); }, const_cast<void*>(static_cast<const void*>(&body))});
  }

 private:
  struct Job {
    void (*call)(void*, int) = nullptr;
    void* body = nullptr;
  };

  struct Worker {
    std::atomic<std::uint64_t> jobs{0};  ///< how many it has been given
    std::thread thread;
  };

  void run_job(int chunks, Job job);
  void work(Worker& worker, int index);
  void run_chunk(int index);

  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex busy_;  ///< held by the caller whose job runs
  Job job_;
  std::vector<std::exception_ptr> errors_;  ///< one per chunk

  std::mutex mutex_;  ///< guards the blocking waits
  std::condition_variable started_;
  std::condition_variable finished_;
  std::atomic<int> pending_{0};  ///< workers that have not ended the current job
  std::atomic<bool> stop_{false};
};

}  // namespace quince::backend::reference
