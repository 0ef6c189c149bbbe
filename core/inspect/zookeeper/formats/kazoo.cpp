// SPDX-License-Identifier: Apache-2.0
// kazoo's locks: <32 hex>__lock__<number>, __rlock__ for readers; its semaphore and its lease.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimeZone>
#include <algorithm>

namespace lockscope::inspect {

using recipes::ZkFamily;

std::vector<LockRow> readKazoo(const SeenNode& node) {
    const std::set<ZkFamily> families = node.families();
    if (families == std::set{ZkFamily::Kazoo}) return {zkQueueRow(node, "kazoo")};
    const bool readWrite = families.contains(ZkFamily::KazooReadWrite) &&
                           (families.size() == 1 || families == std::set{ZkFamily::Kazoo, ZkFamily::KazooReadWrite});
    if (readWrite) return {zkQueueRow(node, "kazoo-rw")};
    return {};
}

bool isKazooPermit(const QByteArray& name) {
    constexpr qsizetype kHexDigits = 32;
    const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return name.size() == kHexDigits && std::ranges::all_of(name, isHex);
}

// The path says how many permits there are; each child is one that is taken. Contenders queue at the path beside it.
std::vector<LockRow> readKazooSemaphore(const SeenNode& node) {
    if (!node.data || recipes::familyOfData(*node.data) != ZkFamily::KazooSemaphore) return {};
    const auto isPermit = [](const SeenChild& child) { return isKazooPermit(child.name.name); };
    // Without a permit taken, and nobody who wants one, a number is just a number.
    const bool wanted = node.queue && !node.queue->children.empty();
    if ((node.children.empty() && !wanted) || !std::ranges::all_of(node.children, isPermit)) return {};
    LockRow row = zkRow(node, "kazoo-semaphore");
    row.mode = "permit";
    for (const SeenChild& child : node.children) {
        row.holders.push_back(zkParty(child, "permit"));
        addEntry(row, node, child);
    }
    row.permitsInAll = node.data->toLongLong();
    row.permitsFree = std::max<std::int64_t>(*row.permitsInAll - std::int64_t(row.holders.size()), 0);
    // The first in the queue is the one that tries to get a permit: the lock beside guards nothing but that.
    std::vector<Party> waiters;
    if (node.queue) {
        for (const SeenChild& child : node.queue->children) {
            if (child.name.family != ZkFamily::Kazoo) continue;
            Party waiter = zkParty(child, "permit");
            waiter.position = int(waiters.size());
            waiters.push_back(std::move(waiter));
        }
    }
    row.state = !row.holders.empty() ? LockRow::State::Held
                : waiters.empty()    ? LockRow::State::Free
                                     : LockRow::State::Queued;
    row.waiterCount = std::int64_t(waiters.size());
    row.waiters = std::move(waiters);
    addRaw(row, node);
    if (wanted) addRaw(row, *node.queue);
    return {std::move(row)};
}

std::vector<LockRow> readKazooLease(const SeenNode& node) {
    const auto lease = std::ranges::find_if(
        node.children, [](const SeenChild& child) { return child.name.family == ZkFamily::KazooLease; });
    if (lease == node.children.end()) return {};
    LockRow row = zkRow(node, "kazoo-lease");
    addRaw(row, node);
    const QJsonObject json = QJsonDocument::fromJson(lease->data).object();
    QDateTime end = QDateTime::fromString(json.value(QLatin1String("end")).toString(), Qt::ISODate);
    end.setTimeZone(QTimeZone::utc());
    if (!end.isValid()) {
        row.certainty = Certainty::Likely;
        return {std::move(row)};
    }
    const std::int64_t left = end.toMSecsSinceEpoch() - node.wallMs;
    if (left <= 0) return {std::move(row)};
    row.state = LockRow::State::Held;
    row.ttlMs = left;
    row.ends = EndsWithin{end.toMSecsSinceEpoch(), end.toMSecsSinceEpoch()};
    Party holder;
    holder.client = json.value(QLatin1String("holder")).toString().toUtf8();
    if (lease->stat) holder.sinceWallMs = lease->stat->mtime;
    if (lease->stat)
        row.entries.push_back({zookeeper::childOf(node.path, lease->name.name), lease->data, lease->stat->mzxid});
    row.holders.push_back(std::move(holder));
    return {std::move(row)};
}

} // namespace lockscope::inspect
