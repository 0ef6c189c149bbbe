// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/raft.h"

#include "sim/probe.h"

#include <algorithm>

namespace lockscope::sim {

// --- roles ---

void EtcdRaft::restart() {
    m_role = Role::Follower;
    m_leader = 0;
    m_votes.clear();
    m_progress.clear();
    m_reads.clear();
    m_earlyReads.clear();
    m_elapsed = 0;
    m_patience = kElectionTicks + int(m_random() % kElectionTicks);
}

void EtcdRaft::forget() {
    m_term = 0;
    m_vote = 0;
    m_log.clear();
    m_commit = 0;
    restart();
}

void EtcdRaft::become(Role role, std::int64_t term, int leader) {
    const bool changed = m_role != role || m_leader != leader || m_term != term;
    const int before = m_leader;
    if (m_term != term) m_vote = 0;
    m_term = term;
    restart();
    m_role = role;
    m_leader = leader;
    if (changed && onLeader) onLeader(leader != 0 && leader != before);
}

void EtcdRaft::campaign(bool forced) {
    become(Role::Candidate, m_term + 1, 0);
    m_vote = m_number;
    if (onVote) onVote(m_number);
    m_votes[m_number] = true;
    if (quorum() == 1) return lead();
    for (int to = 1; to <= m_members; ++to) {
        EtcdRaftMessage vote{.kind = Kind::Vote, .index = last(), .indexTerm = termAt(last())};
        vote.forced = forced;
        if (to != m_number) post(to, std::move(vote));
    }
}

void EtcdRaft::lead() {
    const std::int64_t term = m_term;
    become(Role::Leader, term, m_number);
    m_flushed = last();
    for (int to = 1; to <= m_members; ++to)
        if (to != m_number) m_progress[to] = {0, last() + 1, true};
    append({}); // only an entry of its own term tells it how far the log is agreed upon
}

void EtcdRaft::transferTo(int member) {
    Q_ASSERT(m_role == Role::Leader);
    post(member, {.kind = Kind::CampaignNow});
}

int EtcdRaft::nextBest() const {
    Q_ASSERT(m_role == Role::Leader);
    const auto best = std::ranges::max_element(
        m_progress, [](const auto& a, const auto& b) { return a.second.match < b.second.match; });
    return best == m_progress.end() ? 0 : best->first;
}

void EtcdRaft::tick() {
    ++m_elapsed;
    if (m_role != Role::Leader) {
        if (m_elapsed >= m_patience) campaign();
        return;
    }
    if (m_elapsed >= kElectionTicks) {
        m_elapsed = 0;
        int heard = 1;
        for (auto& [to, progress] : m_progress)
            heard += std::exchange(progress.active, false) ? 1 : 0;
        if (heard < quorum()) {
            reached(Probe::EtcdSteppedDown);
            return become(Role::Follower, m_term, 0);
        }
    }
    heartbeat(0);
}

// --- messages ---

void EtcdRaft::post(int to, EtcdRaftMessage message) {
    message.from = m_number;
    message.term = m_term;
    send(to, std::move(message));
}

void EtcdRaft::take(const EtcdRaftMessage& message) {
    const bool ofATerm = message.term != 0;
    if (ofATerm && message.term > m_term) {
        // A member that hears its leader does not help to depose it.
        const bool content = m_leader != 0 && m_elapsed < kElectionTicks && m_role != Role::Candidate;
        if (message.kind == Kind::Vote && content && !message.forced) return;
        const bool leads = message.kind == Kind::Append || message.kind == Kind::Heartbeat;
        become(Role::Follower, message.term, leads ? message.from : 0);
    }
    if (ofATerm && message.term < m_term) {
        // An old leader hears of the newer term, or a cut member could never come back.
        const bool leads = message.kind == Kind::Append || message.kind == Kind::Heartbeat;
        if (leads) post(message.from, {.kind = Kind::AppendAnswer, .rejected = true});
        return;
    }
    switch (message.kind) {
    case Kind::Vote:
        return takeVote(message);
    case Kind::VoteAnswer:
        return takeVoteAnswer(message);
    case Kind::Append:
        return takeAppend(message);
    case Kind::AppendAnswer:
        return takeAppendAnswer(message);
    case Kind::Heartbeat:
        return takeHeartbeat(message);
    case Kind::HeartbeatAnswer:
        return takeHeartbeatAnswer(message);
    case Kind::Propose:
        if (m_role == Role::Leader) append(message.entries.front());
        return;
    case Kind::ReadIndex:
        return takeRead(message.from, message.read);
    case Kind::ReadAnswer:
        return onRead(message.read, message.index);
    case Kind::CampaignNow:
        return campaign(true);
    }
}

void EtcdRaft::takeVote(const EtcdRaftMessage& message) {
    const bool free = m_vote == 0 ? m_leader == 0 : m_vote == message.from;
    const auto own = std::pair(termAt(last()), last());
    const bool granted = free && std::pair(message.indexTerm, message.index) >= own;
    if (granted) {
        if (std::exchange(m_vote, message.from) == 0 && onVote) onVote(message.from);
        m_elapsed = 0;
    }
    post(message.from, {.kind = Kind::VoteAnswer, .rejected = !granted});
}

void EtcdRaft::takeVoteAnswer(const EtcdRaftMessage& message) {
    if (m_role != Role::Candidate) return;
    m_votes.try_emplace(message.from, !message.rejected);
    const auto granted = std::ranges::count_if(m_votes, [](const auto& vote) { return vote.second; });
    if (granted >= quorum()) return lead();
    if (std::ssize(m_votes) - granted >= quorum()) become(Role::Follower, m_term, 0);
}

// --- the log ---

void EtcdRaft::append(EtcdEntry entry) {
    entry.term = m_term;
    m_log.push_back(std::move(entry));
    write(last());
    sendAppends();
}

void EtcdRaft::sendAppends() {
    for (const auto& [to, progress] : m_progress)
        sendAppend(to);
}

void EtcdRaft::sendAppend(int to) {
    Progress& progress = m_progress.at(to);
    EtcdRaftMessage message{.kind = Kind::Append, .index = progress.next - 1};
    message.indexTerm = termAt(message.index);
    message.commit = m_commit;
    message.entries.assign(m_log.begin() + std::ptrdiff_t(message.index), m_log.end());
    progress.next = last() + 1;
    post(to, std::move(message));
}

void EtcdRaft::takeAppend(const EtcdRaftMessage& message) {
    if (m_role != Role::Follower || m_leader != message.from) become(Role::Follower, m_term, message.from);
    m_elapsed = 0;
    if (message.index > last() || termAt(message.index) != message.indexTerm) {
        EtcdRaftMessage answer{.kind = Kind::AppendAnswer, .index = std::min(last(), message.index - 1)};
        answer.rejected = true;
        return post(message.from, std::move(answer));
    }
    std::int64_t at = message.index;
    for (const EtcdEntry& entry : message.entries) {
        ++at;
        if (at <= last() && termAt(at) == entry.term) continue;
        m_log.resize(std::size_t(at - 1)); // what another leader had begun
        m_log.push_back(entry);
    }
    setCommit(std::min(message.commit, at));
    write(at);
}

void EtcdRaft::flushed(std::int64_t term, std::int64_t index) {
    if (term != m_term) return;
    if (m_role == Role::Leader) {
        m_flushed = std::max(m_flushed, index);
        return advance();
    }
    if (m_leader != 0) post(m_leader, {.kind = Kind::AppendAnswer, .index = index});
}

void EtcdRaft::takeAppendAnswer(const EtcdRaftMessage& message) {
    const auto found = m_progress.find(message.from);
    if (m_role != Role::Leader || found == m_progress.end()) return;
    Progress& progress = found->second;
    progress.active = true;
    if (message.rejected) {
        progress.match = std::min(progress.match, message.index); // it may have lost its disk
        progress.next = message.index + 1;
        return sendAppend(message.from);
    }
    progress.match = std::max(progress.match, message.index);
    advance();
}

void EtcdRaft::advance() {
    std::vector<std::int64_t> all{m_flushed};
    for (const auto& [to, progress] : m_progress)
        all.push_back(progress.match);
    std::ranges::sort(all, std::greater());
    const std::int64_t agreed = all[std::size_t(quorum() - 1)];
    if (agreed <= m_commit || termAt(agreed) != m_term) return;
    setCommit(agreed);
    sendAppends(); // they hear of it at once
    for (const auto& [from, number] : std::exchange(m_earlyReads, {}))
        takeRead(from, number);
}

void EtcdRaft::setCommit(std::int64_t index) {
    m_commit = std::max(m_commit, index);
}

bool EtcdRaft::propose(const EtcdEntry& entry) {
    if (m_leader == 0) return false;
    if (m_role == Role::Leader) {
        append(entry);
        return true;
    }
    EtcdRaftMessage message{.kind = Kind::Propose};
    message.from = m_number;
    message.entries = {entry};
    send(m_leader, std::move(message));
    return true;
}

// --- heartbeats and reads ---

void EtcdRaft::heartbeat(std::uint64_t read) {
    for (const auto& [to, progress] : m_progress) {
        EtcdRaftMessage message{.kind = Kind::Heartbeat};
        message.commit = std::min(progress.match, m_commit);
        message.read = read;
        post(to, std::move(message));
    }
}

void EtcdRaft::takeHeartbeat(const EtcdRaftMessage& message) {
    if (m_role != Role::Follower || m_leader != message.from) become(Role::Follower, m_term, message.from);
    m_elapsed = 0;
    setCommit(std::min(message.commit, last()));
    EtcdRaftMessage answer{.kind = Kind::HeartbeatAnswer};
    answer.read = message.read;
    post(message.from, std::move(answer));
}

void EtcdRaft::takeHeartbeatAnswer(const EtcdRaftMessage& message) {
    const auto found = m_progress.find(message.from);
    if (m_role != Role::Leader || found == m_progress.end()) return;
    Progress& progress = found->second;
    progress.active = true;
    if (message.read == 0 && progress.match < last()) { // what was sent may be lost
        progress.next = progress.match + 1;
        sendAppend(message.from);
    }
    if (message.read == 0) return;
    for (auto& [number, read] : m_reads)
        if (number <= message.read) read.answers.insert(message.from);
    answerReads();
}

void EtcdRaft::readIndex(std::uint64_t read) {
    if (m_role == Role::Leader) return takeRead(m_number, read);
    if (m_leader == 0) return;
    EtcdRaftMessage message{.kind = Kind::ReadIndex};
    message.from = m_number;
    message.read = read;
    send(m_leader, std::move(message));
}

void EtcdRaft::takeRead(int from, std::uint64_t number) {
    if (m_role != Role::Leader) return;
    if (termAt(m_commit) != m_term) {
        m_earlyReads.emplace_back(from, number);
        return;
    }
    m_reads[++m_lastRead] = {from, number, m_commit, {m_number}};
    heartbeat(m_lastRead);
    answerReads();
}

void EtcdRaft::answerReads() {
    while (!m_reads.empty() && std::ssize(m_reads.begin()->second.answers) >= quorum()) {
        const Read read = m_reads.extract(m_reads.begin()).mapped();
        if (read.from == m_number) {
            onRead(read.number, read.index);
            continue;
        }
        EtcdRaftMessage answer{.kind = Kind::ReadAnswer};
        answer.from = m_number;
        answer.index = read.index;
        answer.read = read.number;
        send(read.from, std::move(answer));
    }
}

} // namespace lockscope::sim
