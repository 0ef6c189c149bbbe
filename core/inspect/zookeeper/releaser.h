// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"

namespace lockscope::inspect {

/// Deletes the holders' nodes. A node is compared by its creation; ZooKeeper compares and deletes in one step by the
/// node's version only, so a node of the same name that is created between our two requests goes with it. Numbered
/// nodes never have a name twice.
class ZooKeeperReleaser final : public Releaser {
public:
    explicit ZooKeeperReleaser(std::unique_ptr<zookeeper::Client> client) : m_client(std::move(client)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::unique_ptr<zookeeper::Client> m_client;
};

} // namespace lockscope::inspect
