// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/reply.h"
#include "runtime/call_list.h"
#include "runtime/runtime.h"

#include <QString>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>

namespace lockscope::redis {

/// Each way in which talking to a Redis fails, told apart because a caller can act on it.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no connection could be made (refused, no route, host name unknown)
        ConnectTimeout, ///< no connection within the connect time-out
        TlsFailed,      ///< handshake or certificate refused
        AuthFailed,     ///< NOAUTH, WRONGPASS, NOPERM at the greeting
        CommandTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,   ///< the connection broke after sending: whether it ran is unknown
        Protocol,       ///< bytes that are not RESP
        Refused,        ///< the server answered with an error; `code` is its first word ("WRONGTYPE", "READONLY", …)
        WrongUrl,       ///< the connection's settings make no sense
    };
    Kind kind = Kind::Unreachable;
    QByteArray code;
    QString message; ///< one sentence: what, where, what to do; never a password

    /// True when the command may or may not have run on the server.
    bool outcomeUnknown() const { return kind == Kind::CommandTimeout || kind == Kind::Disconnected; }
    /// True when the key carries data of another kind than the command is for.
    bool wrongType() const { return kind == Kind::Refused && code == "WRONGTYPE"; }
};

using Result = std::expected<Reply, Error>;

/// A Lua script with its name for people and the SHA-1 that EVALSHA wants.
class Script {
public:
    /// Which keys it looks at. In a cluster that matters while a slot moves and some of its keys are elsewhere.
    enum class Sees : std::uint8_t {
        ItsKeys,   ///< those that it is given; when it ends one of them, it does not look at that again
        WholeSlot, ///< others beside them, or again at what it has ended
    };
    /// Loads resources/lua/<name>.lua; leading comment lines are not part of what is sent. Terminates when there is
    /// none: a script missing from the program is a build error.
    static Script load(const char* name, Sees sees = Sees::ItsKeys);
    Script(QByteArray name, QByteArray source);
    const QByteArray& name() const { return m_name; }
    const QByteArray& source() const { return m_source; }
    const QByteArray& sha1() const { return m_sha1; } ///< 40 lower-case hex digits
    /// For a Redis cluster, where whoever listens by SSUBSCRIBE hears only what is published by SPUBLISH.
    const Script& inCluster() const { return m_inCluster ? *m_inCluster : *this; }
    Sees sees() const { return m_sees; }

private:
    QByteArray m_name, m_source, m_sha1;
    Sees m_sees = Sees::ItsKeys;
    std::shared_ptr<const Script> m_inCluster; ///< null: the same
};

/// One message of a subscription.
struct Message {
    QByteArray payload;
    bool gap = false; ///< the connection was lost and is back: messages may have been missed; look again
};

/// A subscription to one channel; unsubscribes when destroyed.
class Subscription {
public:
    virtual ~Subscription() = default;
    /// The next message; nullopt when none came within `timeout` (kNever: no bound). Throws Cancelled.
    virtual QCoro::Task<std::optional<Message>> next(Nanos timeout, std::stop_token stop = {}) = 0;
};

/// A subscription that somebody owns. Not a bare unique_ptr: GCC 12's std::expected, made of something that a null
/// pointer converts to, breaks the comparisons inside QCoro's awaiter.
class OwnedSubscription {
public:
    explicit OwnedSubscription(std::unique_ptr<Subscription> subscription) : m_subscription(std::move(subscription)) {}
    /// The subscription; it ends with this.
    Subscription* operator->() const { return m_subscription.get(); }

private:
    std::unique_ptr<Subscription> m_subscription;
};

/// What a recipe needs of a Redis. Implemented by the real driver and by the simulated server's client side.
/// Replies of error type arrive as Error::Kind::Refused. Every call may throw runtime Cancelled at an await.
class Port {
public:
    virtual ~Port() = default;

    /// Where it works.
    virtual Runtime& runtime() = 0;
    /// One command and its reply. Error::Kind::Unreachable, or outcomeUnknown(), without one.
    virtual QCoro::Task<Result> call(Args args, std::stop_token stop = {}) = 0;
    /// Many commands in one go; their results in order. Not split: give it no more than a server should answer at once.
    virtual QCoro::Task<std::vector<Result>> callAll(std::vector<Args> commands, std::stop_token stop = {});
    /// As call(), but over the connection that an earlier reply came over (Reply::connection) and no other one: for
    /// what a server knows of a connection, such as the write that WAIT is about. Disconnected, and nothing is sent,
    /// when that one is gone. A port that does not tell its connections apart takes any.
    virtual QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {});
    /// Returns once the server has confirmed the subscription. One that is not confirmed in time is Unreachable, not
    /// outcomeUnknown(): it has changed nothing.
    virtual QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                           std::stop_token stop = {}) = 0;

    /// Calls `back` from the runtime's scheduler each time that a connection which was lost is there again, or that
    /// another server has taken a server's place, for as long as what is returned is kept. nullptr: this port never
    /// tells.
    virtual CallList::Registration onReconnect(CallList::Callback /*back*/) { return nullptr; }

    /// EVALSHA, and EVAL when the server does not know the script yet. The port must be there until it ends, unless its
    /// kind says otherwise.
    virtual QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {});
};

/// Of a port's eval(): the whole command, and whether the answer to EVALSHA is that the server wants to see the source.
Args evalArgs(const char* command, const QByteArray& script, const Args& keys, const Args& args);
bool isUnknownScript(const Error& error);

/// A port's call() without the port.
using Ask = std::function<QCoro::Task<Result>(Args args, std::stop_token stop)>;
/// A port's eval() by its `ask`: for ports that may go while their calls are waited for.
QCoro::Task<Result> evalOver(Ask ask, const Script& script, Args keys, Args args, std::stop_token stop);

} // namespace lockscope::redis
