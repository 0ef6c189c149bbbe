// SPDX-License-Identifier: Apache-2.0
#include "etcd_history.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {

struct Change {
    std::int64_t at = 0;
    bool deleted = false;
    QByteArray key;
    std::int64_t created = 0, revision = 0, lease = 0;
};

std::int64_t numberOf(const QJsonObject& object, const char* name) {
    return object[QLatin1String(name)].toString().toLongLong(); // 64 bits are texts there
}

std::vector<Change> changesOf(const QByteArrayList& parts) {
    std::vector<Change> changes;
    for (const QByteArray& line : parts.join('\n').split('\n')) {
        const qsizetype space = line.indexOf(' ');
        if (space <= 0) continue;
        const QJsonObject answer = QJsonDocument::fromJson(line.mid(space + 1)).object();
        for (const QJsonValue& value : answer[QLatin1String("result")][QLatin1String("events")].toArray()) {
            const QJsonObject event = value.toObject();
            const QJsonObject kv = event[QLatin1String("kv")].toObject();
            Change change;
            change.at = line.left(space).toLongLong();
            change.deleted = event[QLatin1String("type")].toString() == QLatin1String("DELETE");
            change.key = QByteArray::fromBase64(kv[QLatin1String("key")].toString().toLatin1());
            change.created = numberOf(kv, "create_revision");
            change.revision = numberOf(kv, "mod_revision");
            change.lease = numberOf(kv, "lease");
            changes.push_back(std::move(change));
        }
    }
    return changes;
}

} // namespace

std::vector<ServerRecord> readEtcdHistory(const QByteArrayList& parts, const Background& background) {
    std::vector<Change> changes = changesOf(parts);
    std::map<QByteArray, Change> there;           // by key
    std::map<std::int64_t, std::int64_t> aliveAt; // the last revision at which a lease showed itself
    for (Change& change : changes) {
        if (change.deleted) {
            const auto before = there.find(change.key);
            if (before == there.end()) continue;
            change.created = before->second.created;
            change.lease = before->second.lease;
            there.erase(before);
        } else {
            there[change.key] = change;
        }
        aliveAt[change.lease] = change.revision;
    }

    std::vector<ServerRecord> records;
    for (const Change& change : changes) {
        const int lock = lockOf(change.key);
        const Holds::Hold* hold = lock < 0 ? nullptr : background.holds.granted(std::size_t(lock), change.created);
        if (!hold) continue;
        // The key may come again under its old name.
        const QByteArray place = change.key + '@' + QByteArray::number(qlonglong(change.created));
        if (!change.deleted && change.revision == change.created) {
            records.push_back(serverRecord(EventKind::RecordHeld, change.at, place, hold->identity, hold->identity));
        } else if (!change.deleted) {
            // Nobody writes a key of this kind a second time.
            records.push_back(freedRecord(change.at, place, kStranger, hold->identity, FreedBy::Overwrite));
        } else if (!Holds::relied(*hold, change.at)) {
            records.push_back(freedRecord(change.at, place, hold->identity, hold->identity, FreedBy::Release));
        } else if (aliveAt[change.lease] > change.revision) {
            records.push_back(freedRecord(change.at, place, kStranger, hold->identity, FreedBy::Release));
        } else {
            records.push_back(freedRecord(change.at, place, {}, hold->identity, FreedBy::Expiry));
        }
    }
    return records;
}

} // namespace lockscope::torture
