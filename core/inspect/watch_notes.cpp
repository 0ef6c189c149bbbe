// SPDX-License-Identifier: Apache-2.0
#include "inspect/watch_notes.h"

#include "inspect/line_name.h"
#include "inspect/text.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <climits>

namespace lockscope::inspect {

namespace {

using Kind = WatchNote::Kind;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(WatchNote)
};

/// " (orders, stock, …)"
QString examplesOf(const WatchNote& note) {
    QStringList names;
    for (const QByteArray& key : note.examples) {
        constexpr qsizetype kShown = 40;
        const QString name = key.isEmpty() ? lineName(key) : readable(key);
        names += name.size() > kShown ? name.left(kShown - 1) + QStringLiteral("…") : name;
    }
    if (names.isEmpty()) return {};
    if (note.count > std::int64_t(note.examples.size())) names += QStringLiteral("…");
    return QStringLiteral(" (") + names.join(QStringLiteral(", ")) + QLatin1Char(')');
}

} // namespace

const char* nameOf(Kind kind) {
    switch (kind) {
    case Kind::LongValues:
        return "long-values";
    case Kind::LargeHashes:
        return "large-hashes";
    case Kind::LongFields:
        return "long-fields";
    case Kind::KeysRefused:
        return "keys-refused";
    case Kind::SizesRefused:
        return "sizes-refused";
    case Kind::SearchRefused:
        return "search-refused";
    case Kind::WaitersRefused:
        return "waiters-refused";
    case Kind::Replica:
        return "replica";
    case Kind::ClusterNode:
        return "cluster-node";
    case Kind::MovedAway:
        return "moved-away";
    case Kind::ClusterWaiters:
        return "cluster-waiters";
    case Kind::NamedLocksHidden:
        return "named-locks-hidden";
    case Kind::SessionsRefused:
        return "sessions-refused";
    case Kind::SessionsBounded:
        return "sessions-bounded";
    case Kind::NamesWanted:
        return "names-wanted";
    case Kind::KeysListed:
        return "keys-listed";
    case Kind::EndsInSeconds:
        return "ends-in-seconds";
    case Kind::ListRefused:
        return "list-refused";
    case Kind::ListBounded:
        return "list-bounded";
    case Kind::MayEvict:
        return "may-evict";
    case Kind::ChangesTold:
        return "changes-told";
    case Kind::ChangesBounded:
        return "changes-bounded";
    case Kind::ChangesForgotten:
        return "changes-forgotten";
    case Kind::ChangesRefused:
        return "changes-refused";
    case Kind::ClientsNotListed:
        return "clients-not-listed";
    case Kind::BlockedClients:
        return "blocked-clients";
    case Kind::PatternListeners:
        return "pattern-listeners";
    case Kind::TableMissing:
        return "table-missing";
    case Kind::RootMissing:
        return "root-missing";
    case Kind::LeftAlone:
        break;
    }
    return "left-alone";
}

namespace {

/// `nameless`: sessions that wait for a named lock which their statement does not name. `refused`: this user may not
/// ask for the list.
QString namedLocksHidden(std::int64_t nameless, bool refused) {
    const QString text =
        refused
            ? Text::tr("This user may not read the performance schema, so of the locks of GET_LOCK() only those with a "
                       "waiter, and names that you ask for (match), are known. SELECT on performance_schema.* lists "
                       "them all, if the instrument wait/lock/metadata/sql/mdl is on")
            : Text::tr("This server does not list the locks of GET_LOCK(), so only those with a waiter, and names that "
                       "you ask for (match), are known. Its performance schema, with the instrument "
                       "wait/lock/metadata/sql/mdl, lists them all");
    if (nameless <= 0) return text;
    return Text::tr("%1. %n session(s) wait with a statement that does not show the name: how many wait for "
                    "which lock is not known",
                    nullptr, int(std::min<std::int64_t>(nameless, INT_MAX)))
        .arg(text);
}

} // namespace

