// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"

#include <QByteArray>

namespace lockscope::net {

/// A connected TCP socket without buffers between us and the kernel: one system call to send and one to receive. Qt's
/// own sockets ask the kernel several times for each reply.
class PlainSocket {
public:
    /// Takes the descriptor over. `owner` is told when there is something to read, and when writable() is to be called.
    PlainSocket(int fd, Reactor::Watcher& owner);
    ~PlainSocket();
    PlainSocket(const PlainSocket&) = delete;
    PlainSocket& operator=(const PlainSocket&) = delete;

    /// Sends what the kernel takes now and the rest when it can. False: the connection is gone.
    bool send(const QByteArray& bytes);
    /// Bytes read; 0 when there are none now, -1 at the end of the connection.
    qint64 receive(char* buffer, qint64 size);
    /// Sends what was kept.
    void writable();
    /// Tells its owner nothing any more.
    void ignore() { m_reactor->remove(m_id); }

private:
    int m_fd;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    Reactor::Id m_id;
    QByteArray m_backlog; ///< what the kernel had no room for
};

} // namespace lockscope::net
