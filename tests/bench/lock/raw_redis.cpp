// SPDX-License-Identifier: Apache-2.0
#include "raw_redis.h"

#include "ports/redis/port.h"

namespace lockscope::bench {

QString rawError(const redisContext* context) {
    return QStringLiteral("The bare client failed: %1.")
        .arg(QString::fromUtf8(context ? context->errstr : "no memory"));
}

std::expected<RedisContext, QString> connectRaw(const ConnectionUrl& url) {
    const Endpoint& endpoint = url.endpoints.front();
    RedisContext context(redisConnect(endpoint.host.toUtf8().constData(), endpoint.port));
    if (!context || context->err) return std::unexpected(rawError(context.get()));
    std::vector<QByteArray> login{"AUTH"};
    if (!url.user.isEmpty()) login.push_back(url.user.toUtf8());
    login.push_back(url.password.toUtf8());
    std::vector<RawCommand> greeting;
    if (!url.password.isEmpty()) greeting.emplace_back(std::move(login));
    if (url.database != 0) greeting.emplace_back(std::vector<QByteArray>{"SELECT", QByteArray::number(url.database)});
    for (const RawCommand& command : greeting) {
        const RedisReply reply = command.ask(context.get());
        if (!reply || reply->type == REDIS_REPLY_ERROR) return std::unexpected(rawError(context.get()));
    }
    return context;
}

bool granted(const redisReply* reply) {
    switch (reply->type) {
    case REDIS_REPLY_STATUS:
        return true; // SET
    case REDIS_REPLY_INTEGER:
        return reply->integer >= 0;
    case REDIS_REPLY_ARRAY: // the acquire script
        return reply->elements > 0 && reply->element[0]->type == REDIS_REPLY_INTEGER && reply->element[0]->integer == 1;
    default:
        return false;
    }
}

namespace {

/// The commands of one lock. Recipes that this does not know take and give theirs by one script each, as
/// redis-reentrant does.
RawLock lockOf(const QByteArray& recipe, const QByteArray& name) {
    const QByteArray lease = "30000", owner = "5a0e1fb5-4a9e-4c50-9fd4-dca2a9c2a7bd:1";
    if (recipe.startsWith("redis-set")) {
        const RawCommand take({"SET", name, owner, "NX", "PX", lease});
        if (recipe == "redis-set") {
            const redis::Script script = redis::Script::load("set_release");
            return {take,
                    RawCommand({"EVALSHA", script.sha1(), "1", name, owner, "lock_bench-channel:{" + name + '}'})};
        }
        return {take, RawCommand({"DEL", name})};
    }
    const redis::Script take = redis::Script::load("reentrant_acquire");
    const redis::Script give = redis::Script::load("reentrant_release");
    return {RawCommand({"EVALSHA", take.sha1(), "1", name, lease, owner}),
            RawCommand({"EVALSHA", give.sha1(), "1", name, owner, lease, "lock_bench-channel:{" + name + '}'})};
}

std::expected<void, QString> loadScripts(redisContext* context) {
    for (const char* name : {"set_release", "reentrant_acquire", "reentrant_release"}) {
        const RawCommand load({"SCRIPT", "LOAD", redis::Script::load(name).source()});
        const RedisReply reply = load.ask(context);
        if (!reply || reply->type == REDIS_REPLY_ERROR) return std::unexpected(rawError(context));
    }
    return {};
}

QString wrongReply() {
    return QStringLiteral("The bare client got an answer that is no grant: somebody else uses its locks.");
}

/// One client, one command at a time.
class RawSequence final : public Raw {
public:
    RawSequence(RedisContext context, RawLock lock) : m_context(std::move(context)), m_lock(std::move(lock)) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        std::int64_t now = begun;
        while (now - begun < duration.count()) {
            const std::int64_t asked = now;
            const RedisReply taken = m_lock.take.ask(m_context.get());
            if (!taken) return std::unexpected(rawError(m_context.get()));
            if (!granted(taken.get())) return std::unexpected(wrongReply());
            const RedisReply given = m_lock.give.ask(m_context.get());
            if (!given) return std::unexpected(rawError(m_context.get()));
            now = clockNow();
            samples.latencies.push_back(now - asked);
            ++samples.pairs;
        }
        samples.took += Nanos(now - begun);
        return {};
    }

private:
    RedisContext m_context;
    RawLock m_lock;
};

/// Many pairs on their way at once, on one connection.
class RawPipeline final : public Raw {
public:
    RawPipeline(RedisContext context, std::vector<RawLock> locks)
        : m_context(std::move(context)), m_locks(std::move(locks)) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        std::int64_t now = begun;
        while (now - begun < duration.count()) {
            for (const RawLock& lock : m_locks) {
                lock.take.append(m_context.get());
                lock.give.append(m_context.get());
            }
            for (std::size_t i = 0; i < 2 * m_locks.size(); ++i) {
                void* answer = nullptr;
                if (redisGetReply(m_context.get(), &answer) != REDIS_OK)
                    return std::unexpected(rawError(m_context.get()));
                const RedisReply reply(static_cast<redisReply*>(answer));
                if (!granted(reply.get())) return std::unexpected(wrongReply());
            }
            samples.pairs += std::int64_t(m_locks.size());
            now = clockNow();
        }
        samples.took += Nanos(now - begun);
        return {};
    }

private:
    RedisContext m_context;
    std::vector<RawLock> m_locks;
};

