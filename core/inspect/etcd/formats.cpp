// SPDX-License-Identifier: Apache-2.0
#include "inspect/etcd/formats.h"

#include "trace/digits.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

constexpr std::size_t kMostRaw = 16;

bool isDigits(QByteArrayView text) {
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::span<const Format<SeenKeys>> etcdFormats() {
    static constexpr Format<SeenKeys> kFormats[] = {
        {"ShedLock", readEtcdShedLock},
        {"etcd's read/write lock", readEtcdReadWrite},
        {"etcd's mutex and election", readEtcdMutex},
    };
    return kFormats;
}

QByteArray leaseInHex(std::int64_t lease) {
    return trace::digitsOf(std::uint64_t(lease), 16);
}

std::optional<QByteArrayView> etcdLockOf(const etcd::KeyValue& key) {
    if (key.key.startsWith("shedlock:")) return QByteArrayView(key.key);
    const qsizetype slash = key.key.lastIndexOf('/');
    if (slash <= 0 || key.lease == 0) return std::nullopt;
    const QByteArrayView last = QByteArrayView(key.key).sliced(slash + 1);
    const QByteArrayView above = QByteArrayView(key.key).first(slash);
    if (last == trace::Digits(std::uint64_t(key.lease), 16).view()) return above;
    for (const char* kind : {"/read", "/write"})
        if (above.endsWith(kind) && isDigits(last)) return above.chopped(qsizetype(qstrlen(kind)));
    return std::nullopt;
}

LockRow etcdRow(const SeenKeys& seen, const char* format) {
    LockRow row;
    row.name = seen.name;
    row.backend = "etcd";
    row.format = format;
    for (const etcd::KeyValue& key : seen.keys) {
        if (row.raw.size() == kMostRaw) break;
        row.raw.push_back({key.key, "key", {}, RawValue::ofText(key.value)}); // without its end, which is its lease's
    }
    return row;
}

Party etcdParty(const SeenKeys& seen, const etcd::KeyValue& key, const char* mode) {
    Party party;
    if (party.mode != mode) party.mode = mode;
    party.client = leaseInHex(key.lease);
    party.neverExpires = key.lease == 0;
    const auto lease = seen.leases.find(key.lease);
    if (key.lease != 0 && lease != seen.leases.end() && !lease->second.gone) {
        party.ends = lease->second.ends;
        party.ttlMs = std::max<std::int64_t>(lease->second.ends.fromMs - seen.wallMs, 0);
    }
    return party;
}

void endsWith(LockRow& row, const Party& holder) {
    row.ttlMs = holder.ttlMs;
    row.ends = holder.ends;
    row.neverExpires = holder.neverExpires;
}

} // namespace lockscope::inspect
