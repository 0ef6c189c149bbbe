// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"
#include "inspect/watch_notes.h"

#include <QHash>
#include <map>

namespace lockscope::inspect {

/// A connection of a Redis, by a line of CLIENT LIST; what the server does not tell is empty.
struct ListedClient {
    QByteArray address;      ///< "host:port"
    QByteArray name;         ///< that the client gave to its connection
    QByteArray user;         ///< of the ACL
    QByteArray library;      ///< "redis-py 5.0.1"
    QByteArray command = {}; ///< the last one: of a client that waits, the one that it waits in
    bool blocked = false;    ///< it waits in that command
    int patterns = 0;        ///< that it is subscribed to
    friend bool operator==(const ListedClient&, const ListedClient&) = default;
};
/// Reads the answer to CLIENT LIST; lines that name no address are left out.
std::vector<ListedClient> clientsIn(const QByteArray& clientList);

/// The connections of a server, by the identities that lock clients have in their locks.
///
/// An identity is tied to connections only by what the client itself has said: its connections' name (CLIENT SETNAME)
/// is the identity, or "lockscope:" and the identity, as Lockscope's own clients call theirs; or the identity is the
/// connection's address. CLIENT LIST does not tell of which channel a client is a subscriber, nor for which key it is
/// blocked, and a library's random identity says nothing about a connection: there nothing is tied.
class ConnectionTable {
public:
    explicit ConnectionTable(const std::vector<ListedClient>& clients = {});
    /// The client of that identity: "10.0.0.5:51234, redis-py 5.0.1, user app"; without the port where it has several
    /// connections. Empty: no connection is tied to it, or those of several machines are.
    QByteArray find(const QByteArray& identity) const;

private:
    struct Group {
        ListedClient first;
        int connections = 0;
        bool oneHost = true;
    };
    /// Leaves out what is too short to be somebody's name.
    void add(const QByteArray& identity, const ListedClient& client);
    void addNamed(const QByteArray& identity, const ListedClient& client);
    std::map<QByteArray, Group> m_groups;
};

/// Whether a row is a lock only if its holder's name is one: a hash of one such field may be anything. A connection of
/// that name decides.
bool restsOnHoldersName(const LockRow& row);

/// Finds out which connections the holders and waiters of locks have, as far as the server tells: asked when new
/// identities come, never of a server with more than kMostClients connections, and seldom where it led to nothing.
class ClientNames {
public:
    /// Listing takes a server about a millisecond for a thousand connections.
    static constexpr std::int64_t kMostClients = 1000;

    ClientNames(KeyReader& reader, Runtime& runtime) : m_reader(reader), m_runtime(runtime) {}

    /// Completes Party::about, and Party::gone and connected for holders of locks that nothing else ends, or that were
    /// renewed and whose lease is half over by now. `connections`: grows with
    /// each connection to the server; another server may know other clients. `all`: there are no other rows, so that
    /// other clients may be forgotten. An error of the connection is left to the next look. Throws Cancelled.
    QCoro::Task<> name(std::vector<LockRow>& rows, bool all, int connections, std::stop_token stop);
    /// Why clients are not known, and connections that may wait for locks of formats that the last look has seen.
    std::vector<WatchNote> notes() const;

private:
    struct Known {
        QByteArray about;         ///< as it was last seen
        int missed = 0;           ///< listings without it since then
        std::uint64_t wanted = 0; ///< the last look that had it
        bool asked = false;
        bool askedWhenQuiet = false;
        QByteArray lock;                      ///< one that it holds and whose lease has an end
        std::int64_t leaseMs = 0, leftMs = 0; ///< the lease that it had after its last renewal; what is left of it
        /// Its lock was renewed before, and is behind its pace: it may be that nobody renews it any more.
        bool isQuiet() const { return leaseMs > 0 && 2 * leftMs < leaseMs; }
        void noteLease(const LockRow& row);
    };
    bool isDue(bool fresh, bool watched) const;
    QCoro::Task<> ask(std::stop_token stop);
    /// Nothing is listed for so long: connections that an earlier listing had may be gone by then.
    void rest(Nanos pause);
    void take(const ConnectionTable& table);
    void takeWaiters(const std::vector<ListedClient>& clients);

    KeyReader& m_reader;
    Runtime& m_runtime;
    QHash<QByteArray, Known> m_known; ///< by identity
    std::uint64_t m_looks = 0;
    int m_connections = 0;
    Nanos m_listedAt{}, m_notBefore{};
    Nanos m_pause{};                                       ///< to the next listing for new identities
    bool m_blockingLocks = false, m_listenedLocks = false; ///< there are locks whose waiters block, or listen
    std::vector<QByteArray> m_blocked, m_listening;        ///< addresses of clients that may be such waiters, sorted
    std::optional<std::int64_t> m_tooMany;
    bool m_refused = false;
};

} // namespace lockscope::inspect
