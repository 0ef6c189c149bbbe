// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/alert_rule.h"
#include "inspect/lock_report.h"

#include <deque>
#include <map>
#include <set>

namespace lockscope::inspect {

/// A rule that has begun to be true of a lock, or is over.
struct Alert {
    enum class State : std::uint8_t { Raised, Over };
    State state = State::Raised;
    AlertRule rule;
    QByteArray lock;  ///< empty: of the server
    QString sentence; ///< Raised: what is so, and what to do
};

/// Applies rules to the reports of one watcher. A time since something happened is counted from when the server says
/// that it happened, or else from when it was first seen: then the sentence says "at least". Guesses raise nothing.
class AlertWatch {
public:
    explicit AlertWatch(std::vector<AlertRule> rules) : m_rules(std::move(rules)) {}

    /// Takes note of a report; call it for each one.
    void observe(const LockReport& report);
    /// The alerts that begin or end now. `now`: the clock of LockReport::at. Call it after observe(), and now and then
    /// while nothing is reported, since time alone makes some of them true.
    std::vector<Alert> check(Nanos now);
    /// How many are raised at present.
    std::size_t raised() const { return m_raised.size(); }

private:
    /// Since when something is so, by the clock of LockReport::at.
    struct Since {
        QByteArray who;
        Nanos at{};
        bool seenToBegin = false; ///< else it is so for at least that long
    };
    struct Lock {
        LockRow row;
        Since holder, firstWaiter;
        std::deque<Nanos> handOvers; ///< of the last minute
        std::optional<std::int64_t> highestToken;
        bool tokenWentBack = false;
    };
    void observe(Lock& lock, const LockRow& row, const LockReport& report);
    /// The rule's sentence about the lock at `now`; empty: it is not true of it.
    QString sentence(const AlertRule& rule, const Lock& lock, Nanos now) const;

    std::vector<AlertRule> m_rules;
    std::map<QByteArray, Lock> m_locks;
    std::set<std::pair<std::size_t, QByteArray>> m_raised; ///< rule, lock
    Nanos m_seenAt{};                                      ///< of the last report that could be read
    std::optional<Nanos> m_troubleSince;
    QString m_trouble;
    bool m_first = true; ///< nothing was seen before: what is there may be old
};

} // namespace lockscope::inspect
