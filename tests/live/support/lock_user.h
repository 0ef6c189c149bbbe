// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/connect.h"
#include "lock/distributed_lock.h"
#include "support/live.h"

namespace lockscope::test {

/// One client process of a test: its own runtime, connection and lock.
struct LockUser {
    LockUser(const QString& url, const QByteArray& recipe, const QByteArray& name, LockOptions options = {})
        : connection(makeConnection(runtime, parseConnectionUrl(url).value())) {
        lock = std::make_unique<DistributedLock>(LockClient{runtime, connection->client()},
                                                 connection->makeRecipe(recipe, {name}).value(), options);
    }
    ~LockUser() {
        lock.reset();
        runtime.kill();
    }
    LockUser(const LockUser&) = delete;
    LockUser& operator=(const LockUser&) = delete;
    /// Opens the connection. The error; empty when it is open.
    QString open() {
        const auto opened = run(connection->open());
        return opened ? QString() : opened.error().message;
    }
    /// One try. Whether it holds the lock.
    bool take() {
        const auto taken = run(lock->tryLock());
        return taken && *taken;
    }
    EventLoopRuntime runtime;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<DistributedLock> lock;
};

/// Options of a hold that ends with its lease, as its holder does not renew it.
inline LockOptions unrenewed(Nanos lease) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = Nanos(0);
    return options;
}

} // namespace lockscope::test
