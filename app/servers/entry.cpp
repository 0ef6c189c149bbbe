// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/entry.h"

#include "inspect/make_watcher.h"
#include "live/connection_trial.h"
#include "live/live_session.h"
#include "ports/url.h"
#include "servers/commands.h"

#include <cstring>

namespace lockscope::servers {
namespace {

/// The window looks at what a watcher can read; locks work on all that a URL can name.
std::expected<ConnectionUrl, QString> parseWatchable(const QString& text) {
    auto url = parseConnectionUrl(text);
    if (!url) return url;
    if (const auto known = inspect::watchable(*url); !known) return std::unexpected(known.error());
    return url;
}

std::expected<std::unique_ptr<session::Session>, QString> open(const QString& url, bool changesAllowed,
                                                               scenario::Scenario workload) {
    auto parsed = parseWatchable(url);
    if (!parsed) return std::unexpected(parsed.error());
    return std::make_unique<live::LiveSession>(std::move(*parsed), changesAllowed, std::move(workload));
}

QString complaintAbout(const QString& url) {
    const auto parsed = parseWatchable(url);
    return parsed ? QString() : parsed.error();
}

std::unique_ptr<QObject> tryConnection(const QString& url,
                                       std::function<void(bool good, const QString& sentence)> done) {
    auto parsed = parseWatchable(url);
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
