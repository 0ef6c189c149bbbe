// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/client_names.h"

#include "inspect/redis/redisson_names.h"

#include "inspect/redis/info.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::argsOf;
using redis::Error;
using redis::Result;

constexpr char kOwnPrefix[] = "lockscope:";
constexpr qsizetype kShortest = 4;         // "1" or "yes" is nobody's name
constexpr Nanos kFirstPause = 1s;          // between two listings for new identities …
constexpr Nanos kLongestPause = 15s;       // … where they lead to nothing
constexpr Nanos kWatchedAgain = 2s;        // a client that may be gone with a lock that never ends
constexpr Nanos kRefusedAgain = 300s;      // rights change seldom
constexpr Nanos kManyAgain = 60s;          // so many connections
constexpr int kShareOfListing = 50;        // listing may take the server one such part of its time
constexpr int kMissedWhenGone = 2;         // one listing may fall between two connections of a client
constexpr std::size_t kMostKnown = 20'000; // identities of one look

/// "10.0.0.5" of "10.0.0.5:51234", "[::1]" of "[::1]:51234".
QByteArray hostOf(const QByteArray& address) {
    return address.first(std::max<qsizetype>(address.lastIndexOf(':'), 0));
}

} // namespace

std::vector<ListedClient> clientsIn(const QByteArray& clientList) {
    std::vector<ListedClient> clients;
    for (const QByteArray& line : clientList.split('\n')) {
        ListedClient client;
        QByteArray version;
        for (const QByteArray& field : line.trimmed().split(' ')) {
            const qsizetype sign = field.indexOf('=');
            if (sign < 0) continue;
            const QByteArray key = field.first(sign), value = field.sliced(sign + 1);
            if (key == "addr") client.address = value;
            if (key == "name") client.name = value;
            if (key == "user") client.user = value;
            if (key == "lib-name") client.library = value;
            if (key == "lib-ver") version = value;
            if (key == "cmd") client.command = value;
            if (key == "flags") client.blocked = value.contains('b');
            if (key == "psub") client.patterns = value.toInt();
        }
        if (!client.library.isEmpty() && !version.isEmpty()) client.library += ' ' + version;
        if (!client.address.isEmpty()) clients.push_back(std::move(client));
    }
    return clients;
}

ConnectionTable::ConnectionTable(const std::vector<ListedClient>& clients) {
    for (const ListedClient& client : clients) {
        add(client.address, client);
        add(client.name, client);
        if (client.name.startsWith(kOwnPrefix)) addNamed(client.name.sliced(qsizetype(sizeof(kOwnPrefix)) - 1), client);
    }
}

void ConnectionTable::add(const QByteArray& identity, const ListedClient& client) {
    if (identity.size() >= kShortest) addNamed(identity, client);
}

void ConnectionTable::addNamed(const QByteArray& identity, const ListedClient& client) {
    Group& group = m_groups[identity];
    if (group.connections++ == 0) group.first = client;
    group.oneHost = group.oneHost && hostOf(group.first.address) == hostOf(client.address);
}

QByteArray ConnectionTable::find(const QByteArray& identity) const {
    const auto found = m_groups.find(identity);
    if (found == m_groups.end() || !found->second.oneHost) return {};
    const Group& group = found->second;
    QByteArrayList parts{group.connections == 1 ? group.first.address : hostOf(group.first.address)};
    if (!group.first.library.isEmpty()) parts << group.first.library;
    if (!group.first.user.isEmpty() && group.first.user != "default") parts << "user " + group.first.user;
    return parts.join(", ");
}

bool restsOnHoldersName(const LockRow& row) {
    return row.format == "redisson" && row.certainty == Certainty::Guess && row.ttlMs && row.holders.size() == 1 &&
           !isUuid(row.holders.front().client);
}

std::vector<WatchNote> ClientNames::notes() const {
    std::vector<WatchNote> notes;
    const bool wanted = !m_known.isEmpty() || m_blockingLocks || m_listenedLocks;
    if (wanted && (m_refused || m_tooMany))
        notes.push_back({WatchNote::Kind::ClientsNotListed, m_tooMany.value_or(0), {}});
    const auto add = [&notes](WatchNote::Kind kind, bool locks, const std::vector<QByteArray>& clients) {
        constexpr std::size_t kExamples = 5;
        if (!locks || clients.empty()) return;
        const auto end = clients.begin() + std::ptrdiff_t(std::min(clients.size(), kExamples));
        notes.push_back({kind, std::int64_t(clients.size()), {clients.begin(), end}});
    };
    add(WatchNote::Kind::BlockedClients, m_blockingLocks, m_blocked);
    add(WatchNote::Kind::PatternListeners, m_listenedLocks, m_listening);
    return notes;
}

