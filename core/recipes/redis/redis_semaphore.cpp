// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_semaphore.h"

#include "ports/milliseconds.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/redis/script.h"

#include <QtEndian>

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisSemaphoreInfo() {
    RecipeInfo info =
        redissonInfo("redis-semaphore",
                     Text::tr("Redisson's semaphore whose permits expire: a counter, and a lease for each permit"));
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("script: take ended permits back; enough free → DECRBY {name}, ZADD ids")},
        {Step::Subscribe, Text::tr("too few → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, at most until a permit ends; again 1")},
        {Step::Hold, Text::tr("hold; watchdog: ZADD my ids with {lease} again")},
        {Step::Release, Text::tr("script: ZREM my ids, INCRBY {name}, PUBLISH")},
    });
    info.reentrant = false;
    info.exclusive = false;
    info.condition = false;
    info.permits = true;
    return info;
}

/// The ids of one grant's permits, 16 bytes each.
struct PermitIds {
    std::vector<QByteArray> ids;
};

namespace {
constexpr auto acquireScript = script<"semaphore_acquire", redis::Script::Sees::WholeSlot>;
constexpr auto releaseScript = script<"semaphore_release">;
constexpr auto renewScript = script<"semaphore_renew">;
constexpr auto forceScript = script<"semaphore_force">;
constexpr auto takenScript = script<"semaphore_taken">;
constexpr auto holdersScript = script<"semaphore_holders">;

QByteArray randomId(Runtime& runtime) {
    QByteArray id(16, Qt::Uninitialized);
    qToBigEndian(runtime.random(), id.data());
    qToBigEndian(runtime.random(), id.data() + 8);
    return id;
}

void append(redis::Args& args, const std::vector<QByteArray>& more) {
    args.insert(args.end(), more.begin(), more.end());
}

LockError tooMany(const QByteArray& name, int wanted, std::int64_t all) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "The semaphore “%1” has %2 permits in all: %3 at once can never "
                                                     "be had. Ask for fewer.")
                .arg(QString::fromUtf8(name))
                .arg(all)
                .arg(wanted)};
}

LockError otherNumber(const QByteArray& name, int said, std::int64_t all) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError",
                                        "The semaphore “%1” has %2 permits in all, not %3, and some of them "
                                        "are taken. Everybody must say the same number: say %2, or try "
                                        "again when nobody has a permit.")
                .arg(QString::fromUtf8(name), QString::number(all), QString::number(said))};
}

LockError otherCounter(const QByteArray& name, int said, std::int64_t number) {
    return {LockError::Kind::ForeignFormat,
            QCoreApplication::translate("LockError",
                                        "The key “%1” carries the number %2, and nothing says that it counts "
                                        "permits: it was left alone. If it is another library's semaphore, "
                                        "say %2 permits instead of %3; otherwise use another lock name.")
                .arg(QString::fromUtf8(name), QString::number(number), QString::number(said))};
}
} // namespace

const RecipeInfo& RedisSemaphore::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-semaphore");
    return mine;
}

redis::Args RedisSemaphore::givenBack(const PermitIds& permits) const {
    redis::Args args = redis::argsOf(channel());
    append(args, permits.ids);
    return args;
}

class RedisSemaphore::Contender final : public WokenLock::Contender {
public:
    using Of = RedisSemaphore;
    Contender(RedisSemaphore& lock, Request asked) : WokenLock::Contender(lock, std::move(asked)), m(lock) {}

private:
    Outcome<Tried<Grant>> tryOnce(std::stop_token stop) override {
        const auto permits = std::make_shared<PermitIds>();
        m_permits = permits;
        for (int i = 0; i < std::max(request.permits, 1); ++i)
            permits->ids.push_back(randomId(runtime));
        redis::Args args =
            redis::argsOf(m.channel(), QByteArray::number(m.m_lock.permits), milliseconds(request.lease));
        append(args, permits->ids);
        redis::Args keys = redis::argsOf(m.m_lock.name, m.taken(), m.total());
        const Nanos askedAt = runtime.monotonic();
        const redis::Result reply =
            co_await m.m_lock.port.eval(acquireScript(), std::move(keys), std::move(args), stop);
        if (!reply) {
            const LockError error = co_await explainedError(m.m_lock.port, reply.error(), m.m_lock.name);
            co_return std::unexpected(error);
        }
        const std::int64_t verdict = reply->items.empty() ? -1 : reply->items[0].integer;
        const std::int64_t number = reply->items.size() < 2 ? 0 : reply->items[1].integer;
        if (verdict == -2) co_return std::unexpected(tooMany(m.m_lock.name, request.permits, number));
        if (verdict == -3) co_return std::unexpected(otherNumber(m.m_lock.name, m.m_lock.permits, number));
        if (verdict == -4) co_return std::unexpected(otherCounter(m.m_lock.name, m.m_lock.permits, number));
        if (verdict < 0) {
            const LockError error = co_await foreignFormat(m.m_lock.port, m.m_lock.name);
            co_return std::unexpected(error);
        }
        Tried<Grant> tried;
        if (verdict != 1) {
            tried.rest = restFrom(number);
            co_return tried;
        }
        Grant& grant = tried.granted.emplace();
        grant.thread = request.thread;
        grant.value = permits->ids.front().toHex();
        grant.askedAt = askedAt;
        grant.lease = request.lease;
        grant.mode = Mode::Permit;
        grant.permits = static_cast<int>(permits->ids.size());
        grant.own = m_permits;
        grant.steps = request.steps;
        grant.steps.at(Step::Hold);
        co_return tried;
    }
    /// These ids are nobody else's. By source: a server that stands still may run this when nobody is left to hear that
    /// it needs the script.
    QCoro::Task<> undoTry(Then) override {
        redis::Args undo = redis::evalArgs("EVAL", releaseScript().source(), redis::argsOf(m.m_lock.name, m.taken()),
                                           m.givenBack(*m_permits));
        const redis::Result undone = co_await m.m_lock.port.call(undo);
        if (!undone) m.leftBehind(std::move(undo), request.lease);
    }

