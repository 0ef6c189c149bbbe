// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/server_facts.h"

#include "inspect/redis/info.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::argsOf;
using redis::Error;
using redis::Reply;
using redis::Result;

constexpr auto kAskAgain = 300s;    // what was refused, and what seldom changes
constexpr auto kPolicyAgain = 15s;  // by CONFIG SET, mostly under pressure
constexpr auto kRoleAgain = 5s;     // a replica may become the master without a new connection
constexpr auto kSlotsAgain = 60s;   // they move seldom, and the answer is long
constexpr auto kKeyspaceAgain = 5s; // other databases
constexpr auto kSwapsAgain = 5s;    // nobody tells that the content of all keys is another one
constexpr auto kProcessorAgain = 500ms;
constexpr int kShareOfChannels = 50;  // going through its channels may take the server one such part of its time
constexpr auto kQuickChannels = 20ms; // that may be our own network, or our own machine
constexpr auto kLongestChannelPause = 60s;

// Channels on which lock clients wait.
bool isLockChannel(const QByteArray& channel) {
    return channel.startsWith("redisson_") || globMatches(kOwnChannels, channel);
}

} // namespace

QCoro::Task<std::optional<Error>> ServerFacts::ask(std::stop_token stop) {
    const Nanos began = m_runtime.monotonic();
    const std::uint32_t connection = m_connection;
    m_events.clear();
    m_swapped = false;
    const std::optional<std::int64_t> keysBefore = m_keys;
    std::vector<Question> due{Time, Keys, Keyspace, Replication, Processor};
    if (m_connections > 0) due.insert(due.end(), {Memory, Swaps});
    auto error = co_await askAll(std::move(due), stop);
    if (error) co_return error;
    const Nanos answered = m_runtime.monotonic();
    m_keysBefore = keysBefore;
    if (m_connection != connection || m_connections == 0) { // another server may answer, or another user
        ++m_connections;
        m_notBefore = {};
        m_channelsNotBefore = m_slotsNotBefore = {};
        m_swaps.reset();
        m_swapped = false;
        std::vector<Question> fresh{NoTouch, Memory, Server, Replication, Flushes, Swaps, Persistence, SavePoints};
        error = co_await askAll(std::move(fresh), stop);
        if (error) co_return error;
    } else if (m_keys && m_keysBefore && *m_keys < *m_keysBefore / 2 + 1) {
        std::vector<Question> flushes{Flushes};
        error = co_await askAll(std::move(flushes), stop);
        if (error) co_return error;
    }
    compare();
    const bool cluster = m_identity && m_identity->mode == ServerIdentity::Mode::Cluster;
    if (cluster && m_runtime.monotonic() >= m_slotsNotBefore) {
        error = co_await askSlots(stop);
        if (error) co_return error;
    }
    // One database is ours; it is listed when it has keys.
    m_othersHaveKeys = m_databases < 0 || !m_keys || m_databases > (*m_keys > 0 ? 1 : 0);

    if (perNode()) m_subscriptions.reset();
    if (perNode() || m_runtime.monotonic() < m_channelsNotBefore) co_return std::nullopt;
    error = co_await askChannels(answered - began, stop);
    co_return error;
}

QCoro::Task<std::optional<Error>> ServerFacts::askAll(std::vector<Question> questions, std::stop_token stop) {
    const auto commandFor = [](Question question) -> Args {
        switch (question) {
        case NoTouch: // since Redis 7.2, for this connection: what it reads is not "used" by that
            return argsOf("CLIENT", "NO-TOUCH", "ON");
        case Time:
            return argsOf("TIME");
        case Keys:
            return argsOf("DBSIZE");
        case Keyspace:
            return argsOf("INFO", "keyspace");
        case Memory:
            return argsOf("INFO", "memory");
        case Server:
            return argsOf("INFO", "server");
        case Replication:
            return argsOf("INFO", "replication");
        case Flushes:
        case Swaps:
            return argsOf("INFO", "commandstats");
        case Persistence:
            return argsOf("INFO", "persistence");
        case SavePoints:
            return argsOf("CONFIG", "GET", "save");
        case Processor:
            return argsOf("INFO", "cpu");
        case kQuestions:
            break;
        }
        Q_UNREACHABLE();
    };
    const Nanos now = m_runtime.monotonic();
    std::erase_if(questions, [&](Question question) { return now < m_notBefore[question]; });
    std::vector<Args> commands;
    for (const Question question : questions)
        commands.push_back(commandFor(question));
    if (std::ranges::find(questions, Time) != questions.end() || m_wallMs == 0) {
        m_wallMs = m_runtime.wallMs();
        m_wallAt = now; // when it is asked for, not when the answer comes: a lease must not seem to last too long
    }
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i]) {
            m_connection = results[i]->connection;
            take(questions[i], *results[i]);
        } else if (results[i].error().kind == Error::Kind::Refused) {
            takeRefusal(questions[i], results[i].error());
        } else {
            co_return results[i].error();
        }
    }
    co_return std::nullopt;
}

