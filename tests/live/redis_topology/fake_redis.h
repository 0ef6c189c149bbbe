// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

namespace lockscope::test {

/// A server that speaks enough of the protocol to be taken for a Redis, and answers each command as the test says:
/// with the bytes of a reply, or with nothing.
class FakeRedis : public QObject {
public:
    using Answer = std::function<QByteArray(QTcpSocket&, const QByteArrayList& command)>;
    FakeRedis(Runtime& runtime, Answer answer) : m_answer(std::move(answer)) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* socket = m_server.nextPendingConnection();
            ++connections;
            auto received = std::make_shared<QByteArray>();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket, received] {
                *received += socket->readAll();
                while (const auto command = take(*received)) {
                    if (socket->state() != QAbstractSocket::ConnectedState) return;
                    const QByteArray bytes = reply(*socket, *command);
                    if (socket->property("held").toBool()) // answers come in the order of the questions
                        socket->setProperty("late", socket->property("late").toByteArray() + bytes);
                    else if (!bytes.isEmpty())
                        socket->write(bytes);
                }
            });
        });
    }
    std::uint16_t port() const { return m_server.serverPort(); }
    Endpoint at() const { return {QStringLiteral("127.0.0.1"), port()}; }
    /// From now on nothing is answered on this connection, or all of it later.
    static void hold(QTcpSocket& socket, std::chrono::milliseconds time = std::chrono::milliseconds(0)) {
        socket.setProperty("held", true);
        if (time.count() != 0) QTimer::singleShot(time, &socket, [&socket] { letGo(socket); });
    }
    /// Answers all that was held.
    static void letGo(QTcpSocket& socket) {
        socket.setProperty("held", false);
        socket.write(socket.property("late").toByteArray());
        socket.setProperty("late", QByteArray());
    }
    /// Ends all connections: what was not answered never will be.
    void hangUp() {
        for (QTcpSocket* socket : m_server.findChildren<QTcpSocket*>())
            socket->abort();
    }
    int connections = 0, greeted = 0;
    int asked = 0; ///< beside greetings and signs of life

private:
    QByteArray reply(QTcpSocket& socket, const QByteArrayList& command) {
        const QByteArray name = command.front().toUpper();
        if (name == "CLIENT" || name == "AUTH") return "+OK\r\n";
        if (name == "PING") {
            if (!socket.property("greeted").toBool()) ++greeted;
            socket.setProperty("greeted", true);
            return "+PONG\r\n";
        }
        ++asked;
        return m_answer(socket, command);
    }
    /// The first whole command, taken off the bytes.
    static std::optional<QByteArrayList> take(QByteArray& bytes) {
        qsizetype at = 0;
        const auto number = [&](char mark) -> std::optional<qsizetype> {
            const qsizetype end = bytes.indexOf("\r\n", at);
            if (end < 0 || bytes[at] != mark) return std::nullopt;
            const qsizetype value = bytes.mid(at + 1, end - at - 1).toLongLong();
            at = end + 2;
            return value;
        };
        const auto count = bytes.isEmpty() ? std::nullopt : number('*');
        if (!count) return std::nullopt;
        QByteArrayList words;
        for (qsizetype i = 0; i < *count; ++i) {
            const auto size = at < bytes.size() ? number('$') : std::nullopt;
            if (!size || bytes.size() < at + *size + 2) return std::nullopt;
            words += bytes.mid(at, *size);
            at += *size + 2;
        }
        bytes.remove(0, at);
        return words;
    }
    QTcpServer m_server;
    Answer m_answer;
};

/// A reply that is a list of texts.
inline QByteArray listOf(const QByteArrayList& texts) {
    QByteArray bytes = '*' + QByteArray::number(texts.size()) + "\r\n";
    for (const QByteArray& text : texts)
        bytes += '$' + QByteArray::number(text.size()) + "\r\n" + text + "\r\n";
    return bytes;
}

} // namespace lockscope::test