    RedisSemaphore& m;
    std::shared_ptr<const PermitIds> m_permits; ///< of the latest try
};

Outcome<std::optional<Grant>> RedisSemaphore::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> RedisSemaphore::renew(Grant grant, std::stop_token stop) {
    redis::Args args = redis::argsOf(milliseconds(grant.lease));
    append(args, ownOf<const PermitIds>(grant)->ids);
    const redis::Result reply = co_await m_lock.port.eval(renewScript(), redis::argsOf(taken()), args, stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisSemaphore::release(Grant grant, std::stop_token stop) {
    const auto permits = ownOf<const PermitIds>(grant);
    grant.steps.at(Step::Release);
    const redis::Result reply =
        co_await m_lock.port.eval(releaseScript(), redis::argsOf(m_lock.name, taken()), givenBack(*permits), stop);
    grant.steps.leave();
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply->integer < static_cast<std::int64_t>(permits->ids.size()))
        co_return std::unexpected(notOwner(m_lock.name));
    co_return 0;
}

Grant RedisSemaphore::takePart(Grant& grant, int permits) {
    const auto all = ownOf<const PermitIds>(grant);
    Q_ASSERT(permits > 0 && std::size_t(permits) < all->ids.size());
    const auto cut = all->ids.end() - permits; // the first id is the grant's value
    const auto part = std::make_shared<PermitIds>(PermitIds{{cut, all->ids.end()}});
    Grant taken = grant;
    taken.value = part->ids.front().toHex();
    taken.permits = permits;
    taken.own = std::shared_ptr<const PermitIds>(part);
    grant.permits -= permits;
    grant.own = std::shared_ptr<const PermitIds>(std::make_shared<PermitIds>(PermitIds{{all->ids.begin(), cut}}));
    return taken;
}

Outcome<bool> RedisSemaphore::forceRelease(std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(forceScript(), redis::argsOf(m_lock.name, taken()),
                                                          redis::argsOf(channel(), forcedChannel()), stop);
    if (!reply) {
        const LockError error = co_await explainedError(m_lock.port, reply.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    co_return reply->integer > 0;
}

Outcome<std::int64_t> RedisSemaphore::numberTaken(std::stop_token stop) {
    const redis::Result reply =
        co_await m_lock.port.eval(takenScript(), redis::argsOf(taken()), redis::Args(), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer;
}

Outcome<bool> RedisSemaphore::isLocked(std::stop_token stop) {
    const auto number = co_await numberTaken(std::move(stop));
    if (!number) co_return std::unexpected(number.error());
    co_return *number > 0;
}

Outcome<std::optional<int>> RedisSemaphore::permitsFree(std::stop_token stop) {
    const auto number = co_await numberTaken(std::move(stop));
    if (!number) co_return std::unexpected(number.error());
    co_return freeOf(m_lock.permits, *number);
}

Outcome<std::vector<HolderInfo>> RedisSemaphore::holders(std::stop_token stop) {
    const redis::Result reply =
        co_await m_lock.port.eval(holdersScript(), redis::argsOf(taken()), redis::Args(), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    std::vector<HolderInfo> holders;
    for (std::size_t i = 0; i + 1 < reply->items.size(); i += 2) {
        HolderInfo& holder = holders.emplace_back(); // the layout has ids of permits, and nothing about their clients
        holder.mode = Mode::Permit;
        holder.permit = reply->items[i].text.toHex();
        if (const std::int64_t left = reply->items[i + 1].integer; left >= 0) holder.left = timeOfMs(left);
    }
    co_return holders;
}

} // namespace lockscope::recipes
