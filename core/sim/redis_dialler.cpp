// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_dialler.h"

namespace lockscope::sim {

Diallers simulatedDiallers(Grounds grounds, const RedisService& service, RedisWire::User user) {
    Diallers diallers;
    diallers.redis = [grounds, &service, user](Runtime& runtime, const ConnectionUrl& url,
                                               const redis::DriverOptions& options) {
        Q_ASSERT(!url.endpoints.empty());
        const Endpoint& at = url.endpoints.front();
        // One server alone is reached by a wire without heartbeats, whose requests give up after a second.
        const bool alone = service.shape() == RedisShape::Single;
        const RedisWire::Settings settings =
            alone ? RedisWire::Settings() : RedisWire::settingsOf(redis::optionsOf(url, options));
        return std::make_unique<RedisWire>(grounds, service.at(at), runtime, user, at.display(), settings);
    };
    return diallers;
}

} // namespace lockscope::sim
