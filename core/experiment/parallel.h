// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace lockscope::experiment {

/// Calls `work(n)` for the numbers first…last on all cores, and `take(n, result)` on this thread in the order of the
/// numbers. Results that wait for an earlier one are bounded in number, however many there are. Precondition: first <=
/// last.
template <typename Result, typename Work, typename Take>
void runInParallel(std::uint64_t first, std::uint64_t last, Work work, Take take) {
    constexpr std::uint64_t kAhead = 256;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint64_t, Result> done;
    std::uint64_t next = first, taken = 0; // `taken` counts, so that last may be the greatest number there is
    bool exhausted = false;

    const auto loop = [&] {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [&] { return exhausted || next - first < taken + kAhead; });
            if (exhausted) return;
            const std::uint64_t number = next;
            if (number == last)
                exhausted = true;
            else
                ++next;
            lock.unlock();
            Result result = work(number);
            lock.lock();
            done.emplace(number, std::move(result));
            changed.notify_all();
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(loop);

    for (std::uint64_t number = first;; ++number) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return done.contains(number); });
        const Result result = std::move(done.extract(number).mapped());
        ++taken;
        changed.notify_all();
        lock.unlock();
        take(number, result);
        if (number == last) break;
    }
}

} // namespace lockscope::experiment
