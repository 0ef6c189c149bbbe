// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"

namespace lockscope::inspect {

/// Deletes the holders' keys in one transaction, which fails if one of them is not the key that was seen.
class EtcdReleaser final : public Releaser {
public:
    explicit EtcdReleaser(std::unique_ptr<etcd::Client> client) : m_client(std::move(client)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::unique_ptr<etcd::Client> m_client;
};

} // namespace lockscope::inspect
