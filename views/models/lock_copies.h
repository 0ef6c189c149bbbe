// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"
#include "models/view_context.h"

namespace lockscope::views {

/// The copies that several servers keep of one logical lock, at the playhead: the rows below that lock in the table of
/// locks. Locks go by their number in that table.
class LockCopies {
public:
    explicit LockCopies(const ViewContext* context) : m_context(context) {}
    void clear();
    /// Another copy of lock number `lock`; it gets the last place below it.
    void add(trace::EntityId copy, int lock);
    int countOf(int lock) const;
    /// nullptr when there is no such row.
    const LockFacts* at(int lock, int row) const;
    /// The lock and the row of a copy; nullopt when it is none that was added.
    std::optional<std::pair<int, int>> placeOf(trace::EntityId copy) const;
    /// Looks at all of them anew; calls changed(lock) for each lock of which a copy changed.
    template <typename Changed>
    void refresh(const Changed& changed) {
        for (auto& [lock, copies] : m_copies) {
            bool other = false;
            for (LockFacts& facts : copies)
                other = look(facts) || other;
            if (other) changed(lock);
        }
    }
    /// The copy's server.
    QString name(const LockFacts& copy) const;
    /// "decides", "a copy", "dead": what it is to the lock at the playhead; "its own" where the servers do not
    /// replicate. Translated.
    QString state(const LockFacts& copy) const;
    /// The tone of those words.
    Pill::Tone tone(const LockFacts& copy) const;

private:
    enum class State : std::uint8_t { Dead, Decides, Copy, Own };
    State stateOf(const LockFacts& copy) const;
    bool look(LockFacts& facts) const;
    const ViewContext* m_context;
    std::map<int, std::vector<LockFacts>> m_copies; ///< by lock
    std::map<trace::EntityId, std::pair<int, int>> m_places;
};

} // namespace lockscope::views
