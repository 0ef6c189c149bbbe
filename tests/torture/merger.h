// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ruling.h"

#include "background.h"

namespace lockscope::torture {

/// Makes one trace of everybody's journals, of what befell them, and of what the server said.
class Merger {
public:
    explicit Merger(Ruling& of) : m_ruling(of), m_trace(*of.trace) {}
    void take(const Chronicle& chronicle);

    /// Whether it can be no recipe's fault: only who was stopped for longer than its hold lasts is too many.
    bool allowed(const verdict::Violation& v, const Subject& subject, const Plan& plan) const;
    const QStringList& readersDefects() const { return m_readersDefects; }
    std::int64_t increments(std::size_t lock) const { return m_increments[lock]; }

private:
    void take(const Life& life, std::int64_t ahead);
    void take(const Entry& entry, trace::EntityId client, const QByteArray& name);
    void takeRecords(const Chronicle& chronicle);
    void add(Nanos at, trace::EventKind kind, trace::EntityId actor);
    trace::EntityId threadOf(const QByteArray& identity, const Chronicle& chronicle);
    bool excusedByPause(trace::EntityId thread, const verdict::Violation& v, const Subject& subject, Nanos lease) const;

    Ruling& m_ruling;
    trace::Trace& m_trace;
    Background m_background;
    std::vector<std::pair<trace::Event, QByteArray>> m_events; ///< with texts, not yet in the trace
    std::vector<std::int64_t> m_increments = std::vector<std::int64_t>(kLocks);
    std::vector<std::pair<trace::EntityId, std::pair<Nanos, Nanos>>> m_pauses; ///< of clients
    std::vector<Nanos> m_serverDeaths;
    QStringList m_readersDefects; ///< what a reader saw that believed on while it was stopped
    trace::EntityId m_node = trace::kNoEntity;
    std::vector<trace::EntityId> m_locks;
};

} // namespace lockscope::torture
