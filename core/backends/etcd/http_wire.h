// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/etcd/http_reader.h"
#include "backends/etcd/options.h"
#include "backends/redis/plain_socket.h"
#include "runtime/completion.h"

#include <QSslConfiguration>
#include <QTcpSocket>

namespace lockscope::etcd {

struct HttpRequest {
    QByteArray path;  ///< "/v3/kv/range"
    QByteArray body;  ///< JSON
    QByteArray token; ///< of the login; empty: none
};
struct HttpReply {
    int status = 0;
    QByteArray body;
};

/// One HTTP/1.1 connection to one member, with one request on it at a time, or one stream until its end.
///
/// Not QNetworkAccessManager: in Qt 6.4 that has six connections to a host and no more. Every watch occupies one as
/// long as a waiter waits, so that the seventh waiter's watch would keep all keepalives of the process from being sent.
/// It also sends a POST again by itself when a connection breaks, and does not say so.
class HttpWire final : public QObject, private Reactor::Watcher {
public:
    HttpWire(Runtime& runtime, const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls);
    ~HttpWire() override;

    /// TCP, and TLS where wanted.
    Result<void> open(Nanos timeout, std::stop_token stop);
    /// One request and its reply. An error leaves the connection dead. Precondition: not busy.
    Result<HttpReply> post(HttpRequest request, Nanos timeout, std::stop_token stop);
    /// A request whose reply goes on and on: each line of its body is told, then its end, once. What `line` and `end`
    /// refer to must live as long as this. They must not destroy it.
    void stream(const HttpRequest& request, std::function<void(const QByteArray&)> line,
                std::function<void(Error)> end);
    /// True when another request can be sent.
    bool usable() const { return m_open && !m_dead && !m_busy; }
    /// Ends it, with this error for whoever waits.
    void close(Error error);

private:
    struct Opened {
        std::optional<Error> error;
    };
    void connected();
    void takeOver();
    void send(const HttpRequest& request);
    void readable() override { read(); }
    void writable() override { m_plain->writable(); }
    void read();
    void readLines();
    void replied();
    void ended(QAbstractSocket::SocketError code);
    void hangUp();

    Runtime& m_runtime;
    Endpoint m_endpoint;
    QString m_where;
    std::unique_ptr<QTcpSocket> m_socket;        ///< connects, and with TLS does the rest, too
    std::unique_ptr<redis::PlainSocket> m_plain; ///< without TLS, once connected
    QString m_tlsComplaint;
    HttpReader m_reader;
    std::optional<Completion<Opened>> m_opening;
    std::optional<Completion<std::expected<HttpReply, Error>>> m_reply;
    std::function<void(const QByteArray&)> m_line;
    std::function<void(Error)> m_end;
    bool m_tls = false, m_open = false, m_dead = false, m_busy = false;
    bool m_heard = false; ///< anything, on this connection
};

} // namespace lockscope::etcd
