// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"
#include "runtime/reactor.h"

#include <QSocketNotifier>
#include <atomic>
#include <mutex>
#include <optional>

namespace lockscope::sql {

/// An answer from a link's thread to the runtime's. The runtime's thread either polls for it (Watched), or has asked to
/// be notified (Lettered).
struct Ticket {
    enum State : int { Watched, Lettered, Done };
    std::atomic<int> state{Watched};
    std::optional<Result> result; ///< written by the link before Done
    // Used by the runtime's thread only:
    bool arrived = false;
    bool gone = false;        ///< the driver was destroyed first
    Waiter* waiter = nullptr; ///< the present waiter
    void arrive() {
        arrived = true;
        if (waiter) waiter->wake();
    }
};

/// Delivers tickets from all links to one thread; tickets that come together cost it one wake-up.
class Post {
public:
    Post();
    ~Post();
    Post(const Post&) = delete;
    Post& operator=(const Post&) = delete;

    /// Any thread. Not delivered when the other end is gone.
    void put(std::shared_ptr<Ticket> ticket);

    /// The receiving end, on the runtime's thread.
    class Office : public std::enable_shared_from_this<Office> {
    public:
        /// This thread's office; made when there is none.
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
        /// Not the reactor's notifier: the reactor would stay awake for the next event, and the databases' own threads
        /// and processes need the processor.
        std::unique_ptr<QSocketNotifier> m_notifier;
        bool m_inside = false; ///< its signal is being handled
    };

private:
    const int m_bell;  ///< an eventfd, written for the first of several tickets
    std::mutex m_lock; ///< guards both members below
    bool m_open = true;
    std::vector<std::shared_ptr<Ticket>> m_tickets;
};

} // namespace lockscope::sql
