// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/mailbox.h"

#include <QString>
#include <thread>

class QEventLoop;

namespace lockscope {

/// A thread with a Qt event loop, for timers and sockets, that does what it is given. Ends when destroyed, after what
/// it was given before; destroying waits for that.
class ServiceThread {
public:
    /// Returns when the thread's event loop can be given work. `name` is for debuggers; at most 15 characters count.
    explicit ServiceThread(const QByteArray& name);
    ~ServiceThread();
    ServiceThread(const ServiceThread&) = delete;
    ServiceThread& operator=(const ServiceThread&) = delete;

    /// Any thread: calls `work` on this one, in the order given.
    void put(std::function<void()> work) { m_mailbox->put(std::move(work)); }

private:
    Mailbox* m_mailbox = nullptr; ///< both live on the thread's stack
    QEventLoop* m_loop = nullptr;
    std::thread m_thread;
};

} // namespace lockscope
