// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/watcher.h"

#include "inspect/member_change.h"

#include <algorithm>

namespace lockscope::inspect {

using zookeeper::Error;

namespace {

constexpr std::size_t kBatch = 64;  // nodes that are asked about together
constexpr Nanos kSlice = 250ms;     // of a first look, between two reports
constexpr Nanos kServersAgain = 3s; // each answers with a few lines
constexpr Nanos kPeersAgain = 15s;  // each lists all of its connections
constexpr Nanos kRefusedAgain = 300s;
constexpr char kSession[] = "session 0x"; // as zkParty() writes it
constexpr Nanos kForConnection = 3s;      // a session that is suspended may come back

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const Kind kind = error.kind == Error::Kind::WrongUrl     ? Kind::WrongUrl
                      : error.kind == Error::Kind::AuthFailed ? Kind::Refused
                                                              : Kind::Unreachable;
    return {kind, error.code ? QByteArray::number(error.code) : QByteArray(), error.message};
}

} // namespace

ZooKeeperWatcher::ZooKeeperWatcher(zookeeper::Reader& reader, QString where, std::vector<Endpoint> servers,
                                   WatchOptions options)
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)),
      m_reader(reader),
      m_endpoints(std::move(servers)),
      m_tree(reader) {
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
    co_await hearAll(stop);
    const bool rootless = m_tree.nodes() == 0;                            // nobody tells when it is made
    if (rootless || depth == Depth::Everything) m_tree.doubtEverything(); // what the server tells may be on its way
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
    // A server on which nothing happens and one that stands still are silent alike, the latter for a session's
    // time-out.
    if (found.looked == 0) {
        ++m_pulses;
        const Nanos asked = runtime().monotonic();
        const auto answer = co_await m_reader.exists(QByteArrayLiteral("/"), std::nullopt, stop);
        if (!answer) co_return std::unexpected(troubleOf(answer.error()));
        const Nanos took = runtime().monotonic() - asked;
        m_way = std::min(m_way, took);
        spent(took - m_way);
    }
    if (m_tree.takeWentBack()) {
        // One server of several may only be behind the others: then one of them has the newest transaction.
        bool lost = m_endpoints.size() == 1;
        if (!lost) {
            co_await askServers(m_reader, m_endpoints, m_told);
            lost = m_told->newest >= 0 && m_told->newest < m_tree.newest();
        }
        if (lost) {
            found.events.push_back(ServerEvent::Emptied);
            m_tree.forgetNewest();
        }
    }
    found.locks = m_tree.rows(runtime().wallMs());
    if (depth == Depth::Everything)
        co_await askServers(m_reader, m_endpoints, m_told);
    else if (runtime().monotonic() >= m_told->notBefore)
        runtime().spawn(
            [reader = &m_reader, servers = m_endpoints, told = m_told] { return askServers(*reader, servers, told); });
    found.servers = m_told->servers;
    for (LockRow& row : found.locks) {
        std::ranges::for_each(row.holders, [this](Party& party) { nameAddress(party); });
        if (row.waiters) std::ranges::for_each(*row.waiters, [this](Party& party) { nameAddress(party); });
    }
    found.complete = m_tree.upToDate() && m_tree.leftOut() == 0;
    found.passed = m_tree.nodes();
    found.there = m_tree.nodes() + m_tree.due() + m_tree.leftOut();
    if (m_tree.nodes() == 0 && m_tree.upToDate()) found.notes.push_back({WatchNote::Kind::RootMissing, 0, {}});
    if (m_tree.refused() > 0)
        found.notes.push_back({WatchNote::Kind::KeysRefused, m_tree.refused(), m_tree.refusedExamples()});
    co_return found;
}

QCoro::Task<> ZooKeeperWatcher::askServers(zookeeper::Reader& reader, std::vector<Endpoint> servers,
                                           std::shared_ptr<Told> told) {
    Runtime& runtime = reader.runtime();
    told->notBefore = runtime.monotonic() + kServersAgain;
    std::vector<QCoro::Task<QByteArray>> roles, peers; // all at once: a server that is away takes its time
    const bool alsoPeers = runtime.monotonic() >= told->peersNotBefore;
    if (alsoPeers) told->peersNotBefore = runtime.monotonic() + kPeersAgain;
    for (const Endpoint& at : servers) {
        roles.push_back(reader.askServer(at, "srvr"));
        if (alsoPeers) peers.push_back(reader.askServer(at, "cons"));
    }
    std::vector<WatchedServerState> states;
    std::vector<std::int64_t> transactions;
    std::int64_t newest = 0;
    bool anyAnswered = false;
    for (std::size_t i = 0; i < roles.size(); ++i) {
        const QByteArray answer = co_await roles[i];
        const std::int64_t its = transactions.emplace_back(newestTransactionIn(answer));
        newest = its < 0 || newest < 0 ? -1 : std::max(newest, its);
        states.push_back({servers[i].display().toUtf8(), zooKeeperIdentityFrom(answer)});
        anyAnswered = anyAnswered || !answer.isEmpty();
        if (answer.isEmpty()) states.back().trouble = doesNotAnswer();
    }
    doubtFormerLeaders(states, transactions);
    if (!anyAnswered) // they cannot be asked so: over TLS, or because a proxy stands between
        for (WatchedServerState& state : states)
            state.trouble.clear();
    std::map<std::int64_t, QByteArray> known;
    for (auto& asked : peers) {
        const QByteArray answer = co_await asked;
        auto some = sessionPeersIn(answer);
        known.merge(some);
    }
    told->servers = std::move(states);
    told->newest = newest;
    if (peers.empty()) co_return;
    if (known.empty()) told->peersNotBefore = runtime.monotonic() + kRefusedAgain;
    told->peers = std::move(known);
}

void ZooKeeperWatcher::nameAddress(Party& party) const {
    const QByteArray session = party.client.startsWith(kSession) ? party.client : party.about;
    if (!session.startsWith(kSession)) return;
    const auto peer = m_told->peers.find(std::int64_t(session.sliced(qstrlen(kSession)).toULongLong(nullptr, 16)));
    if (peer == m_told->peers.end()) return;
    party.about += (party.about.isEmpty() ? "" : ", ") + peer->second;
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
