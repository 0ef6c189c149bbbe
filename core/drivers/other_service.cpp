// SPDX-License-Identifier: Apache-2.0
#include "drivers/other_service.h"

#include "runtime/completion.h"

#include <QCoreApplication>
#include <QNetworkProxy>
#include <QTcpSocket>
#include <algorithm>

namespace lockscope {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(OtherService)
};

constexpr Nanos kForGreeting = 300ms; // that of a MySQL comes at once
constexpr Nanos kForAnswer = 700ms;
constexpr std::size_t kMostServers = 3; // of a long list, the first ones are enough to see a mistake
constexpr qint64 kMostBytes = 4096;

/// A connection to be asked one question.
class Call {
public:
    Call(Runtime& runtime, const Endpoint& at) : m_runtime(runtime) {
        m_socket.setProxy(QNetworkProxy::NoProxy);
        const auto news = [this] { m_news.complete(true); };
        QObject::connect(&m_socket, &QTcpSocket::connected, &m_socket, news);
        QObject::connect(&m_socket, &QTcpSocket::readyRead, &m_socket, news);
        QObject::connect(&m_socket, &QTcpSocket::errorOccurred, &m_socket, news); // also at its end
        m_socket.connectToHost(at.host, at.port);
    }
    bool isOpen() const { return m_socket.state() == QAbstractSocket::ConnectedState; }
    QCoro::Task<> opened(std::stop_token stop) {
        co_await m_news.wait(m_runtime, kForAnswer, std::move(stop));
        m_news = {};
    }
    /// The bytes that come first, after `question` if there is one; empty: none.
    QCoro::Task<QByteArray> answer(QByteArray question, Nanos patience, std::stop_token stop) {
        if (!question.isEmpty()) m_socket.write(question);
        if (m_socket.bytesAvailable() == 0) co_await m_news.wait(m_runtime, patience, std::move(stop));
        m_news = {};
        co_return m_socket.read(kMostBytes);
    }

private:
    Runtime& m_runtime;
    Completion<bool> m_news;
    QTcpSocket m_socket;
};

bool isMySqlGreeting(const QByteArray& bytes) {
    // A packet of three bytes' length with number 0: version 10 of the protocol, or an error such as "too many
    // connections".
    return bytes.size() > 5 && bytes[2] == 0 && bytes[3] == 0 && (bytes[4] == 10 || std::uint8_t(bytes[4]) == 0xff);
}

/// Judges the first bytes, unasked or after a "PING" line.
Listener listenerIn(const QByteArray& bytes) {
    const auto begins = [&bytes](std::initializer_list<const char*> words) {
        return std::ranges::any_of(words, [&](const char* word) { return bytes.startsWith(word); });
    };
    if (isMySqlGreeting(bytes)) return Listener::MySql;
    if (begins({"SSH-"})) return Listener::Ssh;
    if (begins({"+PONG", "-NOAUTH", "-NOPERM", "-LOADING", "-MASTERDOWN", "-DENIED", "-ERR", "-MISCONF"}))
        return Listener::Redis;
    if (begins({"ERROR\r\n", "CLIENT_ERROR"})) return Listener::Memcached;
    if (begins({"HTTP/"})) return Listener::Web;
    if (begins({"\x15\x03"})) return Listener::Tls;
    return Listener::NotKnown;
}

/// Opens a connection, listens for `greeting` to what comes unasked, and asks if nothing did. Empty: no answer;
/// nullopt: it cannot be opened.
QCoro::Task<std::optional<QByteArray>> ask(Runtime& runtime, Endpoint at, QByteArray question, std::stop_token stop,
                                           Nanos greeting = 0ns) {
    Call call(runtime, at);
    co_await call.opened(stop);
    QByteArray bytes;
    if (!call.isOpen()) co_return std::nullopt;
    if (greeting > 0ns) bytes = co_await call.answer({}, greeting, stop);
    if (bytes.isEmpty() && call.isOpen()) bytes = co_await call.answer(std::move(question), kForAnswer, stop);
    co_return bytes;
}

constexpr char kSslRequest[] = "\x00\x00\x00\x08\x04\xd2\x16\x2f"; // a PostgreSQL answers with one letter

