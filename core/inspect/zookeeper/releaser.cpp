// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/releaser.h"

#include "inspect/text.h"

#include <QDateTime>

namespace lockscope::inspect {

namespace {

using Kind = zookeeper::Error::Kind;

QByteArray shown(const Entry& node) {
    return readable(node.at).toUtf8();
}

/// Locks that are the content of a node which stays: a hold is told from the next one by the node's last change.
bool isContent(const LockRow& seen) {
    return seen.format == "shedlock-zk" || seen.format == "kazoo-lease";
}

/// The content of ShedLock's node from that instant on: its clients write there until when it is locked.
QByteArray unlockedSince(std::int64_t wallMs) {
    return QDateTime::fromMSecsSinceEpoch(wallMs, Qt::UTC).toString(Qt::ISODateWithMs).toLatin1();
}

} // namespace

std::expected<QByteArrayList, QString> ZooKeeperReleaser::commands(const LockRow& seen) {
    if (seen.entries.empty()) return std::unexpected(cannotBeFreed(seen));
    QByteArrayList lines;
    for (const Entry& node : seen.entries) {
        const QByteArray change = isContent(seen) ? "mZxid" : "cZxid";
        lines << "stat " + shown(node) + "   # " + change + " = 0x" + QByteArray::number(qulonglong(node.born), 16);
        lines << (seen.format == "shedlock-zk" ? "set -v <dataVersion> " + shown(node) + " <now>"
                                               : "delete -v <dataVersion> " + shown(node));
    }
    return lines;
}

QCoro::Task<std::expected<Freed, QString>> ZooKeeperReleaser::free(LockRow seen, std::stop_token stop) {
    if (seen.entries.empty()) co_return std::unexpected(cannotBeFreed(seen));
    const auto connected = co_await m_client->connected(kNever, stop);
    if (!connected) co_return std::unexpected(connected.error().message);
    Freed result = Freed::WasFree;
    for (const Entry& node : seen.entries) {
        const auto there = co_await m_client->exists(node.at, {}, stop);
        if (!there) co_return std::unexpected(there.error().message);
        if (!*there) continue;
        if ((isContent(seen) ? (*there)->mzxid : (*there)->czxid) != node.born) {
            if (result == Freed::WasFree) result = Freed::HeldByAnother;
            continue;
        }
        if (seen.format == "shedlock-zk") { // its clients wait for the instant, and keep the node
            const QByteArray over = unlockedSince(m_client->runtime().wallMs());
            const auto written = co_await m_client->set(node.at, over, (*there)->version, stop);
            if (!written && written.error().kind == Kind::BadVersion) co_return Freed::HeldByAnother;
            if (!written) co_return std::unexpected(written.error().message);
            result = Freed::Freed;
            continue;
        }
        const auto removed = co_await m_client->remove(node.at, (*there)->version, stop);
        if (removed)
            result = Freed::Freed;
        else if (removed.error().kind == Kind::BadVersion && isContent(seen))
            co_return Freed::HeldByAnother;
        else if (removed.error().kind != Kind::NoNode)
            co_return std::unexpected(removed.error().message);
    }
    co_return result;
}

} // namespace lockscope::inspect
