// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

namespace lockscope::test {

/// A real driver's port on which something happens between two commands: when one has been answered, and before its
/// asker hears of it.
class BetweenPort final : public redis::Port {
public:
    explicit BetweenPort(redis::Port& port) : m_port(port) {}

    /// Told of each command that has been answered, but of none that it sends itself.
    std::function<QCoro::Task<>(redis::Args asked)> answered{};
    /// Its process has died: it hears of nothing, and sends nothing any more.
    bool dead = false;

    Runtime& runtime() override { return m_port.runtime(); }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop) override {
        if (dead) throw Cancelled(Cancelled::Why::Killed);
        redis::Result result = co_await m_port.call(args, stop);
        const auto meanwhile = answered; // which may take itself away
        if (meanwhile) co_await meanwhile(args);
        if (dead) throw Cancelled(Cancelled::Why::Killed);
        co_return result;
    }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop) override {
        return m_port.subscribe(std::move(channel), std::move(stop));
    }

private:
    redis::Port& m_port;
};

} // namespace lockscope::test
