// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "inspect/zookeeper/admin_answers.h"
#include "inspect/zookeeper/tree.h"

namespace lockscope::inspect {

/// Finds and watches the locks of a ZooKeeper or an ensemble, below the URL's chroot. It lists nodes and reads those of
/// contenders, with one watch per node that has or may get children: an unchanging server is only asked whether it
/// answers.
class ZooKeeperWatcher : public LookingWatcher {
public:
    /// Give it a client of its own; it can only read.
    /// `servers`: those to be asked for their role and for the addresses of sessions, where they allow it.
    ZooKeeperWatcher(zookeeper::Reader& reader, QString where, std::vector<Endpoint> servers, WatchOptions options);

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    QCoro::Task<> news(Nanos longest, std::stop_token stop) override;
    bool hearsOfChanges() const override { return true; }
    std::uint64_t requests() const override { return m_tree.requests() + m_pulses; }

private:
    /// Takes everything that the server has told so far.
    QCoro::Task<> hearAll(std::stop_token stop);
    /// The servers' words of themselves. A question that is still out keeps them, too.
    struct Told {
        std::vector<WatchedServerState> servers;
        std::map<std::int64_t, QByteArray> peers; ///< addresses, by session
        std::int64_t newest = -1;                 ///< the newest transaction of them; -1: not all have told theirs
        Nanos notBefore{}, peersNotBefore{};      ///< when they may be asked again
    };
    /// Asks the servers. Uses the reader before it waits, and not later.
    static QCoro::Task<> askServers(zookeeper::Reader& reader, std::vector<Endpoint> servers,
                                    std::shared_ptr<Told> told);
    /// Adds to a holder or waiter where its session comes from.
    void nameAddress(Party& party) const;

    zookeeper::Reader& m_reader;
    std::vector<Endpoint> m_endpoints;
    std::shared_ptr<Told> m_told = std::make_shared<Told>();
    ZkTree m_tree;
    std::uint64_t m_pulses = 0;     ///< times that the server was only asked whether it answers
    std::uint64_t m_generation = 0; ///< of the session whose watches are set
    Nanos m_way = kNever;           ///< the shortest round trip so far
};

} // namespace lockscope::inspect
