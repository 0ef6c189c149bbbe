// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/call_list.h"
#include "runtime/runtime.h"

#include <QByteArray>
#include <QString>
#include <expected>
#include <functional>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>
#include <vector>

namespace lockscope::memcached {

/// Why a call to a memcached failed. Kinds differ where a caller can react differently.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no connection could be made (refused, no route, host name unknown)
        ConnectTimeout, ///< no connection within the connect time-out
        TlsFailed,      ///< handshake or certificate refused
        AuthFailed,     ///< the login is wrong or missing
        CommandTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,   ///< the connection broke after sending: whether it ran is unknown
        Protocol,       ///< the reply is not from a memcached: `sent` says whether it answered a command
        Refused,        ///< the server answered with an error
        WrongUrl,       ///< the URL's settings are invalid
    };
    Kind kind = Kind::Unreachable;
    QString message;   ///< one sentence: what, where, what to do; never a password
    bool sent = false; ///< with Protocol: after the greeting, when commands had been sent

    /// Whether the command may or may not have run on the server.
    bool outcomeUnknown() const {
        return kind == Kind::CommandTimeout || kind == Kind::Disconnected || (kind == Kind::Protocol && sent);
    }
};

template <typename T>
using Result = QCoro::Task<std::expected<T, Error>>;

/// Identifies one state of an item.
struct Mark {
    /// Changes with each change of the item, and grows over all items of one run of the server. 0: the server keeps
    /// none (memcached -C).
    std::uint64_t unique = 0;
    /// The connection that reported it, unique in this process; 0: none. A restarted server counts from the beginning,
    /// and can only be reached over another connection.
    std::uint64_t connection = 0;
    /// When the server was started, by its own clock, in seconds since 1970; 0: it does not tell.
    std::int64_t runBegan = 0;
};

struct Item {
    QByteArray value;
    Mark mark;
};

/// Result of a change.
struct Change {
    enum class Outcome : std::uint8_t {
        Stored,
        Taken, ///< add: the item exists; cas: it may no longer be the one meant
        Gone,  ///< cas: the item does not exist
    };
    Outcome outcome = Outcome::Gone;
    /// The item right afterwards, whoever wrote it; nullopt: none, not requested, or not readable.
    std::optional<Item> item;
};

/// An item's expiry in whole seconds from now, at most kLongestExpiry. 0 = never, negative = at once. The server's
/// clock ticks once a second: an item ends up to one second early.
using Expiry = std::int32_t;
/// The server takes greater numbers for dates.
inline constexpr Expiry kLongestExpiry = 60 * 60 * 24 * 30;

/// A key of a server's list, and the state of its item (Mark::unique).
struct ListedKey {
    QByteArray key;
    std::uint64_t unique = 0;
};

/// The rest of an item's life, as its server tells it.
struct Lifetime {
    std::uint64_t unique = 0; ///< the state of the item that it is told of: Mark::unique
    /// The item ends within the last of so many whole seconds, as the server's clock ticks once a second; missing = it
    /// has no end.
    std::optional<std::int64_t> seconds;
};

/// A server's list of its keys.
struct KeyList {
    std::vector<ListedKey> keys; ///< those that were wanted
    std::int64_t there = 0;      ///< keys in the list, wanted or not
    bool busy = false;           ///< nothing was listed: the server goes through its items already
};

/// Whether a key of the list is wanted. `size`: of the whole item, with its key and its header, in bytes.
using WantsKey = std::function<bool(const QByteArray& key, std::uint64_t size)>;

/// The part of a memcached that can be read: whoever has no more than this cannot change anything. Every call may throw
/// Cancelled at an await. Precondition: validKey.
class Reader {
public:
    virtual ~Reader() = default;

    /// The runtime on whose thread it works.
    virtual Runtime& runtime() = 0;
    virtual Result<std::optional<Item>> get(QByteArray key, std::stop_token stop = {}) = 0;
    /// When an item ends (`mg KEY t c`, since memcached 1.6); nullopt: there is no item. Refused: the server, or this
    /// port, does not tell. A proxy may hang up: only to be asked of a server that told Mark::runBegan.
    virtual Result<std::optional<Lifetime>> lifetime(QByteArray key, std::stop_token stop = {});
    /// Lists the keys of all items (`lru_crawler metadump all`), which costs the server a walk through them. No other
    /// call may be in flight. Refused: the server, or this port, does not list them.
    virtual Result<KeyList> list(WantsKey wants, std::stop_token stop = {});
};

/// The operations that a recipe needs of a memcached. Every call may throw Cancelled at an await. Precondition of all:
/// validKey. Consecutive commands run in that order as long as the connection lasts.
class Port : public Reader {
public:
    /// Stores an item if there is none. With `look`, also reads it in the same round trip.
    virtual Result<Change> add(QByteArray key, QByteArray value, Expiry expiry, bool look,
                               std::stop_token stop = {}) = 0;
    /// Replaces the item if it is in the state `meant`. With `look`, also reads it in the same round trip. Taken,
    /// without being sent, when that state was reported over another connection than the one in use: read again, and
    /// compare the value.
    virtual Result<Change> compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                         std::stop_token stop = {}) = 0;
    /// Deletes an item, whoever wrote it. False = there was none.
    virtual Result<bool> remove(QByteArray key, std::stop_token stop = {}) = 0;
    /// Keeps a connection to that key's server from now on. Calls `back` from the runtime's scheduler each time that a
    /// lost connection is replaced, while the caller keeps the returned registration. nullptr: this port never calls.
    virtual CallList::Registration onReconnect(const QByteArray& /*key*/, CallList::Callback /*back*/) {
        return nullptr;
    }
};

/// memcached's rule for keys: 1 to 250 bytes, no spaces, no control characters.
bool validKey(const QByteArray& key);

} // namespace lockscope::memcached
