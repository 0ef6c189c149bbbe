// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/workspace.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <functional>
#include <set>

namespace lockscope::test {

/// A TCP connection's middle man that can be told to cut, to hold answers back, to answer nonsense, or to change what
/// is asked.
class TcpRelay : public QObject {
public:
    TcpRelay(Runtime& runtime, std::uint16_t target) : m_target(target) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket* client = m_server.nextPendingConnection())
                relay(client);
        });
    }
    std::uint16_t port() const { return m_server.serverPort(); }

    /// The next answer is cut off after so many bytes, and the connection with it; -1: not.
    void cutNextAnswerAfter(qint64 bytes) { m_cutAfter = bytes; }
    /// Answers pass up to so many bytes of a connection, and what comes later is held back until holdAnswers(false).
    void standStillAfter(qint64 bytes) { m_standStillAfter = bytes; }
    /// The next answer is replaced by these bytes.
    void replaceNextAnswer(QByteArray bytes) { m_nonsense = std::move(bytes); }
    /// Changes each piece of a request; an empty function changes nothing.
    std::function<void(QByteArray& bytes)> changeRequest;
    /// Answers are held back while this is so.
    void holdAnswers(bool hold) {
        m_holding = hold;
        if (hold) return;
        m_standStillAfter = -1;
        for (auto& [client, bytes] : m_held)
            client->write(std::exchange(bytes, {}));
    }
    /// The way of each answer from the server to the client.
    std::chrono::milliseconds answersTake{0};
    int connections = 0;
    /// Nobody is let in while this is so.
    bool closed = false;

private:
    void relay(QTcpSocket* client) {
        ++connections;
        if (closed) {
            client->abort();
            client->deleteLater();
            return;
        }
        auto* server = new QTcpSocket(client);
        client->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        server->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        server->connectToHost(QHostAddress(QHostAddress::LocalHost), m_target);
        connect(client, &QTcpSocket::readyRead, server, [this, client, server] {
            QByteArray bytes = client->readAll();
            if (changeRequest) changeRequest(bytes);
            server->write(bytes);
        });
        connect(server, &QTcpSocket::readyRead, client, [this, client, server] {
            if (answersTake == std::chrono::milliseconds(0)) return answer(client, server->readAll());
            QTimer::singleShot(answersTake, Qt::PreciseTimer, client,
                               [this, client, bytes = server->readAll()] { answer(client, bytes); });
        });
        connect(server, &QTcpSocket::disconnected, client, [client] { client->disconnectFromHost(); });
        connect(client, &QTcpSocket::disconnected, this, [this, client] {
            m_held.erase(client);
            m_passed.erase(client);
            client->deleteLater();
        });
    }
    void answer(QTcpSocket* client, QByteArray bytes) {
        if (client->state() != QAbstractSocket::ConnectedState) return;
        if (!m_nonsense.isEmpty()) bytes = std::exchange(m_nonsense, {});
        if (m_cutAfter >= 0) {
            client->write(bytes.left(std::exchange(m_cutAfter, -1)));
            client->disconnectFromHost();
            return;
        }
        qint64& passed = m_passed[client];
        const qint64 now = m_standStillAfter < 0 ? bytes.size() : std::max<qint64>(m_standStillAfter - passed, 0);
        if (!m_holding && now < bytes.size()) {
            client->write(bytes.left(now));
            passed += now;
            m_held[client] += bytes.mid(now);
            return;
        }
        passed += bytes.size();
        if (m_holding)
            m_held[client] += bytes;
        else
            client->write(bytes);
    }
    std::map<QTcpSocket*, QByteArray> m_held; ///< first: sockets that end with the server still look here
    std::map<QTcpSocket*, qint64> m_passed;   ///< bytes of answers that went on
    QTcpServer m_server;
    std::uint16_t m_target;
    qint64 m_cutAfter = -1, m_standStillAfter = -1;
    QByteArray m_nonsense;
    bool m_holding = false;
};

} // namespace lockscope::test
