// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"
#include "inspect/trace_feed.h"

#include <set>

namespace lockscope::inspect {

/// Writes what each of several servers has of the locks that they keep together (LockRow::copies) into a trace, beside
/// the record of the logical locks: as in a simulation, each server is a node with copies of its own.
class CopyFeeds {
public:
    struct Place {
        trace::Recorder& recorder;
        TraceFeed& logical;         ///< of the locks that the copies belong to
        trace::EntityId connection; ///< over which all servers are seen
        trace::EntityId observer;   ///< this program, as a client of the servers
    };
    /// `tolerance`: as of TraceFeed.
    CopyFeeds(Place place, TraceFeed::Resolver resolver, Nanos tolerance);

    /// Call it for every report, after the logical locks were written.
    void write(const LockReport& report);
    /// The connection was ended: no copy can be seen from here on.
    void unobserved();

private:
    struct Server {
        trace::EntityId node = trace::kNoEntity;
        std::unique_ptr<TraceFeed> feed;
        bool started = false, away = false;
        std::set<QByteArray> names; ///< of copies that were written once
    };
    Server& serverAt(const QByteArray& address);
    void tellServer(const WatchedServerState& server);
    void tellEvents(const LockReport& report);
    void tellCopy(const LockRow& copy, const LockReport& report);

    Place m_place;
    TraceFeed::Resolver m_resolver;
    Nanos m_tolerance;
    std::map<QByteArray, Server> m_servers; ///< by address
    std::set<QByteArray> m_deciders;        ///< locks whose number of deciding copies was written
    std::set<QByteArray> m_names;           ///< of the last report's locks
};

} // namespace lockscope::inspect
