// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <condition_variable>
#include <lockscope/leader_election.h>
#include <lockscope/mutex.h>
#include <mutex>
#include <thread>

namespace lockscope::blocking::detail {

/// A candidate of an election: a thread that takes the lock, keeps it while it leads, and takes it again after a loss.
class Campaign {
public:
    struct Listeners {
        std::function<void(std::int64_t term)> elected;
        std::function<void(const std::string&reason)> deposed, failed;
    };
    Campaign(const Client& client, std::string_view name, LockOptions options);
    ~Campaign();
    Campaign(const Campaign&) = delete;
    Campaign& operator=(const Campaign&) = delete;

    /// Changes the listeners, under their guard.
    void listen(const std::function<void(Listeners&)>& change);
    void begin();
    /// On its own thread it only asks for the end. In a forked child, where the candidate is the parent's, nothing.
    void resign();
    /// False in a forked child, which has no thread that campaigns. Nothing of the guards below may be touched there,
    /// nor destroyed: that thread waits by them for ever.
    bool ofThisProcess() const;
    bool waitUntilLeader(std::chrono::nanoseconds wait, std::stop_token stop) const;
    bool leads() const;
    std::int64_t term() const;
    std::stop_token leadership() const;
    std::optional<Holder> leader() { return m_seat.holder(); }

private:
    void run(const std::stop_token& resigned);
    /// From the election on; the end of the leadership.
    void lead(Hold hold, const std::stop_token& resigned);
    void fail(const std::string& reason, const std::stop_token& resigned);
    Listeners listeners() const;

    bool onOwnThread() const { return m_own.load() == std::this_thread::get_id(); }

    /// The lock, with the knowledge of its handle.
    struct Seat : Mutex {
        using Mutex::Mutex;
        const detail::Handle& handle() const { return m_handle; }
    };
    Seat m_seat;
    std::atomic<std::thread::id> m_own; ///< the thread that campaigns
    std::mutex m_running;               ///< one begin() or resign() at a time; guards `m_thread`
    std::thread m_thread;
    mutable std::mutex m_guard; ///< guards all below
    std::stop_source m_resigned;
    mutable std::condition_variable_any m_changed;
    Listeners m_listeners;
    Hold m_hold; ///< while it leads
    bool m_lost = false;
    std::string m_reason; ///< why it was lost
    std::stop_source m_leadership{std::nostopstate};
};

} // namespace lockscope::blocking::detail
