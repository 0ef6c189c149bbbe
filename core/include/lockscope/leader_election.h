// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/client.h>
#include <lockscope/holder.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace lockscope::blocking {

namespace detail {
class Campaign;
}

/// One of many processes leads; when it ends, resigns or loses the lock, another candidate does.
///
///     LeaderElection election(client, "scheduler");
///     election.onElected([&](std::int64_t term) { startScheduling(term); });
///     election.onDeposed([&](const std::string&) { stopScheduling(); });
///     election.campaign();
///
/// It is a lock of that name, held by a watchdog or a session: any recipe with exclusive holds works, and the leader
/// shows as its holder. Candidates of any process are elected in the recipe's order (fair recipes: first come). A
/// leader whose process dies is replaced when its lease ends, so LeaderElection::defaults() has a short one; on
/// ZooKeeper when its session ends (the URL's `?session=`).
///
/// As with any lock, a leader that is paused may believe in its leadership for a moment too long: check isLeader()
/// before a step, or let resources check the term, which grows with each leader.
///
/// Thread-safe, but do not destroy it within its own callbacks. The callbacks run on a thread of the election's own,
/// one at a time: they may block and use locks, and delay only the next callback. isLeader() and lost() do not wait for
/// them.
class LeaderElection {
public:
    /// LockOptions with a lease of 10 s and a watchdog.
    static LockOptions defaults();
    /// Makes a candidate that does not campaign yet. Throws as Mutex's constructor; NotSupportedException for a recipe
    /// whose holds nothing renews or ends, RefusedException for options without a watchdog.
    LeaderElection(const Client& client, std::string_view name, LockOptions options = defaults());
    /// resign()
    ~LeaderElection();
    LeaderElection(const LeaderElection&) = delete;
    LeaderElection& operator=(const LeaderElection&) = delete;

    /// Calls `listener` each time that this candidate is elected; `term` is the fencing token of the leadership, 0
    /// where the recipe gives none. Set the listeners before campaign(). nullptr: none.
    void onElected(std::function<void(std::int64_t term)> listener);
    /// Calls `listener` at the end of each leadership. When it was lost, `reason` is a translated sentence, and another
    /// one may lead already. After resign() it is empty, and nobody else leads before the listener has returned. Each
    /// call of onElected's listener is followed by one of this.
    void onDeposed(std::function<void(const std::string& reason)> listener);
    /// Calls `listener` when the servers refuse the candidature, with the reason. The candidate tries again after a
    /// second. Servers that are away are waited for without a call.
    void onFailed(std::function<void(const std::string& reason)> listener);

    /// Begins to campaign, in the background, and campaigns again after a lost leadership. Nothing when it does so
    /// already. Throws UnreachableException when the client is closed.
    void campaign();
    /// Gives the candidature up and the leadership back; returns when both are over, onDeposed()'s listener included.
    /// Called in a callback, it only begins that. Nothing without a candidature. May campaign again later.
    void resign();
    /// Waits at most `wait` until this candidate leads; whether it does. A stop request ends the wait: false.
    bool waitUntilLeader(std::chrono::nanoseconds wait, std::stop_token stop = {}) const;

    /// Whether this candidate leads now and may act on it. Compares clocks, does not ask the server.
    bool isLeader() const;
    /// The present term: its fencing token, 0 = none or no leader.
    std::int64_t term() const;
    /// Stopped when the present leadership is lost or resigned, before onDeposed()'s listener is called; never stopped
    /// when this candidate does not lead. Its callbacks must not block.
    std::stop_token leadership() const;
    /// Asks the server who leads, in this process or another: Holder::client is the leader's Client::identity(), on
    /// etcd the number of its lease. nullopt: nobody. Throws as Mutex::holder().
    std::optional<Holder> leader();

private:
    std::shared_ptr<detail::Campaign> m_campaign;
};

} // namespace lockscope::blocking