QString textOf(const WatchNote& note) {
    const QString count = QLocale().toString(qlonglong(note.count));
    switch (note.kind) {
    case Kind::LongValues:
        return Text::tr("Strings longer than a lock's value were not read: %1%2").arg(count, examplesOf(note));
    case Kind::LargeHashes:
        return Text::tr("Hashes with more fields than a lock has were not read: %1%2").arg(count, examplesOf(note));
    case Kind::LongFields:
        return Text::tr("Keys with longer fields than a lock has were not read: %1%2").arg(count, examplesOf(note));
    case Kind::KeysRefused:
        return Text::tr("This user may not read some keys or tables, so locks among them are not known: %1%2")
            .arg(count, examplesOf(note));
    case Kind::SizesRefused:
        return Text::tr("This user may not ask how large a key is (MEMORY USAGE), so these were not read: %1%2")
            .arg(count, examplesOf(note));
    case Kind::SearchRefused:
        return Text::tr("This user may not go through the keys (SCAN), so only locks that a waiter tells of are known");
    case Kind::WaitersRefused:
        return Text::tr("This user may not ask who is subscribed (PUBSUB), so waiters are not known");
    case Kind::Replica:
        return Text::tr("This is a replica of %1: its keys may be behind, and the master's waiters are not known here")
            .arg(note.examples.empty() ? QString() : readable(note.examples.front()));
    case Kind::ClusterNode:
        if (note.count < 0)
            return Text::tr("This is one node of a cluster: locks in other nodes' slots do not show, and waiters are "
                            "not known");
        return Text::tr("This is one node of a cluster, with %1 of %2 slots: locks in the others do not show, and "
                        "waiters are not known")
            .arg(count, QLocale().toString(kClusterSlots));
    case Kind::MovedAway:
        if (note.count == 0) // they are on their way still
            return Text::tr("%n key(s) cannot be read before the move of their slot ends, so locks among them are not "
                            "known%1",
                            nullptr, int(note.examples.size()))
                .arg(examplesOf(note));
        return Text::tr("%n lock(s) went to another node of the cluster with their slots, so this one does not know "
                        "them any more%1. Watch all nodes together: redis+cluster://HOST:PORT",
                        nullptr, int(std::min<std::int64_t>(note.count, INT_MAX)))
            .arg(examplesOf(note));
    case Kind::ClusterWaiters:
        return Text::tr("On a cluster, only waiters that the lock itself lists are known");
    case Kind::NamedLocksHidden:
        return namedLocksHidden(note.count, !note.examples.empty());
    case Kind::SessionsRefused:
        return Text::tr("This user may not ask which sessions wait for which, so blocked sessions are not known");
    case Kind::SessionsBounded:
        return Text::tr("No more than %1 sessions are read at a time: there may be more locks and waiters").arg(count);
    case Kind::NamesWanted:
        return Text::tr("Name the locks to watch, separated by commas (match): memcached lists its keys only by a walk "
                        "through all items, which you can allow (list=metadump)");
    case Kind::KeysListed:
        if (note.count > 0)
            return Text::tr("New locks are found by a search through all keys, which takes up to %1 here: a lock that "
                            "is held for less may be missed")
                .arg(spanText(std::chrono::seconds(note.count)));
        return Text::tr("Locks are found by a list of all keys, now and then (metadump): a new lock that is held only "
                        "between two lists is missed");
    case Kind::EndsInSeconds:
        return Text::tr("This server's clock has whole seconds: a lock ends up to one second before it is shown to");
    case Kind::ListRefused:
        return Text::tr("This server does not list its keys, so only locks that you name (match) are watched. %1")
            .arg(note.examples.empty() ? QString() : readable(note.examples.front()));
    case Kind::ListBounded:
        if (!note.examples.empty()) // tables of a database, and some that were left out
            return Text::tr("More than %1 tables have “lock” in their names: the others were not looked at%2. Name a "
                            "table in the address (table=…)")
                .arg(count, examplesOf(note));
        return Text::tr(
                   "More than %1 keys may be locks by their size: the others were not read. Name locks by patterns "
                   "(match)")
            .arg(count);
    case Kind::MayEvict:
        return Text::tr("When its memory is full, this server drops keys, locks among them (maxmemory-policy %1)")
            .arg(note.examples.empty() ? QString() : readable(note.examples.front()));
    case Kind::ChangesTold:
        return Text::tr("told of changes of %n keys", "", int(note.count));
    case Kind::ChangesBounded:
        return Text::tr("other keys are polled: no more than %1 are followed, to spare the server's memory").arg(count);
    case Kind::ChangesForgotten:
        return Text::tr("other keys are polled: the server forgets which ones to tell of beyond %1 "
                        "(tracking-table-max-keys)")
            .arg(count);
    case Kind::ChangesRefused:
        return Text::tr("polling: the server does not allow CLIENT TRACKING");
    case Kind::ClientsNotListed:
        if (note.count > 0)
            return Text::tr("This server has %1 connections: they are not listed, to spare it, so the addresses of "
                            "holders are not known")
                .arg(count);
        return Text::tr("This user may not list the connections (CLIENT LIST), so the addresses of holders are not "
                        "known");
    case Kind::BlockedClients:
        return Text::tr("%n connection(s) wait at a list (BLPOP), as waiters of python-redis-lock do: the server does "
                        "not tell for which lock, if for any%1",
                        nullptr, int(note.count))
            .arg(examplesOf(note));
    case Kind::PatternListeners:
        return Text::tr("%n connection(s) are subscribed to patterns, as waiters of Spring Integration are, and "
                        "monitors: the server does not tell for which lock, if for any%1",
                        nullptr, int(note.count))
            .arg(examplesOf(note));
    case Kind::TableMissing:
        return Text::tr("The table or column that the address names is not there, or this user may not see it: %1")
            .arg(note.examples.empty() ? QString() : readable(note.examples.front()));
    case Kind::RootMissing:
        return Text::tr("The node that the address names is not there. Locks below it show once it is made.");
    case Kind::LeftAlone:
        break;
    }
    return Text::tr("Keys that were not looked at, because this server would keep them for longer: %1").arg(count);
}

