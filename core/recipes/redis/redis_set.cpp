// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set.h"

#include "recipes/hex_digits.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/redis/script.h"

#include <QByteArrayList>
#include <algorithm>

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisSetInfo() {
    RecipeInfo info;
    info.id = "redis-set";
    info.backend = "redis";
    info.summary = Text::tr("SET NX PX with a unique value; release and renewal compare it first");
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("SET {name} value NX PX {lease}, a new unique value each time")},
        {Step::Subscribe, Text::tr("taken → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, a little while; again 1")},
        {Step::Hold, Text::tr("hold until sent + {lease}; watchdog: script: if value is mine, PEXPIRE {lease}")},
        {Step::Release, Text::tr("script: if value is mine, DEL, PUBLISH 0")},
    });
    info.workStep = Step::Hold;
    info.watchdog = true;
    info.token = true;
    info.condition = true;
    info.simulated = true;
    return info;
}

namespace {
constexpr auto releaseScript = script<"set_release">;
constexpr auto compareExtend = script<"compare_extend">;
constexpr auto setWithToken = script<"set_with_token">;
} // namespace

RedisSet::RedisSet(RedisLock lock)
    : WokenLock(std::move(lock)), m_channel("lockscope_lock__channel:" + hashTagged(m_lock.name)) {
}

const RecipeInfo& RedisSet::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-set");
    return mine;
}

/// Our client, the thread, and what makes it another one each time.
QByteArray RedisSet::newValue(const QByteArray& thread) const {
    QByteArray value(m_lock.client.size() + thread.size() + 2 + kHexDigits, Qt::Uninitialized);
    char* at = std::copy(m_lock.client.begin(), m_lock.client.end(), value.data());
    *at++ = ':';
    at = std::copy(thread.begin(), thread.end(), at);
    *at++ = ':';
    writeHexDigits(at, m_lock.port.runtime().random());
    return value;
}

QCoro::Task<redis::Result> RedisSet::set(const QByteArray& value, const Request& request, std::stop_token stop) {
    const QByteArray lease = milliseconds(request.lease);
    if (!request.token)
        return m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", lease), std::move(stop));
    return m_lock.port.eval(setWithToken(), redis::argsOf(m_lock.name, counter()), redis::argsOf(value, lease),
                            std::move(stop));
}

class RedisSet::Contender final : public WokenLock::Contender {
public:
    using Of = RedisSet;
    Contender(RedisSet& lock, Request asked) : WokenLock::Contender(lock, std::move(asked)), m(lock) {}

private:
    Outcome<Tried<Grant>> tryOnce(std::stop_token stop) override {
        m_value = m.newValue(request.thread);
        const Nanos askedAt = runtime.monotonic();
        const redis::Result reply = co_await m.set(m_value, request, stop);
        if (!reply) co_return std::unexpected(lockError(reply.error(), m.m_lock.name));
        Tried<Grant> tried;
        if (!reply->isNil()) {
            request.steps.at(Step::Hold);
            tried.granted = Grant{request.thread, m_value, askedAt, request.lease, 1, reply->integer, request.steps};
            co_return tried;
        }
        m_value.clear();
        // Any data on the key make SET NX fail. If they are no lock, no message will ever say that the key is free. One
        // look is enough: no library makes such data of a lock.
        if (!m.m_isLock) {
            const redis::Result found =
                co_await m.m_lock.port.eval(whatIs(), redis::argsOf(m.m_lock.name), redis::Args(), stop);
            constexpr std::array<QByteArrayView, 5> kWaitedFor{"string", "number", "redisson", "redisson-rw",
                                                               "redisson-fastmulti"};
            const bool isGone = found && found->text == "none";
            m.m_isLock = !found || std::ranges::find(kWaitedFor, QByteArrayView(found->text)) !=
                                       kWaitedFor.end(); // who may not look waits as others do
            if (!m.m_isLock && !isGone) co_return std::unexpected(foreignData(m.m_lock.name, found->text));
        }
        co_return tried;
    }
    /// By source: a server that stands still may run this when nobody is left to hear that it needs the script.
    QCoro::Task<> undoTry(Then) override {
        if (m_value.isEmpty()) co_return;
        redis::Args undo = redis::evalArgs("EVAL", releaseScript().source(), redis::argsOf(m.m_lock.name),
                                           redis::argsOf(m_value, m.m_channel));
        const redis::Result undone = co_await m.m_lock.port.call(undo);
        if (!undone) m.leftBehind(std::move(undo), request.lease);
    }
    Nanos longestRest(const Tried<Grant>&) override {
        return runtime.random(m.m_lock.polling.low, m.m_lock.polling.high);
    }

    RedisSet& m;
    QByteArray m_value;
};

Outcome<std::optional<Grant>> RedisSet::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> RedisSet::renew(Grant grant, std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(compareExtend(), redis::argsOf(m_lock.name),
                                                          redis::argsOf(grant.value, milliseconds(grant.lease)), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisSet::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Release);
    const redis::Result reply = co_await m_lock.port.eval(releaseScript(), redis::argsOf(m_lock.name),
                                                          redis::argsOf(grant.value, m_channel), std::move(stop));
    grant.steps.leave();
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply->integer == 0) co_return std::unexpected(notOwner(m_lock.name));
    gaveUp(grant.thread, reply->integer - 1);
    co_return 0;
}

Outcome<bool> RedisSet::forceRelease(std::stop_token stop) {
    return forceStringLock(m_lock.port, m_lock.name, redis::argsOf("text", m_channel, forcedChannel()),
                           std::move(stop));
}

Outcome<bool> RedisSet::isLocked(std::stop_token stop) {
    return keyIsThere(m_lock.port, m_lock.name, "string", std::move(stop));
}

Outcome<std::vector<HolderInfo>> RedisSet::holders(std::stop_token stop) {
    const redis::Result value = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name), stop);
    if (!value) co_return std::unexpected(lockError(value.error(), m_lock.name));
    if (value->isNil()) co_return std::vector<HolderInfo>();
    const auto left = co_await keyLeft(m_lock.port, m_lock.name, stop);
    if (!left) co_return std::unexpected(left.error());
    const auto token = co_await counterNow(m_lock.port, counter(), stop);
    if (!token) co_return std::unexpected(token.error());
    // <client>:<thread>:<what makes it another one each time>
    HolderInfo holder = HolderInfo::of(value->text.first(std::max<qsizetype>(value->text.lastIndexOf(':'), 0)));
    if (holder.client.isEmpty()) holder = {value->text, QByteArray()}; // another library's
    holder.left = *left;
    holder.token = *token;
    co_return std::vector{holder};
}

} // namespace lockscope::recipes
