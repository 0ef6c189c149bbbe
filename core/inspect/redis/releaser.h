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
    /// `url`: redis+sentinel://, redis+cluster:// or redlock://.
    RedisGroupReleaser(Runtime& runtime, ConnectionUrl url, redis::Dialler dial);
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    std::expected<std::unique_ptr<RedisReleaser>, QString> releaserFor(const LockRow& seen);

    Runtime& m_runtime;
    ConnectionUrl m_url;
    redis::Dialler m_dial;
};

/// Frees locks that several servers keep together, as Redlock does: on every server where the hold that was seen still
/// lies. The copies of others stay.
class RedlockReleaser final : public Releaser {
public:
    /// `url`: redlock://.
    RedlockReleaser(Runtime& runtime, ConnectionUrl url, redis::Dialler dial)
        : m_each(runtime, std::move(url), std::move(dial)) {}
    std::expected<QByteArrayList, QString> commands(const LockRow& seen) override;
    /// Freed when no majority can have the hold any more. The error also when a server that may have it cannot be
    /// asked.
    QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) override;

private:
    RedisGroupReleaser m_each;
};

} // namespace lockscope::inspect
