// SPDX-License-Identifier: Apache-2.0
#include "trace/event_words.h"

namespace lockscope::trace {

EventWords::EventWords(const Event& e) {
    if (e.flags & kByHand) m_words[m_size++] = "by-hand";
    if (e.flags & kFault) m_words[m_size++] = "fault";
    const auto addMode = [&](HoldMode mode) {
        if (mode == HoldMode::Shared) m_words[m_size++] = "shared";
        if (mode == HoldMode::Permit) m_words[m_size++] = "permits";
    };
    if (e.kind == EventKind::RecordFreed || e.kind == EventKind::RecordHolderGone) {
        constexpr std::array kHow{"release", "expiry", "force", "overwrite", "node-loss", "evicted", "unseen"};
        const std::size_t how = e.flags & kFreedByMask;
        if (how < kHow.size()) m_words[m_size++] = kHow[how];
        if (e.kind == EventKind::RecordHolderGone) addMode(goneMode(e.flags));
    } else if (e.kind == EventKind::RecordHeld || e.kind == EventKind::RecordRenewed ||
               e.kind == EventKind::RecordHolder || e.kind == EventKind::RecordQueued) {
        addMode(holdMode(e.flags));
        if (e.kind == EventKind::RecordQueued && e.flags & kQueuedDead) m_words[m_size++] = "dead";
    } else if (e.kind == EventKind::RecordRenewalsStopped) {
        constexpr std::array kEnds{"not-known", "client-gone", "client-connected"};
        m_words[m_size++] = kEnds[std::size_t(renewalsEnd(e.flags))];
    } else if (e.kind == EventKind::RecordUnobserved) {
        if (e.flags & kNoLongerShown) m_words[m_size++] = "no-longer-shown";
    } else if (e.kind == EventKind::RecordSince) {
        m_words[m_size++] = e.flags & kSinceWaits ? "waits" : "holds";
    } else if (e.kind == EventKind::ReplicationLag) {
        m_words[m_size++] = LagUnit(e.flags & kLagUnitMask) == LagUnit::Bytes ? "bytes" : "ns";
    } else if (e.kind == EventKind::EngineChanged) {
        constexpr std::array kNews{"unhealthy", "healthy", "leaving", "in-use", "refused"};
        const std::size_t news = e.flags & kEngineNewsMask;
        if (news < kNews.size()) m_words[m_size++] = kNews[news];
    } else if (e.kind == EventKind::SessionChanged) {
        constexpr std::array kPhases{"connected", "suspended", "expired", "given-up"};
        if (std::uint64_t(e.value) < kPhases.size()) m_words[m_size++] = kPhases[std::size_t(e.value)];
    } else if (e.kind == EventKind::NodeRole) {
        if (e.flags & kCopiesNobody) m_words[m_size++] = "copies-nobody";
    } else if (e.kind == EventKind::NodeDoubted) {
        constexpr std::array kDoubts{"up", "down", "agreed-down"};
        if (std::uint64_t(e.value) < kDoubts.size()) m_words[m_size++] = kDoubts[std::size_t(e.value)];
    } else if (e.kind == EventKind::FailoverStep) {
        constexpr std::array<const char*, kFailoverPhases> kPhases{
            "begun", "led", "chosen", "promoted", "announced", "ended", "abandoned", "demoted", "asked"};
        if (std::uint64_t(e.value) < kPhases.size()) m_words[m_size++] = kPhases[std::size_t(e.value)];
    }
}

} // namespace lockscope::trace