bool countsKeys(Kind kind) {
    switch (kind) {
    case Kind::LongValues:
    case Kind::LargeHashes:
    case Kind::LongFields:
    case Kind::KeysRefused:
    case Kind::SizesRefused:
    case Kind::LeftAlone:
        return true;
    case Kind::SearchRefused:
    case Kind::WaitersRefused:
    case Kind::Replica:
    case Kind::ClusterNode:
    case Kind::MovedAway:
    case Kind::ClusterWaiters:
    case Kind::NamedLocksHidden:
    case Kind::SessionsRefused:
    case Kind::SessionsBounded:
    case Kind::NamesWanted:
    case Kind::KeysListed:
    case Kind::EndsInSeconds:
    case Kind::ListRefused:
    case Kind::ListBounded:
    case Kind::MayEvict:
    case Kind::ChangesTold:
    case Kind::ChangesBounded:
    case Kind::ChangesForgotten:
    case Kind::ChangesRefused:
    case Kind::ClientsNotListed:
    case Kind::BlockedClients:
    case Kind::PatternListeners:
    case Kind::TableMissing:
    case Kind::RootMissing:
        break;
    }
    return false;
}

bool isGood(Kind kind) {
    return kind == Kind::ChangesTold;
}

QJsonObject toJson(const WatchNote& note) {
    QJsonObject json{{QStringLiteral("kind"), QLatin1String(nameOf(note.kind))},
                     {QStringLiteral("text"), textOf(note)}};
    if (note.kind == Kind::ClusterNode) {
        json.insert(QStringLiteral("slots"), note.count < 0 ? QJsonValue() : QJsonValue(qint64(note.count)));
    } else if (note.kind == Kind::Replica) {
        json.insert(QStringLiteral("master"), note.examples.empty() ? QString() : readable(note.examples.front()));
    } else if (note.kind == Kind::KeysListed && note.count > 0) {
        json.insert(QStringLiteral("seconds"), qint64(note.count));
    } else if (isGood(note.kind)) {
        json.insert(QStringLiteral("count"), qint64(note.count));
    } else if (countsKeys(note.kind)) {
        json.insert(QStringLiteral("count"), qint64(note.count));
        QJsonArray keys;
        for (const QByteArray& key : note.examples)
            keys.append(readable(key));
        json.insert(QStringLiteral("keys"), keys);
    }
    return json;
}

std::vector<WatchNote> notesOn(const ServerIdentity& server) {
    std::vector<WatchNote> notes;
    if (server.role == ServerIdentity::Role::Replica) notes.push_back({Kind::Replica, 0, {server.master}});
    if (server.mode == ServerIdentity::Mode::Cluster) notes.push_back({Kind::ClusterNode, server.slots, {}});
    return notes;
}

} // namespace lockscope::inspect
