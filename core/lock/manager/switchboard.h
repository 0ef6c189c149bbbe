// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/record_store.h"

#include <map>

namespace lockscope {

/// Which engine a namespace uses: what its processes agree on.
struct EngineRecord {
    std::int64_t epoch = 0; ///< grows with every switch; 0 = none yet
    QByteArray engine;      ///< EngineConfig::id
    QByteArray by;          ///< who proposed it: two proposals of one epoch are two records
    QByteArray why;         ///< detail::SwitchReason's id: for people
    bool settled = false;   ///< nobody uses an earlier engine any more

    /// As it is kept on servers: JSON.
    QByteArray text() const;
    /// An empty record (epoch 0) when it makes no sense.
    static EngineRecord read(const QByteArray& text);
    bool sameProposal(const EngineRecord& other) const {
        return epoch == other.epoch && engine == other.engine && by == other.by;
    }
};

/// One record kept on several servers, so that processes which see different servers still agree.
///
/// A record counts as decided once a write quorum of the servers has it; whoever reads a read quorum sees the latest
/// decided one, because every read quorum shares a server with every write quorum. A server only ever goes to a higher
/// epoch, or from an unsettled record to the same one settled, by compare-and-set: so two proposals of one epoch are
/// never both decided.
class Switchboard {
public:
    struct View {
        Nanos askedAt{};  ///< own monotonic clock, before anybody was asked
        int answered = 0; ///< servers that answered
        /// Of the highest epoch that was seen, the proposal that is settled, or that most servers have.
        EngineRecord latest;
        int having = 0;                          ///< servers that have that proposal
        bool split = false;                      ///< another proposal of that epoch may be the decided one
        std::vector<std::optional<Record>> seen; ///< by server
    };

    Switchboard(Runtime& runtime, QByteArray name, std::vector<RecordStore*> stores)
        : m_runtime(runtime), m_name(std::move(name)), m_stores(std::move(stores)) {}

    /// How many keep the record; how many have to have one that counts as decided, how many to be asked to see that.
    int servers() const { return static_cast<int>(m_stores.size()); }
    int writeQuorum() const { return servers() / 2 + 1; }
    int readQuorum() const { return servers() + 1 - writeQuorum(); }

    /// Reads from all servers at once; those that do not answer within `patience` do not count.
    QCoro::Task<View> look(Nanos patience, std::stop_token stop);
    /// Writes to all servers whose record, as seen, may become `record`; how many have it then.
    QCoro::Task<int> write(EngineRecord record, View seen, Nanos patience, std::stop_token stop);

private:
    Runtime& m_runtime;
    QByteArray m_name;
    std::vector<RecordStore*> m_stores;
};

} // namespace lockscope
