// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/entry.h"

#include "live/connection_trial.h"
#include "live/live_session.h"
#include "servers/commands.h"

#include <cstring>

namespace lockscope::servers {
namespace {

std::expected<std::unique_ptr<session::Session>, QString> open(const std::vector<session::ConnectionWish>& connections,
                                                               scenario::Scenario workload) {
    Q_ASSERT(!connections.empty());
    std::vector<live::ConnectionPlan> plans;
    for (const session::ConnectionWish& wish : connections) {
        auto parsed = live::parseWatchable(wish.url);
        if (!parsed) return std::unexpected(parsed.error());
        plans.push_back({wish.name, std::move(*parsed), wish.changesAllowed});
    }
    return std::make_unique<live::LiveSession>(std::move(plans), std::move(workload));
}

QString complaintAbout(const QString& url) {
    const auto parsed = live::parseWatchable(url);
    return parsed ? QString() : parsed.error();
}

std::unique_ptr<QObject> tryConnection(const QString& url,
                                       std::function<void(bool good, const QString& sentence)> done) {
    auto parsed = live::parseWatchable(url);
    Q_ASSERT(parsed);
    using live::ConnectionTrial;
    return std::make_unique<ConnectionTrial>(
        std::move(*parsed), [done = std::move(done)](ConnectionTrial::Outcome outcome, const QString& sentence) {
            done(outcome != ConnectionTrial::Outcome::Failed, sentence);
        });
}

} // namespace
} // namespace lockscope::servers

const lockscope::servers::Servers* lockscope_servers(const char* version) {
    using namespace lockscope;
    static constexpr servers::Servers kServers{
        servers::open, servers::complaintAbout, servers::tryConnection, cli::lock, cli::watch, cli::manager};
    return std::strcmp(version, LOCKSCOPE_VERSION) == 0 ? &kServers : nullptr;
}
