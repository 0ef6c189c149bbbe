// SPDX-License-Identifier: Apache-2.0
#include "inspect/etcd/releaser.h"

#include "inspect/text.h"

namespace lockscope::inspect {

std::expected<QByteArrayList, QString> EtcdReleaser::commands(const LockRow& seen) {
    if (seen.entries.empty()) return std::unexpected(cannotBeFreed(seen));
    QByteArrayList lines{"etcdctl txn"};
    for (const Entry& key : seen.entries)
        lines << "create(\"" + readable(key.at).toUtf8() + "\") = \"" + QByteArray::number(qlonglong(key.born)) + '"';
    lines << "";
    for (const Entry& key : seen.entries)
        lines << "del \"" + readable(key.at).toUtf8() + '"';
    return lines;
}

QCoro::Task<std::expected<Freed, QString>> EtcdReleaser::free(LockRow seen, std::stop_token stop) {
    if (seen.entries.empty()) co_return std::unexpected(cannotBeFreed(seen));
    etcd::Transaction transaction;
    for (const Entry& key : seen.entries) {
        transaction.ifAll.push_back({key.at, key.born});
        transaction.then.push_back(etcd::Operation::remove(key.at));
        etcd::Range one;
        one.key = key.at;
        one.keysOnly = true;
        transaction.otherwise.push_back(etcd::Operation::read(one));
    }
    const auto done = co_await m_client->run(std::move(transaction), std::move(stop));
    if (!done) co_return std::unexpected(done.error().message);
    if (done->succeeded) co_return Freed::Freed;
    for (const etcd::RangeResult& now : done->results)
        if (!now.keys.empty()) co_return Freed::HeldByAnother;
    // Sent twice, the second one finds nothing: the first one has freed it.
    co_return done->repeated ? Freed::Freed : Freed::WasFree;
}

} // namespace lockscope::inspect