/// From a push to the return of the pop that waits for it: the barest way in which a Redis wakes somebody.
class RawWake final : public Raw {
public:
    RawWake(RedisContext from, RedisContext to, const QByteArray& list)
        : m_from(std::move(from)), m_to(std::move(to)), m_push({"RPUSH", list, "1"}), m_pop({"BLPOP", list, "0"}) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        while (clockNow() - begun < duration.count()) {
            m_pop.append(m_to.get());
            int flushed = 0;
            while (!flushed)
                if (redisBufferWrite(m_to.get(), &flushed) != REDIS_OK) return std::unexpected(rawError(m_to.get()));
            napBeforeWaking();
            const std::int64_t pushed = clockNow();
            m_push.append(m_from.get());
            for (flushed = 0; !flushed;)
                if (redisBufferWrite(m_from.get(), &flushed) != REDIS_OK)
                    return std::unexpected(rawError(m_from.get()));
            void* answer = nullptr;
            if (redisGetReply(m_to.get(), &answer) != REDIS_OK) return std::unexpected(rawError(m_to.get()));
            const std::int64_t woken = clockNow();
            const RedisReply popped(static_cast<redisReply*>(answer));
            if (redisGetReply(m_from.get(), &answer) != REDIS_OK) return std::unexpected(rawError(m_from.get()));
            const RedisReply counted(static_cast<redisReply*>(answer));
            samples.latencies.push_back(woken - pushed);
            samples.took += Nanos(woken - pushed);
            ++samples.pairs;
        }
        return {};
    }

private:
    RedisContext m_from, m_to;
    RawCommand m_push, m_pop;
};

} // namespace

MadeRaw makeRawRedis(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    using Kind = Workload::Kind;
    if (url.tls) return nullptr; // Debian's hiredis has none
    auto context = connectRaw(url);
    if (!context) return std::unexpected(context.error());
    const auto loaded = loadScripts(context->get());
    if (!loaded) return std::unexpected(loaded.error());
    const QByteArray name = "lock_bench-raw-" + QByteArray::number(clockNow(), 16);
    if (workload.kind == Kind::Seq) return std::make_unique<RawSequence>(std::move(*context), lockOf(recipe, name));

    std::vector<RawLock> locks;
    for (int i = 0; i < workload.clients; ++i)
        locks.push_back(lockOf(recipe, name + '-' + QByteArray::number(i)));
    if (workload.oneConnection()) return std::make_unique<RawPipeline>(std::move(*context), std::move(locks));

    std::vector<RedisContext> contexts;
    for (int i = 0; i < workload.clients; ++i) {
        auto another = connectRaw(url);
        if (!another) return std::unexpected(another.error());
        contexts.push_back(std::move(*another));
    }
    if (workload.kind == Kind::Wake)
        return std::make_unique<RawWake>(std::move(contexts[0]), std::move(contexts[1]), name);
    if (workload.kind == Kind::Conc) return makeRawCrowd(std::move(contexts), std::move(locks));
    return makeRawRelay(std::move(*context), std::move(contexts), name);
}

MadeRaw makeRawSentinel(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    if (url.tls) return nullptr;
    ConnectionUrl sentinel = url;
    sentinel.user.clear();
    sentinel.password.clear();
    sentinel.database = 0;
    const auto context = connectRaw(sentinel);
    if (!context) return std::unexpected(context.error());
    const RedisReply master =
        RawCommand({"SENTINEL", "get-master-addr-by-name", url.path.toUtf8()}).ask(context->get());
    if (!master || master->type != REDIS_REPLY_ARRAY || master->elements != 2)
        return std::unexpected(QStringLiteral("The sentinel at %1 did not tell the bare client where “%2” is.")
                                   .arg(url.endpoints.front().display(), url.path));
    ConnectionUrl there = url;
    there.endpoints = {{QString::fromUtf8(master->element[0]->str), QByteArray(master->element[1]->str).toUShort()}};
    return makeRawRedis(there, recipe, workload);
}

} // namespace lockscope::bench