QCoro::Task<std::optional<Error>> ServerFacts::weigh(std::stop_token stop) {
    if (m_runtime.monotonic() < m_notBefore[Processor]) co_return std::nullopt;
    const std::uint32_t connection = m_connection;
    std::vector<Question> processor{Processor};
    auto error = co_await askAll(std::move(processor), std::move(stop));
    m_connection = connection; // ask() is the one to find out that it is another
    co_return error;
}

void ServerFacts::doubtRole() {
    if (!m_infoReplication.isEmpty()) m_notBefore[Replication] = {}; // else it is refused: it stays so
}

std::int64_t ServerFacts::wallMs() const {
    return m_wallMs + std::chrono::duration_cast<std::chrono::milliseconds>(m_runtime.monotonic() - m_wallAt).count();
}

bool ServerFacts::perNode() const {
    return m_identity &&
           (m_identity->role == ServerIdentity::Role::Replica || m_identity->mode == ServerIdentity::Mode::Cluster);
}

/// `way`: what an answer takes that costs the server nothing.
void ServerFacts::pauseChannels(Nanos began, Nanos way) {
    // It goes through all channels that there are, locks' or not. Slow twice running is no accident.
    const Nanos now = m_runtime.monotonic();
    const Nanos took = now - began - way;
    const Nanos slow = std::min(took, std::exchange(m_channelsTook, took));
    if (slow > kQuickChannels)
        m_channelsNotBefore = now + std::min<Nanos>(slow * kShareOfChannels, kLongestChannelPause);
}

void ServerFacts::take(Question question, const Reply& reply) {
    const Nanos now = m_runtime.monotonic();
    switch (question) {
    case NoTouch:
        m_noTouch = true;
        break;
    case Time:
        if (reply.items.size() == 2) {
            m_wallMs = reply.items[0].text.toLongLong() * 1000 + reply.items[1].text.toLongLong() / 1000;
        }
        break;
    case Keys:
        m_keys = reply.integer;
        break;
    case Keyspace:
        readKeyspace(reply.text);
        m_notBefore[Keyspace] = now + kKeyspaceAgain;
        break;
    case Memory:
        m_evictsBy = lineOfInfo(reply.text, "maxmemory").toLongLong() > 0 ? lineOfInfo(reply.text, "maxmemory_policy")
                                                                          : QByteArray();
        m_memoryKnown = true;
        m_notBefore[Memory] = now + kPolicyAgain;
        break;
    case Server:
        m_infoServer = reply.text;
        break;
    case Replication:
        m_infoReplication = reply.text;
        m_notBefore[Replication] = now + kRoleAgain;
        break;
    case Flushes:
        m_flushesBefore = std::exchange(m_flushes, flushesIn(reply.text));
        break;
    case Swaps: {
        const auto before = std::exchange(m_swaps, swapsIn(reply.text));
        m_swapped = m_swapped || (before && *m_swaps > *before);
        m_notBefore[Swaps] = now + kSwapsAgain;
        break;
    }
    case Persistence:
        m_appends = lineOfInfo(reply.text, "aof_enabled") == "1";
        break;
    case SavePoints:
        if (reply.items.size() == 2) m_saves = !reply.items[1].text.isEmpty();
        break;
    case Processor: {
        const auto seconds = [&reply](const char* line) { return lineOfInfo(reply.text, line).toDouble(); };
        const std::chrono::duration<double> used(seconds("used_cpu_user") + seconds("used_cpu_sys"));
        if (used.count() > 0) m_reader.weighBy(std::chrono::duration_cast<Nanos>(used));
        m_notBefore[Processor] = now + kProcessorAgain;
        break;
    }
    case kQuestions:
        break;
    }
}

void ServerFacts::takeRefusal(Question question, const Error& why) {
    // A server that is busy or still loads would tell: it does not refuse the question.
    if (why.code == "NOPERM" || why.code == "ERR") m_notBefore[question] = m_runtime.monotonic() + kAskAgain;
    if (question == NoTouch) m_noTouch = false;
    if (question == Keyspace) m_databases = -1;
    if (question == Server) m_infoServer.clear();
    if (question == Replication) m_infoReplication.clear();
    if (question == Flushes) m_flushes.reset();
    if (question == Swaps) m_swaps.reset();
    if (question == Memory) m_memoryKnown = false;
    if (question == Persistence) m_appends.reset();
    if (question == SavePoints) m_saves.reset();
}

