// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"
#include "inspect/redis/recogniser.h"
#include "inspect/server_identity.h"

#include <array>

namespace lockscope::inspect {

/// Facts about a server that a look at its keys needs: its clock, the number of keys, whether other databases have
/// some, the subscribers, whether reading a key changes it, and which server it is.
///
/// A fact that the server refuses to tell stays unknown, and is not requested again for some minutes, or until there is
/// another connection. Facts that seldom change are requested seldom.
class ServerFacts {
public:
    ServerFacts(KeyReader& reader, Runtime& runtime) : m_reader(reader), m_runtime(runtime) {}

    /// Asks for everything that is due. Returns an error of the connection. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> ask(std::stop_token stop);
    /// The next ask() asks for the server's role too, however lately that was told: something happened that another
    /// role would explain.
    void doubtRole();
    /// Asks for the server's processor time, where that is due: long work counts by it. Returns an error of the
    /// connection. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> weigh(std::stop_token stop);

    /// The present in ms since 1970: by the server's clock, or by ours when it does not tell.
    std::int64_t wallMs() const;
    /// Keys in this database; missing = not known.
    std::optional<std::int64_t> keys() const { return m_keys; }
    /// Other databases have keys, or may have.
    bool othersHaveKeys() const { return m_othersHaveKeys; }
    /// Subscribers of the channels on which clients wait for locks; missing = not known. Where it takes the server long
    /// to go through its channels, they are from some time ago. The counts of a replica or of a cluster's node are
    /// treated as not known, too: each node counts its own subscribers, and waiters may be subscribed at another node.
    const std::optional<Subscriptions>& subscriptions() const { return m_subscriptions; }
    /// This user may not ask who is subscribed.
    bool subscriptionsRefused() const { return m_subscriptionsRefused; }
    /// The policy by which the server drops keys when its memory is full; empty: it drops none, or nobody knows.
    QByteArray evictsBy() const { return m_evictsBy == "noeviction" ? QByteArray() : m_evictsBy; }
    /// Reading a key makes it young for a server that evicts the oldest, and our connection can not be told apart.
    bool readingMakesYoung() const { return m_evictsBy.contains("lru") && !m_noTouch; }

    /// One command may be about any keys together: it is no node of a cluster.
    bool keysGoTogether() const { return !m_identity || m_identity->mode != ServerIdentity::Mode::Cluster; }

    /// Which server it is; missing = it does not tell.
    const std::optional<ServerIdentity>& identity() const { return m_identity; }
    /// The server's events between the last two ask().
    const std::vector<ServerEvent>& events() const { return m_events; }
    /// Databases of the server were exchanged for each other between the last two ask(); which ones, it does not say.
    bool swapped() const { return m_swapped; }
    /// How many connections there have been: what is told once per connection is told again when this has grown.
    int connections() const { return m_connections; }

private:
    enum Question : std::size_t {
        NoTouch,
        Time,
        Keys,
        Keyspace,
        Memory,
        Server,
        Replication,
        Flushes,
        Swaps,
        Persistence,
        SavePoints,
        Processor,
        kQuestions
    };
    QCoro::Task<std::optional<redis::Error>> askAll(std::vector<Question> questions, std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> askSlots(std::stop_token stop);
    QCoro::Task<std::optional<redis::Error>> askChannels(Nanos way, std::stop_token stop);
    void pauseChannels(Nanos began, Nanos way);
    void take(Question question, const redis::Reply& reply);
    void takeRefusal(Question question, const redis::Error& why);
    void readKeyspace(const QByteArray& info);
    void compare();
    QByteArray ownHistory(const std::optional<ServerIdentity>& now) const;
    bool perNode() const;
    QByteArray persistence() const;

    KeyReader& m_reader;
    Runtime& m_runtime;
    std::array<Nanos, kQuestions> m_notBefore{}; ///< when each may be asked again
    std::uint32_t m_connection = 0;              ///< of the last answer
    int m_connections = 0;
    std::int64_t m_wallMs = 0;
    Nanos m_wallAt{}; ///< when m_wallMs was asked for: the server's clock has shown it since
    std::optional<std::int64_t> m_keys, m_keysBefore;
    int m_databases = -1; ///< that have keys; -1 = not known
    bool m_othersHaveKeys = true;
    bool m_noTouch = false;
    QByteArray m_evictsBy;
    bool m_memoryKnown = false;             ///< whether m_evictsBy is
    std::optional<bool> m_appends, m_saves; ///< it keeps a log of changes, or a snapshot; missing = not known
    QByteArray m_infoServer, m_infoReplication;
    std::optional<ServerIdentity> m_identity;
    Nanos m_identityAt{};
    QByteArray m_ownHistory; ///< of a replica that had met no master at the last look; else empty
    std::optional<std::int64_t> m_flushes, m_flushesBefore;
    std::optional<std::int64_t> m_swaps;
    bool m_swapped = false;
    std::vector<ServerEvent> m_events;
    std::optional<Subscriptions> m_subscriptions;
    bool m_subscriptionsRefused = false;
    Nanos m_channelsTook{}; ///< the last time
    Nanos m_channelsNotBefore{};
    Nanos m_slotsNotBefore{};
};

} // namespace lockscope::inspect
