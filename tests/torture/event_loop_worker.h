// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "fighter.h"
#include "lock/distributed_lock.h"

namespace lockscope::torture {

/// A process whose threads take turns on one event loop, as in a server program.
class EventLoopWorker {
public:
    EventLoopWorker(Runtime& runtime, Fighter& fighter);
    /// Does the task, and ends the event loop.
    QCoro::Task<> live();

private:
    QCoro::Task<bool> isOpen();
    bool makeLocks();
    /// Takes locks and gives them back until the time is over.
    QCoro::Task<> labour(QByteArray thread);
    QCoro::Task<> work(std::size_t number, LockRequest request);
    QCoro::Task<> look();
    QCoro::Task<> sabotage();
    QCoro::Task<> depart();
    void leave(int status);
    int fail(const QString& message);

    Runtime& m_runtime;
    Fighter& m_fighter;
    std::shared_ptr<trace::Trace> m_trace = std::make_shared<trace::Trace>();
    trace::Recorder m_recorder;
    Fighter::Random m_random;
    std::unique_ptr<Connection> m_connection;
    std::vector<std::unique_ptr<DistributedLock>> m_locks;
    std::stop_source m_over;
    int m_busy = 0;
};

} // namespace lockscope::torture
