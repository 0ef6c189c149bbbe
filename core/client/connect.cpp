// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"

#include "drivers/dial.h"
#include "lock/warning.h"
#include "recipes/redis/script.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
/// Fewer servers than three are locked as asked, but buy nothing.
void warnOfFewServers(const ConnectionUrl& url) {
    constexpr std::size_t kFewest = 3;
    if (url.service != Service::Redlock || url.endpoints.size() >= kFewest) return;
    detail::warn(QCoreApplication::translate("LockError", "%1 names fewer than three servers, so none of them may be "
                                                          "away: a majority is all of them. Name three or five.")
                     .arg(url.display()));
}

bool onRedis(Service service) {
    return service == Service::Redis || service == Service::RedisSentinel || service == Service::RedisCluster ||
           service == Service::Redlock;
}
} // namespace

std::unique_ptr<Connection> makeConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    warnOfFewServers(url);
    if (onRedis(url.service)) recipes::loadScripts();
    return makeConnectionOver(runtime, realDiallers(), std::move(url), std::move(client));
}

} // namespace lockscope
