// SPDX-License-Identifier: Apache-2.0
// Several Redis servers, real or simulated, behind one face.
#pragma once
#include "real_redis.h"
#include "reply_text.h"
#include "support/live.h"

#include <functional>

namespace lockscope::differential {

/// A group of servers as a differential test uses it. Servers are numbered from 0, the first masters first; a session
/// is one client's connection that stays open.
class Group {
public:
    virtual ~Group() = default;
    /// The number of a new session.
    virtual int connect(int server) = 0;
    /// nullopt: the server has ended the connection, or is not there.
    virtual std::optional<redis::Reply> ask(int session, const redis::Args& args) = 0;
    virtual void kill(int server) = 0;
    virtual void restart(int server) = 0; ///< empty
    virtual void pause(int server) = 0;   ///< stops it where it stands: its connections stay open
    virtual void resume(int server) = 0;
    virtual void advance(std::chrono::milliseconds time) = 0;
    /// One question over a connection of its own.
    std::optional<redis::Reply> askOnce(int server, const redis::Args& args) { return ask(connect(server), args); }
    QByteArray role(int server) {
        const auto reply = askOnce(server, {"ROLE"});
        return reply && !reply->items.empty() ? reply->items[0].text : QByteArray("(away)");
    }
    bool waitUntil(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
        for (std::chrono::milliseconds waited(0); waited < limit; waited += 50ms) {
            if (condition()) return true;
            advance(50ms);
        }
        return condition();
    }
};

/// The sessions of clients with real servers.
class RealSessions {
public:
    int connect(int port) {
        m_sessions.push_back(std::make_unique<RealClient>(port));
        return int(m_sessions.size()) - 1;
    }
    /// nullopt: the server has ended the connection, or is not there.
    std::optional<redis::Reply> ask(int session, const redis::Args& args) {
        RealClient& client = *m_sessions[std::size_t(session)];
        if (!client.ok()) return std::nullopt;
        const redis::Reply reply = client.ask(args);
        if (reply.isError() && reply.text.startsWith("(no reply)")) return std::nullopt;
        return reply;
    }

private:
    std::vector<std::unique_ptr<RealClient>> m_sessions;
};

/// A message of the first difference between two protocols; empty: none.
inline QByteArray firstDifference(const QByteArrayList& real, const QByteArrayList& simulated) {
    constexpr qsizetype shownBefore = 20;
    for (qsizetype i = 0; i < std::max(real.size(), simulated.size()); ++i) {
        if (real.value(i, "(nothing)") == simulated.value(i, "(nothing)")) continue;
        return real.mid(std::max<qsizetype>(0, i - shownBefore), std::min(i, shownBefore)).join("\n  ") +
               "\n  real      " + real.value(i, "(nothing)") + "\n  simulated " + simulated.value(i, "(nothing)");
    }
    return {};
}

} // namespace lockscope::differential