/// Whether such a program gives that service.
bool isOf(Listener listener, Service service) {
    switch (service) {
    case Service::Redis:
    case Service::RedisSentinel:
    case Service::RedisCluster:
    case Service::Redlock:
        return listener == Listener::Redis;
    case Service::ZooKeeper:
        return listener == Listener::ZooKeeper;
    case Service::MySql:
        return listener == Listener::MySql;
    case Service::PostgreSql:
        return listener == Listener::PostgreSql;
    case Service::Memcached:
        return listener == Listener::Memcached;
    case Service::Etcd:
        return listener == Listener::Etcd;
    case Service::Sqlite:
        break;
    }
    return true;
}

QString wordFor(Listener listener) {
    switch (listener) {
    case Listener::Redis:
        return Text::tr("a Redis");
    case Listener::MySql:
        return Text::tr("a MySQL or MariaDB");
    case Listener::PostgreSql:
        return Text::tr("a PostgreSQL");
    case Listener::Memcached:
        return Text::tr("a memcached");
    case Listener::ZooKeeper:
        return Text::tr("a ZooKeeper");
    case Listener::Etcd:
        return Text::tr("an etcd");
    case Listener::Web:
        return Text::tr("a web server");
    case Listener::Ssh:
        return Text::tr("an SSH server");
    case Listener::Tls:
        return Text::tr("a server that wants TLS");
    case Listener::NotKnown:
        break;
    }
    return {};
}

QString wordFor(Service service) {
    switch (service) {
    case Service::ZooKeeper:
        return wordFor(Listener::ZooKeeper);
    case Service::MySql:
        return wordFor(Listener::MySql);
    case Service::PostgreSql:
        return wordFor(Listener::PostgreSql);
    case Service::Memcached:
        return wordFor(Listener::Memcached);
    case Service::Etcd:
        return wordFor(Listener::Etcd);
    default:
        return wordFor(Listener::Redis);
    }
}

} // namespace

QCoro::Task<Listener> listenerAt(Runtime& runtime, Endpoint at, std::stop_token stop) {
    const auto first = co_await ask(runtime, at, "PING\r\n", stop, kForGreeting);
    if (!first) co_return Listener::NotKnown;
    const Listener found = listenerIn(*first);
    if (found != Listener::NotKnown && found != Listener::Web) co_return found;
    // An etcd hangs up at what is no request, and others may do so too: each question has a connection of its own.
    const QByteArray version =
        (co_await ask(runtime, at, "GET /version HTTP/1.0\r\n\r\n", stop)).value_or(QByteArray());
    if (listenerIn(version) == Listener::Web) co_return version.contains("etcdserver") ? Listener::Etcd : Listener::Web;
    const QByteArray sslRequest(kSslRequest, sizeof kSslRequest - 1);
    const QByteArray letter = (co_await ask(runtime, at, sslRequest, stop)).value_or(QByteArray());
    if (letter == "N" || letter == "S") co_return Listener::PostgreSql;
    const QByteArray words = (co_await ask(runtime, at, "srvr", stop)).value_or(QByteArray());
    const bool knows = words.startsWith("Zookeeper version") || words.startsWith("srvr is not executed") ||
                       words.startsWith("This ZooKeeper instance");
    co_return knows ? Listener::ZooKeeper : Listener::NotKnown;
}

QCoro::Task<QString> otherServiceAt(Runtime& runtime, ConnectionUrl url, std::stop_token stop) {
    const std::size_t most = std::min(url.endpoints.size(), kMostServers);
    for (std::size_t i = 0; i < most; ++i) {
        const Listener found = co_await listenerAt(runtime, url.endpoints[i], stop);
        if (found == Listener::NotKnown || isOf(found, url.service)) continue;
        const QString where = url.endpoints[i].display();
        // An HTTPS server answers a plain question as a web server does.
        if (url.tls && (found == Listener::Tls || found == Listener::Web)) continue;
        QString there = wordFor(found);
        there.front() = there.front().toUpper();
        //: %1 an address, %2 the program that listens there and begins the sentence, %3 the one that the URL names.
        co_return Text::tr("%2 listens at %1, not %3: check the port, or the URL's beginning.")
            .arg(where, there, wordFor(url.service));
    }
    co_return QString();
}

} // namespace lockscope
