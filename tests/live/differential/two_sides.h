// SPDX-License-Identifier: Apache-2.0
// The parts that all differentials over a wire need: a blocking connection, chance, and the last messages.
#pragma once
#include <QByteArrayList>
#include <QTcpSocket>
#include <deque>
#include <random>

namespace lockscope::differential {

/// A connection to a server on the loopback that waits for every answer.
class BlockingSocket {
public:
    explicit BlockingSocket(std::uint16_t port) {
        m_socket.connectToHost(QStringLiteral("127.0.0.1"), port);
        if (!m_socket.waitForConnected(kPatience)) qFatal("not connected");
        m_socket.setSocketOption(QAbstractSocket::LowDelayOption, 1);
    }
    void write(const QByteArray& bytes) { m_socket.write(bytes); }
    /// The bytes that have come, or that come next; empty: none for too long.
    QByteArray read() {
        if (m_socket.bytesAvailable() == 0) m_socket.waitForReadyRead(kPatience);
        return m_socket.readAll();
    }
    /// Without its end; nullopt: none for too long.
    std::optional<QByteArray> line() {
        while (!m_socket.canReadLine())
            if (!m_socket.waitForReadyRead(kPatience)) return std::nullopt;
        return m_socket.readLine().trimmed();
    }

private:
    static constexpr int kPatience = 20'000; ///< ms
    QTcpSocket m_socket;
};

/// Random numbers that are the same everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_random(seed) {}
    std::uint64_t below(std::uint64_t bound) { return m_random() % bound; }
    bool chance(std::uint64_t of) { return below(of) == 0; }

private:
    std::mt19937_64 m_random;
};

/// The last messages before a difference.
class History {
public:
    explicit History(std::size_t most) : m_most(most) {}
    void note(const QByteArray& line) {
        m_lines.push_back(line);
        if (m_lines.size() > m_most) m_lines.pop_front();
    }
    QByteArray text() const { return QByteArrayList(m_lines.begin(), m_lines.end()).join("\n  "); }

private:
    std::size_t m_most;
    std::deque<QByteArray> m_lines;
};

} // namespace lockscope::differential
