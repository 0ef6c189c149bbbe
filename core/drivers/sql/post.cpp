// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/post.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace lockscope::sql {

Post::Post() : m_bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (m_bell < 0) qFatal("There is no room for one more file descriptor.");
}

Post::~Post() {
    ::close(m_bell);
}

void Post::put(std::shared_ptr<Ticket> ticket) {
    bool first = false;
    {
        const std::lock_guard lock(m_lock);
        if (!m_open) return;
        m_tickets.push_back(std::move(ticket));
        first = m_tickets.size() == 1;
    }
    if (first) ::eventfd_write(m_bell, 1); // and not inside: the woken thread would run into the lock
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

Post::Office::Office() : m_notifier(std::make_unique<QSocketNotifier>(m_post->m_bell, QSocketNotifier::Read)) {
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] { ring(); });
}

Post::Office::~Office() {
    m_notifier->setEnabled(false); // before what it watches is closed
    if (m_inside) m_notifier.release()->deleteLater();
    const std::lock_guard lock(m_post->m_lock);
    m_post->m_open = false;
    m_post->m_tickets.clear();
}

void Post::Office::ring() {
    const std::shared_ptr<Office> self = shared_from_this(); // the last driver may go meanwhile
    m_inside = true;
    deliver();
    m_inside = self.use_count() == 1; // then it ends right here
}

void Post::Office::deliver() {
    const Reactor::Pass pass(m_reactor);
    std::vector<std::shared_ptr<Ticket>> tickets;
    {
        const std::lock_guard lock(m_post->m_lock);
        eventfd_t times = 0;
        ::eventfd_read(m_post->m_bell, &times);
        tickets.swap(m_post->m_tickets);
    }
    for (const auto& ticket : tickets)
        ticket->arrive();
}

} // namespace lockscope::sql
