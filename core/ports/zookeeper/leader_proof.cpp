// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/leader_proof.h"

#include <algorithm>

namespace lockscope::zookeeper {

namespace {
Nanos proofAfter(Nanos session) {
    return std::clamp<Nanos>(2s, session / 4, session / 2);
}
} // namespace

Nanos LeaderProof::beatPeriod(Nanos session) {
    return proofAfter(session) / 4;
}

void LeaderProof::greeted(Nanos sentAt, Nanos now) {
    m_heardAt = now;
    m_heard.push_back({sentAt, now});
}

Nanos LeaderProof::heard(Nanos sentAt, Nanos now, Nanos session) {
    Nanos proof{};
    while (!m_heard.empty() && sentAt - m_heard.front().answeredAt >= proofAfter(session)) {
        proof = std::max(proof, m_heard.front().sentAt);
        m_heard.pop_front();
    }
    // Answers may come by the thousand: remember one in each period.
    if (m_heard.empty() || now - m_heard.back().answeredAt >= beatPeriod(session)) {
        m_heard.push_back({sentAt, now});
        m_heardAt = now;
    }
    return proof;
}

} // namespace lockscope::zookeeper
