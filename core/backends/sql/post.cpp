// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/post.h"

#include <QSocketNotifier>
#include <sys/eventfd.h>
#include <unistd.h>

namespace lockscope::sql {

void Post::put(std::shared_ptr<Ticket> ticket) {
    const std::lock_guard lock(m_lock);
    if (m_bell < 0) return;
    m_tickets.push_back(std::move(ticket));
    if (m_tickets.size() == 1) ::eventfd_write(m_bell, 1);
}

std::shared_ptr<Post::Office> Post::Office::ofThisThread() {
    thread_local std::weak_ptr<Office> mine;
    std::shared_ptr<Office> office = mine.lock();
    if (!office) {
        office = std::shared_ptr<Office>(new Office);
        mine = office;
    }
    return office;
}

Post::Office::Office() {
    const int bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell < 0) qFatal("There is no room for one more file descriptor.");
    m_notifier = new QSocketNotifier(bell, QSocketNotifier::Read); // NOLINT(cppcoreguidelines-owning-memory)
    QObject::connect(m_notifier, &QSocketNotifier::activated, m_notifier, [this] { deliver(); });
    const std::lock_guard lock(m_post->m_lock);
    m_post->m_bell = bell;
}

Post::Office::~Office() {
    m_notifier->setEnabled(false);
    m_notifier->deleteLater(); // we may be inside its signal
    const std::lock_guard lock(m_post->m_lock);
    ::close(std::exchange(m_post->m_bell, -1));
    m_post->m_tickets.clear();
}

void Post::Office::deliver() {
    const std::shared_ptr<Office> self = shared_from_this(); // the last driver may go meanwhile
    const Reactor::Pass pass(m_reactor);
    std::vector<std::shared_ptr<Ticket>> tickets;
    {
        const std::lock_guard lock(m_post->m_lock);
        eventfd_t times = 0;
        ::eventfd_read(m_post->m_bell, &times);
        tickets.swap(m_post->m_tickets);
    }
    for (const auto& ticket : tickets)
        ticket->arrived.complete(true);
}

} // namespace lockscope::sql
