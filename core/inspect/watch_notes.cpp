// SPDX-License-Identifier: Apache-2.0
#include "inspect/watch_notes.h"

#include "inspect/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Kind = WatchNote::Kind;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(WatchNote)
};

constexpr std::size_t kExamples = 3;
constexpr std::size_t kMostCounted = 1'000'000; // some tens of megabytes

std::optional<Kind> kindFor(KeyJob::End why) {
    switch (why) {
    case KeyJob::End::LongValue:
        return Kind::LongValues;
    case KeyJob::End::LargeHash:
        return Kind::LargeHashes;
    case KeyJob::End::LongFields:
        return Kind::LongFields;
    case KeyJob::End::Refused:
        return Kind::KeysRefused;
    case KeyJob::End::SizeRefused:
        return Kind::SizesRefused;
    case KeyJob::End::Open:
    case KeyJob::End::Read:
    case KeyJob::End::Dull:
    case KeyJob::End::Gone:
        break;
    }
    return std::nullopt;
}

/// " (orders, stock, …)"
QString examplesOf(const WatchNote& note) {
    QStringList names;
    for (const QByteArray& key : note.examples) {
        constexpr qsizetype kShown = 40;
        const QString name = readable(key);
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
    case Kind::WaitersRefused:
        return "waiters-refused";
    case Kind::Replica:
        return "replica";
    case Kind::ClusterNode:
        return "cluster-node";
    case Kind::LeftAlone:
        break;
    }
    return "left-alone";
}

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
        return Text::tr("This user may not read some keys, so locks among them are not known: %1%2")
            .arg(count, examplesOf(note));
    case Kind::SizesRefused:
        return Text::tr("This user may not ask how large a key is (MEMORY USAGE), so these were not read: %1%2")
            .arg(count, examplesOf(note));
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
    case Kind::LeftAlone:
        break;
    }
    return Text::tr("Keys that were not looked at, because this server would keep them for longer: %1").arg(count);
}

QJsonObject toJson(const WatchNote& note) {
    QJsonObject json{{QStringLiteral("kind"), QLatin1String(nameOf(note.kind))},
                     {QStringLiteral("text"), textOf(note)}};
    if (note.kind == Kind::ClusterNode) {
        json.insert(QStringLiteral("slots"), note.count < 0 ? QJsonValue() : QJsonValue(qint64(note.count)));
    } else if (note.kind == Kind::Replica) {
        json.insert(QStringLiteral("master"), note.examples.empty() ? QString() : readable(note.examples.front()));
    } else if (note.kind != Kind::WaitersRefused) {
        json.insert(QStringLiteral("count"), qint64(note.count));
        QJsonArray keys;
        for (const QByteArray& key : note.examples)
            keys.append(readable(key));
        json.insert(QStringLiteral("keys"), keys);
    }
    return json;
}

QString sentinelText(const QString& where) {
    return Text::tr("%1 is a Sentinel: it has no locks. Write the address of the master that it watches; "
                    "“redis-cli -p PORT sentinel masters” says it.")
        .arg(where);
}

std::vector<WatchNote> notesOn(const ServerIdentity& server) {
    std::vector<WatchNote> notes;
    if (server.role == ServerIdentity::Role::Replica) notes.push_back({Kind::Replica, 0, {server.master}});
    if (server.mode == ServerIdentity::Mode::Cluster) notes.push_back({Kind::ClusterNode, server.slots, {}});
    return notes;
}

void UnreadKeys::add(const QByteArray& key, KeyJob::End why) {
    const auto kind = kindFor(why);
    if (!kind) return;
    Place& place = m_kinds[*kind];
    if (place.seen.size() >= kMostCounted || !place.seen.insert(qHash(key)).second) return;
    if (place.examples.size() < kExamples) place.examples.push_back(key);
}

std::vector<WatchNote> UnreadKeys::notes() const {
    std::vector<WatchNote> notes;
    for (const auto& [kind, place] : m_kinds) {
        notes.push_back({kind, std::int64_t(place.seen.size()), place.examples});
        std::ranges::sort(notes.back().examples);
    }
    return notes;
}

std::int64_t UnreadKeys::refused() const {
    std::int64_t all = 0;
    for (const Kind kind : {Kind::KeysRefused, Kind::SizesRefused})
        if (const auto found = m_kinds.find(kind); found != m_kinds.end())
            all += std::int64_t(found->second.seen.size());
    return all;
}

} // namespace lockscope::inspect
