// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/watch_metrics.h"

#include "cli/text.h"
#include "inspect/member_change.h"
#include "inspect/text.h"
#include "inspect/verbatim.h"
#include "ports/endpoint.h"

#include <QHttpServer>
#include <QHttpServerResponse>
#include <algorithm>

namespace lockscope::cli {

using inspect::LockRow;

namespace {

/// A value of a label, escaped as the format demands.
QByteArray label(const QString& value) {
    QByteArray text = value.toUtf8();
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    return '"' + text + '"';
}

QByteArray seconds(double value) {
    return QByteArray::number(value, 'f', 3);
}

/// Lines of one metric: its head, then a sample for each of its label sets.
class Family {
public:
    Family(const char* name, const char* type, const char* help)
        : m_name(name), m_text("# HELP " + m_name + ' ' + help + "\n# TYPE " + m_name + ' ' + type + '\n') {}
    void add(const QByteArray& labels, const QByteArray& value) {
        m_text += m_name + '{' + labels + "} " + value + '\n';
    }
    const QByteArray& text() const { return m_text; }

private:
    QByteArray m_name, m_text;
};

} // namespace

std::expected<MetricsAddress, QString> MetricsAddress::parse(const QString& text) {
    MetricsAddress at;
    const bool onlyPort = !text.contains(QLatin1Char(':'));
    const QString address = onlyPort ? QStringLiteral(":%1").arg(text) : text;
    const auto given = endpointOf(address);
    const QString host = given && given->host != QLatin1String("localhost") ? given->host : QString();
    if (!given || (!host.isEmpty() && !at.host.setAddress(host)))
        return std::unexpected(tr("--metrics “%1” should be a port, or an address and a port: 9187, 0.0.0.0:9187, "
                                  "[::1]:9187")
                                   .arg(text));
    at.port = given->port;
    return at;
}

WatchMetrics::WatchMetrics() : m_http(std::make_unique<QHttpServer>()) {
    m_http->route(QStringLiteral("/metrics"), [this] {
        return QHttpServerResponse(QByteArrayLiteral("text/plain; version=0.0.4; charset=utf-8"), text());
    });
}

WatchMetrics::~WatchMetrics() = default;

std::expected<std::uint16_t, QString> WatchMetrics::listen(const MetricsAddress& at) {
    const quint16 port = m_http->listen(at.host, at.port);
    if (port == 0)
        return std::unexpected(tr("nobody can be answered at %1, port %2: it is in use, or not this machine's")
                                   .arg(at.host.toString())
                                   .arg(at.port));
    return port;
}

void WatchMetrics::seen(const QString& endpoint, const inspect::LockReport& report) {
    Server& server = m_servers[endpoint];
    server.up = !report.trouble;
    if (server.up) {
        server.last = report;
        server.knownUntil = std::chrono::steady_clock::now() - (report.at - report.knownUntil());
        return;
    }
    // How many of them can be read is never more interesting than now. An ensemble without a majority reads from none,
    // whichever of its members were away before.
    if (!report.servers.empty()) server.last.servers = report.servers;
    const bool tells = std::ranges::any_of(
        report.servers, [](const inspect::WatchedServerState& one) { return !one.trouble.isEmpty(); });
    for (inspect::WatchedServerState& one : server.last.servers)
        if (!tells) one.trouble = report.trouble->message;
}

void WatchMetrics::happened(const QString& endpoint, inspect::LockChange::What what) {
    ++m_servers[endpoint].events[nameOf(what)];
}

void WatchMetrics::setAlerts(const QString& endpoint, std::size_t raised) {
    m_servers[endpoint].alerts = raised;
}

QByteArray WatchMetrics::text() const {
    Family up("lockscope_up", "gauge", "1 while the server can be read, of a cluster all of its parts.");
    Family servers("lockscope_servers", "gauge", "Servers that are watched together, by whether they can be read.");
    Family unlisted("lockscope_locks_without_samples", "gauge",
                    "Locks beyond the number that have samples of their own.");
    Family locks("lockscope_locks", "gauge", "Locks by state.");
    Family waiters("lockscope_lock_waiters", "gauge", "Clients that wait for the lock.");
    Family held("lockscope_lock_held", "gauge", "1 while the lock is held.");
    Family left("lockscope_lock_ttl_seconds", "gauge", "Time left of the lease when it was last looked at.");
    Family tokens("lockscope_lock_token", "gauge", "The fencing token of the holder.");
    Family events("lockscope_lock_events_total", "counter", "Changes seen since the watch began.");
    Family alerts("lockscope_alerts", "gauge", "Alerts that are raised.");
    Family requests("lockscope_watch_requests_total", "counter", "Requests that watching has sent to the server.");
    Family age("lockscope_watch_look_age_seconds", "gauge",
               "Time since the last look that has seen the server's locks.");
    Family spent("lockscope_watch_server_seconds_total", "counter", "The server's time that they took, at most.");
    for (const auto& [endpoint, server] : m_servers) {
        const QByteArray here = "endpoint=" + label(endpoint);
        const auto away = std::ranges::count_if(
            server.last.servers, [](const inspect::WatchedServerState& one) { return !one.trouble.isEmpty(); });
        const bool each = server.last.together || inspect::isEnsemble(server.last.servers); // has every lock
        const bool whole = each || away == 0;
        up.add(here, server.up && whole ? "1" : "0");
        if (!server.last.servers.empty()) {
            servers.add(here + ",readable=\"yes\"", QByteArray::number(qlonglong(server.last.servers.size()) - away));
            servers.add(here + ",readable=\"no\"", QByteArray::number(qlonglong(away)));
        }
        alerts.add(here, QByteArray::number(qulonglong(server.alerts)));
        for (const auto& [event, count] : server.events)
            events.add(here + ",event=\"" + event + '"', QByteArray::number(qulonglong(count)));
        requests.add(here, QByteArray::number(qulonglong(server.last.commands)));
        spent.add(here, seconds(std::chrono::duration<double>(server.last.serverTime).count()));
        if (server.knownUntil)
            age.add(
                here,
                seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - *server.knownUntil).count()));
        if (!server.up) continue; // what was true of its locks need not be any more
        std::map<LockRow::State, int> states{
            {LockRow::State::Free, 0}, {LockRow::State::Queued, 0}, {LockRow::State::Held, 0}};
        std::size_t shown = 0;
        for (const LockRow& row : server.last.locks) {
            ++states[row.state];
            if (shown++ >= kMostLocks) continue;
            const QByteArray of = here + ",lock=" + label(inspect::verbatim(row.name)) +
                                  ",format=" + label(inspect::readable(row.format)) + ",certainty=\"" +
                                  inspect::nameOf(row.certainty) + '"';
            if (row.state != LockRow::State::NotKnown) held.add(of, row.state == LockRow::State::Held ? "1" : "0");
            if (row.waiterCount) waiters.add(of, QByteArray::number(qlonglong(*row.waiterCount)));
            if (row.ttlMs) left.add(of, seconds(double(*row.ttlMs) / 1000));
            if (row.token) tokens.add(of, QByteArray::number(qlonglong(*row.token)));
        }
        unlisted.add(here, QByteArray::number(qulonglong(shown - std::min(shown, kMostLocks))));
        static constexpr const char* kStates[] = {"free", "queued", "held", "not-known"};
        for (const auto& [state, count] : states)
            locks.add(here + ",state=\"" + kStates[std::size_t(state)] + '"', QByteArray::number(count));
    }
    QByteArray all;
    for (const Family* family :
         {&up, &servers, &locks, &unlisted, &held, &waiters, &left, &tokens, &events, &alerts, &requests, &spent, &age})
        all += family->text();
    return all;
}

} // namespace lockscope::cli
