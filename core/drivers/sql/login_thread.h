// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <mysql.h>
#include <thread>

namespace lockscope::sql {

/// An attempt to connect by MariaDB's library, on a thread of its own. The library's TLS handshake waits for the server
/// inside of a call (ma_tls_connect() polls the socket by itself), so a reactor's thread must not make that call.
///
/// The attempt ends when the server lets us in or refuses, or when its owner gives it up: by destroying it, or by
/// shutting socket() down. The owner decides how long it may take.
class LoginThread {
public:
    /// `begin` and `goOn` are mysql_real_connect_start() and mysql_real_connect_cont() on `connection`, which nobody
    /// else uses until over() is true. They run on the thread.
    LoginThread(MYSQL* connection, std::function<int()> begin, std::function<int(int ready)> goOn);
    /// Gives up if it is not over. Waits for the thread, which ends at once: its socket is shut down.
    ~LoginThread();
    LoginThread(const LoginThread&) = delete;
    LoginThread& operator=(const LoginThread&) = delete;

    /// Can be read when the attempt is over.
    int socket() const { return m_mine; }
    /// Whether the attempt is over. Then the thread has ended. Never waits for the server.
    bool over();

private:
    void work(const std::function<int()>& begin, const std::function<int(int ready)>& goOn);
    void giveUp();
    void remember();

    MYSQL* const m_connection;
    int m_mine = -1, m_its = -1; ///< a pair of sockets: the thread's end tells of the outcome
    std::mutex m_lock;           ///< guards both members below
    int m_toServer = -1;         ///< a duplicate of the library's socket, once there is one
    bool m_givenUp = false;
    std::thread m_thread;
};

} // namespace lockscope::sql
