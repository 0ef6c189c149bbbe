// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/watcher.h"

namespace lockscope::inspect {

using zookeeper::Error;

namespace {

constexpr std::size_t kBatch = 64;   // nodes that are asked about together
constexpr Nanos kSlice = 250ms;      // of a first look, between two reports
constexpr Nanos kForConnection = 3s; // a session that is suspended may come back

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const Kind kind = error.kind == Error::Kind::WrongUrl     ? Kind::WrongUrl
                      : error.kind == Error::Kind::AuthFailed ? Kind::Refused
                                                              : Kind::Unreachable;
    return {kind, error.code ? QByteArray::number(error.code) : QByteArray(), error.message};
}

} // namespace

ZooKeeperWatcher::ZooKeeperWatcher(zookeeper::Reader& reader, QString where, WatchOptions options)
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)), m_reader(reader), m_tree(reader) {
    m_reader.watchSession(m_tree.watch());
}

QCoro::Task<std::expected<void, WatchTrouble>> ZooKeeperWatcher::connect(std::stop_token stop) {
    const auto connected = co_await m_reader.connected(kNever, std::move(stop));
    if (!connected) co_return std::unexpected(troubleOf(connected.error()));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>> ZooKeeperWatcher::look(Depth depth, Progress progress,
                                                                                      std::stop_token stop) {
    const auto connected = co_await m_reader.connected(kForConnection, stop);
    if (!connected) co_return std::unexpected(troubleOf(connected.error()));
    if (m_reader.session().generation != m_generation) { // a new session has no watches
        m_generation = m_reader.session().generation;
        m_tree.doubtEverything();
    }
    const Nanos began = runtime().monotonic();
    const double share = depth == Depth::Everything ? options().onceShare : options().firstShare;
    Look found;
    while (!m_tree.upToDate()) {
        const Nanos asked = runtime().monotonic();
        const std::int64_t due = m_tree.due();
        const auto failed = co_await m_tree.read(kBatch, stop);
        if (failed) co_return std::unexpected(troubleOf(*failed));
        found.looked += std::min<std::int64_t>(due, kBatch);
        const Nanos took = runtime().monotonic() - asked;
        m_way = std::min(m_way, took);
        spent(took - m_way);
        co_await hearAll(stop);
        if (m_tree.upToDate()) break;
        if (progress) progress(m_tree.nodes(), m_tree.nodes() + m_tree.due());
        if (depth == Depth::Slice && runtime().monotonic() - began > kSlice) break;
        co_await keepShare(share, stop);
    }
    found.locks = m_tree.rows(runtime().wallMs());
    found.complete = m_tree.upToDate() && m_tree.leftOut() == 0;
    found.passed = m_tree.nodes();
    found.there = m_tree.nodes() + m_tree.due() + m_tree.leftOut();
    if (m_tree.refused() > 0)
        found.notes.push_back({WatchNote::Kind::KeysRefused, m_tree.refused(), m_tree.refusedExamples()});
    co_return found;
}

QCoro::Task<> ZooKeeperWatcher::hearAll(std::stop_token stop) {
    for (;;) {
        const auto event = co_await m_tree.watch().next(runtime(), 0ns, stop);
        if (!event) co_return;
        m_tree.hear(*event);
    }
}

QCoro::Task<> ZooKeeperWatcher::news(Nanos longest, std::stop_token stop) {
    const auto event = co_await m_tree.watch().next(runtime(), longest, stop);
    if (!event) co_return;
    m_tree.hear(*event);
    co_await hearAll(stop);
}

} // namespace lockscope::inspect
