// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/lock_change.h"

#include <QHostAddress>
#include <chrono>
#include <expected>
#include <map>
#include <memory>

class QHttpServer;

namespace lockscope::cli {

/// "[ADDRESS:]PORT" of --metrics; the loopback unless an address is given. The error is a sentence.
struct MetricsAddress {
    QHostAddress host{QHostAddress::LocalHost};
    std::uint16_t port = 0;
    static std::expected<MetricsAddress, QString> parse(const QString& text);
};

/// The state of watched servers for Prometheus: text at /metrics, in its exposition format 0.0.4. At most `kMostLocks`
/// locks of a server have series of their own; lockscope_locks counts all of them.
class WatchMetrics {
public:
    static constexpr std::size_t kMostLocks = 10'000;

    WatchMetrics();
    ~WatchMetrics();
    /// Answers there from now on; the port in use. The error is a sentence.
    std::expected<std::uint16_t, QString> listen(const MetricsAddress& at);

    void seen(const QString& endpoint, const inspect::LockReport& report);
    void happened(const QString& endpoint, inspect::LockChange::What what);
    void setAlerts(const QString& endpoint, std::size_t raised);
    QByteArray text() const;

private:
    struct Server {
        bool up = false;
        inspect::LockReport last;
        std::optional<std::chrono::steady_clock::time_point> knownUntil; ///< what `last` has seen
        std::map<QByteArray, std::uint64_t> events;                      ///< by name
        std::size_t alerts = 0;
    };
    std::map<QString, Server> m_servers; ///< by endpoint
    std::unique_ptr<QHttpServer> m_http;
};

} // namespace lockscope::cli
