// SPDX-License-Identifier: Apache-2.0
#include "raw_redis.h"

#include <fcntl.h>
#include <functional>
#include <sys/epoll.h>
#include <unistd.h>

namespace lockscope::bench {

namespace {

/// The sockets of many hiredis connections in one epoll set.
class Crowd {
public:
    using OnReply = std::function<void(std::size_t index, const redisReply*)>;

    explicit Crowd(std::vector<RedisContext> contexts) : m_contexts(std::move(contexts)), m_epoll(epoll_create1(0)) {
        for (std::size_t i = 0; i < m_contexts.size(); ++i) {
            redisContext* context = m_contexts[i].get();
            fcntl(context->fd, F_SETFL, fcntl(context->fd, F_GETFL) | O_NONBLOCK);
            context->flags &= ~REDIS_BLOCK;
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            epoll_ctl(m_epoll, EPOLL_CTL_ADD, context->fd, &event);
        }
    }
    ~Crowd() { close(m_epoll); }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    std::size_t size() const { return m_contexts.size(); }
    /// Small commands: the kernel has room for them.
    void send(std::size_t index, const RawCommand& command) {
        command.append(m_contexts[index].get());
        int flushed = 0;
        while (!flushed)
            if (redisBufferWrite(m_contexts[index].get(), &flushed) != REDIS_OK) break;
    }
    /// Waits once and gives out the replies that came; false when a connection broke or nothing came for a second.
    bool step(const OnReply& onReply) {
        constexpr int kAtOnce = 64;
        epoll_event events[kAtOnce];
        const int count = epoll_wait(m_epoll, events, kAtOnce, 1000);
        for (int i = 0; i < count; ++i) {
            const auto index = std::size_t(events[i].data.u64);
            redisContext* context = m_contexts[index].get();
            if (redisBufferRead(context) != REDIS_OK) return false;
            void* answer = nullptr;
            while (redisGetReplyFromReader(context, &answer) == REDIS_OK && answer) {
                const RedisReply reply(static_cast<redisReply*>(answer));
                onReply(index, reply.get());
            }
        }
        return count > 0;
    }

private:
    std::vector<RedisContext> m_contexts;
    int m_epoll;
};

QString broken() {
    return QStringLiteral("The bare client lost its connection.");
}

class RawCrowd final : public Raw {
public:
    RawCrowd(std::vector<RedisContext> contexts, std::vector<RawLock> locks)
        : m_crowd(std::move(contexts)), m_locks(std::move(locks)) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        const std::int64_t until = begun + duration.count();
        std::vector<bool> held(m_crowd.size(), false);
        std::size_t working = m_crowd.size();
        for (std::size_t i = 0; i < m_crowd.size(); ++i)
            m_crowd.send(i, m_locks[i].take);
        bool refused = false;
        const auto onReply = [&](std::size_t index, const redisReply* reply) {
            refused = refused || !granted(reply);
            held[index] = !held[index];
            if (held[index]) {
                m_crowd.send(index, m_locks[index].give);
                return;
            }
            ++samples.pairs;
            if (clockNow() < until)
                m_crowd.send(index, m_locks[index].take);
            else
                --working;
        };
        while (working > 0)
            if (!m_crowd.step(onReply) || refused) return std::unexpected(broken());
        samples.took += Nanos(clockNow() - begun);
        return {};
    }

private:
    Crowd m_crowd;
    std::vector<RawLock> m_locks;
};

class RawRelay final : public Raw {
public:
    RawRelay(RedisContext other, std::vector<RedisContext> contexts, const QByteArray& list)
        : m_other(std::move(other)),
          m_crowd(std::move(contexts)),
          m_push({"RPUSH", list, "1"}),
          m_pop({"BLPOP", list, "0"}),
          m_clear({"DEL", list}) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        for (std::size_t i = 0; i < m_crowd.size(); ++i)
            m_crowd.send(i, m_pop);
        const std::int64_t begun = clockNow();
        const std::int64_t until = begun + duration.count();
        if (!m_push.ask(m_other.get())) return std::unexpected(rawError(m_other.get()));
        std::size_t working = m_crowd.size();
        const auto onReply = [&](std::size_t index, const redisReply* reply) {
            if (reply->type != REDIS_REPLY_ARRAY) return; // of a push
            ++samples.pairs;
            m_crowd.send(index, m_push);
            if (clockNow() < until)
                m_crowd.send(index, m_pop);
            else
                --working;
        };
        while (working > 0)
            if (!m_crowd.step(onReply)) return std::unexpected(broken());
        samples.took += Nanos(clockNow() - begun);
        if (!m_clear.ask(m_other.get())) return std::unexpected(rawError(m_other.get()));
        return {};
    }

private:
    RedisContext m_other;
    Crowd m_crowd;
    RawCommand m_push, m_pop, m_clear;
};

} // namespace

std::unique_ptr<Raw> makeRawCrowd(std::vector<RedisContext> contexts, std::vector<RawLock> locks) {
    return std::make_unique<RawCrowd>(std::move(contexts), std::move(locks));
}

std::unique_ptr<Raw> makeRawRelay(RedisContext other, std::vector<RedisContext> contexts, const QByteArray& list) {
    return std::make_unique<RawRelay>(std::move(other), std::move(contexts), list);
}

} // namespace lockscope::bench
