// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/etcd/http_reader.h"
#include "backends/etcd/options.h"
#include "backends/net/stream.h"
#include "runtime/completion.h"

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
class HttpWire final : private net::Stream::Owner {
public:
    HttpWire(Runtime& runtime, const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls);
    ~HttpWire();

    /// TCP, and TLS where wanted.
    Result<void> open(Nanos timeout, std::stop_token stop);
    /// One request and its reply. An error leaves the connection dead. Precondition: not busy.
    Result<HttpReply> post(HttpRequest request, Nanos timeout, std::stop_token stop);
    /// A request whose reply goes on and on: each line of its body is told, then its end, once. What `line` and `end`
    /// refer to must live as long as this. They must not destroy it.
    void stream(const HttpRequest& request, std::function<void(const QByteArray&)> line,
                std::function<void(Error)> end);
    /// True when another request can be sent.
    bool usable() const { return m_stream.isOpen() && !m_dead && !m_busy; }
    /// Ends it, with this error for whoever waits.
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
