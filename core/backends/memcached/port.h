// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/call_list.h"
#include "runtime/runtime.h"

#include <QByteArray>
#include <QString>
#include <expected>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>

namespace lockscope::memcached {

/// Each way in which talking to a memcached fails, told apart because a caller can act on it.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no connection could be made (refused, no route, host name unknown)
        ConnectTimeout, ///< no connection within the connect time-out
        TlsFailed,      ///< handshake or certificate refused
        AuthFailed,     ///< the login is wrong, or one is wanted
        CommandTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,   ///< the connection broke after sending: whether it ran is unknown
        Protocol,       ///< what came is not the answer of a memcached: `sent` says whether to a command
        Refused,        ///< the server answered with an error
        WrongUrl,       ///< the connection's settings make no sense
    };
    Kind kind = Kind::Unreachable;
    QString message;   ///< one sentence: what, where, what to do; never a password
    bool sent = false; ///< of Protocol: after the greeting, when commands had been sent

    /// True when the command may or may not have run on the server.
    bool outcomeUnknown() const {
        return kind == Kind::CommandTimeout || kind == Kind::Disconnected || (kind == Kind::Protocol && sent);
    }
};

template <typename T>
using Result = QCoro::Task<std::expected<T, Error>>;

/// Which state of an item it is.
struct Mark {
    /// Changes with each change of the item; grows over all items of one server's run. 0: the server keeps none
    /// (memcached -C).
    std::uint64_t unique = 0;
    /// Of the connection that told it, among all of this process; 0: none. A server that was started again begins to
    /// count anew, and only by another connection can it be reached.
    std::uint64_t connection = 0;
    /// When that server's run began, by its own clock, in seconds since 1970; 0: it does not tell.
    std::int64_t runBegan = 0;
};

struct Item {
    QByteArray value;
    Mark mark;
};

/// What became of a change.
struct Change {
    enum class Outcome : std::uint8_t {
        Stored,
        Taken, ///< add: there is an item; cas: it is not known to be the one meant any more
        Gone,  ///< cas: there is no item
    };
    Outcome outcome = Outcome::Gone;
    /// The item right afterwards, ours or whoever's; nullopt: none, or not asked for, or it could not be told.
    std::optional<Item> item;
};

/// When an item ends, in whole seconds from now: at most kLongestExpiry. 0 = never, negative = at once. The server's
/// clock ticks once a second: an item ends up to one second sooner than it says.
using Expiry = std::int32_t;
/// Above it the server takes the number for a date.
inline constexpr Expiry kLongestExpiry = 60 * 60 * 24 * 30;

/// What a recipe needs of a memcached. Every call may throw runtime Cancelled at an await. Precondition of all:
/// validKey. Commands given one after the other run in that order as long as the connection lasts.
class Port {
public:
    virtual ~Port() = default;

    /// Where it works.
    virtual Runtime& runtime() = 0;
    /// Stores an item where none is. With `look` also reads it in the same round trip.
    virtual Result<Change> add(QByteArray key, QByteArray value, Expiry expiry, bool look,
                               std::stop_token stop = {}) = 0;
    /// Replaces the item that is in this state. With `look` also reads it in the same round trip. Taken, without being
    /// sent, when the state was heard of over another connection than the one in use: look again, and compare the
    /// value.
    virtual Result<Change> compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                         std::stop_token stop = {}) = 0;
    virtual Result<std::optional<Item>> get(QByteArray key, std::stop_token stop = {}) = 0;
    /// Deletes an item, whoever's it is. False = there was none.
    virtual Result<bool> remove(QByteArray key, std::stop_token stop = {}) = 0;
    /// Keeps a connection to the server of that key from now on, and calls `back` from the runtime's scheduler each
    /// time that it was lost and is there again, for as long as what is returned is kept. nullptr: this port never
    /// tells.
    virtual CallList::Registration onReconnect(const QByteArray& /*key*/, CallList::Callback /*back*/) {
        return nullptr;
    }
};

/// memcached's rule for keys: 1 to 250 bytes, no spaces, no control characters.
bool validKey(const QByteArray& key);

} // namespace lockscope::memcached
