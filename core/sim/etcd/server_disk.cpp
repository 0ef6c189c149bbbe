// SPDX-License-Identifier: Apache-2.0
// The part of a member's disk in Raft. One loop saves and sends (etcd's raft.go): while it saves, it sends nothing,
// takes no message and no tick. A leader sends what it adds to the log while it saves that itself; others save first.
#include "sim/etcd/server.h"
#include "sim/probe.h"

namespace lockscope::sim {

namespace {

/// The row's word for a message of Raft; nullptr: it is a heartbeat, or nothing to look at.
const char* wordOf(const EtcdRaftMessage& message) {
    using Kind = EtcdRaftMessage::Kind;
    switch (message.kind) {
    case Kind::Vote:
        return "vote?";
    case Kind::VoteAnswer:
        return message.rejected ? "no vote" : "vote";
    case Kind::Append:
        return message.entries.empty() ? nullptr : "append";
    case Kind::AppendAnswer:
        return message.rejected ? "reject" : "ack";
    case Kind::Propose:
        return "propose";
    case Kind::CampaignNow:
        return "hand over";
    case Kind::Heartbeat:
    case Kind::HeartbeatAnswer:
    case Kind::ReadIndex:
    case Kind::ReadAnswer:
        break;
    }
    return nullptr;
}

} // namespace

void EtcdServer::write(std::int64_t term, std::int64_t index) {
    if (diskStalls()) {
        m_unsaved = {term, index};
        return;
    }
    after(draw(m_settings.quickestDisk, m_settings.slowestDisk),
          [this, term, index] { step([&] { m_raft.flushed(term, index); }); });
}

void EtcdServer::deliver(int to, const EtcdRaft::Sent& message) {
    post(
        to, [message](EtcdServer& other) { other.take(message); }, wordOf(*message));
}

void EtcdServer::take(const EtcdRaft::Sent& message) {
    if (m_loopStands) return onDisk([this, message] { step([&] { m_raft.take(*message); }); });
    step([&] { m_raft.take(*message); });
}

/// Lets out what may leave before the disk answers, and has the loop stand still when there is something to save.
void EtcdServer::letOut() {
    if (m_loopStands) return;
    using Kind = EtcdRaftMessage::Kind;
    const bool newTerm = m_raft.term() != m_savedTerm;
    const bool votes = std::ranges::any_of(m_unsent, [](const auto& unsent) {
        const EtcdRaftMessage& message = *unsent.second;
        return message.kind == Kind::VoteAnswer && !message.rejected;
    });
    const bool saves = newTerm || votes || m_unsaved;
    const bool sends = !saves || (m_raft.role() == EtcdRaft::Role::Leader && !newTerm);
    if (sends)
        for (const auto& [to, message] : std::exchange(m_unsent, {}))
            deliver(to, message);
    m_loopStands = saves;
    if (saves) reached(Probe::EtcdLoopStood);
}

void EtcdServer::diskFreed() {
    m_loopStands = false;
    for (const auto& [to, message] : std::exchange(m_unsent, {}))
        deliver(to, message);
    if (const auto unsaved = std::exchange(m_unsaved, {})) write(unsaved->first, unsaved->second);
}

} // namespace lockscope::sim
