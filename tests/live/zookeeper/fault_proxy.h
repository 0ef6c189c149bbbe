// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/workspace.h"

#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <QtEndian>

namespace lockscope::test {

/// Stands between a client and its server and passes messages on, until told to do something about the next answer to a
/// request. Requests pass untouched: what is lost here has been done.
class FaultProxy : public QObject {
public:
    enum class Fault { None, LoseAnswer, CutMidAnswer, CutAfterAnswer, GarbageInstead, GarbageGreeting };

    FaultProxy(Runtime& runtime, std::uint16_t target) : m_target(target) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] { accept(); });
    }
    QString url() const { return QStringLiteral("zookeeper://127.0.0.1:%1").arg(m_server.serverPort()); }
    int connections = 0;
    Fault fault = Fault::None; ///< for the next answer, then none again; GarbageGreeting stays
    QByteArray garbage;
    std::chrono::milliseconds delay{0}; ///< of everything that the server says
    bool deaf = false;                  ///< nothing passes in either direction, nothing is closed
    /// As a server that is behind the others: it hangs up on clients that have seen a newer transaction than this one.
    std::optional<qint64> behind;
    int hangUps = 0; ///< of a server that is behind
    int fresh = 0;   ///< connections of clients that have seen nothing yet
    void cutAll() {
        for (const auto& socket : std::as_const(m_sockets))
            if (socket) socket->abort();
        m_sockets.clear();
    }

private:
    void accept() {
        QTcpSocket* const client = m_server.nextPendingConnection();
        auto* const server = new QTcpSocket(client);
        ++connections;
        m_sockets << client << server;
        server->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target);
        auto said = std::make_shared<bool>(false);
        connect(client, &QTcpSocket::readyRead, server, [this, client, server, said] {
            if (!*said && client->bytesAvailable() < kGreetingHead) return;
            const QByteArray bytes = client->readAll();
            if (!std::exchange(*said, true) && !welcome(bytes)) return client->disconnectFromHost();
            if (!deaf) server->write(bytes);
        });
        auto pending = std::make_shared<QByteArray>();
        auto greeted = std::make_shared<bool>(false);
        connect(server, &QTcpSocket::readyRead, client, [this, client, server, pending, greeted] {
            *pending += server->readAll();
            while (pending->size() >= 4) {
                const auto size = qFromBigEndian<qint32>(pending->constData()) + 4;
                if (pending->size() < size) break;
                const QByteArray message = pending->left(size);
                pending->remove(0, size);
                deliver(client, message, std::exchange(*greeted, true));
            }
        });
        connect(server, &QTcpSocket::disconnected, client, [client] { client->abort(); });
        connect(client, &QTcpSocket::disconnected, server, [client] { client->deleteLater(); });
    }
    static constexpr int kGreetingHead = 16; // length, version, the newest transaction that the client has seen
    bool welcome(const QByteArray& greeting) {
        const auto seen = qFromBigEndian<qint64>(greeting.constData() + 8);
        fresh += seen == 0;
        const bool ahead = behind && seen > *behind;
        hangUps += ahead;
        return !ahead;
    }
    void deliver(QTcpSocket* client, const QByteArray& message, bool greeted) {
        if (deaf) return;
        const bool answer = greeted && qFromBigEndian<qint32>(message.constData() + 4) > 0;
        const Fault now = answer ? std::exchange(fault, Fault::None) : fault;
        if (!greeted && now == Fault::GarbageGreeting) return send(client, garbage);
        if (!answer || now == Fault::None || now == Fault::GarbageGreeting) return send(client, message);
        if (now == Fault::GarbageInstead) return send(client, garbage);
        if (now == Fault::CutMidAnswer) {
            client->write(message.left(message.size() / 2));
            client->flush();
        }
        if (now == Fault::CutAfterAnswer) client->write(message);
        client->disconnectFromHost();
    }
    void send(QTcpSocket* client, const QByteArray& bytes) {
        if (delay.count() == 0) {
            client->write(bytes);
            return;
        }
        QTimer::singleShot(delay, client, [client, bytes] { client->write(bytes); });
    }
    std::uint16_t m_target;
    QTcpServer m_server;
    QList<QPointer<QTcpSocket>> m_sockets;
};

} // namespace lockscope::test