QCoro::Task<> ClientNames::name(std::vector<LockRow>& rows, bool all, int connections, std::stop_token stop) {
    if (std::exchange(m_connections, connections) != connections) {
        m_known.clear();
        m_notBefore = {};
        m_pause = {};
        m_refused = false;
        m_tooMany.reset();
    }
    ++m_looks;
    bool fresh = false, watched = false;
    const auto want = [&](const Party& party, const LockRow* held) {
        const QByteArray identity = identityOf(party);
        if (!m_known.contains(identity) && std::size_t(m_known.size()) >= kMostKnown) return;
        Known& known = m_known[identity];
        known.wanted = m_looks;
        fresh = fresh || !known.asked;
        if (!held) return;
        if (!known.about.isEmpty()) known.noteLease(*held);
        watched = watched || (!known.about.isEmpty() && (held->neverExpires || known.isQuiet()));
    };
    for (const LockRow& row : rows) {
        if (row.certainty == Certainty::Guess && !restsOnHoldersName(row)) continue;
        for (const Party& party : row.holders)
            want(party, &row);
        for (const Party& party : row.waiters.value_or(std::vector<Party>()))
            want(party, nullptr);
    }
    const auto any = [&rows](QByteArrayView format) {
        return std::ranges::any_of(rows, [&](const LockRow& row) { return row.format.startsWith(format); });
    };
    m_blockingLocks = any("python-redis-lock") || (m_blockingLocks && !all);
    m_listenedLocks = any("spring|") || (m_listenedLocks && !all);
    watched = watched || m_blockingLocks || m_listenedLocks;
    if (all) m_known.removeIf([this](const auto& entry) { return entry->wanted != m_looks; });
    if (isDue(fresh, watched)) co_await ask(std::move(stop));

    const auto tell = [this](Party& party, const LockRow* held) {
        const auto known = m_known.constFind(identityOf(party));
        if (known == m_known.cend() || known->about.isEmpty()) return;
        party.about += (party.about.isEmpty() ? "" : ", ") + known->about;
        if (!held || !(held->neverExpires || (known->lock == held->name && known->isQuiet()))) return;
        party.gone = known->missed >= kMissedWhenGone;
        party.connected = known->missed == 0 && known->askedWhenQuiet;
    };
    for (LockRow& row : rows) {
        if (row.certainty == Certainty::Guess && !restsOnHoldersName(row)) continue;
        for (Party& party : row.holders)
            tell(party, &row);
        if (row.waiters)
            for (Party& party : *row.waiters)
                tell(party, nullptr);
    }
}

/// A lease that is longer than it was a moment ago was renewed.
void ClientNames::Known::noteLease(const LockRow& row) {
    constexpr std::int64_t kSlackMs = 100;
    if (!row.ttlMs || row.holders.size() != 1) return;
    if (lock.isEmpty()) {
        lock = row.name;
        leftMs = *row.ttlMs;
    }
    if (lock != row.name) return; // one is enough to see it by
    if (*row.ttlMs > leftMs + kSlackMs) leaseMs = *row.ttlMs;
    leftMs = *row.ttlMs;
    if (!isQuiet()) askedWhenQuiet = false;
}

bool ClientNames::isDue(bool fresh, bool watched) const {
    const Nanos now = m_runtime.monotonic();
    if (now < m_notBefore) return false;
    return (fresh && now >= m_listedAt + m_pause) || (watched && now >= m_listedAt + kWatchedAgain);
}

QCoro::Task<> ClientNames::ask(std::stop_token stop) {
    std::vector<Args> count;
    count.push_back(argsOf("INFO", "clients"));
    const Nanos began = m_runtime.monotonic();
    const std::vector<Result> counted = co_await m_reader.callAll(std::move(count), stop);
    const Nanos way = m_runtime.monotonic() - began;
    m_tooMany.reset();
    m_refused = !counted[0] && counted[0].error().kind == Error::Kind::Refused;
    if (m_refused) rest(kRefusedAgain);
    if (!counted[0]) co_return;
    const std::int64_t there = lineOfInfo(counted[0]->text, "connected_clients").toLongLong();
    if (there > kMostClients) {
        m_tooMany = there;
        rest(kManyAgain);
        co_return;
    }
    std::vector<Args> list;
    list.push_back(argsOf("CLIENT", "LIST"));
    const Nanos asked = m_runtime.monotonic();
    const std::vector<Result> listed = co_await m_reader.callAll(std::move(list), std::move(stop));
    m_listedAt = m_runtime.monotonic();
    m_refused = !listed[0] && listed[0].error().kind == Error::Kind::Refused;
    if (m_refused) rest(kRefusedAgain);
    if (!listed[0]) co_return;
    m_notBefore = m_listedAt + std::max<Nanos>(m_listedAt - asked - way, 0ns) * kShareOfListing;
    const std::vector<ListedClient> clients = clientsIn(listed[0]->text);
    takeWaiters(clients);
    take(ConnectionTable(clients));
}

void ClientNames::rest(Nanos pause) {
    m_notBefore = m_runtime.monotonic() + pause;
    m_blocked.clear();
    m_listening.clear();
}

void ClientNames::takeWaiters(const std::vector<ListedClient>& clients) {
    m_blocked.clear();
    m_listening.clear();
    for (const ListedClient& client : clients) {
        if (client.name.startsWith("lockscope")) continue; // our own wait for nobody's lock
        if (client.blocked && client.command == "blpop") m_blocked.push_back(client.address);
        if (client.patterns > 0) m_listening.push_back(client.address);
    }
    std::ranges::sort(m_blocked);
    std::ranges::sort(m_listening);
}

void ClientNames::take(const ConnectionTable& table) {
    bool any = false;
    for (auto known = m_known.begin(); known != m_known.end(); ++known) {
        QByteArray about = table.find(known.key());
        if (about.isEmpty()) {
            const qsizetype thread = known.key().lastIndexOf(':'); // a process's connections are named without it
            if (thread > 0) about = table.find(known.key().first(thread));
        }
        known->asked = true;
        known->askedWhenQuiet = known->isQuiet();
        if (about.isEmpty()) {
            ++known->missed;
            continue;
        }
        any = true;
        known->about = std::move(about);
        known->missed = 0;
    }
    m_pause = any ? kFirstPause : std::clamp(m_pause * 2, kFirstPause, kLongestPause);
}

} // namespace lockscope::inspect
