// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"

#include <QByteArray>

namespace lockscope::net {

/// A connected TCP socket without buffers in user space: one system call to send and one to receive. Qt's own sockets
/// make several per reply.
class PlainSocket {
public:
    /// Takes over the descriptor. `owner` is told when there is something to read, and when to call writable().
    PlainSocket(int fd, Reactor::Watcher& owner);
    ~PlainSocket();
    PlainSocket(const PlainSocket&) = delete;
    PlainSocket& operator=(const PlainSocket&) = delete;

    /// Sends what the kernel accepts now, the rest later. False: the connection is gone.
    bool send(const QByteArray& bytes);
    /// The number of bytes read; 0 when there are none now, -1 at the end of the connection.
    qint64 receive(char* buffer, qint64 size);
    /// Sends the bytes that were kept.
    void writable();
    /// Calls the owner no more.
    void ignore() { m_reactor->remove(m_id); }

private:
    int m_fd;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    Reactor::Id m_id;
    QByteArray m_backlog; ///< bytes that the kernel did not accept yet
};

} // namespace lockscope::net
