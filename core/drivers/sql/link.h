// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/conversation.h"
#include "drivers/sql/database.h"

#include <functional>

namespace lockscope::sql {

/// One database connection. Its own thread opens and closes it, and runs its commands where a Conversation cannot. Its
/// owner never waits: when the link is destroyed, the thread ends its work, closes the connection and is joined later,
/// at the latest when the program ends.
///
/// The owner calls all functions, on one thread; jobs run on the link's.
class Link {
public:
    using Job = std::function<void(Database&)>;
    explicit Link(Settings settings);
    ~Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Gives the thread a job. Precondition: it has finished the previous one.
    void submit(Job job);
    /// The first job: connects, and calls `opened` on the link's thread.
    Job opening(std::function<void(Result)> opened);
    /// Runs a command, without a thread if the client library can. Precondition: the previous one was answered.
    void carryOut(Command command, const std::shared_ptr<Ticket>& ticket, const std::shared_ptr<Post>& post);
    /// Whether commands run on the caller's thread: waiting for the link's is then useless.
    bool threadless() const { return m_conversation != nullptr; }
    /// Ends every wait by shutting the connection down.
    void breakOff();
    /// Whether the server has ended the connection, or sent something unrequested. Precondition: idle.
    bool stale() const;
    /// Whether the server has ended the connection, whatever it sent before.
    bool ended() const;
    /// Whether a pooler may give each transaction another server process.
    bool pooled() const;
    /// Whether the server refused writes when the connection was made.
    bool readOnly() const;
    /// The connection's socket, only to be watched; -1: none, or unknown.
    int socket() const;

    std::int64_t serverId = 0; ///< the server's number of the connection
    bool dead = false;         ///< no longer usable

private:
    struct Shared;
    static void work(const std::shared_ptr<Shared>& shared);
    std::shared_ptr<Shared> m_shared;
    std::unique_ptr<Conversation> m_conversation;
};

} // namespace lockscope::sql
