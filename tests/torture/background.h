// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "journal.h"

#include <map>

namespace lockscope::torture {

/// The owners of connections, by the port that a server sees: each worker writes down every connection it makes.
class Speakers {
public:
    /// Times in ns since 1970, as of servers.
    void connected(std::uint16_t port, std::int64_t at, const QByteArray& client) { m_ports[port][at] = client; }
    /// The client that had that port then; empty: none of ours.
    QByteArray at(std::uint16_t port, std::int64_t at) const;

private:
    std::map<std::uint16_t, std::map<std::int64_t, QByteArray>> m_ports; ///< since when
};

/// The clients' beliefs, each by its own journal: for servers that tell what happened and not which client did it. If a
/// client's record goes while the client has not let go of it and no lease has ended, another client took it.
class Holds {
public:
    /// All entries of one client's journal, and when it died (kNever: it did not). Times in ns of the common clock;
    /// `ahead`: of the servers' clock.
    void take(const QByteArray& client, const std::vector<Entry>& journal, std::int64_t died, std::int64_t ahead);
    struct Hold {
        std::size_t lock = 0;
        QByteArray identity;
        std::int64_t token = 0;
        std::int64_t from = 0, until = 0; ///< ns since 1970; INT64_MAX: to the end
    };
    /// The hold that was granted with that token; nullptr: no client learned of it.
    const Hold* granted(std::size_t lock, std::int64_t token) const;
    /// Whether somebody certainly still relied on a lock then.
    bool relied(std::size_t lock, const QByteArray& identity, std::int64_t at) const;
    static bool relied(const Hold& hold, std::int64_t at);

private:
    std::vector<Hold> m_holds;
};

struct Background {
    Speakers speakers;
    Holds holds;
};

/// The number of the lock that a server's key or path belongs to; -1: of none.
int lockOf(const QByteArray& key);

} // namespace lockscope::torture
