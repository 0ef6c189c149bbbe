// SPDX-License-Identifier: Apache-2.0
#include "drivers/net/plain_socket.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::net {

namespace {
/// As ::send(), again after a signal; 0 when there is no room.
ssize_t sendSome(int fd, const QByteArray& bytes) {
    ssize_t sent = 0;
    do
        sent = ::send(fd, bytes.constData(), std::size_t(bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : sent;
}
} // namespace

PlainSocket::PlainSocket(int fd, Reactor::Watcher& owner) : m_fd(fd), m_id(m_reactor->add(fd, owner)) {
}

PlainSocket::~PlainSocket() {
    m_reactor->remove(m_id);
    ::close(m_fd);
}

bool PlainSocket::send(const QByteArray& bytes) {
    if (!m_backlog.isEmpty()) {
        m_backlog += bytes;
        return true;
    }
    const ssize_t sent = sendSome(m_fd, bytes);
    if (sent < 0) return false;
    m_reactor->sent();
    if (sent < bytes.size()) {
        m_backlog = bytes.mid(sent);
        m_reactor->wantWrite(m_id, true);
    }
    return true;
}

void PlainSocket::writable() {
    const ssize_t sent = sendSome(m_fd, m_backlog);
    // An error here comes to the reader as well, and is handled there.
    m_backlog.remove(0, std::max<ssize_t>(sent, 0));
    if (sent < 0) m_backlog.clear();
    if (m_backlog.isEmpty()) m_reactor->wantWrite(m_id, false);
}

qint64 PlainSocket::receive(char* buffer, qint64 size) {
    ssize_t received = 0;
    do
        received = ::recv(m_fd, buffer, std::size_t(size), MSG_DONTWAIT);
    while (received < 0 && errno == EINTR);
    if (received > 0) return received;
    return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}

} // namespace lockscope::net
