// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"
#include "inspect/seen_content.h"
#include "trace/record.h"

#include <map>
#include <unordered_map>

namespace lockscope::trace {
class Trace;
}

namespace lockscope::inspect {

/// Makes reports of one connection's locks out of a trace that a TraceFeed wrote, so that what reads reports can read a
/// recording, too. A report has what the trace keeps: not the load, the topology or other notes than
/// WatchNote::MayEvict.
class RecordedReports {
public:
    /// `connection`: see trace/connection.h; kNoEntity: all locks of the trace. `trace` outlives this.
    RecordedReports(const trace::Trace& trace, trace::EntityId connection) : m_trace(trace), m_connection(connection) {}

    /// Takes the trace's next row. Rows of other connections, and of one server's copies, say nothing here.
    void apply(const trace::Event& event);
    /// Whether a row since the last report says something about the locks or the server.
    bool hasNews() const { return m_news; }
    /// Since when the server has not answered, where it is lost at the moment.
    std::optional<Nanos> unansweredSince() const { return m_unansweredSince; }
    /// Whether any row so far does.
    bool hasBegun() const { return m_begun; }
    /// Whether the watcher had seen all locks once: what came later was not there before.
    bool sawAll() const { return m_sawAll; }

    /// As of `at`, not before the last row: the locks that changed since the last report. LockReport::lookedAgain names
    /// them.
    LockReport report(Nanos at);
    /// A report by which nothing has changed until `at`.
    LockReport quiet(Nanos at) const;

    /// One text for all parties that are one client, on any connection of the trace: by the rule that joined them when
    /// it was recorded.
    QByteArray clientOf(const Party& party) const;

private:
    struct Lock {
        bool isOurs = false;
        trace::Record record;
        std::map<QByteArray, SeenClient> clients; ///< as its content names them
        std::int64_t seenFrom = -1;               ///< the instant of its first row; -1: none yet
        bool isThere = true;                      ///< something of it lay on the server
        bool failedOver = false;                  ///< since the last report
        bool changed = false;
    };
    /// Whether a node or a lock is seen over this connection.
    bool isOurs(trace::EntityId id) const;
    Lock& lockOf(trace::EntityId id);
    Party partyOf(const Lock& lock, trace::EntityId thread);
    /// Missing: nothing of it is there any more.
    std::optional<LockRow> rowOf(trace::EntityId id, const Lock& lock, Nanos at);

    const trace::Trace& m_trace;
    trace::EntityId m_connection;
    std::unordered_map<trace::EntityId, Lock> m_locks;
    std::vector<trace::EntityId> m_changed;
    std::map<QByteArray, trace::EntityId> m_clients; ///< by identityOf()
    QString m_trouble;
    std::optional<Nanos> m_unansweredSince;
    QByteArray m_evictsBy;
    bool m_lost = false, m_news = false, m_begun = false, m_sawAll = false;
};

} // namespace lockscope::inspect
