// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/mailbox.h"

#include <QByteArray>
#include <memory>
#include <mutex>
#include <thread>

class QEventLoop;

namespace lockscope {

/// A thread with a Qt event loop, for timers and sockets, that runs the functions put to it. The destructor waits until
/// it has run all functions put before. A forked child has no such thread.
class ServiceThread {
public:
    /// Returns when the event loop accepts work. `name` is for debuggers; at most 15 characters are used.
    explicit ServiceThread(const QByteArray& name);
    ~ServiceThread();
    ServiceThread(const ServiceThread&) = delete;
    ServiceThread& operator=(const ServiceThread&) = delete;

    /// Any thread: runs `work` on this thread, in the order of calls. After end(), the caller's thread runs it, one at
    /// a time. In a forked child it does not run.
    void put(std::function<void()> work);
    /// Ends the thread as the destructor does. Call it before the application object is destroyed: without one, no
    /// event loop gets events. Any thread but this one.
    void end();
    /// True in the process that made it, false in a forked child.
    bool ofThisProcess() const;

private:
    const unsigned m_forks;       ///< number of forks down to this process, when it was made
    Mailbox* m_mailbox = nullptr; ///< both live on the thread's stack
    QEventLoop* m_loop = nullptr;
    std::recursive_mutex m_lock; ///< guards what follows, except on the thread itself; held while it ends
    bool m_ended = false;
    std::unique_ptr<std::thread> m_thread;
    std::thread::id m_id;
};

} // namespace lockscope
