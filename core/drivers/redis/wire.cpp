// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/wire.h"

#include "drivers/net/tls_configuration.h"

#include <QPointer>

namespace lockscope::redis {

namespace {
/// Some twenty commands: with fewer the system call is what costs, with more one side only waits for the other.
constexpr qsizetype kPacket = 3072;
} // namespace

Wire::Wire(const ConnectionUrl& url, Handlers handlers)
    : m_url(url), m_where(url.endpoints.front().display()), m_handlers(std::move(handlers)) {
}

Wire::~Wire() {
    m_reactor->cancel(*this);
}

void Wire::open() {
    std::optional<QSslConfiguration> tls;
    if (m_url.tls) {
        auto configuration = net::tlsConfiguration(m_url.tlsFiles);
        if (!configuration) {
            close({Error::Kind::WrongUrl, {}, configuration.error()});
            return;
        }
        tls = *std::move(configuration);
    }
    net::Stream::Owner& owner = *this;
    m_stream = std::make_unique<net::Stream>(m_url.endpoints.front(), tls, owner);
    m_stream->open();
}

void Wire::send(Pieces pieces) {
    if (m_closed) return;
    appendCommand(m_out, pieces);
    m_idle || m_out.size() >= kPacket ? flush() : scheduleFlush();
}

void Wire::sendEncoded(const QByteArray& bytes) {
    if (m_closed) return;
    m_out.append(bytes);
    scheduleFlush();
}

void Wire::scheduleFlush() {
    if (!std::exchange(m_flushScheduled, true)) m_reactor->schedule(*this, Reactor::Phase::Flush);
}

void Wire::run() {
    m_flushScheduled = false;
    flush();
}

void Wire::flush() {
    if (!m_stream || !m_stream->isOpen() || m_closed || m_out.isEmpty()) return;
    m_stream->send(m_out);
    m_out.resize(0); // keeps its room
}

void Wire::streamReadable() {
    char buffer[16 * 1024];
    const QPointer<Wire> self(this); // a reply may be the end of us
    qint64 size = 0;
    do {
        size = m_stream->receive(buffer, sizeof buffer);
        m_reader.feed({buffer, std::size_t(size)});
        for (;;) {
            auto reply = m_reader.next();
            if (!reply) {
                close(errors::garbage(reply.error(), m_where));
                return;
            }
            if (!*reply) break;
            m_handlers.reply(std::move(**reply));
            if (!self || m_closed) return;
        }
    } while (size == sizeof buffer);
}

void Wire::close(Error error) {
    if (std::exchange(m_closed, true)) return;
    if (m_stream) m_stream->close();
    // Told from the event loop: we may be inside a signal of the socket, or of our owner's call.
    QMetaObject::invokeMethod(
        this,
        [this, error = std::move(error)]() mutable {
            const auto closed = std::move(m_handlers.closed);
            closed(std::move(error)); // may have destroyed us
        },
        Qt::QueuedConnection);
}

} // namespace lockscope::redis
