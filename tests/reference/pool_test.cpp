// The thread pool: every chunk once, errors in order, callers side by side.
#include "backend/reference/pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "backend/reference/execute.h"

namespace quince::backend::reference {
namespace {

TEST(ReferencePool, RunsEveryChunkOnceThoughItsThreadsSlept) {
  Pool pool(4);
  for (int round = 0; round < 200; ++round) {
    const int chunks = 1 + round % pool.threads();
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(chunks));
    pool.run(chunks, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
    if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(ReferencePool, ThrowsWhatTheLowestFailingChunkThrew) {
  Pool pool(4);
  for (int round = 0; round < 20; ++round) {
    try {
      pool.run(4, [](int i) {
        if (i > 0) throw std::to_string(i);
      });
      FAIL();
    } catch (const std::string& text) {
      EXPECT_EQ(text, "1");
    }
  }
}

TEST(ReferencePool, ServesSeveralCallers) {
  Pool pool(3);
  std::atomic<int> total = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) pool.run(3, [&](int) { ++total; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 100 * 3);
}

TEST(ReferencePool, PartsCoverEverythingAndBeginAtWholeGrains) {
  for (std::int64_t count : {0, 1, 511, 512, 513, 5000, 70001}) {
    for (int parts : {1, 2, 3, 7, 12}) {
      EXPECT_EQ(part_begin(count, parts, 0, 512), 0);
      EXPECT_EQ(part_begin(count, parts, parts, 512), count);
      for (int part = 0; part < parts; ++part) {
        EXPECT_EQ(part_begin(count, parts, part, 512) % 512, 0);
        EXPECT_LE(part_begin(count, parts, part, 512), part_begin(count, parts, part + 1, 512));
      }
    }
  }
}

TEST(ReferencePool, OneThreadIsTheCaller) {
  Pool pool(1);
  EXPECT_EQ(pool.threads(), 1);
  const auto caller = std::this_thread::get_id();
  pool.run(1, [&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

}  // namespace
}  // namespace quince::backend::reference
