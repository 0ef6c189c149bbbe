// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/command.h"
#include "drivers/sql/options.h"
#include "drivers/sql/post.h"

namespace lockscope::sql {

/// One connection to a database. Its owner never waits for it; destroyed, it closes the connection. All functions are
/// called on the runtime's thread, and answers arrive there by tickets.
class Link {
public:
    /// A link that is not open yet: WireLink to a server, FileLink to a SQLite file.
    static std::shared_ptr<Link> make(const Settings& settings);
    virtual ~Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Connects and logs in, at the first of these numeric addresses that lets us. Once, before all else.
    virtual void open(QByteArrayList addresses, std::shared_ptr<Ticket> ticket) = 0;
    /// Runs a command. Precondition: the previous one was answered.
    virtual void carryOut(Command command, std::shared_ptr<Ticket> ticket) = 0;
    /// Whether commands run on a thread of the link's own, whose answer is worth a short wait awake.
    virtual bool onThread() const { return false; }
    /// Ends every wait by shutting the connection down.
    virtual void breakOff() { dead = true; }
    /// Whether the server has ended the connection, or sent something unrequested. Precondition: idle.
    virtual bool stale() const { return false; }
    /// Whether the server has ended the connection, whatever it sent before.
    virtual bool ended() const { return false; }
    /// The connection's socket, only to be watched; -1: none.
    virtual int socket() const { return -1; }

    std::int64_t serverId = 0; ///< the server's number of the connection, by which others can end it
    bool pooled = false;       ///< a pooler may give each transaction another server process
    bool readOnly = false;     ///< the server was a replica, or refused writes, when the connection was made
    bool dead = false;         ///< no longer usable

protected:
    Link() = default;
};

} // namespace lockscope::sql
