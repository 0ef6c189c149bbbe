// SPDX-License-Identifier: Apache-2.0
// Connections to a real memcached, and random commands that both a real and a simulated one get.
#pragma once
#include "sim/memcached/command.h"
#include "two_sides.h"

namespace lockscope::differential {

/// A connection to a real memcached by its text protocol. Blocks.
class RealMemcached {
public:
    using Kind = sim::MemcachedCommand::Kind;
    explicit RealMemcached(std::uint16_t port) : m_socket(port) {}
    /// The answers to commands in one packet, as lines; an item as "VALUE <value> <number>". Afterwards uptime() is the
    /// server's when it ran the last of them.
    QByteArrayList tell(const std::vector<sim::MemcachedCommand>& commands) {
        QByteArray bytes;
        for (const sim::MemcachedCommand& command : commands)
            bytes += wordsOf(command);
        m_socket.write(bytes + "stats\r\n");
        QByteArrayList lines;
        for (std::size_t i = 0; i < commands.size(); ++i)
            lines += answer();
        readStatistics();
        return lines;
    }
    /// The server's clock: seconds since its start.
    std::int64_t uptime() const { return m_uptime; }
    /// Its date, in seconds since 1970.
    std::int64_t date() const { return m_date; }

private:
    static QByteArray wordsOf(const sim::MemcachedCommand& command) {
        const QByteArray expiry = QByteArray::number(qint64(command.expiry));
        const QByteArray size = QByteArray::number(command.value.size());
        const QByteArray value = "\r\n" + command.value + "\r\n";
        switch (command.kind) {
        case Kind::Get:
            return "gets " + command.key + "\r\n";
        case Kind::Set:
            return "set " + command.key + " 0 " + expiry + ' ' + size + value;
        case Kind::Add:
            return "add " + command.key + " 0 " + expiry + ' ' + size + value;
        case Kind::Replace:
            return "replace " + command.key + " 0 " + expiry + ' ' + size + value;
        case Kind::CompareAndSet:
            return "cas " + command.key + " 0 " + expiry + ' ' + size + ' ' +
                   QByteArray::number(quint64(command.unique)) + value;
        case Kind::Remove:
            return "delete " + command.key + "\r\n";
        case Kind::Touch:
            return "touch " + command.key + ' ' + expiry + "\r\n";
        case Kind::GetAndTouch:
            return "gats " + expiry + ' ' + command.key + "\r\n";
        case Kind::Flush:
            return command.expiry == 0 ? QByteArray("flush_all\r\n") : "flush_all " + expiry + "\r\n";
        case Kind::Version:
            return "version\r\n";
        }
        return {};
    }
    QByteArray line() { return m_socket.line().value_or("(nothing)"); }
    QByteArray answer() {
        const QByteArray first = line();
        if (!first.startsWith("VALUE ")) return first;
        const QByteArray number = first.split(' ').last();
        const QByteArray value = line();
        line(); // END
        return "VALUE " + value + ' ' + number;
    }
    void readStatistics() {
        for (QByteArray one = line(); one != "END" && one != "(nothing)"; one = line()) {
            if (one.startsWith("STAT uptime ")) m_uptime = one.split(' ').last().toLongLong();
            if (one.startsWith("STAT time ")) m_date = one.split(' ').last().toLongLong();
        }
    }
    BlockingSocket m_socket;
    std::int64_t m_uptime = -1, m_date = 0;
};

/// Random commands over few keys, so that they meet.
class RandomItems : public Dice {
public:
    using Kind = sim::MemcachedCommand::Kind;
    using Dice::Dice;

    static QByteArrayList keys() { return {"k0", "k1", "k2", "k3"}; }
    /// A number that a look has reported.
    void seen(std::uint64_t number) {
        m_seen.push_back(number);
        if (m_seen.size() > kRemembered) m_seen.erase(m_seen.begin());
    }

    struct Drawn {
        sim::MemcachedCommand command;
        /// The expiry is so many seconds after the server's own date.
        std::optional<std::int64_t> date{};
    };
    Drawn next() {
        Drawn drawn;
        sim::MemcachedCommand& command = drawn.command;
        command.key = keys()[qsizetype(below(4))];
        const std::uint64_t what = below(1000);
        command.kind = what < 220   ? Kind::Add
                       : what < 340 ? Kind::Set
                       : what < 400 ? Kind::Replace
                       : what < 620 ? Kind::CompareAndSet
                       : what < 820 ? Kind::Get
                       : what < 900 ? Kind::Remove
                       : what < 960 ? Kind::Touch
                       : what < 995 ? Kind::GetAndTouch
                                    : Kind::Flush;
        if (command.kind == Kind::Flush) {
            command.key.clear();
            command.expiry = chance(2) ? 0 : std::int64_t(below(3));
            return drawn;
        }
        static constexpr std::array<std::int64_t, 7> kExpiries{0, -1, 1, 2, 3, 2'592'000, 2'592'001};
        command.expiry = kExpiries[below(kExpiries.size())];
        if (chance(8)) drawn.date = std::int64_t(below(5)) - 1;
        if (command.stores()) command.value = QByteArray(qsizetype(1 + below(30)), char('a' + below(26)));
        if (command.kind == Kind::CompareAndSet)
            command.unique = m_seen.empty() || chance(6) ? below(20) : m_seen[m_seen.size() - 1 - below(recent())];
        return drawn;
    }

private:
    static constexpr std::size_t kRemembered = 8;
    std::uint64_t recent() { return chance(3) ? m_seen.size() : std::min<std::uint64_t>(m_seen.size(), 2); }
    std::vector<std::uint64_t> m_seen;
};

} // namespace lockscope::differential
