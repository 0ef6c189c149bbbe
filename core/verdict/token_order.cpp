// SPDX-License-Identifier: Apache-2.0
#include "verdict/token_order.h"

namespace lockscope::verdict {

using trace::Belief;

namespace {
/// A lock manager's epoch above the bits of a recipe that counts nothing: all holders on that engine have the same.
bool isEpochAlone(std::int64_t token) {
    constexpr int kBits = 48;
    return token >> kBits > 0 && (token & ((std::int64_t(1) << kBits) - 1)) == 0;
}
} // namespace

void TokenOrderJudge::granted(const Row& row, const Belief& belief) {
    const trace::Event& e = row.event;
    if (e.value <= 0 || belief.mode != trace::HoldMode::Exclusive) return;
    Newest& newest = m_newest[e.subject];
    const bool fine =
        e.value > newest.token || (e.value == newest.token && (e.actor == newest.holder || isEpochAlone(e.value)));
    if (!fine && !m_doubtful.contains({e.subject, e.actor})) {
        Violation v = row.violation(Invariant::TokenOrder, e.subject, {e.actor});
        if (newest.holder != e.actor) v.actors.push_back(newest.holder);
        v.token = e.value;
        v.newerToken = newest.token;
        m_ledger.add(std::move(v));
    }
    if (e.value > newest.token) newest = {e.value, e.actor};
}

void TokenOrderJudge::away(trace::EntityId client, const Row& row, const trace::State& state) {
    for (const auto& [key, belief] : state.beliefs)
        if (belief.phase == Belief::Phase::Waiting && row.trace.clientOf(key.second) == client) m_doubtful.insert(key);
}

} // namespace lockscope::verdict
