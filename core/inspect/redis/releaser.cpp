// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/releaser.h"

#include "inspect/redis/majority.h"
#include "inspect/redis/redisson_names.h"
#include "inspect/text.h"
#include "ports/endpoint.h"
#include "recipes/redis/redis_recipe.h"

#include <QCoreApplication>
#include <algorithm>
#include <tuple>

namespace lockscope::inspect {

namespace {

constexpr std::int64_t kOthers = -2; // if_seen.lua's answer

/// The recipe whose layout the lock has; empty: none that can free it.
QByteArray recipeOf(const LockRow& seen) {
    const QByteArray& format = seen.format;
    if (seen.entries.empty() || seen.moreHolders > 0) return {};
    if (format == "redisson-fair") return "redis-fair";
    if (format == "redisson-rw") return "redis-rw";
    if (format == "redisson-permit") return "redis-semaphore";
    if (format == "redisson" || format == "redisson-fenced") return "redis-reentrant";
    const bool isString = !seen.raw.empty() && seen.raw.front().type == "string";
    if (!isString || format.startsWith("redisson")) return {};
    const QByteArray& value = seen.entries.front().value;
    const bool number = !value.isEmpty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    return number ? "redis-setnx" : "redis-set";
}

/// A script that frees a lock only while nobody else than the seen holders has it.
struct ComparingScript {
    redis::Script script;
    redis::Args keys, args;
};

/// Puts the comparison in front of a script. Precondition: the lock's key is one of the keys.
ComparingScript onlyIfSeen(const redis::Script& script, redis::Args keys, redis::Args args, const LockRow& seen) {
    static const redis::Script kIfSeen = redis::Script::load("if_seen");
    const auto lock = std::ranges::find(keys, seen.entries.front().at);
    Q_ASSERT(lock != keys.end());
    for (const Entry& entry : seen.entries)
        args.push_back(entry.value);
    args.push_back(QByteArray::number(qlonglong(seen.entries.size())));
    args.push_back(QByteArray::number(qlonglong(lock - keys.begin() + 1)));
    redis::Script guarded("if_seen + " + script.name(), kIfSeen.source() + '\n' + script.source());
    return {std::move(guarded), std::move(keys), std::move(args)};
}

/// The script for a layout that no recipe of ours has.
std::optional<ComparingScript> ownScript(const LockRow& seen) {
    if (seen.entries.empty() || seen.moreHolders > 0) return std::nullopt;
    const QByteArray& key = seen.entries.front().at;
    if (seen.format == "redis-semaphore" && seen.mode == "permit") {
        static const redis::Script kPermits = redis::Script::load("permit_set_force");
        return onlyIfSeen(kPermits, {key}, {}, seen);
    }
    if (seen.format == "redisson-fastmulti" && seen.name.startsWith(key + ':')) {
        static const redis::Script kValue = redis::Script::load("multi_value_force");
        const QByteArray value = seen.name.sliced(key.size() + 1);
        return ComparingScript{kValue, {key}, {value, seen.entries.front().value, redisson::lockChannel(key)}};
    }
    return std::nullopt;
}

/// The lines by which a person would run a script, its text behind them.
QByteArrayList linesOf(const redis::Script& script, const redis::Args& keys, const redis::Args& args) {
    QByteArray line = "EVAL \"…\" " + QByteArray::number(qlonglong(keys.size()));
    for (const redis::Args& words : {keys, args})
        for (const QByteArray& word : words)
            line += " '" + readable(word).toUtf8() + '\'';
    return {line, "-- … = " + script.name() + ":\n" + script.source().trimmed()};
}

redis::Error nothingIsSent() {
    return {redis::Error::Kind::Refused, {}, QString()};
}

/// A port on which a script that frees a lock runs only while the holders are those that were seen.
class ComparingPort final : public redis::Port {
public:
    enum class Sends : std::uint8_t {
        Nothing, ///< each script that frees a lock seems to succeed, and is only noted
        Scripts,
    };
    ComparingPort(redis::Client& client, const LockRow& seen, Sends sends)
        : m_client(client), m_seen(seen), m_sends(sends) {}

    Runtime& runtime() override { return m_client.runtime(); }
    // Forced releases send no other commands and hear nothing.
    QCoro::Task<redis::Result> call(redis::Args, std::stop_token) override {
        co_return std::unexpected(nothingIsSent());
    }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray, std::stop_token) override {
        co_return std::unexpected(nothingIsSent());
    }
    QCoro::Task<redis::Result> eval(const redis::Script& script, redis::Args keys, redis::Args args,
                                    std::stop_token stop) override {
        const bool reads = script.name() == recipes::whatIs().name();
        if (reads && m_sends == Sends::Nothing) co_return std::unexpected(nothingIsSent());
        if (reads) {
            redis::Result word = co_await m_client.eval(script, std::move(keys), std::move(args), std::move(stop));
            co_return word;
        }
        if (std::ranges::find(keys, m_seen.entries.front().at) == keys.end())
            co_return std::unexpected(nothingIsSent());
        ComparingScript guarded = onlyIfSeen(script, std::move(keys), std::move(args), m_seen);
        sent << linesOf(guarded.script, guarded.keys, guarded.args);
        if (m_sends == Sends::Nothing) co_return redis::Result(redis::Reply::number(1));
        redis::Result reply =
            co_await m_client.eval(guarded.script, std::move(guarded.keys), std::move(guarded.args), std::move(stop));
        others = reply && reply->integer == kOthers;
        co_return reply;
    }

