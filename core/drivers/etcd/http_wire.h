// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/net/stream.h"
#include "ports/etcd/http_reader.h"
#include "ports/etcd/options.h"
#include "runtime/completion.h"

namespace lockscope::etcd {

struct HttpRequest {
    QByteArray path;  ///< "/v3/kv/range"
    QByteArray body;  ///< JSON
    QByteArray token; ///< from the login; empty: none
};
struct HttpReply {
    int status = 0;
    QByteArray body;
};

/// One HTTP/1.1 connection to one member: one request at a time, or one stream until its end.
///
/// Why not QNetworkAccessManager: in Qt 6.4 it allows six connections per host. A watch occupies one as long as a
/// waiter waits, so the seventh waiter's watch would block all keepalives of the process. It also repeats a POST
/// silently when a connection breaks.
class HttpWire final : private net::Stream::Owner {
public:
    HttpWire(Runtime& runtime, const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls);
    ~HttpWire();

    /// Connects by TCP, and TLS where configured.
    Result<void> open(Nanos timeout, std::stop_token stop);
    /// Sends one request and returns its reply. After an error the connection is dead. Precondition: not busy.
    Result<HttpReply> post(HttpRequest request, Nanos timeout, std::stop_token stop);
    /// Sends a request with an endless reply: calls `line` for each line of the body, then `end` once. Everything that
    /// the two refer to must live as long as this object, and they must not destroy it.
    void stream(const HttpRequest& request, std::function<void(const QByteArray&)> line,
                std::function<void(Error)> end);
    /// Whether another request can be sent.
    bool usable() const { return m_stream.isOpen() && !m_dead && !m_busy; }
    /// Ends the connection; waiters get this error.
    void close(Error error);

private:
    struct Opened {
        std::optional<Error> error;
    };
    void streamOpened() override { m_opening->complete({}); }
    void streamReadable() override;
    void streamEnded(net::Ending ending) override;
    void send(const HttpRequest& request);
    void readLines();
    void replied();

    Runtime& m_runtime;
    QString m_where;
    net::Stream m_stream;
    HttpReader m_reader;
    std::optional<Completion<Opened>> m_opening;
    std::optional<Completion<std::expected<HttpReply, Error>>> m_reply;
    std::function<void(const QByteArray&)> m_line;
    std::function<void(Error)> m_end;
    bool m_dead = false, m_busy = false;
};

} // namespace lockscope::etcd
