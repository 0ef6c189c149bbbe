// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/watcher.h"

#include "inspect/memcached/formats.h"

#include <algorithm>

namespace lockscope::inspect {

using memcached::Error;

namespace {

constexpr std::size_t kMostNames = 10'000;
constexpr std::size_t kTogether = 64; // requests that are sent together

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused = error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::Refused;
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, {}, error.message};
}

} // namespace

MemcachedWatcher::MemcachedWatcher(memcached::Reader& reader, QString where, WatchOptions options, WhereIs whereIs)
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)),
      m_reader(reader),
      m_whereIs(std::move(whereIs)) {
    for (const QByteArray& name : this->options().names.match) {
        const bool plain = !name.contains('*') && !name.contains('?') && !name.contains('[');
        if (plain && memcached::validKey(name) && m_names.size() < kMostNames) m_names.push_back(name);
    }
}

QCoro::Task<std::expected<void, WatchTrouble>> MemcachedWatcher::connect(std::stop_token stop) {
    ++m_requests;
    const QByteArray any = m_names.empty() ? QByteArray("lockscope") : m_names.front();
    const auto answer = co_await m_reader.get(any, std::move(stop));
    if (!answer) co_return std::unexpected(troubleOf(answer.error()));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>>
MemcachedWatcher::look(Depth /*depth*/, Progress /*progress*/, std::stop_token stop) {
    Look found;
    if (m_names.empty()) {
        const auto connected = co_await connect(stop);
        if (!connected) co_return std::unexpected(connected.error());
        found.notes.push_back({WatchNote::Kind::NamesWanted, 0, {}});
        co_return found;
    }
    const Nanos began = runtime().monotonic();
    std::optional<Error> failed;
    std::exception_ptr cancelled;
    for (std::size_t at = 0; at < m_names.size() && !failed && !cancelled; at += kTogether) {
        const std::size_t end = std::min(at + kTogether, m_names.size());
        const Nanos asked = runtime().monotonic();
        std::vector<memcached::Result<std::optional<memcached::Item>>> reads;
        for (std::size_t i = at; i < end; ++i) {
            ++m_requests;
            reads.push_back(m_reader.get(m_names[i], stop));
        }
        for (std::size_t i = at; i < end; ++i) {
            try {
                const auto item = co_await reads[i - at];
                if (!item) {
                    failed = item.error();
                } else if (*item) {
                    const SeenItem seen{m_names[i], (*item)->value};
                    for (LockRow& row : readInOrder(memcachedFormats(), seen)) {
                        if (m_whereIs) row.server = m_whereIs(m_names[i]).toUtf8();
                        found.locks.push_back(std::move(row));
                    }
                }
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
            }
        }
        m_way = std::min(m_way, runtime().monotonic() - asked);
    }
    if (cancelled) std::rethrow_exception(cancelled);
    const auto batches = std::int64_t((m_names.size() + kTogether - 1) / kTogether);
    spent(std::max<Nanos>(runtime().monotonic() - began - batches * m_way, 0ns));
    if (failed) co_return std::unexpected(troubleOf(*failed));
    found.looked = found.passed = found.there = std::int64_t(m_names.size());
    co_return found;
}

} // namespace lockscope::inspect
