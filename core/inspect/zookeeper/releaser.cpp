// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/releaser.h"

#include "inspect/text.h"

namespace lockscope::inspect {

namespace {

using Kind = zookeeper::Error::Kind;

QByteArray shown(const Entry& node) {
    return readable(node.at).toUtf8();
}

} // namespace

std::expected<QByteArrayList, QString> ZooKeeperReleaser::commands(const LockRow& seen) {
    if (seen.entries.empty()) return std::unexpected(cannotBeFreed(seen));
    QByteArrayList lines;
    for (const Entry& node : seen.entries) {
        lines << "stat " + shown(node) + "   # cZxid = 0x" + QByteArray::number(qulonglong(node.born), 16);
        lines << "delete -v <dataVersion> " + shown(node);
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
        if ((*there)->czxid != node.born) {
            if (result == Freed::WasFree) result = Freed::HeldByAnother;
            continue;
        }
        const auto removed = co_await m_client->remove(node.at, (*there)->version, stop);
        if (removed)
            result = Freed::Freed;
        else if (removed.error().kind != Kind::NoNode)
            co_return std::unexpected(removed.error().message);
    }
    co_return result;
}

} // namespace lockscope::inspect
