// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ruling.h"

#include "background.h"
#include "paused_beliefs.h"

namespace lockscope::torture {

/// Makes one trace of everybody's journals, of what befell them, and of what the server said.
class Merger {
public:
    explicit Merger(Ruling& of) : m_ruling(of), m_trace(*of.trace) {}
    void take(const Chronicle& chronicle);

    const Ordeal& ordeal() const { return m_ordeal; }
    /// The things that readers of a lock saw and must not see, unless they believed on while they were stopped.
    const QStringList& readersDefects(std::size_t lock) const { return m_readersDefects[lock]; }
    std::int64_t increments(std::size_t lock) const { return m_increments[lock]; }
    trace::EntityId entityOf(std::size_t lock) const { return m_locks[lock]; }

private:
    void take(const Life& life, std::int64_t ahead);
    void take(const Entry& entry, trace::EntityId client, const Life& life);
    void takeRecords(const Chronicle& chronicle);
    void add(Nanos at, trace::EventKind kind, trace::EntityId actor);
    void tellWhoQueuedLate();
    trace::EntityId threadOf(const QByteArray& identity, const Chronicle& chronicle);

    Ruling& m_ruling;
    trace::Trace& m_trace;
    Background m_background;
    std::vector<std::pair<trace::Event, QByteArray>> m_events; ///< with texts, not yet in the trace
    std::vector<std::int64_t> m_increments = std::vector<std::int64_t>(kLocks);
    Ordeal m_ordeal;
    std::array<QStringList, kLocks> m_readersDefects;
    trace::EntityId m_node = trace::kNoEntity;
    std::vector<trace::EntityId> m_locks;
};

} // namespace lockscope::torture
