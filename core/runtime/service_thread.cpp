// SPDX-License-Identifier: Apache-2.0
#include "runtime/service_thread.h"

#include <QEventLoop>
#include <atomic>
#include <future>
#include <pthread.h>

namespace lockscope {

namespace {
/// How often this process was copied on the way from the first one.
std::atomic<unsigned>& forks() {
    static std::atomic<unsigned> count = 0;
    static const int counting = pthread_atfork(nullptr, nullptr, [] { ++forks(); });
    Q_UNUSED(counting)
    return count;
}
} // namespace

ServiceThread::ServiceThread(const QByteArray& name) : m_forks(forks()) {
    std::promise<void> ready;
    m_thread = std::make_unique<std::thread>([this, &ready, name] {
        pthread_setname_np(pthread_self(), name.left(15).constData());
        QEventLoop loop;
        Mailbox mailbox;
        m_loop = &loop;
        m_mailbox = &mailbox;
        m_id = std::this_thread::get_id();
        ready.set_value();
        loop.exec();
    });
    ready.get_future().wait();
}

ServiceThread::~ServiceThread() {
    end();
}

bool ServiceThread::ofThisProcess() const {
    return forks() == m_forks;
}

void ServiceThread::put(std::function<void()> work) {
    if (!ofThisProcess()) return;
    if (std::this_thread::get_id() == m_id) return m_mailbox->put(std::move(work));
    const std::lock_guard lock(m_lock);
    if (m_ended)
        work();
    else
        m_mailbox->put(std::move(work));
}

void ServiceThread::end() {
    if (!ofThisProcess()) {
        (void)m_thread.release(); // there is none to wait for, or to let go
        return;
    }
    const std::lock_guard lock(m_lock);
    if (std::exchange(m_ended, true)) return;
    m_mailbox->put([this] { m_loop->quit(); });
    m_thread->join();
}

} // namespace lockscope
