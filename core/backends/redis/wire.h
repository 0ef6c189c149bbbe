// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/net/stream.h"
#include "backends/redis/errors.h"
#include "backends/redis/options.h"
#include "backends/redis/resp.h"

#include <functional>
#include <memory>

namespace lockscope::redis {

/// One connection, from its opening to its end: bytes out, replies in. Does not try again; a new one is made for that.
class Wire : public QObject, private Reactor::Job, private net::Stream::Owner {
    Q_OBJECT
public:
    struct Handlers {
        std::function<void()> opened;       ///< TCP, and TLS if wanted, are established
        std::function<void(Reply&&)> reply; ///< in the order of the wire; may end the wire or destroy its owner
        std::function<void(Error)> closed;  ///< once, and nothing after it; from the event loop; may destroy the wire
    };
    Wire(const ConnectionUrl& url, Handlers handlers);
    ~Wire() override;

    /// Begins to connect.
    void open();
    /// Queues a command. Commands of one pass of the reactor leave together, but not more of them than a server is busy
    /// with while the next ones are made; one that finds nothing on its way leaves at once.
    void send(Pieces pieces);
    void send(const Args& args) { send({std::span(args)}); }
    /// Queues bytes that are a command already.
    void sendEncoded(const QByteArray& bytes);
    /// Ends the connection; `closed` follows with this error.
    void close(Error error);

    /// Bytes that came so far: grows while the server talks.
    std::uint64_t bytesReceived() const { return m_stream ? m_stream->received() : 0; }
    /// True when nothing that was sent still waits for its reply, as far as the owner counts.
    void setIdle(bool idle) { m_idle = idle; }

private:
    void streamOpened() override { m_handlers.opened(); }
    void streamReadable() override;
    void streamEnded(net::Ending ending) override { close(errors::ended(ending, m_where)); }
    void scheduleFlush();
    void run() override;
    void flush();

    ConnectionUrl m_url;
    QString m_where;
    Handlers m_handlers;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    std::unique_ptr<net::Stream> m_stream;
    ReplyReader m_reader;
    QByteArray m_out;
    bool m_idle = true;
    bool m_flushScheduled = false;
    bool m_closed = false;
};

} // namespace lockscope::redis
