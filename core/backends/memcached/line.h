// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"
#include "backends/redis/plain_socket.h"
#include "backends/url.h"
#include "runtime/completion.h"

#include <QTcpSocket>

namespace lockscope::memcached {

/// What a driver may be told; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 2s;
    Nanos commandTimeout = 3s;         ///< from the call to the reply, connecting included
    std::size_t pendingLimit = 65'536; ///< calls beyond this are refused at once
};

/// One server's answer to one command.
struct Reply {
    QByteArray line; ///< "STORED"; of a read "END"
    std::optional<Item> item = std::nullopt;
};

/// One server, by memcached's text protocol: one connection, made when it is needed and again after it broke, on which
/// commands follow each other without waiting and are answered in order.
class Line final : public QObject, private Reactor::Job, private Reactor::Watcher {
public:
    Line(Runtime& runtime, Endpoint endpoint, DriverOptions options);
    ~Line() override;

    /// Sends commands in one piece and returns their replies, one each; an error of the server's is Kind::Refused.
    /// `self` is this, kept alive while it lasts.
    static Result<std::vector<Reply>> ask(std::shared_ptr<Line> self, QByteArray commands, std::size_t count,
                                          std::stop_token stop);
    /// Ends all calls with "closed on purpose", and lets no new ones in.
    void shutDown();
    std::uint64_t sent() const { return m_sent; }
    const QString& where() const { return m_where; }

private:
    using Outcome = std::expected<std::vector<Reply>, Error>;
    struct Pending {
        Completion<Outcome> done;
        std::size_t count;
        std::vector<Reply> replies;
    };
    void connectNow();
    void opened();
    void flush();
    void run() override { flush(); }
    void readable() override;
    void writable() override { m_plain->writable(); }
    /// Takes one whole reply off the bytes that came; false: more are needed.
    std::expected<bool, QString> take();
    void ended(QAbstractSocket::SocketError code);
    void close(const Error& error);

    Runtime& m_runtime;
    Endpoint m_endpoint;
    DriverOptions m_options;
    QString m_where;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    std::unique_ptr<QTcpSocket> m_socket; ///< while it connects
    std::unique_ptr<redis::PlainSocket> m_plain,
        m_old; ///< once it has; one that broke, which may still be on the stack
    Runtime::TimerId m_connectLimit = 0;
    QByteArray m_out, m_in;
    std::optional<Item> m_item; ///< read, its END not yet
    std::deque<Pending> m_pending;
    std::uint64_t m_sent = 0;
    bool m_gone = false;
};

} // namespace lockscope::memcached
