// SPDX-License-Identifier: Apache-2.0
// Locks that are one node: ShedLock's permanent one, and the ephemeral one of tutorials and zk-ephemeral.
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <QDateTime>

namespace lockscope::inspect {

std::vector<LockRow> readShedLockNode(const SeenNode& node) {
    if (node.stat.ephemeralOwner != 0 || !node.children.empty() || !node.data) return {};
    if (recipes::familyOfData(*node.data) != recipes::ZkFamily::ShedLock) return {};
    const QDateTime until = QDateTime::fromString(QString::fromLatin1(*node.data), Qt::ISODateWithMs);
    LockRow row = zkRow(node, "shedlock-zk");
    // Elsewhere an instant may be anything.
    row.certainty = node.path.startsWith("/shedlock/") ? Certainty::Certain : Certainty::Guess;
    const std::int64_t left = until.toMSecsSinceEpoch() - node.wallMs;
    if (until.isValid() && left > 0) {
        row.state = LockRow::State::Held;
        row.ttlMs = left;
        row.ends = EndsWithin{until.toMSecsSinceEpoch(), until.toMSecsSinceEpoch()};
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
