// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"
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

/// Why a call to a Redis failed. Kinds differ where a caller can react differently.
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
        WrongUrl,       ///< the URL's settings are invalid
    };
    Kind kind = Kind::Unreachable;
    QByteArray code;
    QString message; ///< one sentence: what, where, what to do; never a password

    /// Whether the command may or may not have run on the server.
    bool outcomeUnknown() const { return kind == Kind::CommandTimeout || kind == Kind::Disconnected; }
    /// Whether the key holds data of another type than the command is for.
    bool wrongType() const { return kind == Kind::Refused && code == "WRONGTYPE"; }
};

using Result = std::expected<Reply, Error>;

/// A Lua script with its name for display and the SHA-1 for EVALSHA.
class Script {
public:
    /// Which keys the script reads. In a cluster this matters while a slot moves and some of its keys are elsewhere.
    enum class Sees : std::uint8_t {
        ItsKeys,   ///< only the keys given to it; after it removed one, it does not read that key again
        WholeSlot, ///< other keys too, or a key that it has removed
    };
    /// Loads resources/lua/<name>.lua; leading comment lines are not sent. Terminates the program when the file is
    /// missing, which is a build error.
    static Script load(const char* name, Sees sees = Sees::ItsKeys);
    Script(QByteArray name, QByteArray source);
    const QByteArray& name() const { return m_name; }
    const QByteArray& source() const { return m_source; }
    const QByteArray& sha1() const { return m_sha1; } ///< 40 lower-case hex digits
    /// The variant for a Redis cluster: subscribers by SSUBSCRIBE get only messages sent by SPUBLISH.
    const Script& inCluster() const { return m_inCluster ? *m_inCluster : *this; }
    Sees sees() const { return m_sees; }

private:
    QByteArray m_name, m_source, m_sha1;
    Sees m_sees = Sees::ItsKeys;
    std::shared_ptr<const Script> m_inCluster; ///< nullptr: no difference
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

/// Owns a subscription. Not a plain unique_ptr: GCC 12's std::expected of a type that a null pointer converts to breaks
/// the comparisons in QCoro's awaiter.
class OwnedSubscription {
public:
    explicit OwnedSubscription(std::unique_ptr<Subscription> subscription) : m_subscription(std::move(subscription)) {}
    /// The subscription; it ends with this object.
    Subscription* operator->() const { return m_subscription.get(); }

private:
    std::unique_ptr<Subscription> m_subscription;
};

/// The operations that a recipe needs of a Redis. Implemented by the real driver and by the simulated server's client
/// side. Error replies arrive as Error::Kind::Refused. Every call may throw Cancelled at an await.
class Port {
public:
    virtual ~Port() = default;

    /// The runtime on whose thread it works.
    virtual Runtime& runtime() = 0;
    /// Sends one command and returns its reply. Without a reply: Error::Kind::Unreachable, or outcomeUnknown().
    virtual QCoro::Task<Result> call(Args args, std::stop_token stop = {}) = 0;
    /// Sends many commands at once; returns their results in the same order. It does not split them: give it no more
    /// than a server should answer at once.
    virtual QCoro::Task<std::vector<Result>> callAll(std::vector<Args> commands, std::stop_token stop = {});
    /// As call(), but only over the connection that an earlier reply came over (Reply::connection): for state that a
    /// server keeps per connection, such as the write that WAIT refers to. When that connection is gone: Disconnected,
    /// and nothing is sent. A port that does not number its connections uses any.
    virtual QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop = {});
    /// Returns once the server has confirmed the subscription. If it is not confirmed in time: Unreachable, not
    /// outcomeUnknown(), because it has changed nothing.
    virtual QCoro::Task<std::expected<OwnedSubscription, Error>> subscribe(QByteArray channel,
                                                                           std::stop_token stop = {}) = 0;

    /// Calls `back` from the runtime's scheduler each time that a lost connection is replaced, or that another server
    /// has taken a server's place, while the caller keeps the returned registration. nullptr: this port never calls.
    virtual CallList::Registration onReconnect(CallList::Callback /*back*/) { return nullptr; }

    /// Sends EVALSHA, and EVAL when the server does not know the script yet. The port must outlive the call, unless its
    /// class says otherwise.
    virtual QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop = {});
};

/// For a port's eval(): the whole command, and whether a reply to EVALSHA says that the server needs the source.
Args evalArgs(const char* command, const QByteArray& script, const Args& keys, const Args& args);
bool isUnknownScript(const Error& error);

/// The type of a port's call(), without the port.
using Ask = std::function<QCoro::Task<Result>(Args args, std::stop_token stop)>;
/// A port's eval() by means of `ask`: for ports that may be destroyed during their calls.
QCoro::Task<Result> evalOver(Ask ask, const Script& script, Args keys, Args args, std::stop_token stop);

} // namespace lockscope::redis
