// SPDX-License-Identifier: Apache-2.0
#include "server_record.h"

#include "etcd_history.h"
#include "memcached_log.h"
#include "monitor_reader.h"
#include "sql_audit.h"
#include "zookeeper_log.h"

namespace lockscope::torture {

using trace::EventKind;

namespace {

template <typename Reader>
std::vector<ServerRecord> readMonitor(const Testimony& testimony, const Speakers& speakers, Reader reader) {
    MonitorLines lines(speakers);
    for (const QByteArray& part : testimony.parts) {
        for (const QByteArray& text : part.split('\n'))
            if (const auto line = lines.read(text.trimmed())) reader.read(*line);
    }
    return reader.records();
}

} // namespace

std::vector<ServerRecord> readTestimony(const Testimony& testimony, const Background& background) {
    using Kind = Testimony::Kind;
    switch (testimony.kind) {
    case Kind::RedisKeys:
        return readMonitor(testimony, background.speakers,
                           MonitorReader(testimony.node.isEmpty() ? QByteArray() : '@' + testimony.node));
    case Kind::RedisReadWrite:
        return readMonitor(testimony, background.speakers, ReadWriteMonitor());
    case Kind::RedisPermits:
        return readMonitor(testimony, background.speakers, PermitMonitor());
    case Kind::Memcached:
        return readMemcachedLog(testimony.parts, background);
    case Kind::Etcd:
        return readEtcdHistory(testimony.parts, background);
    case Kind::ZooKeeper:
        return readZooKeeperLogs(testimony.parts, background);
    case Kind::SqlRows:
        return readSqlAudit(testimony.parts, background);
    case Kind::MariaDbLog:
        return readMariaDbLog(testimony.parts);
    case Kind::KilledSessions:
        return readKilledSessions(testimony.parts);
    }
    return {};
}

QByteArray identityIn(const QByteArray& word) {
    constexpr qsizetype kClient = 36;
    if (word.size() < kClient + 2 || word[kClient] != ':' || word.count('-') < 4) return {};
    qsizetype end = kClient + 1;
    while (end < word.size() && word[end] >= '0' && word[end] <= '9')
        ++end;
    const bool whole = end == word.size() || word[end] == ':';
    return whole && end > kClient + 1 ? word.left(end) : QByteArray();
}

QByteArray someoneOf(const QByteArray& client) {
    return client.isEmpty() ? QByteArray() : client + ":?";
}

ServerRecord serverRecord(EventKind kind, std::int64_t at, QByteArray place, QByteArray actor, QByteArray owner) {
    ServerRecord record;
    record.event.at = at;
    record.event.kind = kind;
    record.event.value = kind == EventKind::RecordFreed ? 0 : -1;
    record.event.aux = kind == EventKind::RecordFreed ? 0 : 1;
    record.place = std::move(place);
    record.actor = std::move(actor);
    record.owner = std::move(owner);
    return record;
}

ServerRecord freedRecord(std::int64_t at, QByteArray place, QByteArray actor, QByteArray owner, trace::FreedBy why) {
    ServerRecord record =
        serverRecord(EventKind::RecordFreed, at, std::move(place), std::move(actor), std::move(owner));
    record.event.flags = static_cast<std::uint8_t>(why);
    return record;
}

} // namespace lockscope::torture
