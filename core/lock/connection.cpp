// SPDX-License-Identifier: Apache-2.0
#include "lock/connection.h"

#include "lock/connections/factories.h"

#include <QCoreApplication>

namespace lockscope {

recipes::Outcome<void> Connection::prepare(std::stop_token) {
    co_return {};
}

std::unique_ptr<Connection> makeConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    switch (url.service) {
    case Service::Redis:
        return makeRedisConnection(runtime, std::move(url), std::move(client));
    case Service::RedisSentinel:
        return makeRedisSentinelConnection(runtime, std::move(url), std::move(client));
    case Service::Redlock:
        return makeRedlockConnection(runtime, std::move(url), std::move(client));
    case Service::RedisCluster:
    case Service::ZooKeeper:
    case Service::MySql:
    case Service::PostgreSql:
    case Service::Sqlite:
    case Service::Memcached:
    case Service::Etcd:
        break;
    }
    return nullptr;
}

LockError noSuchRecipe(const QByteArray& id, const Connection& connection) {
    QStringList known;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend == connection.backend()) known += QString::fromLatin1(info.id);
    }
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "There is no recipe “%1” on %2; there are %3.")
                .arg(QString::fromUtf8(id), connection.url().display(), known.join(QStringLiteral(", ")))};
}

} // namespace lockscope
