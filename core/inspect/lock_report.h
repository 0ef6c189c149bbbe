// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "inspect/watch_notes.h"

namespace lockscope::inspect {

/// Why a server could not be read.
struct WatchTrouble {
    enum class Kind : std::uint8_t {
        Unreachable, ///< no connection, or no answer: it is tried again
        Refused,     ///< the server answered, and not with what was asked: the login, a missing right, another service
        WrongUrl,    ///< the URL's settings are invalid
    };
    Kind kind = Kind::Unreachable;
    QByteArray code; ///< the server's own word or number; empty: none
    QString message; ///< one sentence: what, where, what to do; never a password
};

/// One of several servers that are watched together.
struct WatchedServerState {
    QByteArray address;                     ///< "host:port"
    std::optional<ServerIdentity> identity; ///< missing = it does not tell
    QString trouble = {};                   ///< why it cannot be read while others are, a sentence; empty: it can
    Nanos lookedAt{-1}; ///< the last look at it, where each server has looks of its own, by LockReport::at's clock
    friend bool operator==(const WatchedServerState&, const WatchedServerState&) = default;
};

/// The result of one look at a server, or at several that are watched together.
struct LockReport {
    std::vector<LockRow> locks; ///< sorted by name
    /// The names, sorted, of all locks that may differ from the report before in more than what is left of their
    /// leases: those that were looked at again, or are gone. Missing: any of them may.
    std::optional<std::vector<QByteArray>> lookedAgain;
    bool complete = false;       ///< the whole keyspace has been gone through at least once
    std::int64_t keysSeen = 0;   ///< candidates that were read in this look
    std::int64_t keysThere = -1; ///< keys in the database; -1 = not known
    std::int64_t keysPassed = 0; ///< about how many of them have been looked at so far, all once `complete`
    /// Keys that were not read because the server evicts the oldest and would take them for used; a lock among them
    /// shows when its name or a waiter tells of it.
    std::int64_t keysLeftAlone = 0;
    std::vector<WatchNote> notes;         ///< facts that are not known, and data that were not read
    std::optional<ServerIdentity> server; ///< missing = it does not tell
    std::vector<ServerEvent> events;      ///< what happened to it since the look before
    /// The addresses that `events` concern, before and after, where several servers are watched. Empty: all locks.
    std::vector<QByteArray> eventsAt;
    /// Locks outlive the server's end: one that is gone after a restart was released, or has expired.
    bool outlivesRestarts = false;
    std::vector<WatchedServerState> servers; ///< of several: those that have the locks
    bool together = false;        ///< each of the servers has a copy of its own of every lock: LockRow::copies
    int connections = 0;          ///< so far: what is said once per connection is due again when this grows
    std::int64_t keysRefused = 0; ///< keys that this user has no right to read
    std::uint64_t commands = 0;   ///< sent so far
    Nanos serverTime{};           ///< that the server has spent on us so far, at most
    Nanos at{};                   ///< the runtime's monotonic clock when the answers came
    Nanos began{-1};              ///< … when the first of them was asked for; -1: at the same time
    std::int64_t wallMs = 0;      ///< this machine's wall clock then
    double commandsPerSecond = 0; ///< our own load on the server, over the last seconds
    Nanos period{};               ///< until the next look
    bool hearsOfChanges = false;  ///< the server tells of changes of all known locks by itself, besides the looks
    std::optional<WatchTrouble> trouble; ///< why there is nothing new: `locks` are the last ones known

    /// The instant up to which everything that happened to any lock shows in the rows.
    Nanos knownUntil() const;
    /// … to this lock: of several servers its own may have been looked at earlier.
    Nanos knownUntil(const LockRow& row) const;
    /// Whether something happened to the server of a lock since the look before.
    bool concerns(const LockRow& row) const;
    /// … and that another server took over.
    bool failedOver(const LockRow& row) const;
};

/// The policy by which the server may drop locks when its memory is full; empty: it does not, or does not say.
QByteArray evictionPolicyIn(const LockReport& report);

/// One line about a server of several: address, role, slots, run id, replicas and how far they are behind, persistence
/// and eviction, each as far as the server tells.
QString textOf(const WatchedServerState& server);

/// Whether nothing about a server is otherwise that changes seldom: its address, its role, its slots.
bool sameServer(const WatchedServerState& a, const WatchedServerState& b);

/// The object that tells in JSON which server it is; what it does not tell is null.
QJsonObject toJson(const ServerIdentity& server);
/// The object that `watch --json --once` prints. `endpoint` as it may be shown: without a password.
QJsonObject toJson(const LockReport& report, const QString& endpoint);

} // namespace lockscope::inspect
