// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/record_store.h"

#include <map>

namespace lockscope {

/// The record of which engine a namespace uses; its processes agree on it.
struct EngineRecord {
    std::int64_t epoch = 0; ///< grows with every switch; 0 = none yet
    QByteArray engine;      ///< EngineConfig::id
    QByteArray by;          ///< the proposer: two proposals of one epoch are two records
    QByteArray why;         ///< id of a detail::SwitchReason, for display
    bool settled = false;   ///< no process uses an earlier engine any more
    QByteArray from;        ///< the engine that is left; empty = none, or not known
    bool immediate = false; ///< holders lose their locks at once, though the configuration would let them finish
    /// How often the primary failed again soon after an automatic return to it, and returns in a row before.
    int returns = 0;
    // By the wall clock of the process that wrote them, for display; 0 = not known.
    std::int64_t beganMs = 0, settledMs = 0;

    /// The record as servers keep it: JSON.
    QByteArray text() const;
    /// Reads text(); an empty record (epoch 0) when the text is invalid.
    static EngineRecord read(const QByteArray& text);
    bool sameProposal(const EngineRecord& other) const {
        return epoch == other.epoch && engine == other.engine && by == other.by;
    }
};

/// One record kept on several servers, so that processes which see different servers still agree.
///
/// A record is decided when a write quorum of the servers has it. A reader that reads a read quorum sees the latest
/// decided record, because every read quorum shares a server with every write quorum. By compare-and-set, a server only
/// moves to a higher epoch, or from an unsettled record to the same one settled; so two proposals of one epoch are
/// never both decided.
///
/// It must outlive the calls of its functions.
class Switchboard {
public:
    struct View {
        Nanos askedAt{};  ///< own monotonic clock, before the first server was asked
        int answered = 0; ///< servers that answered
        /// The proposal of the highest epoch: the settled one, else the one that most servers have.
        EngineRecord latest;
        int having = 0;                                 ///< servers that have that proposal
        bool split = false;                             ///< another proposal of that epoch may be decided
        std::vector<std::optional<Record>> seen;        ///< by server
        std::vector<std::optional<LockError>> troubles; ///< by server: why it has not answered, where it said so
    };

    Switchboard(Runtime& runtime, QByteArray name, std::vector<RecordStore*> stores)
        : m_runtime(runtime), m_name(std::move(name)), m_stores(std::move(stores)) {}

    /// How many servers keep the record, and how many make a write quorum (to decide) and a read quorum (to see).
    int servers() const { return static_cast<int>(m_stores.size()); }
    int writeQuorum() const { return servers() / 2 + 1; }
    int readQuorum() const { return servers() + 1 - writeQuorum(); }

    /// Reads from all servers at once; those that do not answer within `patience` do not count.
    QCoro::Task<View> look(Nanos patience, std::stop_token stop);
    /// Writes to all servers whose record, as seen, may be replaced by `record`; returns how many then have it.
    QCoro::Task<int> write(EngineRecord record, View seen, Nanos patience, std::stop_token stop);

private:
    /// The record that a server has; valid until the next call. A process looks several times a second, and nearly
    /// always all servers have the text that they had before: it is parsed once.
    const EngineRecord& parsed(const Record& seen);

    Runtime& m_runtime;
    QByteArray m_name;
    std::vector<RecordStore*> m_stores;
    QByteArray m_text; ///< the text that was parsed last
    EngineRecord m_parsed;
};

} // namespace lockscope
