// SPDX-License-Identifier: Apache-2.0
#include "drivers/etcd/http_wire.h"

#include "ports/etcd/codec.h"
#include "ports/etcd/errors.h"

namespace lockscope::etcd {

HttpWire::HttpWire(Runtime& runtime, const Endpoint& endpoint, const std::optional<QSslConfiguration>& tls)
    : m_runtime(runtime),
      m_where(endpoint.display()),
      m_stream(endpoint, tls, static_cast<net::Stream::Owner&>(*this)) {
}

HttpWire::~HttpWire() = default;

Result<void> HttpWire::open(Nanos timeout, std::stop_token stop) {
    m_opening.emplace();
    m_stream.open();
    const std::optional<Opened> result = co_await m_opening->wait(m_runtime, timeout, std::move(stop));
    if (!result) {
        close(errors::connectTimeout(timeout, m_where));
        co_return std::unexpected(errors::connectTimeout(timeout, m_where));
    }
    if (result->error) co_return std::unexpected(*result->error);
    co_return std::expected<void, Error>();
}

void HttpWire::send(const HttpRequest& request) {
    m_busy = true;
    m_reader.begin();
    QByteArray out;
    out.reserve(256 + request.body.size());
    out += "POST " + request.path + " HTTP/1.1\r\nHost: " + m_where.toUtf8() +
           "\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(request.body.size()) + "\r\n";
    if (!request.token.isEmpty()) out += "Authorization: " + request.token + "\r\n";
    out += "\r\n" + request.body;
    m_stream.send(out);
}

Result<HttpReply> HttpWire::post(HttpRequest request, Nanos timeout, std::stop_token stop) {
    if (m_dead) co_return std::unexpected(errors::closed(m_where));
    Q_ASSERT(!m_busy);
    m_reply.emplace();
    send(request);
    std::optional<std::expected<HttpReply, Error>> reply = co_await m_reply->wait(m_runtime, timeout, std::move(stop));
    m_reply.reset();
    if (!reply) {
        close(errors::requestTimeout(timeout, m_where));
        co_return std::unexpected(errors::requestTimeout(timeout, m_where));
    }
    co_return *std::move(reply);
}

void HttpWire::stream(const HttpRequest& request, std::function<void(const QByteArray&)> line,
                      std::function<void(Error)> end) {
    m_line = std::move(line);
    m_end = std::move(end);
    if (m_dead)
        m_end(errors::closed(m_where));
    else
        send(request);
}

void HttpWire::streamReadable() {
    char buffer[16 * 1024];
    qint64 size = 0;
    do {
        size = m_stream.receive(buffer, sizeof buffer);
        if (size == 0) return;
        if (!m_busy) {
            close(errors::garbage(QStringLiteral("an answer to nothing"), m_where));
            return;
        }
        const auto complete = m_reader.feed(QByteArrayView(buffer, size));
        if (!complete) {
            close(errors::garbage(complete.error(), m_where));
            return;
        }
        if (m_line && m_reader.headComplete() && m_reader.status() == 200) readLines();
        if (*complete) replied();
        if (m_dead) return;
    } while (size == sizeof buffer);
}

void HttpWire::readLines() {
    QByteArray& body = m_reader.body();
    for (qsizetype end = body.indexOf('\n'); end >= 0; end = body.indexOf('\n')) {
        const QByteArray line = body.left(end);
        body.remove(0, end + 1);
        if (!line.isEmpty()) m_line(line);
        if (m_dead) return;
    }
}

void HttpWire::replied() {
    if (m_line) { // a stream that ends has failed
        close(m_reader.status() == 200 ? errors::closed(m_where)
                                       : codec::refusal(m_reader.status(), m_reader.body(), m_where));
        return;
    }
    m_busy = false;
    HttpReply reply{m_reader.status(), std::move(m_reader.body())};
    if (!m_reader.keepsAlive() || m_reader.leftOver() > 0) {
        m_dead = true;
        m_stream.close();
    }
    if (m_reply) m_reply->complete(std::move(reply));
}

void HttpWire::streamEnded(net::Ending ending) {
    if (m_dead) return;
    if (m_busy && m_reader.finish())
        replied();
    else
        close(errors::ended(ending, m_where));
}

void HttpWire::close(Error error) {
    if (std::exchange(m_dead, true)) return;
    m_stream.close();
    if (m_opening) m_opening->complete({error}); // unless it had been opened
    if (m_reply) m_reply->complete(std::unexpected(error));
    if (m_end) m_end(std::move(error));
}

} // namespace lockscope::etcd
