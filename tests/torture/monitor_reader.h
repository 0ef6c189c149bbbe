// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "monitor_line.h"
#include "server_record.h"

namespace lockscope::torture {

/// By so much what a server says may come later than what it did: it is one of many processes.
inline constexpr std::int64_t kMonitorDoubt = 10'000'000; // ns

/// Tells from what a Redis says after MONITOR what became of locks in strings and in hashes of holds: who took, kept
/// and freed them, in the server's own order. Exact, because MONITOR also shows what scripts do, and they write nothing
/// that has no effect. Only a plain SET NX does not say whether it did anything; that follows from what came before,
/// except in the moment in which a lease ends. Each client that asked then may have the lock, until one of them is seen
/// to have it: the clients get the benefit of the doubt.
class MonitorReader {
public:
    /// `suffix`: of the places' names.
    explicit MonitorReader(QByteArray suffix = {}) : m_suffix(std::move(suffix)) {}
    void read(const MonitorLine& line);
    const std::vector<ServerRecord>& records() const { return m_records; }

private:
    struct Lock {
        QByteArray place;
        QByteArray owner; ///< empty: free
        std::int64_t holds = 0;
        std::int64_t deadline = -1;
        std::map<QByteArray, std::int64_t> maybe; ///< who may be the owner instead, and until when
    };
    void set(Lock& lock, const MonitorLine& line);
    void count(Lock& lock, const QByteArray& owner, std::int64_t holds, bool same);
    void take(Lock& lock, const QByteArray& owner, std::int64_t holds, std::int64_t deadline);
    void renew(Lock& lock);
    void free(Lock& lock);
    void settle(Lock& lock);
    static std::int64_t end(const Lock& lock);
    bool isOver(const Lock& lock) const;
    void add(const Lock& lock, trace::EventKind kind, const QByteArray& actor,
             trace::FreedBy why = trace::FreedBy::Release);

    QByteArray m_suffix;
    std::map<QByteArray, Lock> m_locks; ///< by key
    QByteArray m_caller;
    std::int64_t m_now = 0;
    std::vector<ServerRecord> m_records;
};

/// Reads MONITOR about read/write locks: a hash with a field for each holder, and a key for each hold of a reader. A
/// place is a field. A reader all of whose keys have ended is none any more, and anybody may take its field away.
class ReadWriteMonitor {
public:
    void read(const MonitorLine& line);
    const std::vector<ServerRecord>& records() const { return m_records; }

private:
    struct Holder {
        QByteArray owner;
        bool writes = false;
        std::map<QByteArray, std::int64_t> holds; ///< of a reader: deadlines by the name of the hold's key
    };
    struct Lock {
        std::map<QByteArray, Holder> holders; ///< by field
        std::int64_t deadline = -1;
    };
    void field(const QByteArray& key, const QByteArray& name);
    void hold(const QByteArray& key, std::int64_t deadline);
    void free(const QByteArray& key, const QByteArray& name);
    void sweep(const QByteArray& key);
    bool isOver(const Holder& holder) const;

    std::map<QByteArray, Lock> m_locks;
    QByteArray m_caller;
    std::int64_t m_now = 0;
    std::vector<ServerRecord> m_records;
};

/// Reads MONITOR about semaphores: a sorted set of permits, each with the instant at which it ends. The owner of a
/// permit is known by the connection on which it was taken. A place is a permit.
class PermitMonitor {
public:
    void read(const MonitorLine& line);
    const std::vector<ServerRecord>& records() const { return m_records; }

private:
    struct Permit {
        QByteArray owner;
        std::int64_t deadline = -1;
    };
    void free(const QByteArray& key, const QByteArray& id, const MonitorLine& line);
    std::map<QByteArray, std::map<QByteArray, Permit>> m_permits; ///< by key and id
    std::vector<ServerRecord> m_records;
};

} // namespace lockscope::torture
