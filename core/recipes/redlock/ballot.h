// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/port.h"

#include <functional>

namespace lockscope::recipes {

/// What one node said to a question that all nodes were asked.
enum class Vote : std::uint8_t {
    Pending,
    Yes,
    No,
    Failed, ///< no answer, or none that counts
};

/// The votes on one question, as they come in; shared by those who ask the nodes and the one who waits. One may wait.
class Ballot {
public:
    Ballot(std::size_t nodes, std::size_t quorum) : m_votes(nodes, Vote::Pending), m_quorum(quorum) {}

    /// A node's vote. A failed one may be put right later by a better try; any other is final.
    void cast(std::size_t node, Vote vote);
    void fail(std::size_t node, const redis::Error& error);
    void fail(std::size_t node, const QString& complaint);

    /// What a node has said so far; how many nodes there are, and how many said that.
    Vote at(std::size_t node) const { return m_votes[node]; }
    std::size_t nodes() const { return m_votes.size(); }
    std::size_t count(Vote vote) const;
    /// Those that said yes or no.
    std::size_t answered() const { return count(Vote::Yes) + count(Vote::No); }
    bool carried() const { return count(Vote::Yes) >= m_quorum; }
    /// Answers that are still to come cannot change the outcome.
    bool decided() const;
    /// Why nodes failed, a sentence each, in the order in which they did.
    const QStringList& complaints() const { return m_complaints; }
    /// So many nodes failed by what no other try gets over, a wrong login for example, that too few are left.
    bool hopeless() const { return m_lasting > nodes() - m_quorum; }
    /// True when a node failed whose request may have run all the same.
    bool doubtful(std::size_t node) const { return m_votes[node] == Vote::Failed && m_doubtful.contains(node); }

    using Condition = std::function<bool(const Ballot&)>;
    /// Ends when the condition holds, or after `timeout`. Throws Cancelled.
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
