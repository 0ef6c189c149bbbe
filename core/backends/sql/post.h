// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"
#include "runtime/reactor.h"

#include <QSocketNotifier>
#include <atomic>
#include <mutex>
#include <optional>

namespace lockscope::sql {

/// An answer on its way from a link's thread to the runtime's. Either the runtime's thread looks for it (Watched), or
/// it asked for a letter.
struct Ticket {
    enum State : int { Watched, Lettered, Done };
    std::atomic<int> state{Watched};
    std::optional<Result> result; ///< written by the link before Done
    // The runtime's thread only:
    bool arrived = false;
    bool gone = false;        ///< the driver was destroyed first
    Waiter* waiter = nullptr; ///< who waits for it now
    void arrive() {
        arrived = true;
        if (waiter) waiter->wake();
    }
};

/// The way of tickets from all links to one thread: those that come close together cost it one wake-up.
class Post {
public:
    Post();
    ~Post();
    Post(const Post&) = delete;
    Post& operator=(const Post&) = delete;

    /// Any thread. When nobody is there any more: not delivered.
    void put(std::shared_ptr<Ticket> ticket);

    /// The end of it that lives on the thread of the runtime.
    class Office : public std::enable_shared_from_this<Office> {
    public:
        /// This thread's; made when there is none.
        static std::shared_ptr<Office> ofThisThread();
        ~Office();
        Office(const Office&) = delete;
        Office& operator=(const Office&) = delete;
        const std::shared_ptr<Post>& post() const { return m_post; }

    private:
        Office();
        void ring();
        void deliver();
        const std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
        const std::shared_ptr<Post> m_post = std::make_shared<Post>();
        /// Of its own, and not the reactor's: that would then look out for the next one awake, and the databases' own
        /// threads and processes need the processor.
        std::unique_ptr<QSocketNotifier> m_notifier;
        bool m_inside = false; ///< its signal
    };

private:
    const int m_bell;  ///< an eventfd, rung for the first of several
    std::mutex m_lock; ///< of both below
    bool m_open = true;
    std::vector<std::shared_ptr<Ticket>> m_tickets;
};

} // namespace lockscope::sql