    bool others = false; ///< the holders were not those any more
    QByteArrayList sent;

private:
    redis::Client& m_client;
    const LockRow& m_seen;
    Sends m_sends;
};

recipes::Outcome<bool> force(ComparingPort& port, QByteArray recipe, QByteArray name, std::stop_token stop) {
    const std::unique_ptr<recipes::Recipe> owner =
        recipes::makeRedisRecipe(recipe, {port, std::move(name), QByteArray()});
    auto freed = co_await owner->forceRelease(std::move(stop));
    co_return freed;
}

} // namespace

std::expected<QByteArrayList, QString> RedisReleaser::commands(const LockRow& seen) {
    if (const auto own = ownScript(seen)) return linesOf(own->script, own->keys, own->args);
    const QByteArray recipe = recipeOf(seen);
    if (recipe.isEmpty()) return std::unexpected(cannotBeFreed(seen));
    ComparingPort port(*m_client, seen, ComparingPort::Sends::Nothing);
    std::ignore = force(port, recipe, seen.name, {}); // comes to its end at once: nothing is waited for
    if (port.sent.isEmpty()) return std::unexpected(cannotBeFreed(seen));
    return port.sent;
}

QCoro::Task<std::expected<Freed, QString>> RedisReleaser::free(LockRow seen, std::stop_token stop) {
    if (const auto own = ownScript(seen)) {
        const redis::Result reply = co_await m_client->eval(own->script, own->keys, own->args, std::move(stop));
        if (!reply) co_return std::unexpected(reply.error().message);
        co_return reply->integer == kOthers ? Freed::HeldByAnother
        : reply->integer == 1               ? Freed::Freed
                                            : Freed::WasFree;
    }
    const QByteArray recipe = recipeOf(seen);
    if (recipe.isEmpty()) co_return std::unexpected(cannotBeFreed(seen));
    ComparingPort port(*m_client, seen, ComparingPort::Sends::Scripts);
    const auto freed = co_await force(port, recipe, seen.name, std::move(stop));
    if (port.others) co_return Freed::HeldByAnother;
    if (!freed) co_return std::unexpected(freed.error().message);
    co_return *freed ? Freed::Freed : Freed::WasFree;
}

RedisGroupReleaser::RedisGroupReleaser(Runtime& runtime, ConnectionUrl url, redis::Dialler dial)
    : m_runtime(runtime), m_url(std::move(url)), m_dial(std::move(dial)) {
    m_url.service = Service::Redis;
    m_url.scheme = m_url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
}

std::expected<std::unique_ptr<RedisReleaser>, QString> RedisGroupReleaser::releaserFor(const LockRow& seen) {
    ConnectionUrl url = m_url;
    const auto at = endpointOf(QString::fromUtf8(seen.server));
    if (!at) return std::unexpected(cannotBeFreed(seen));
    url.endpoints = {*at};
    return std::make_unique<RedisReleaser>(m_dial(m_runtime, url, redis::DriverOptions()));
}

std::expected<QByteArrayList, QString> RedisGroupReleaser::commands(const LockRow& seen) {
    const auto releaser = releaserFor(seen);
    if (!releaser) return std::unexpected(releaser.error());
    auto lines = (*releaser)->commands(seen);
    if (lines) lines->prepend("-- " + readable(seen.server).toUtf8());
    return lines;
}

QCoro::Task<std::expected<Freed, QString>> RedisGroupReleaser::free(LockRow seen, std::stop_token stop) {
    const auto releaser = releaserFor(seen);
    if (!releaser) co_return std::unexpected(releaser.error());
    auto freed = co_await (*releaser)->free(std::move(seen), std::move(stop));
    co_return freed;
}

namespace {

/// The copies of the hold that makes the lock held.
std::vector<LockRow> copiesOfTheHold(const LockRow& seen) {
    std::vector<LockRow> copies;
    for (const LockRow& copy : seen.copies)
        if (copy.state == LockRow::State::Held && sameHold({&copy, &copy.raw}, {&seen, &seen.raw}))
            copies.push_back(copy);
    return copies;
}

} // namespace

std::expected<QByteArrayList, QString> RedlockReleaser::commands(const LockRow& seen) {
    QByteArrayList all;
    for (const LockRow& copy : copiesOfTheHold(seen)) {
        const auto lines = m_each.commands(copy);
        if (!lines) return std::unexpected(lines.error());
        all += *lines;
    }
    if (all.isEmpty()) return std::unexpected(cannotBeFreed(seen));
    return all;
}

QCoro::Task<std::expected<Freed, QString>> RedlockReleaser::free(LockRow seen, std::stop_token stop) {
    if (const auto possible = commands(seen); !possible) co_return std::unexpected(possible.error());
    // A server whose copy was not known may have the hold, too.
    auto left = std::size_t(std::ranges::count(seen.copies, LockRow::State::NotKnown, &LockRow::state));
    std::size_t freedOn = 0, replacedOn = 0;
    QStringList errors;
    for (const LockRow& copy : copiesOfTheHold(seen)) {
        const auto freed = co_await m_each.free(copy, stop);
        freedOn += freed == Freed::Freed;
        replacedOn += freed == Freed::HeldByAnother;
        if (freed) continue;
        ++left;
        errors << readable(copy.server) + QStringLiteral(": ") + freed.error();
    }
    if (left >= seen.quorum || (freedOn == 0 && !errors.isEmpty()))
        co_return std::unexpected(
            errors.isEmpty()
                ? QCoreApplication::translate("Watcher", "The hold was taken from every server that can be read; those "
                                                         "that cannot may still have a majority of it.")
                : errors.join(QLatin1Char(' ')));
    if (freedOn > 0) co_return Freed::Freed;
    co_return replacedOn > 0 ? Freed::HeldByAnother : Freed::WasFree;
}

} // namespace lockscope::inspect
