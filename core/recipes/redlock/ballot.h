// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

#include <functional>

namespace lockscope::recipes {

/// One node's answer to a question that all nodes were asked.
enum class Vote : std::uint8_t {
    Pending,
    Yes,
    No,
    Failed, ///< no answer, or an unusable one
};

/// The votes on one question as they arrive; shared by the coroutines that ask the nodes and the one that waits.
class Ballot {
public:
    Ballot(std::size_t nodes, std::size_t quorum) : m_votes(nodes, Vote::Pending), m_quorum(quorum) {}

    /// Enters a node's vote. A Failed vote may be replaced by a later one; any other is final.
    void cast(std::size_t node, Vote vote);
    /// Enters Vote::Failed with its cause.
    void fail(std::size_t node, const redis::Error& error);
    void fail(std::size_t node, const QString& complaint);

    /// A node's vote so far; the number of nodes; the number of nodes with that vote.
    Vote at(std::size_t node) const { return m_votes[node]; }
    std::size_t nodes() const { return m_votes.size(); }
    std::size_t count(Vote vote) const;
    /// The number of nodes that voted yes or no.
    std::size_t answered() const { return count(Vote::Yes) + count(Vote::No); }
    bool carried() const { return count(Vote::Yes) >= m_quorum; }
    /// Whether the outcome is certain whatever the remaining nodes vote.
    bool decided() const;
    /// Why nodes failed, one sentence each, in the order of failing.
    const QStringList& complaints() const { return m_complaints; }
    /// So many nodes failed by lasting errors (such as a wrong login) that the others are no quorum.
    bool hopeless() const { return m_lasting > nodes() - m_quorum; }
    /// Whether a node failed whose request may nevertheless have run.
    bool doubtful(std::size_t node) const { return m_votes[node] == Vote::Failed && m_doubtful.contains(node); }

    using Condition = std::function<bool(const Ballot&)>;
    /// Waits until the condition holds, at most `timeout`. Throws Cancelled. One coroutine at a time.
    static QCoro::Task<> wait(std::shared_ptr<Ballot> ballot, Runtime& runtime, Condition condition, Nanos timeout,
                              std::stop_token stop);

private:
    void wakeIfDue();
    std::vector<Vote> m_votes;
    std::size_t m_quorum;
    QStringList m_complaints;
    QList<std::size_t> m_doubtful;
    std::size_t m_lasting = 0;
    Condition m_condition;
    Waiter* m_waiter = nullptr;
};

} // namespace lockscope::recipes
