// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/holder.h>
#include <lockscope/lock_options.h>
#include <lockscope/qt/outcome.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace lockscope::qt {

class Connection;

/// One of many processes leads; when it ends, resigns or loses the lock, another candidate does.
///
///     qt::LeaderElection election(*connection, "scheduler");
///     election.onElected([&](std::int64_t term) { startScheduling(term); });
///     election.onDeposed([&](const QString&) { stopScheduling(); });
///     if (const auto begun = election.campaign(); !begun) complain(begun.error().message);
///
/// A lock of that name, as with blocking::LeaderElection, whose candidates it meets. A leader that is paused may
/// believe in its leadership for a moment too long: check isLeader() before a step, or let resources check the term,
/// which grows with each leader. The callbacks must not destroy the election.
class LeaderElection {
public:
    /// LockOptions with a lease of 10 s and a watchdog.
    static LockOptions defaults();
    /// Makes a candidate that does not campaign yet. It keeps the connection.
    LeaderElection(Connection& connection, const QString& name, LockOptions options = defaults());
    /// As resign(), in the background; no callback is called any more.
    ~LeaderElection();
    LeaderElection(const LeaderElection&) = delete;
    LeaderElection& operator=(const LeaderElection&) = delete;

    /// Calls `listener` each time that this candidate is elected; `term` is the fencing token of the leadership, 0
    /// where the recipe gives none. Set the listeners before campaign(). nullptr: none.
    void onElected(std::function<void(std::int64_t term)> listener);
    /// Calls `listener` at the end of each leadership. When it was lost, `reason` is a translated sentence, and another
    /// one may lead already. After resign() it is empty, and nobody else leads before the listener has returned.
    void onDeposed(std::function<void(const QString& reason)> listener);
    /// Calls `listener` when the servers refuse the candidature, with the reason. The candidate tries again after a
    /// second. Servers that are away are waited for without a call.
    void onFailed(std::function<void(const QString& reason)> listener);

    /// Begins to campaign, in the background, and campaigns again after a lost leadership. Nothing when it does so
    /// already. ErrorKind::NotSupported for a recipe whose holds nothing renews or ends, Refused for options without a
    /// watchdog; errors in name or options as a lock's.
    std::expected<void, Error> campaign();
    /// Gives the candidature up and the leadership back; ends when both are over. Nothing without a candidature. May
    /// campaign again later.
    Outcome<void> resign();
    /// Waits at most `wait` until this candidate leads; whether it does. False when the election is destroyed
    /// meanwhile.
    Outcome<bool> waitUntilLeader(std::chrono::nanoseconds wait = std::chrono::nanoseconds::max(),
                                  std::stop_token stop = {}) const;

    /// Whether this candidate leads now and may act on it. Compares clocks, does not ask the server.
    bool isLeader() const;
    /// The present term: its fencing token, 0 = none or no leader.
    std::int64_t term() const;
    /// Stopped when the present leadership is lost or resigned, before onDeposed()'s listener is called; never stopped
    /// when this candidate does not lead.
    std::stop_token leadership() const;
    /// Asks the server who leads, in this process or another; nullopt: nobody. Errors as Lock::holders().
    Outcome<std::optional<Holder>> leader(std::stop_token stop = {});

private:
    struct Campaign;
    std::shared_ptr<Campaign> m_campaign;
};

} // namespace lockscope::qt
