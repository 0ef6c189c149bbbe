// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_row.h"

#include "inspect/held_twice.h"
#include "inspect/text.h"
#include "inspect/verbatim.h"

#include <QJsonArray>

namespace lockscope::inspect {

namespace {

template <typename T>
QJsonValue orNull(const std::optional<T>& value) {
    if (!value) return QJsonValue::Null;
    if constexpr (std::is_same_v<T, QByteArray>)
        return verbatim(*value);
    else
        return QJsonValue(qint64(*value));
}

QString stateName(LockRow::State state) {
    switch (state) {
    case LockRow::State::Held:
        return QStringLiteral("held");
    case LockRow::State::Queued:
        return QStringLiteral("queued");
    case LockRow::State::NotKnown:
        return QStringLiteral("not-known");
    case LockRow::State::Free:
        break;
    }
    return QStringLiteral("free");
}

/// Adds what only some servers tell.
QJsonObject withDetails(QJsonObject json, const Party& party) {
    if (party.sinceWallMs) json.insert(QStringLiteral("since_ms"), qint64(*party.sinceWallMs));
    if (!party.about.isEmpty()) json.insert(QStringLiteral("about"), readable(party.about));
    if (party.ttlMs) json.insert(QStringLiteral("ttl_ms"), qint64(*party.ttlMs));
    if (party.neverExpires) json.insert(QStringLiteral("never_expires"), true);
    if (party.gone) json.insert(QStringLiteral("gone"), true);
    return json;
}

QJsonObject holderJson(const Party& party) {
    return withDetails({{QStringLiteral("client"), verbatim(party.client)},
                        {QStringLiteral("thread"), orNull(party.thread)},
                        {QStringLiteral("holds"), orNull(party.holds)},
                        {QStringLiteral("mode"), readable(party.mode)}},
                       party);
}

QJsonObject waiterJson(const Party& party) {
    QJsonObject json{{QStringLiteral("client"), verbatim(party.client)},
                     {QStringLiteral("thread"), orNull(party.thread)},
                     {QStringLiteral("position"), orNull(party.position)},
                     {QStringLiteral("mode"), readable(party.mode)}};
    if (party.dead) json.insert(QStringLiteral("dead"), true);
    return withDetails(std::move(json), party);
}

QJsonObject rawJson(const RawKey& raw) {
    QJsonObject json{{QStringLiteral("key"), verbatim(raw.key)},
                     {QStringLiteral("type"), readable(raw.type)},
                     {QStringLiteral("ttl_ms"), orNull(raw.ttlMs)},
                     {QStringLiteral("value"), raw.value.json()}};
    if (raw.more > 0) json.insert(QStringLiteral("more"), qint64(raw.more));
    return json;
}

template <typename T, typename F>
QJsonArray arrayOf(const std::vector<T>& items, F toObject) {
    QJsonArray array;
    for (const T& item : items)
        array.append(toObject(item));
    return array;
}

/// A held lock without a holder is one whose format keeps no names: that is null, not "nobody". So is a lock of which
/// it is not known whether somebody holds it.
QJsonValue holdersJson(const LockRow& row) {
    const bool nameless =
        row.state == LockRow::State::Held && row.holders.empty() && !row.holdersGone && row.moreHolders == 0;
    if (nameless || row.state == LockRow::State::NotKnown) return QJsonValue::Null;
    return arrayOf(row.holders, holderJson);
}

QJsonObject copyJson(const LockRow& copy) {
    return {{QStringLiteral("server"), readable(copy.server)},
            {QStringLiteral("state"), stateName(copy.state)},
            {QStringLiteral("ttl_ms"), orNull(copy.ttlMs)},
            {QStringLiteral("expires"), QLatin1String(nameOf(copy.expires()))},
            {QStringLiteral("holders"), holdersJson(copy)},
            {QStringLiteral("raw"), arrayOf(copy.raw, rawJson)}};
}

} // namespace

QByteArray identityOf(const Party& party) {
    return party.thread ? party.client + ':' + *party.thread : party.client;
}

EndMoved endMoved(const EndsWithin& before, const EndsWithin& now) {
    if (now.fromMs > before.toMs) return EndMoved::Later;
    return now.toMs < before.fromMs ? EndMoved::Earlier : EndMoved::Same;
}

trace::HoldMode holdModeOf(const QByteArray& mode) {
    if (mode == "shared") return trace::HoldMode::Shared;
    return mode == "permit" ? trace::HoldMode::Permit : trace::HoldMode::Exclusive;
}

QByteArray modeName(trace::HoldMode mode) {
    switch (mode) {
    case trace::HoldMode::Shared:
        return QByteArrayLiteral("shared");
    case trace::HoldMode::Permit:
        return QByteArrayLiteral("permit");
    case trace::HoldMode::Exclusive:
        break;
    }
    return QByteArrayLiteral("exclusive");
}

const char* nameOf(LockRow::Expires expires) {
    switch (expires) {
    case LockRow::Expires::At:
        return "at";
    case LockRow::Expires::Never:
        return "never";
    case LockRow::Expires::Unknown:
        break;
    }
    return "unknown";
}

const char* nameOf(Certainty certainty) {
    switch (certainty) {
    case Certainty::Certain:
        return "certain";
    case Certainty::Likely:
        return "likely";
    case Certainty::Guess:
        break;
    }
    return "guess";
}

QJsonObject toJson(const LockRow& row) {
    QJsonObject json{{QStringLiteral("name"), verbatim(row.name)},
                     {QStringLiteral("format"), readable(row.format)},
                     {QStringLiteral("backend"), readable(row.backend)},
                     {QStringLiteral("mode"), readable(row.mode)},
                     {QStringLiteral("state"), stateName(row.state)},
                     {QStringLiteral("ttl_ms"), orNull(row.ttlMs)},
                     {QStringLiteral("expires"), QLatin1String(nameOf(row.expires()))},
                     {QStringLiteral("certainty"), QLatin1String(nameOf(row.certainty))},
                     {QStringLiteral("token"), orNull(row.token)},
                     {QStringLiteral("holders"), holdersJson(row)},
                     {QStringLiteral("waiters"),
                      row.waiters ? QJsonValue(arrayOf(*row.waiters, waiterJson)) : QJsonValue(QJsonValue::Null)},
                     {QStringLiteral("waiter_count"), orNull(row.waiterCount)},
                     {QStringLiteral("raw"), arrayOf(row.raw, rawJson)}};
    if (!row.server.isEmpty()) json.insert(QStringLiteral("server"), readable(row.server));
    if (!row.copies.empty()) {
        json.insert(QStringLiteral("copies"), arrayOf(row.copies, copyJson));
        json.insert(QStringLiteral("quorum"), qint64(row.quorum));
    }
    if (heldTwice(row)) json.insert(QStringLiteral("held_twice"), true);
    // Where nobody lists the waiters, those that listen for the release are counted: others may poll, or only look on.
    if (!row.waiters && row.waiterCount) json.insert(QStringLiteral("waiter_count_of"), QStringLiteral("subscribers"));
    // Said only where the list is not whole.
    if (row.deadWaiters > 0) json.insert(QStringLiteral("dead_waiters"), qint64(row.deadWaiters));
    if (row.permitsFree) json.insert(QStringLiteral("permits_free"), qint64(*row.permitsFree));
    if (row.permitsInAll) json.insert(QStringLiteral("permits"), qint64(*row.permitsInAll));
    if (row.moreHolders > 0) json.insert(QStringLiteral("more_holders"), qint64(row.moreHolders));
    return json;
}

} // namespace lockscope::inspect
