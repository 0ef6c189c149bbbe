// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"

namespace lockscope::inspect {

/// Ends the item at once by a `cas`, which fails when the item is not the one that was read.
class MemcachedReleaser final : public Releaser {
public:
    explicit MemcachedReleaser(std::unique_ptr<memcached::Port> client) : m_client(std::move(client)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::unique_ptr<memcached::Port> m_client;
};

} // namespace lockscope::inspect
