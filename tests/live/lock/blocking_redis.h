// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"

namespace lockscope::test {

/// A Redis for clients that block: a test may end it, and the next one finds it running again.
class BlockingRedis {
public:
    explicit BlockingRedis(EventLoopRuntime& runtime) : m_runtime(runtime) {}
    /// A server that runs, and a new one only where the one before has ended. Empty, or why there is none.
    QString running() {
        if (m_server && m_server->running()) return {};
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        return test::start(*m_server);
    }
    /// To be called while the runtime is there.
    void end() { m_server.reset(); }
    /// For clients that soon notice that it does not answer.
    std::string url() const { return m_server->url().toStdString() + "?timeout=500ms&connect=500ms"; }
    sandbox::RedisServer* operator->() const { return m_server.get(); }

private:
    EventLoopRuntime& m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
};

} // namespace lockscope::test
