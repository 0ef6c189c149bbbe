// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/lock_copies.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::EntityId;

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(LockCopies)
};
} // namespace

void LockCopies::clear() {
    m_copies.clear();
    m_places.clear();
}

void LockCopies::add(EntityId copy, int lock) {
    std::vector<LockFacts>& copies = m_copies[lock];
    m_places[copy] = {lock, int(copies.size())};
    LockFacts facts;
    facts.lock = copy;
    (void)look(facts);
    copies.push_back(std::move(facts));
}

int LockCopies::countOf(int lock) const {
    const auto found = m_copies.find(lock);
    return found == m_copies.end() ? 0 : int(found->second.size());
}

const LockFacts* LockCopies::at(int lock, int row) const {
    return row >= 0 && row < countOf(lock) ? &m_copies.at(lock)[std::size_t(row)] : nullptr;
}

std::optional<std::pair<int, int>> LockCopies::placeOf(EntityId copy) const {
    const auto found = m_places.find(copy);
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

bool LockCopies::look(LockFacts& facts) const {
    LockFacts now =
        lockFacts(facts.lock, *m_context->trace(), m_context->state(), m_context->settings(), m_context->playhead());
    // Clients believe in the logical lock: of a copy alone, nobody's belief can be told.
    now.believers.clear();
    now.waiters.clear();
    if (now == facts) return false;
    facts = std::move(now);
    return true;
}

LockCopies::State LockCopies::stateOf(const LockFacts& copy) const {
    const trace::State& state = m_context->state();
    const EntityId server = m_context->trace()->entity(copy.lock).parent;
    const auto node = state.nodes.find(server);
    if (node != state.nodes.end() && node->second.life == trace::ClientState::Life::Dead) return State::Dead;
    const auto logical = state.records.find(m_context->trace()->copyOf(copy.lock));
    if (logical != state.records.end() && logical->second.decider == server) return State::Decides;
    return node != state.nodes.end() && node->second.role != trace::kNoEntity ? State::Copy : State::Own;
}

QString LockCopies::name(const LockFacts& copy) const {
    return m_context->trace()->displayName(m_context->trace()->entity(copy.lock).parent);
}

QString LockCopies::state(const LockFacts& copy) const {
    switch (stateOf(copy)) {
    case State::Dead:
        return Words::tr("dead");
    case State::Decides:
        return Words::tr("decides");
    case State::Copy:
        return Words::tr("a copy");
    case State::Own:
        break;
    }
    return Words::tr("its own");
}

Pill::Tone LockCopies::tone(const LockFacts& copy) const {
    return stateOf(copy) == State::Decides ? Pill::Tone::Accepted : Pill::Tone::Neutral;
}

} // namespace lockscope::views
