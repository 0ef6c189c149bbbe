// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/options.h"
#include "backends/redis/plain_socket.h"
#include "backends/redis/resp.h"

#include <QAbstractSocket>
#include <functional>
#include <memory>

class QTcpSocket;

namespace lockscope::redis {

/// One connection, from its opening to its end: bytes out, replies in. Does not try again; a new one is made for that.
class Wire : public QObject, private Reactor::Job, private Reactor::Watcher {
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
    std::uint64_t bytesReceived() const { return m_bytesReceived; }
    /// True when nothing that was sent still waits for its reply, as far as the owner counts.
    void setIdle(bool idle) { m_idle = idle; }

private:
    void connected();
    void takeOver();
    void readable() override { readReplies(); }
    void writable() override { m_plain->writable(); }
    void readReplies();
    qint64 receive(char* buffer, qint64 size);
    void scheduleFlush();
    void run() override;
    void flush();
    void fail(QAbstractSocket::SocketError code);

    ConnectionUrl m_url;
    QString m_where;
    Handlers m_handlers;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    std::unique_ptr<QTcpSocket> m_socket; ///< connects, and with TLS does the rest, too
    std::unique_ptr<PlainSocket> m_plain; ///< without TLS, once connected
    ReplyReader m_reader;
    QByteArray m_out;
    QString m_tlsComplaint;
    std::uint64_t m_bytesReceived = 0;
    bool m_open = false;
    bool m_idle = true;
    bool m_flushScheduled = false;
    bool m_closed = false;
};

} // namespace lockscope::redis
