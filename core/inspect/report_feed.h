// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

#include <map>

namespace lockscope::inspect {

class TraceFeed;

/// Writes reports into a trace. Locks that are gone since the last report are freed; trouble is a gap. If something
/// happened to the server of a lock in between, its earlier hold ended with that server's data.
class ReportFeed {
public:
    explicit ReportFeed(TraceFeed& feed) : m_feed(feed) {}
    void write(const LockReport& report);

private:
    TraceFeed& m_feed;
    bool m_sawAll = false;                     ///< so did the last report
    std::map<QByteArray, QByteArray> m_places; ///< by lock of the last report: its server, of several
};

} // namespace lockscope::inspect
