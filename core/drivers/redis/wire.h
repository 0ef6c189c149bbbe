// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/net/stream.h"
#include "ports/redis/errors.h"
#include "ports/redis/options.h"
#include "ports/redis/resp.h"

#include <functional>
#include <memory>

namespace lockscope::redis {

/// One connection, from opening to end: bytes out, replies in. Does not reconnect; make a new one for that.
class Wire : public QObject, private Reactor::Job, private net::Stream::Owner {
    Q_OBJECT
public:
    struct Handlers {
        std::function<void()> opened;       ///< TCP, and TLS where configured, are established
        std::function<void(Reply&&)> reply; ///< in the order of arrival; may end the wire or destroy its owner
        std::function<void(Error)> closed;  ///< called once, last, from the event loop; may destroy the wire
    };
    Wire(const ConnectionUrl& url, Handlers handlers);
    ~Wire() override;

    /// Starts connecting.
    void open();
    /// Queues a command. Commands of one pass of the reactor leave together, in packets small enough that the server
    /// works while the next commands are encoded. If no command is in flight, it leaves at once.
    void send(Pieces pieces);
    void send(const Args& args) { send({std::span(args)}); }
    /// Queues an encoded command.
    void sendEncoded(const QByteArray& bytes);
    /// Ends the connection; then calls `closed` with this error.
    void close(Error error);

    /// The number of bytes received so far: grows while the server talks.
    std::uint64_t bytesReceived() const { return m_stream ? m_stream->received() : 0; }
    /// The owner says whether no command in flight waits for its reply.
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
