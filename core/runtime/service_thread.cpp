// SPDX-License-Identifier: Apache-2.0
#include "runtime/service_thread.h"

#include <QEventLoop>
#include <future>
#include <pthread.h>

namespace lockscope {

ServiceThread::ServiceThread(const QByteArray& name) {
    std::promise<void> ready;
    m_thread = std::thread([this, &ready, name] {
        pthread_setname_np(pthread_self(), name.left(15).constData());
        QEventLoop loop;
        Mailbox mailbox;
        m_loop = &loop;
        m_mailbox = &mailbox;
        ready.set_value();
        loop.exec();
    });
    ready.get_future().wait();
}

ServiceThread::~ServiceThread() {
    m_mailbox->put([this] { m_loop->quit(); });
    m_thread.join();
}

} // namespace lockscope
