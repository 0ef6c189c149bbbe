// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/conversation.h"
#include "backends/sql/database.h"

#include <functional>

namespace lockscope::sql {

/// One database connection. A thread of its own opens and closes it, and carries its commands out where a Conversation
/// cannot. Never makes its owner wait: when it goes away, the thread ends what it does, closes the connection and is
/// collected later, at the latest when the program ends.
///
/// All functions are the owner's, on one thread; jobs run on the link's.
class Link {
public:
    using Job = std::function<void(Database&)>;
    explicit Link(Settings settings);
    ~Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Gives the thread something to do. Precondition: it has done what it was given before.
    void submit(Job job);
    /// The first job: connects, and calls `opened` on the link's thread.
    Job opening(std::function<void(Result)> opened);
    /// Carries a command out, without a thread if the client library can. Precondition: the one before was answered.
    void carryOut(Command command, const std::shared_ptr<Ticket>& ticket, const std::shared_ptr<Post>& post);
    /// It does so on the thread of the caller: there is no use in waiting for the link's.
    bool threadless() const { return m_conversation != nullptr; }
    /// Ends whatever is waited for: the connection is shut down.
    void breakOff();
    /// The server has ended the connection, or said something that nobody asked for. Precondition: idle.
    bool stale() const;
    /// The other side has ended the connection, whatever came before that.
    bool ended() const;
    /// See Database::pooled().
    bool pooled() const;
    /// See Database::readOnly().
    bool readOnly() const;
    /// The connection's socket, to be watched only; -1: none, or not known.
    int socket() const;

    std::int64_t serverId = 0; ///< the server's number of the connection
    bool dead = false;         ///< of no use any more

private:
    struct Shared;
    static void work(const std::shared_ptr<Shared>& shared);
    std::shared_ptr<Shared> m_shared;
    std::unique_ptr<Conversation> m_conversation;
};

} // namespace lockscope::sql
