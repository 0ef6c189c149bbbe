// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_connection.h"
#include "operated_redis.h"

namespace lockscope::test {

/// A Redis of a test's own, its operator, and the connections of two clients.
class RedisOfTwo : public OperatedRedis {
public:
    explicit RedisOfTwo(EventLoopRuntime& runtime) : OperatedRedis(runtime), m_runtime(runtime) {}
    /// Empty, or why the server does not run or a client does not reach it.
    QString start() {
        if (QString error = OperatedRedis::start(); !error.isEmpty()) return error;
        m_a = connectionTo(m_runtime, url());
        m_b = connectionTo(m_runtime, url());
        return m_a && m_b ? QString() : QStringLiteral("the server cannot be reached");
    }
    /// To be called while the runtime is there.
    void stop() {
        m_a.reset();
        m_b.reset();
        OperatedRedis::stop();
    }
    /// The connections; until stop().
    Connection& a() const { return *m_a; }
    Connection& b() const { return *m_b; }

private:
    EventLoopRuntime& m_runtime;
    std::unique_ptr<Connection> m_a, m_b;
};

} // namespace lockscope::test
