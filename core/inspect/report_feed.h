// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

#include <functional>
#include <map>

namespace lockscope::inspect {

class TraceFeed;

/// Writes reports into a trace. Locks that are gone since the last report are freed; trouble is a gap. If something
/// happened to the server of a lock in between, its earlier hold ended with that server's data.
class ReportFeed {
public:
    /// `forced`: whether it is known that a person took this lock, whose hold has just ended, from its holder.
    explicit ReportFeed(TraceFeed& feed, std::function<bool(const QByteArray& lock)> forced = {})
        : m_feed(feed), m_forced(std::move(forced)) {}
    void write(const LockReport& report);

private:
    /// How a hold ended that is not there any more; nullopt: that is concluded from its lease.
    std::optional<trace::FreedBy> endOf(const QByteArray& lock) const;

    TraceFeed& m_feed;
    std::function<bool(const QByteArray&)> m_forced;
    bool m_sawAll = false; ///< so did the last report
    struct Before {
        QByteArray server;      ///< of several
        bool byWaiters = false; ///< it was shown because somebody waited for it
    };
    std::map<QByteArray, Before> m_before; ///< by lock of the last report
};

} // namespace lockscope::inspect
