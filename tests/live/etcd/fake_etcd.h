// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_etcd.h"
#include "recipes/recipe.h"

#include <QTcpServer>
#include <QTcpSocket>

namespace lockscope::test {

inline recipes::Request asked(Nanos wait, Nanos lease = 10s) {
    recipes::Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

/// A server that answers each request as the test says; requests are numbered from 1.
class FakeEtcd : public QObject {
public:
    using Script = std::function<void(QTcpSocket&, int request)>;
    FakeEtcd(Runtime& runtime, Script script) : m_script(std::move(script)) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* socket = m_server.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
                asked = socket->readAll();
                if (asked.startsWith("POST ")) m_script(*socket, ++requests);
            });
        });
    }
    QString url() const { return QStringLiteral("etcd://127.0.0.1:%1").arg(m_server.serverPort()); }
    int requests = 0;
    QByteArray asked; ///< the last of them

private:
    QTcpServer m_server;
    Script m_script;
};

inline QByteArray reply(const QByteArray& body, const QByteArray& status = "200 OK") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" +
           body;
}
inline QByteArray tokenReply(int number) {
    return reply(QByteArray(R"({"header":{},"token":"token-%"})").replace('%', QByteArray::number(number)));
}
inline const QByteArray kFine = R"({"header":{"revision":"7"},"count":"0"})";

/// One that gives up sooner than the tests do.
inline etcd::DriverOptions impatient() {
    etcd::DriverOptions options;
    options.requestTimeout = 400ms;
    options.shortestTry = 100ms;
    return options;
}

} // namespace lockscope::test
