// SPDX-License-Identifier: Apache-2.0
// A test with a Redis of its own, watched by a session: set-up, questions to the server, and counts in the trace.
#pragma once
#include "live_redis.h"
#include "session/session.h"

namespace lockscope::test {

/// A Redis that is started anew for each test.
class OwnRedis {
public:
    /// The text of an error; empty when it is up.
    QString startAnew(sandbox::RedisServerOptions options = {}) {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime, std::move(options));
        return start(*m_server);
    }
    /// Starts the same server again after a kill, with the same address.
    QString startAgain() { return start(*m_server); }
    /// Ends the server. Nobody takes its port so soon.
    void end() { m_server.reset(); }

    Runtime& runtime() { return m_runtime; }
    sandbox::RedisServer* operator->() const { return m_server.get(); }
    ConnectionUrl url() const { return urlOf(*m_server); }
    /// The server's answer to another client.
    redis::Reply ask(redis::Args args) {
        redis::RedisDriver driver(m_runtime, url());
        const redis::Result answer = call(driver, std::move(args));
        return answer ? *answer : redis::Reply::error("no reply");
    }

private:
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
};

/// The number of a trace's events of one kind.
inline int count(const trace::Trace& trace, trace::EventKind kind) {
    int n = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        n += trace.kindAt(i) == kind ? 1 : 0;
    return n;
}
inline int count(const session::Session& session, trace::EventKind kind) {
    return count(*session.trace(), kind);
}
/// The explanations of all violations so far.
inline QString explainAll(const session::Session& session) {
    QStringList lines;
    for (const auto& violation : session.verdict()->violations)
        lines << verdict::explain(violation, *session.trace());
    return lines.join(QLatin1Char('\n'));
}

} // namespace lockscope::test