// The server's restarts, failovers and losses since the last look, found by comparing its own facts.
void ServerFacts::compare() {
    const Nanos now = m_runtime.monotonic();
    std::optional<ServerIdentity> identity;
    if (!m_infoServer.isEmpty()) identity = identityFrom(m_infoServer, m_infoReplication);
    std::optional<ServerEvent> changed;
    const QByteArray history = ownHistory(identity);
    if (m_identity && identity) {
        ServerIdentity before = *m_identity;
        if (!m_ownHistory.isEmpty()) before.replicationId.clear(); // no master's: its first one takes nobody's place
        changed = changeOf(before, *identity, now - m_identityAt);
    }
    const bool sameNode = m_identity && identity && m_identity->runId == identity->runId;
    if (changed) m_events.push_back(*changed);
    // The first copy of a master's data replaces the keys that the replica had of its own, unless the master goes on
    // from these keys.
    const bool copied = sameNode && !changed && !m_ownHistory.isEmpty() && history.isEmpty() &&
                        identity->replicationId != m_ownHistory &&
                        lineOfInfo(m_infoReplication, "master_replid2") != m_ownHistory;
    if (copied && m_keysBefore.value_or(0) > 0) m_events.push_back(ServerEvent::Emptied);
    m_ownHistory = history;
    const bool fewer = m_keys && m_keysBefore && *m_keys < *m_keysBefore;
    const bool flushed = sameNode && m_flushes && m_flushesBefore && *m_flushes > *m_flushesBefore;
    // A replica that copies another master has no keys for a moment.
    const bool copies = m_identity && identity && identity->role == ServerIdentity::Role::Replica;
    if (fewer && ((changed && !copies && *m_keys == 0) || flushed)) m_events.push_back(ServerEvent::Emptied);
    m_flushesBefore = m_flushes;
    if (sameNode && identity) {
        identity->slots = m_identity->slots;
        identity->slotRanges = m_identity->slotRanges;
    }
    if (identity) {
        identity->persistence = persistence();
        if (m_memoryKnown) identity->evicts = m_evictsBy.isEmpty() ? QByteArray("noeviction") : m_evictsBy;
    }
    m_identity = std::move(identity);
    m_identityAt = now;
}

/// A replica's own history, until it has met a master since it began or since it became a replica; else empty.
QByteArray ServerFacts::ownHistory(const std::optional<ServerIdentity>& now) const {
    const bool replica = now && now->role == ServerIdentity::Role::Replica;
    const bool met = lineOfInfo(m_infoReplication, "master_link_down_since_seconds") != "-1";
    return replica && !met ? now->replicationId : QByteArray();
}

QCoro::Task<std::optional<Error>> ServerFacts::askSlots(std::stop_token stop) {
    std::vector<Args> commands;
    commands.push_back(argsOf("CLUSTER", "NODES"));
    m_slotsNotBefore = m_runtime.monotonic() + kSlotsAgain;
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    if (!results[0] && results[0].error().kind != Error::Kind::Refused) co_return results[0].error();
    if (!results[0]) co_return std::nullopt;
    for (const ClusterNode& node : clusterNodesIn(results[0]->text)) {
        if (!node.myself) continue;
        m_identity->slots = node.slots;
        m_identity->slotRanges = node.slotRanges;
    }
    co_return std::nullopt;
}

QByteArray ServerFacts::persistence() const {
    // A log is told by INFO, which nearly every user may read; snapshots only by CONFIG.
    if (m_appends.value_or(false)) return m_saves.value_or(false) ? "rdb+aof" : "aof";
    if (!m_appends || !m_saves) return {};
    return *m_saves ? "rdb" : "none";
}

void ServerFacts::readKeyspace(const QByteArray& info) {
    m_databases = 0;
    for (const QByteArray& line : info.split('\n'))
        if (line.startsWith("db") && line.contains(":keys=")) ++m_databases;
}

QCoro::Task<std::optional<Error>> ServerFacts::askChannels(Nanos way, std::stop_token stop) {
    const Nanos began = m_runtime.monotonic();
    std::vector<Args> commands;
    commands.push_back(argsOf("PUBSUB", "CHANNELS", "redisson_*"));
    commands.push_back(argsOf("PUBSUB", "CHANNELS", kOwnChannels));
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (const Result& result : results)
        if (!result && result.error().kind != Error::Kind::Refused) co_return result.error();
    pauseChannels(began, way);
    m_subscriptions.reset(); // not allowed to ask: then waiters are not known
    m_subscriptionsRefused = !results[0] || !results[1];
    if (m_subscriptionsRefused) {
        m_channelsNotBefore = m_runtime.monotonic() + kAskAgain;
        co_return std::nullopt;
    }
    m_subscriptions.emplace();
    Args count = argsOf("PUBSUB", "NUMSUB");
    for (const Result& channels : results)
        for (const Reply& channel : channels->items)
            if (isLockChannel(channel.text)) count.push_back(channel.text);
    if (count.size() == 2) co_return std::nullopt;
    std::vector<Args> second;
    second.push_back(std::move(count));
    const std::vector<Result> counts = co_await m_reader.callAll(std::move(second), stop);
    if (!counts[0])
        co_return counts[0].error().kind == Error::Kind::Refused ? std::nullopt : std::optional(counts[0].error());
    for (std::size_t i = 0; i + 1 < counts[0]->items.size(); i += 2)
        (*m_subscriptions)[counts[0]->items[i].text] = counts[0]->items[i + 1].integer;
    co_return std::nullopt;
}

} // namespace lockscope::inspect
