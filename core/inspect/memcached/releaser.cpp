// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/releaser.h"

#include "inspect/text.h"

namespace lockscope::inspect {

namespace {

constexpr memcached::Expiry kAtOnce = -1;

} // namespace

std::expected<QByteArrayList, QString> MemcachedReleaser::commands(const LockRow& seen) {
    if (seen.entries.empty()) return std::unexpected(cannotBeFreed(seen));
    const QByteArray key = readable(seen.entries.front().at).toUtf8();
    return QByteArrayList{"gets " + key + "   # " + readable(seen.entries.front().value).toUtf8(),
                          "cas " + key + " 0 -1 0 <its cas number>"};
}

QCoro::Task<std::expected<Freed, QString>> MemcachedReleaser::free(LockRow seen, std::stop_token stop) {
    using Outcome = memcached::Change::Outcome;
    if (seen.entries.empty()) co_return std::unexpected(cannotBeFreed(seen));
    const Entry entry = seen.entries.front();
    const auto now = co_await m_client->get(entry.at, stop);
    if (!now) co_return std::unexpected(now.error().message);
    if (!*now) co_return Freed::WasFree;
    if ((*now)->value != entry.value) co_return Freed::HeldByAnother;
    const memcached::Mark mark = (*now)->mark;
    const auto done = co_await m_client->compareAndSet(entry.at, QByteArray(), kAtOnce, mark, false, std::move(stop));
    if (!done) co_return std::unexpected(done.error().message);
    co_return done->outcome == Outcome::Stored ? Freed::Freed
    : done->outcome == Outcome::Gone           ? Freed::WasFree
                                               : Freed::HeldByAnother;
}

} // namespace lockscope::inspect
