// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/workspace.h"

#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <functional>

namespace lockscope::test {

/// Stands between a client and its Redis and passes everything on, until it is told to cut.
class RedisRelay : public QObject {
public:
    RedisRelay(Runtime& runtime, std::uint16_t target) : m_target(target) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] { accept(); });
    }
    QString url() const { return QStringLiteral("redis://127.0.0.1:%1").arg(m_server.serverPort()); }
    /// Told of each answer that goes to the client, with what the client has asked last on that connection. True: this
    /// was the last one, the connection ends behind it.
    std::function<bool(const QByteArray& asked, const QByteArray& answer)> answered;
    /// As `answered`, for an answer that does not come through: the connection ends in front of it.
    std::function<bool(const QByteArray& asked, const QByteArray& answer)> loses;
    int connections = 0;
    /// From here on it stands before another server: the connections end, and new ones lead there.
    void leadTo(std::uint16_t target) {
        m_target = target;
        for (auto* client : m_server.findChildren<QTcpSocket*>())
            client->disconnectFromHost();
    }

private:
    void accept() {
        QTcpSocket* const client = m_server.nextPendingConnection();
        auto* const server = new QTcpSocket(client);
        ++connections;
        server->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target);
        auto asked = std::make_shared<QByteArray>();
        connect(client, &QTcpSocket::readyRead, server, [client, server, asked] {
            *asked = client->readAll();
            server->write(*asked);
        });
        connect(server, &QTcpSocket::readyRead, client, [this, client, server, asked] {
            const QByteArray answer = server->readAll();
            const bool lost = loses && loses(*asked, answer);
            if (!lost) client->write(answer);
            if (!lost && (!answered || !answered(*asked, answer))) return;
            server->disconnect(client);
            server->abort();
            client->disconnectFromHost(); // behind what was written
        });
        connect(server, &QTcpSocket::disconnected, client, [client] { client->disconnectFromHost(); });
        connect(client, &QTcpSocket::disconnected, server, [client] { client->deleteLater(); });
    }
    std::uint16_t m_target;
    QTcpServer m_server;
};

} // namespace lockscope::test
