// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_confirmed.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
constexpr char kPatienceMs[] = "1000";

LockError notConfirmed(const QByteArray& name, std::int64_t have, int want) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError",
                                        "The lock “%1” was given back: %2 of %3 replicas confirmed it within a second. "
                                        "Look after the replicas, or ask for fewer with ?wait=.")
                .arg(QString::fromUtf8(name))
                .arg(have)
                .arg(want)};
}
} // namespace

Outcome<std::optional<Grant>> RedisConfirmed::acquire(Request request, std::stop_token stop) {
    auto grant = co_await m_recipe->acquire(std::move(request), stop);
    if (!grant || !*grant) co_return grant;

    redis::Result confirmed;
    bool stopped = false;
    try {
        confirmed = co_await m_port.call(redis::argsOf("WAIT", QByteArray::number(m_replicas), kPatienceMs), stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (!stopped && confirmed && confirmed->integer >= m_replicas) co_return grant;

    // An error here leaves a hold that ends by its lease.
    co_await m_recipe->release(**grant, {});
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (!confirmed) co_return std::unexpected(lockError(confirmed.error(), m_name));
    co_return std::unexpected(notConfirmed(m_name, confirmed->integer, m_replicas));
}

} // namespace lockscope::recipes
