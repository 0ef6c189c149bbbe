// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <map>
#include <vector>

namespace lockscope::torture {

/// What happened to a lock's key on the server.
struct ServerRecord {
    trace::Event event;      ///< of the record; without entities, `at` and deadlines in ns since 1970
    std::size_t lock = 0;    ///< its number
    QByteArray actor, owner; ///< "<client>:<thread>"; empty: nobody
};

/// Tells from what a Redis says after MONITOR what became of locks in strings and in hashes of holds: who took, kept
/// and freed them, in the server's own order. Exact, because MONITOR also shows what scripts do, and they write nothing
/// that has no effect. Only a plain SET NX does not say whether it did anything; that follows from what came before,
/// except in the moment in which a lease ends: there the benefit of the doubt is the clients'.
class MonitorReader {
public:
    /// `keys`: the locks', by number.
    explicit MonitorReader(const std::vector<QByteArray>& keys);
    /// One line, without its end.
    void read(const QByteArray& line);
    const std::vector<ServerRecord>& records() const { return m_records; }

private:
    struct Lock {
        std::size_t number = 0;
        QByteArray owner; ///< empty: free
        std::int64_t holds = 0;
        std::int64_t deadline = -1;
    };
    using Words = std::vector<QByteArray>;
    void write(const Words& words, bool inScript);
    void set(Lock& lock, const Words& words, bool inScript);
    void count(Lock& lock, const QByteArray& owner, std::int64_t holds);
    void take(Lock& lock, const QByteArray& owner, std::int64_t holds, std::int64_t deadline);
    void renew(Lock& lock);
    void free(Lock& lock);
    bool isOver(const Lock& lock) const;
    void add(const Lock& lock, trace::EventKind kind, const QByteArray& actor,
             trace::FreedBy why = trace::FreedBy::Release);

    std::map<QByteArray, Lock> m_locks;
    std::map<QByteArray, QByteArray> m_speakers; ///< whose last words named them, by address
    QByteArray m_caller;
    std::int64_t m_now = 0;
    std::vector<ServerRecord> m_records;
};

} // namespace lockscope::torture
