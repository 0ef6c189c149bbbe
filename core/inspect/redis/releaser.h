// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/releaser.h"

namespace lockscope::inspect {

/// Frees locks on a Redis by the recipes' own scripts, which also wake waiters; the holders are compared by the same
/// script.
class RedisReleaser final : public Releaser {
public:
    explicit RedisReleaser(std::unique_ptr<redis::Client> client) : m_client(std::move(client)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::unique_ptr<redis::Client> m_client;
};

/// Frees locks on one of several masters: on the one where each was seen, which refuses if it is a replica by now.
class RedisGroupReleaser final : public Releaser {
public:
    /// `url`: redis+sentinel:// or redis+cluster://.
    RedisGroupReleaser(Runtime& runtime, ConnectionUrl url, redis::Dialler dial);
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::expected<std::unique_ptr<RedisReleaser>, QString> releaserFor(const LockRow& seen);

    Runtime& m_runtime;
    ConnectionUrl m_url;
    redis::Dialler m_dial;
};

} // namespace lockscope::inspect
