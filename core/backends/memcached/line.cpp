// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/line.h"

#include "backends/words.h"

#include <QCoreApplication>
#include <QNetworkProxy>
#include <fcntl.h>

namespace lockscope::memcached {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(MemcachedError)
};
using Kind = Error::Kind;

constexpr qsizetype kLongestLine = 2048;
constexpr qint64 kLargestItem = 16LL * 1024 * 1024;

Error closed(const QString& where) {
    return {Kind::Disconnected,
            Text::tr("The connection to %1 broke; whether the last commands ran is not known.").arg(where)};
}

Error garbage(const QString& what, const QString& where) {
    return {Kind::Protocol,
            Text::tr("What %1 sends is not memcached's text protocol (%2). Is it a memcached, without TLS and SASL?")
                .arg(where, what)};
}

bool isErrorLine(const QByteArray& line) {
    return line == "ERROR" || line.startsWith("CLIENT_ERROR") || line.startsWith("SERVER_ERROR");
}

bool isKnownLine(const QByteArray& line) {
    static const QByteArrayList known{"STORED", "NOT_STORED", "EXISTS", "NOT_FOUND", "DELETED", "END"};
    return isErrorLine(line) || line.startsWith("VERSION ") || known.contains(line);
}

} // namespace

bool validKey(const QByteArray& key) {
    return !key.isEmpty() && key.size() <= 250 &&
           std::ranges::all_of(key, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

Line::Line(Runtime& runtime, Endpoint endpoint, DriverOptions options)
    : m_runtime(runtime), m_endpoint(std::move(endpoint)), m_options(options), m_where(m_endpoint.display()) {
}

Line::~Line() {
    m_reactor->cancel(*this);
    if (m_connectLimit) m_runtime.cancelCall(m_connectLimit);
    if (m_socket) m_socket->disconnect(this);
}

Result<std::vector<Reply>> Line::ask(std::shared_ptr<Line> self, QByteArray commands, std::size_t count,
                                     std::stop_token stop) {
    if (self->m_gone)
        co_return std::unexpected(
            Error{Kind::Disconnected, Text::tr("The connection to %1 was closed on purpose.").arg(self->m_where)});
    if (self->m_pending.size() >= self->m_options.pendingLimit)
        co_return std::unexpected(
            Error{Kind::Refused, Text::tr("%1 commands wait for %2 already; this one was not sent.")
                                     .arg(QString::number(self->m_pending.size()), self->m_where)});
    const Completion<Outcome> done;
    if (!stop.stop_requested() && self->m_runtime.alive()) {
        const bool alone = self->m_pending.empty();
        self->m_pending.push_back({done, count, {}});
        self->m_out += commands;
        self->m_sent += count;
        // What finds nothing on its way leaves at once; commands of one pass of the reactor leave together.
        if (!self->m_plain && !self->m_socket)
            self->connectNow();
        else if (alone)
            self->flush();
        else
            self->m_reactor->schedule(*self, Reactor::Phase::Flush);
    }
    // A stopped call leaves its place in the row: its reply is thrown away when it comes.
    std::optional<Outcome> outcome =
        co_await done.wait(self->m_runtime, self->m_options.commandTimeout, std::move(stop));
    if (!outcome) {
        const Error late{Kind::CommandTimeout,
                         Text::tr("%1 did not answer within %2; whether the command ran is not known.")
                             .arg(self->m_where, inWords(self->m_options.commandTimeout))};
        self->close(closed(self->m_where)); // answers could no longer be told from each other's
        co_return std::unexpected(late);
    }
    if (!*outcome) co_return std::unexpected(outcome->error());
    for (const Reply& reply : **outcome) {
        if (isErrorLine(reply.line))
            co_return std::unexpected(
                Error{Kind::Refused, Text::tr("%1 says: %2").arg(self->m_where, QString::fromUtf8(reply.line))});
    }
    co_return std::move(**outcome);
}

void Line::connectNow() {
    m_old.reset();
    m_socket = std::make_unique<QTcpSocket>();
    m_socket->setProxy(QNetworkProxy::NoProxy);
    // Queued: inside its signal it could not be replaced.
    connect(m_socket.get(), &QTcpSocket::connected, this, &Line::opened, Qt::QueuedConnection);
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this, &Line::ended);
    m_connectLimit = m_runtime.callAt(m_runtime.monotonic() + m_options.connectTimeout, [this] {
        m_connectLimit = 0;
        close({Kind::ConnectTimeout, Text::tr("%1 did not answer within %2. Check address, port and firewall.")
                                         .arg(m_where, inWords(m_options.connectTimeout))});
    });
    m_socket->connectToHost(m_endpoint.host, m_endpoint.port);
}

// Qt has found the way; from here on the descriptor itself is enough.
void Line::opened() {
    if (!m_socket || m_socket->state() != QAbstractSocket::ConnectedState) return; // broken since, and told
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_socket->setSocketOption(QAbstractSocket::KeepAliveOption, 1);
    const int fd = fcntl(int(m_socket->socketDescriptor()), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        ended(QAbstractSocket::SocketResourceError);
        return;
    }
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    m_socket->disconnect(this);
    m_socket.reset();
    Reactor::Watcher& watcher = *this;
    m_plain = std::make_unique<redis::PlainSocket>(fd, watcher);
    flush();
}

void Line::flush() {
    if (!m_plain || m_out.isEmpty()) return;
    const bool sent = m_plain->send(m_out);
    m_out.resize(0); // keeps its room
    if (!sent) close(closed(m_where));
}

void Line::readable() {
    char buffer[16 * 1024];
    qint64 size = 0;
    do {
        size = m_plain->receive(buffer, sizeof buffer);
        if (size < 0) {
            close(closed(m_where));
            return;
        }
        m_in.append(buffer, size);
        for (;;) {
            const auto taken = take();
            if (!taken) {
                close(garbage(taken.error(), m_where));
                return;
            }
            if (!*taken) break;
        }
    } while (size == sizeof buffer);
}

std::expected<bool, QString> Line::take() {
    const qsizetype end = m_in.indexOf("\r\n");
    if (end < 0) {
        if (m_in.size() > kLongestLine) return std::unexpected(QStringLiteral("a line without an end"));
        return false;
    }
    const QByteArray line = m_in.left(end);
    if (line.startsWith("VALUE ")) { // VALUE key flags bytes unique
        const QByteArrayList words = line.split(' ');
        bool sized = false, counted = true;
        const qint64 size = words.size() >= 4 ? words[3].toLongLong(&sized) : -1;
        const std::uint64_t unique = words.size() >= 5 ? words[4].toULongLong(&counted) : 0;
        if (!sized || !counted || size < 0 || size > kLargestItem) return std::unexpected(QStringLiteral("a bad item"));
        if (m_in.size() < end + 2 + size + 2) return false;
        if (m_in.mid(end + 2 + size, 2) != "\r\n") return std::unexpected(QStringLiteral("a bad item"));
        m_item = Item{m_in.mid(end + 2, size), unique};
        m_in.remove(0, end + 2 + size + 2);
        return true;
    }
    m_in.remove(0, end + 2);
    if (!isKnownLine(line))
        return std::unexpected(QStringLiteral("“%1”").arg(QString::fromLatin1(line.left(40).toPercentEncoding(" /"))));
    if (m_pending.empty()) return std::unexpected(QStringLiteral("an answer to nothing"));
    Pending& first = m_pending.front();
    first.replies.push_back({line, std::exchange(m_item, std::nullopt)});
    if (first.replies.size() < first.count) return true;
    const Completion<Outcome> done = first.done;
    Outcome outcome(std::move(first.replies));
    m_pending.pop_front();
    done.complete(std::move(outcome));
    return true;
}

void Line::ended(QAbstractSocket::SocketError code) {
    switch (code) {
    case QAbstractSocket::ConnectionRefusedError:
        close({Kind::Unreachable,
               Text::tr("%1 refused the connection. Is memcached running there, and on this port?").arg(m_where)});
        break;
    case QAbstractSocket::HostNotFoundError:
        close({Kind::Unreachable, Text::tr("The host of %1 is not known. Check its name.").arg(m_where)});
        break;
    default:
        close({Kind::Unreachable, Text::tr("No connection to %1: %2.").arg(m_where, m_socket->errorString())});
    }
}

void Line::close(const Error& error) {
    if (m_connectLimit) m_runtime.cancelCall(std::exchange(m_connectLimit, 0));
    if (m_socket) {
        m_socket->disconnect(this);
        m_socket->abort();
        m_socket.release()->deleteLater(); // we may be inside one of its signals
    }
    if (m_plain) {
        m_plain->ignore();
        m_old = std::move(m_plain); // we may be inside its call
        QMetaObject::invokeMethod(
            this, [this] { m_old.reset(); }, Qt::QueuedConnection);
    }
    m_out.clear();
    m_in.clear();
    m_item.reset();
    const std::deque<Pending> pending = std::exchange(m_pending, {});
    for (const Pending& one : pending)
        one.done.complete(std::unexpected(error));
}

void Line::shutDown() {
    m_gone = true;
    close({Kind::Disconnected, Text::tr("The connection to %1 was closed on purpose.").arg(m_where)});
}

} // namespace lockscope::memcached
