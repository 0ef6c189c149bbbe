// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/workspace.h"

#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <functional>

namespace lockscope::test {

/// Stands between a client and its server, whatever they speak, and passes everything on: until it is told to break
/// the connections, or to have the server away.
class Relay : public QObject {
public:
    Relay(Runtime& runtime, std::uint16_t target) : m_target(target) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket* const client = m_server.nextPendingConnection())
                accept(client);
        });
    }
    std::uint16_t port() const { return m_server.serverPort(); }

    /// Told of each piece of bytes before it is passed on, in both directions, but for those that count for nothing.
    std::function<void()> passing;
    std::function<bool(const QByteArray& piece)> countsForNothing;
    /// Rewrites the server's answers before they are passed on.
    std::function<QByteArray(QByteArray said)> translating;
    int connections = 0; ///< that there were
    /// Breaks all connections that there are.
    void cut() {
        for (const auto& socket : std::exchange(m_sockets, {}))
            if (socket) socket->abort();
    }
    /// The server cannot be reached: connections break, new ones break at once.
    void setAway(bool away) {
        m_away = away;
        if (away) cut();
    }

private:
    void accept(QTcpSocket* client) {
        connect(client, &QTcpSocket::disconnected, client, &QObject::deleteLater);
        if (m_away) {
            client->abort();
            return;
        }
        ++connections;
        auto* const server = new QTcpSocket(client);
        m_sockets << client << server;
        client->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        server->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        server->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target);
        connect(client, &QTcpSocket::readyRead, server, [this, client, server] { pass(client->readAll(), server); });
        connect(server, &QTcpSocket::readyRead, client, [this, client, server] {
            const QByteArray said = server->readAll();
            pass(translating ? translating(said) : said, client);
        });
        connect(server, &QTcpSocket::disconnected, client, [client] { client->disconnectFromHost(); });
    }
    void pass(const QByteArray& bytes, QTcpSocket* to) {
        if (passing && !(countsForNothing && countsForNothing(bytes))) passing();
        to->write(bytes);
    }
    std::uint16_t m_target;
    bool m_away = false;
    QTcpServer m_server;
    QList<QPointer<QTcpSocket>> m_sockets;
};

} // namespace lockscope::test
