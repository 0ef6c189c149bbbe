// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

namespace lockscope::test {

/// A port that counts what its recipe awaits, and asks it to stop at one of them.
class StoppingPort final : public redis::Port {
public:
    enum class When : std::uint8_t { BeforeSending, Sent, Answered };

    explicit StoppingPort(redis::Port& port) : m_port(port) {}
    /// A stop request at the `operation`-th await from now, counted from 1.
    void stopAt(int operation, When when, std::stop_source source) {
        m_count = 0;
        m_at = operation;
        m_when = when;
        m_source = std::move(source);
    }
    void leaveAlone() { m_at = 0; }
    int operations() const { return m_count; }

    Runtime& runtime() override { return m_port.runtime(); }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop) override {
        const int number = ++m_count;
        strike(number, When::BeforeSending);
        QCoro::Task<redis::Result> task = m_port.call(std::move(args), stop); // sent by now
        strike(number, When::Sent);
        redis::Result result = co_await std::move(task);
        strike(number, When::Answered);
        co_return result;
    }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop) override {
        const int number = ++m_count;
        strike(number, When::BeforeSending);
        auto task = m_port.subscribe(std::move(channel), stop);
        strike(number, When::Sent);
        auto subscription = co_await std::move(task);
        strike(number, When::Answered);
        if (!subscription) co_return std::unexpected(subscription.error());
        auto counted = std::make_unique<Counted>(*this, std::move(*subscription));
        co_return redis::OwnedSubscription(std::move(counted));
    }

private:
    struct Counted final : redis::Subscription {
        Counted(StoppingPort& owner, redis::OwnedSubscription subscription)
            : port(owner), inner(std::move(subscription)) {}
        QCoro::Task<std::optional<redis::Message>> next(Nanos timeout, std::stop_token stop) override {
            const int number = ++port.m_count;
            port.strike(number, When::BeforeSending);
            auto task = inner->next(timeout, stop);
            port.strike(number, When::Sent);
            auto message = co_await std::move(task);
            port.strike(number, When::Answered);
            co_return message;
        }
        StoppingPort& port;
        redis::OwnedSubscription inner;
    };
    void strike(int number, When when) {
        if (number == m_at && when == m_when) m_source.request_stop();
    }

    redis::Port& m_port;
    int m_count = 0;
    int m_at = 0;
    When m_when = When::Sent;
    std::stop_source m_source;
};

} // namespace lockscope::test
