// SPDX-License-Identifier: Apache-2.0
// Locks that are one node: ShedLock's permanent one, and the ephemeral one of tutorials and zk-ephemeral.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <QDateTime>

namespace lockscope::inspect {

namespace {

constexpr char kShedLocks[] = "/shedlock/";

/// ShedLock takes a node without an instant for locked, and never overwrites it. Elsewhere such a node is none of its.
bool isLockedForEver(const SeenNode& node) {
    return node.path.startsWith(kShedLocks) && (node.data || node.stat.dataLength == 0);
}

} // namespace

std::vector<LockRow> readShedLockNode(const SeenNode& node) {
    if (node.stat.ephemeralOwner != 0 || !node.children.empty()) return {};
    if (!node.data || recipes::familyOfData(*node.data) != recipes::ZkFamily::ShedLock) {
        if (!isLockedForEver(node)) return {};
        LockRow row = zkRow(node, "shedlock-zk");
        row.certainty = Certainty::Likely;
        row.state = LockRow::State::Held;
        row.neverExpires = true;
        addRaw(row, node);
        return {std::move(row)};
    }
    const QDateTime until = QDateTime::fromString(QString::fromLatin1(*node.data), Qt::ISODateWithMs);
    LockRow row = zkRow(node, "shedlock-zk");
    // Elsewhere an instant may be anything.
    row.certainty = node.path.startsWith(kShedLocks) ? Certainty::Certain : Certainty::Guess;
    const std::int64_t left = until.toMSecsSinceEpoch() - node.wallMs;
    if (until.isValid() && left > 0) {
        row.state = LockRow::State::Held;
        row.ttlMs = left;
        row.ends = EndsWithin{until.toMSecsSinceEpoch(), until.toMSecsSinceEpoch()};
        if (row.certainty == Certainty::Certain) row.entries.push_back({node.path, *node.data, node.stat.mzxid});
    }
    addRaw(row, node);
    return {std::move(row)};
}

std::vector<LockRow> readEphemeral(const SeenNode& node) {
    if (node.stat.ephemeralOwner == 0) return {};
    LockRow row = zkRow(node, "zk-ephemeral");
    const SeenChild itself{{zookeeper::nameOf(node.path)}, node.stat, node.data.value_or(QByteArray())};
    // Most ephemeral nodes are members of something, not locks.
    const bool ours = !recipes::zkOwnerIn(itself.data).isEmpty();
    row.certainty = ours ? Certainty::Certain : Certainty::Guess;
    row.state = LockRow::State::Held;
    row.token = node.stat.czxid;
    row.entries.push_back({node.path, {}, node.stat.czxid});
    row.holders.push_back(zkParty(itself, "exclusive"));
    addRaw(row, node);
    return {std::move(row)};
}

} // namespace lockscope::inspect
