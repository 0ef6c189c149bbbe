// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/login_thread.h"

#include <QtGlobal>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::sql {

LoginThread::LoginThread(MYSQL* connection, std::function<int()> begin, std::function<int(int)> goOn)
    : m_connection(connection) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        qFatal("There is no room for one more file descriptor.");
    m_mine = ends[0];
    m_its = ends[1];
    m_thread = std::thread([this, begin = std::move(begin), goOn = std::move(goOn)] {
        pthread_setname_np(pthread_self(), "mariadb login");
        sigset_t pipes; // a socket that is shut down while the library writes
        sigemptyset(&pipes);
        sigaddset(&pipes, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
        work(begin, goOn);
        const char over = 1;
        (void)::send(m_its, &over, sizeof over, MSG_NOSIGNAL);
    });
}

LoginThread::~LoginThread() {
    if (m_thread.joinable()) {
        giveUp();
        m_thread.join();
    }
    if (m_toServer >= 0) ::close(m_toServer);
    ::close(m_mine);
    ::close(m_its);
}

bool LoginThread::over() {
    if (!m_thread.joinable()) return true;
    char word = 0;
    const ssize_t got = ::recv(m_mine, &word, sizeof word, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) giveUp(); // shut down by the owner
    m_thread.join();
    return true;
}

void LoginThread::work(const std::function<int()>& begin, const std::function<int(int)>& goOn) {
    int waitsFor = begin();
    while (waitsFor != 0) {
        remember();
        short events = 0;
        if ((waitsFor & MYSQL_WAIT_READ) != 0) events |= POLLIN;
        if ((waitsFor & MYSQL_WAIT_WRITE) != 0) events |= POLLOUT;
        pollfd look{mysql_get_socket(m_connection), events, 0};
        if (::poll(&look, 1, -1) < 0 && errno != EINTR) break;
        const int ready = ((look.revents & ~POLLOUT) != 0 ? MYSQL_WAIT_READ : 0) |
                          ((look.revents & POLLOUT) != 0 ? MYSQL_WAIT_WRITE : 0);
        if (ready != 0) waitsFor = goOn(ready);
    }
}

/// Ends every wait of the thread for the server, also one inside of the library.
void LoginThread::giveUp() {
    const std::lock_guard lock(m_lock);
    m_givenUp = true;
    if (m_toServer >= 0) ::shutdown(m_toServer, SHUT_RDWR);
}

/// The library has a socket when it waits for the first time, which is before the handshake. It may close its own at
/// any time, and a closed number could be another socket's: so there is a duplicate.
void LoginThread::remember() {
    const std::lock_guard lock(m_lock);
    if (m_toServer < 0) m_toServer = ::fcntl(mysql_get_socket(m_connection), F_DUPFD_CLOEXEC, 0);
    if (m_givenUp && m_toServer >= 0) ::shutdown(m_toServer, SHUT_RDWR);
}

} // namespace lockscope::sql
