// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redlock/redlock.h"
#include "runtime/completion.h"
#include "runtime/virtual_runtime.h"

namespace lockscope::tests {

/// One master of a Redlock in virtual time: as much of a Redis as the recipe needs, with a wire that can be slow or
/// lose things. Commands arrive in the order in which they were sent.
class FakeNode final : public redis::Port {
public:
    enum class Wire : std::uint8_t {
        Fine,
        Down,    ///< refused at once: nothing was sent
        Refuses, ///< the login
        LosesQuestion,
        LosesAnswer, ///< runs, and nobody hears of it
    };
    static constexpr Nanos kTimeout = 1s; ///< of a command without an answer

    FakeNode(VirtualScheduler& scheduler, VirtualRuntime& runtime) : m_scheduler(scheduler), m_runtime(runtime) {}

    Wire wire = Wire::Fine;
    Nanos there = 500us, back = 500us;                 ///< how long a question and its answer take
    std::vector<std::pair<Nanos, QByteArray>> arrived; ///< when, and the command's first word

    QByteArray valueOf(const QByteArray& key) {
        const auto found = m_keys.find(key);
        return found == m_keys.end() || found->second.second <= m_scheduler.now() ? QByteArray() : found->second.first;
    }
    void put(const QByteArray& key, const QByteArray& value, Nanos lease = 1h) {
        m_keys[key] = {value, m_scheduler.now() + lease};
    }

    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop) override {
        using Kind = redis::Error::Kind;
        const Completion<redis::Result> done;
        const redis::Error none{Kind::Unreachable, {}, QStringLiteral("nobody there")};
        const redis::Error late{Kind::CommandTimeout, {}, QStringLiteral("no answer")};
        const redis::Error stranger{Kind::AuthFailed, "WRONGPASS", QStringLiteral("wrong password")};
        if (wire == Wire::Down || wire == Wire::Refuses) {
            const redis::Error error = wire == Wire::Down ? none : stranger;
            m_runtime.post([done, error] { done.complete(std::unexpected(error)); });
        } else {
            m_scheduler.at(m_scheduler.now() + kTimeout, [done, late] { done.complete(std::unexpected(late)); });
            if (wire == Wire::Fine || wire == Wire::LosesAnswer)
                m_scheduler.at(m_scheduler.now() + there, [this, args, done, heard = wire == Wire::Fine] {
                    const redis::Result result = execute(args);
                    if (heard) m_scheduler.at(m_scheduler.now() + back, [done, result] { done.complete(result); });
                });
        }
        std::optional<redis::Result> result = co_await done.wait(m_runtime, kNever, std::move(stop));
        co_return std::move(*result);
    }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray, std::stop_token) override {
        co_return std::unexpected(redis::Error{redis::Error::Kind::Refused, "ERR", {}});
    }

private:
    redis::Result execute(const redis::Args& args) {
        using redis::Reply;
        arrived.emplace_back(m_scheduler.now(), args[0]);
        if (args[0] == "PING") return Reply::status("PONG");
        if (args[0] == "DEL") {
            const bool was = !valueOf(args[1]).isEmpty();
            m_keys.erase(args[1]);
            return Reply::number(was);
        }
        if (args[0] == "SET") {
            if (!valueOf(args[1]).isEmpty()) return Reply::nil();
            put(args[1], args[2], std::chrono::milliseconds(args[5].toLongLong()));
            return Reply::status("OK");
        }
        // The two scripts: compare and delete by EVAL, compare and extend by EVALSHA.
        if (valueOf(args[3]) != args[4]) return Reply::number(0);
        if (args[0] == "EVAL")
            m_keys.erase(args[3]);
        else
            put(args[3], args[4], std::chrono::milliseconds(args[5].toLongLong()));
        return Reply::number(1);
    }
    VirtualScheduler& m_scheduler;
    VirtualRuntime& m_runtime;
    std::map<QByteArray, std::pair<QByteArray, Nanos>> m_keys;
};

/// How a coroutine ended, once it has.
template <typename T>
struct Ended {
    std::optional<T> value;
    std::optional<Cancelled::Why> cancelled;
    Nanos at{};
    bool done() const { return value.has_value() || cancelled.has_value(); }
};

template <typename T>
QCoro::Task<> watch(QCoro::Task<T> task, VirtualScheduler& scheduler, Ended<T>& ended) {
    try {
        T value = co_await std::move(task);
        ended.value.emplace(std::move(value));
    } catch (const Cancelled& cancelled) {
        ended.cancelled = cancelled.why();
    }
    ended.at = scheduler.now();
}

} // namespace lockscope::tests
