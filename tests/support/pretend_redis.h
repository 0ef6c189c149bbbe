// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"

namespace lockscope::tests {

/// A Redis client of no server: a test says what call() answers, and nothing else is asked of it.
class PretendRedis : public redis::Client {
public:
    Runtime& runtime() override { Q_UNREACHABLE(); }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray /*channel*/,
                                                                                 std::stop_token /*stop*/) override {
        Q_UNREACHABLE();
    }
    QCoro::Task<std::expected<void, redis::Error>> open(std::stop_token /*stop*/) override { Q_UNREACHABLE(); }
    const redis::Status& status() const override { Q_UNREACHABLE(); }
    std::uint32_t connection() const override { return 1; }
    void onStatus(std::function<void(const redis::Status&)> /*callback*/) override {}
    QString where() const override { return {}; }
};

} // namespace lockscope::tests
