// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"
#include "runtime/completion.h"
#include "runtime/reactor.h"

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
    Completion<bool> arrived;     ///< the runtime's thread only
    bool gone = false;            ///< the driver was destroyed first
};

/// The way of tickets from all links to one thread: those that come close together cost it one wake-up, by the same
/// reactor that waits for sockets.
class Post {
public:
    /// Any thread. When nobody is there any more: not delivered.
    void put(std::shared_ptr<Ticket> ticket);

    /// The end of it that lives on the thread of the runtime.
    class Office final : private Reactor::Watcher {
    public:
        /// This thread's; made when there is none.
        static std::shared_ptr<Office> ofThisThread();
        ~Office();
        Office(const Office&) = delete;
        Office& operator=(const Office&) = delete;
        const std::shared_ptr<Post>& post() const { return m_post; }
        /// A ticket will come, maybe soon.
        void expect() { m_reactor->sent(); }

    private:
        Office();
        void readable() override;
        const std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
        const std::shared_ptr<Post> m_post = std::make_shared<Post>();
        Reactor::Id m_watched = 0;
    };

private:
    std::mutex m_lock; ///< of both below
    int m_bell = -1;   ///< an eventfd, rung for the first of several
    std::vector<std::shared_ptr<Ticket>> m_tickets;
};

} // namespace lockscope::sql
