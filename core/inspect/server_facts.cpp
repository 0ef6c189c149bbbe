// SPDX-License-Identifier: Apache-2.0
#include "inspect/server_facts.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Reply;
using redis::Result;

constexpr auto kAskAgain = 300s;      // what was refused, and what seldom changes
constexpr int kShareOfChannels = 50;  // going through its channels may take the server one such part of its time
constexpr auto kQuickChannels = 20ms; // that may be our own network, or our own machine
constexpr auto kLongestChannelPause = 60s;

// Channels on which lock clients wait.
bool isLockChannel(const QByteArray& channel) {
    return channel.startsWith("redisson_") || globMatches(kOwnChannels, channel);
}

/// The value of a line "name:value" of INFO; empty when there is none.
QByteArray lineOf(const QByteArray& info, const QByteArray& name) {
    for (const QByteArray& line : info.split('\n'))
        if (line.startsWith(name + ':')) return line.mid(name.size() + 1).trimmed();
    return {};
}

} // namespace

QCoro::Task<std::optional<Error>> ServerFacts::ask(std::stop_token stop) {
    const std::array<Args, kQuestions> questions{
        // Since Redis 7.2, for this connection: what it reads is not "used" by that.
        Args{"CLIENT", "NO-TOUCH", "ON"}, Args{"TIME"}, Args{"INFO", "keyspace"}, Args{"DBSIZE"},
        Args{"INFO", "memory"},
    };
    const Nanos began = m_runtime.monotonic();
    std::vector<Args> commands;
    std::vector<Question> asked;
    for (std::size_t i = 0; i < kQuestions; ++i) {
        if (began < m_notBefore[i]) continue;
        commands.push_back(questions[i]);
        asked.push_back(Question(i));
    }
    m_wallMs = m_runtime.wallMs();
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    const Nanos answered = m_runtime.monotonic();
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i])
            take(asked[i], *results[i]);
        else if (results[i].error().kind != Error::Kind::Refused)
            co_return results[i].error();
        else
            takeRefusal(asked[i], results[i].error(), answered);
    }
    // One database is ours; it is listed when it has keys.
    m_othersHaveKeys = m_databases < 0 || !m_keys || m_databases > (*m_keys > 0 ? 1 : 0);

    if (answered < m_channelsNotBefore) co_return std::nullopt;
    auto error = co_await askChannels(answered - began, stop);
    co_return error;
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
    switch (question) {
    case NoTouch:
        m_noTouch = true; // said again at each look: a new connection knows nothing of it
        break;
    case Time:
        if (reply.items.size() == 2)
            m_wallMs = reply.items[0].text.toLongLong() * 1000 + reply.items[1].text.toLongLong() / 1000;
        break;
    case Keyspace:
        readKeyspace(reply.text);
        break;
    case Keys:
        m_keys = reply.integer;
        break;
    case Memory:
        m_evictsOldest =
            lineOf(reply.text, "maxmemory").toLongLong() > 0 && lineOf(reply.text, "maxmemory_policy").contains("lru");
        m_notBefore[Memory] = m_runtime.monotonic() + kAskAgain;
        break;
    case kQuestions:
        break;
    }
}

void ServerFacts::takeRefusal(Question question, const Error& why, Nanos now) {
    // A server that is busy or still loads would tell: it does not refuse the question.
    if (why.code == "NOPERM" || why.code == "ERR") m_notBefore[question] = now + kAskAgain;
    if (question == NoTouch) m_noTouch = false;
    if (question == Keyspace) m_databases = -1;
    if (question == Keys) m_keys.reset();
}

void ServerFacts::readKeyspace(const QByteArray& info) {
    m_databases = 0;
    for (const QByteArray& line : info.split('\n'))
        if (line.startsWith("db") && line.contains(":keys=")) ++m_databases;
}

QCoro::Task<std::optional<Error>> ServerFacts::askChannels(Nanos way, std::stop_token stop) {
    const Nanos began = m_runtime.monotonic();
    std::vector<Args> commands;
    commands.push_back({"PUBSUB", "CHANNELS", "redisson_*"});
    commands.push_back({"PUBSUB", "CHANNELS", kOwnChannels});
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (const Result& result : results)
        if (!result && result.error().kind != Error::Kind::Refused) co_return result.error();
    pauseChannels(began, way);
    m_subscriptions.reset(); // not allowed to ask: then waiters are not known
    if (!results[0] || !results[1]) co_return std::nullopt;
    m_subscriptions.emplace();
    Args count{"PUBSUB", "NUMSUB"};
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
