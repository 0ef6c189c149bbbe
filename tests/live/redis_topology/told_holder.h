// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock_fleet.h"

#include <QElapsedTimer>

namespace lockscope::test {

/// Renewals are a minute apart: a loss that is told sooner was asked about.
inline LockOptions seldomRenewed() {
    LockOptions options;
    options.lease = 180s;
    options.watchdog = 60s;
    options.token = true;
    return options;
}

/// A holder of the lock “orders”, and what its lock has told it.
struct ToldHolder {
    using Event = DistributedLock::Event;
    static constexpr const char* kName = "orders";
    ToldHolder(const QString& url, const QByteArray& recipe, const LockOptions& options = seldomRenewed())
        : user(url, recipe, recipe == "redis-multi" ? QByteArray(kName) + ",others" : QByteArray(kName), options) {
        user.lock->listen([this](Event event, const QByteArray&, const QString&) { lost += event == Event::Lost; });
    }
    bool take(recipes::Mode mode = recipes::Mode::Exclusive) {
        LockRequest request;
        request.mode = mode;
        request.wait = 5s;
        return run(user.lock->take(request)).value_or(false);
    }
    /// How long that took; none when not within the limit.
    std::optional<qint64> msUntilLost(std::chrono::milliseconds limit) {
        QElapsedTimer timer;
        timer.start();
        if (!comesTrue([this] { return lost > 0; }, limit)) return std::nullopt;
        qInfo("told after %lld ms", static_cast<long long>(timer.elapsed()));
        return timer.elapsed();
    }
    LockUser user;
    int lost = 0;
};

} // namespace lockscope::test
