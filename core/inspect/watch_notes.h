// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/server_identity.h"

#include <QJsonArray>
#include <QString>
#include <vector>

namespace lockscope::inspect {

/// Something that a look could not see, that limits what it can say, or how it hears of changes.
struct WatchNote {
    enum class Kind : std::uint8_t {
        LongValues,       ///< strings longer than any lock's: not read
        LargeHashes,      ///< hashes with more fields than a lock has: not read
        LongFields,       ///< hashes, queues or semaphores with longer parts than a lock has: not read
        KeysRefused,      ///< this user has no right to read them
        SizesRefused,     ///< this user has no right to ask how large they are, so they were not read
        SearchRefused,    ///< this user has no right to go through the keys
        WaitersRefused,   ///< this user has no right to ask who is subscribed
        Replica,          ///< the server is a replica
        ClusterNode,      ///< the server is one of a cluster
        MovedAway,        ///< locks went to other nodes of the cluster with their slots; count 0: keys on their way
        ClusterWaiters,   ///< a whole cluster is watched, whose nodes count their own subscribers only
        NamedLocksHidden, ///< this database does not list named locks; examples: what this user may not read for that
        SessionsRefused,  ///< this user has no right to ask which sessions wait for which
        SessionsBounded,  ///< there may be more sessions and locks than these: a question is answered by so many rows
        NamesWanted,      ///< this server cannot list its keys: only named ones can be looked at
        KeysListed,       ///< locks are found in a list of all keys, now and then; count: a walk takes so many seconds
        EndsInSeconds,    ///< this server tells ends in whole seconds
        ListRefused,      ///< this server does not list its keys, in the words of examples
        ListBounded,      ///< its list has more keys that may be locks than these, which are kept
        MayEvict,         ///< the server drops keys when its memory is full, by the policy in examples
        ChangesTold,      ///< the server tells of changes of these keys, so they are not polled
        ChangesBounded,   ///< … of so many keys at most: the others are polled
        ChangesForgotten, ///< … of so many keys at most, because it forgets more: the others are polled
        ChangesRefused,   ///< the server, or this user's rights, do not allow to be told of changes: keys are polled
        ClientsNotListed, ///< so many connections that they are not listed; 0: this user may not list them
        BlockedClients,   ///< so many connections wait at lists (BLPOP), which ones the server does not tell: examples
        PatternListeners, ///< so many are subscribed to patterns, which ones the server does not tell: examples
        TableMissing,     ///< the table that the URL names, or a column in it, is not there: examples
        RootMissing,      ///< the node that the URL names is not there
        LeftAlone,        ///< reading these keys would keep them from being evicted
    };
    Kind kind = Kind::LongValues;
    std::int64_t count = 0;           ///< keys; slots of a node, -1 = not known; 0: of keys that move, see examples
    std::vector<QByteArray> examples; ///< some of the keys, sorted; of a replica: its master
    friend bool operator==(const WatchNote&, const WatchNote&) = default;
};

/// "long-values", "replica", …: as `watch --json` says it.
const char* nameOf(WatchNote::Kind kind);
/// One sentence, translated.
QString textOf(const WatchNote& note);
/// Whether WatchNote::count counts keys: it may still grow until everything was looked at.
bool countsKeys(WatchNote::Kind kind);
/// Whether it says that something is as it should be, and no lack.
bool isGood(WatchNote::Kind kind);
/// The element of `notes` in `watch --json`.
QJsonObject toJson(const WatchNote& note);

/// Notes that say that a server is a replica or a cluster's node.
std::vector<WatchNote> notesOn(const ServerIdentity& server);

} // namespace lockscope::inspect
