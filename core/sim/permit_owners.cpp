// SPDX-License-Identifier: Apache-2.0
#include "sim/permit_owners.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
/// No identity of a client has a colon.
const QByteArray kThread = "thread:";
/// Ids of permits that ended long ago are forgotten; a server that was away may still have the latest.
constexpr std::size_t kMostIds = 4096;

/// Sets the party's end to the earlier one of both; no end is the latest.
void endSooner(inspect::Party& party, const inspect::Party& other) {
    if (!other.ttlMs || (party.ttlMs && *party.ttlMs <= *other.ttlMs)) return;
    party.ttlMs = other.ttlMs;
    party.ends = other.ends;
    party.neverExpires = false;
}
} // namespace

void PermitOwners::saw(const inspect::LockRow& row, trace::EntityId cause) {
    for (const inspect::Party& holder : row.holders) {
        if (cause == trace::kNoEntity || !m_owners.try_emplace(holder.client, cause).second) continue;
        m_order.push_back(holder.client);
        if (m_order.size() <= kMostIds) continue;
        m_owners.erase(m_order.front());
        m_order.pop_front();
    }
}

void PermitOwners::nameHolders(inspect::LockRow& row) const {
    std::vector<inspect::Party> named;
    for (inspect::Party& holder : row.holders) {
        const auto owner = m_owners.find(holder.client);
        if (owner != m_owners.end()) holder.client = kThread + QByteArray::number(owner->second);
        const auto same = std::ranges::find(named, holder.client, &inspect::Party::client);
        if (same == named.end()) {
            holder.holds = 1;
            named.push_back(std::move(holder));
        } else {
            same->holds = *same->holds + 1;
            endSooner(*same, holder);
        }
    }
    row.holders = std::move(named);
}

trace::EntityId PermitOwners::threadOf(const inspect::Party& holder) {
    if (!holder.client.startsWith(kThread)) return trace::kNoEntity;
    return holder.client.mid(kThread.size()).toUInt();
}

} // namespace lockscope::sim
