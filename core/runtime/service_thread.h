// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/mailbox.h"

#include <QByteArray>
#include <memory>
#include <mutex>
#include <thread>

class QEventLoop;

namespace lockscope {

/// A thread with a Qt event loop, for timers and sockets, that does what it is given. Ends when destroyed, after what
/// it was given before; destroying waits for that. A copy of the process (fork) has no such thread.
class ServiceThread {
public:
    /// Returns when the thread's event loop can be given work. `name` is for debuggers; at most 15 characters count.
    explicit ServiceThread(const QByteArray& name);
    ~ServiceThread();
    ServiceThread(const ServiceThread&) = delete;
    ServiceThread& operator=(const ServiceThread&) = delete;

    /// Any thread: calls `work` on this one, in the order given. After end() the caller's thread does it, one at a
    /// time; in a copy of the process nobody does.
    void put(std::function<void()> work);
    /// What the destructor does, sooner: to be called while there is an application object, without which no thread's
    /// event loop is told anything. Any thread but this one.
    void end();
    /// This process is the one that made it, and no copy of that.
    bool ofThisProcess() const;

private:
    const unsigned m_forks;       ///< of this process when it was made
    Mailbox* m_mailbox = nullptr; ///< both live on the thread's stack
    QEventLoop* m_loop = nullptr;
    std::recursive_mutex m_lock; ///< of what follows, but for the thread itself; held while it ends
    bool m_ended = false;
    std::unique_ptr<std::thread> m_thread;
    std::thread::id m_id;
};

} // namespace lockscope
