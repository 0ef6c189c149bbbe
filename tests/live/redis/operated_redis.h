// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"

namespace lockscope::test {

/// A Redis of a test's own, and an operator who looks at it beside the clients that are tested.
class OperatedRedis {
public:
    explicit OperatedRedis(EventLoopRuntime& runtime) : m_runtime(runtime) {}
    /// Empty, or why the server does not run.
    QString start() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        const QString error = test::start(*m_server);
        if (error.isEmpty()) m_operator = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(*m_server));
        return error;
    }
    /// To be called while the runtime is there.
    void stop() {
        m_operator.reset();
        m_server.reset();
    }
    /// The server's answer to the operator; throws std::bad_expected_access for an error.
    redis::Reply ask(redis::Args args) { return call(*m_operator, std::move(args)).value(); }
    void empty() { ask({"FLUSHALL"}); }
    QString url() const { return m_server->url(); }
    sandbox::RedisServer* operator->() const { return m_server.get(); }

private:
    EventLoopRuntime& m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    std::unique_ptr<redis::RedisDriver> m_operator;
};

} // namespace lockscope::test
