// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/etcd/driver.h"
#include "sandbox/etcd_server.h"
#include "support/live.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QProcess>

namespace lockscope::test {

/// How many leases there are: what no recipe asks for, and every test wants to know.
inline int leaseCount(const sandbox::EtcdServer& server) {
    QNetworkAccessManager network;
    QNetworkRequest request(QUrl(server.endpoint() + QStringLiteral("/v3/lease/leases")));
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    const std::unique_ptr<QNetworkReply> reply(network.post(request, "{}"));
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    if (!reply->isFinished()) loop.exec();
    const QJsonObject object = QJsonDocument::fromJson(reply->readAll()).object();
    return object.contains(QStringLiteral("header")) ? int(object[QStringLiteral("leases")].toArray().size()) : -1;
}

/// How many watches the server serves, by its own metrics.
inline int watchCount(const sandbox::EtcdServer& server) {
    QNetworkAccessManager network;
    const std::unique_ptr<QNetworkReply> reply(
        network.get(QNetworkRequest(QUrl(server.endpoint() + QStringLiteral("/metrics")))));
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    if (!reply->isFinished()) loop.exec();
    for (const QByteArray& line : reply->readAll().split('\n'))
        if (line.startsWith("etcd_debugging_mvcc_watcher_total ")) return line.mid(line.indexOf(' ') + 1).toInt();
    return -1;
}

/// Runs etcdctl as root with words separated by blanks.
inline bool etcdctl(const sandbox::EtcdServer& server, const QString& line) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ETCDCTL_API"), QStringLiteral("3"));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral("etcdctl"), QStringList{QStringLiteral("--endpoints"), server.endpoint(),
                                                         QStringLiteral("--user"), QStringLiteral("root:root")} +
                                                 line.split(u' '));
    return process.waitForFinished() && process.exitCode() == 0;
}

/// The keys under a prefix, oldest first.
inline std::vector<etcd::KeyValue> keysUnder(etcd::Port& port, const QByteArray& prefix) {
    etcd::Range range;
    range.key = prefix.isEmpty() ? QByteArray(1, '\0') : prefix;
    range.end = etcd::endOfPrefix(prefix);
    range.order = etcd::Range::Order::OldestFirst;
    const auto found = run(port.range(range));
    return found ? found->keys : std::vector<etcd::KeyValue>{{"error", found.error().message.toUtf8()}};
}

} // namespace lockscope::test
