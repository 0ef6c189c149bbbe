// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <QString>
#include <expected>
#include <memory>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>
#include <vector>

namespace lockscope::etcd {

/// Each way in which talking to an etcd fails, told apart because a caller can act on it.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no endpoint took the connection (refused, no route, host name unknown)
        ConnectTimeout, ///< no connection within the connect time-out
        TlsFailed,      ///< handshake or certificate refused
        AuthFailed,     ///< the login is wrong, or one is wanted
        Denied,         ///< logged in, but this user may not do that with this key
        RequestTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,   ///< the connection broke after sending: whether it ran is unknown
        Unavailable,    ///< the member has no leader or gave the request up: whether it ran is unknown
        Protocol,       ///< what came is not the answer of an etcd: `sent` says whether it came for a change
        LeaseNotFound,  ///< the lease has ended, or never was
        LeaseExists,    ///< a lease of that number is there already
        Compacted,      ///< the revision asked for is no longer kept
        Refused,        ///< any other error that the server answered with
        WrongUrl,       ///< the connection's settings make no sense
    };
    Kind kind = Kind::Unreachable;
    int code = 0;    ///< gRPC's status number where the server sent one
    QString message; ///< one sentence: what, where, what to do; never a password
    /// Of Protocol: a request that changes something had been sent. Whoever stands between, a proxy say, may have
    /// passed it on and answer in its own words.
    bool sent = false;

    /// True when the request may or may not have run on the server.
    bool outcomeUnknown() const {
        return kind == Kind::RequestTimeout || kind == Kind::Disconnected || kind == Kind::Unavailable ||
               (kind == Kind::Protocol && sent);
    }
};

template <typename T>
using Result = QCoro::Task<std::expected<T, Error>>;

struct KeyValue {
    QByteArray key, value;
    std::int64_t createRevision = 0, modRevision = 0, version = 0;
    std::int64_t lease = 0; ///< 0 = none
};

/// Which keys to read, and in which order.
struct Range {
    enum class Order : std::uint8_t { ByKey, OldestFirst, NewestFirst }; ///< by the revision of their creation
    QByteArray key;
    QByteArray end; ///< empty: the key alone; else all keys from `key` to before `end`
    Order order = Order::ByKey;
    int limit = 0;                      ///< 0 = all
    std::int64_t maxCreateRevision = 0; ///< 0 = whenever they were created
};
struct RangeResult {
    std::vector<KeyValue> keys;
    std::int64_t count = 0;    ///< how many there are, the limit aside
    std::int64_t revision = 0; ///< of the store when it was read
};

/// One step of a transaction.
struct Operation {
    enum class Kind : std::uint8_t { Read, Put, Delete };
    Kind kind = Kind::Read;
    Range range;            ///< of Read and Delete; of Put the key alone
    QByteArray value;       ///< of Put
    std::int64_t lease = 0; ///< of Put: ends with it

    /// One of each kind. `lease` 0: the key stays until it is deleted.
    static Operation read(Range range) { return {Kind::Read, std::move(range), {}, 0}; }
    static Operation put(QByteArray key, QByteArray value, std::int64_t lease);
    static Operation remove(QByteArray key);
};
/// All of `ifAll` hold → `then`, else → `otherwise`; at one revision.
struct Transaction {
    /// The key was created at that revision; 0 = there is no such key.
    struct Created {
        QByteArray key;
        std::int64_t revision = 0;
        QByteArray end = {}; ///< not empty: of all keys from `key` to before `end`
    };
    std::vector<Created> ifAll;
    std::vector<Operation> then, otherwise;
};
struct TransactionResult {
    bool succeeded = false;           ///< `then` ran
    std::int64_t revision = 0;        ///< of the store afterwards
    std::vector<RangeResult> results; ///< one for each operation that ran; of Put and Delete only `count` is set
    /// The request was sent before without an answer: it may have run already then, and this is what came of the
    /// second.
    bool repeated = false;
};

struct LeaseState {
    std::int64_t id = 0;
    Nanos ttl{};                  ///< what is left; 0 = there is no such lease
    Nanos granted{};              ///< what it was granted with
    std::vector<QByteArray> keys; ///< attached to it
};

struct Removal {
    bool removed = false;  ///< there was such a key
    bool repeated = false; ///< as TransactionResult::repeated
};

/// What a watch saw.
struct WatchEvent {
    enum class Kind : std::uint8_t {
        Put,
        Deleted,
        Gap, ///< the watch has ended (connection, member or compaction): look again, and watch anew
    };
    Kind kind = Kind::Gap;
    KeyValue key;
    std::optional<Error> error = std::nullopt; ///< of Gap: why
};

/// A watch; ends on the server when destroyed.
class Watch {
public:
    virtual ~Watch() = default;
    /// The store's revision from which it set out. Where somebody wrote between that and its standing, its first event
    /// may come up to 100 ms late: the server then takes it for a watch of the past.
    virtual std::int64_t revision() const = 0;
    /// The next event; nullopt when none came within `timeout` (kNever: no bound). Throws Cancelled.
    virtual QCoro::Task<std::optional<WatchEvent>> next(Nanos timeout, std::stop_token stop = {}) = 0;
};

/// A watch that somebody owns. Not a bare unique_ptr: GCC 12's std::expected, made of something that a null pointer
/// converts to, breaks the comparisons inside QCoro's awaiter.
class OwnedWatch {
public:
    explicit OwnedWatch(std::unique_ptr<Watch> watch) : m_watch(std::move(watch)) {}
    /// The watch; it ends with this.
    Watch* operator->() const { return m_watch.get(); }

private:
    std::unique_ptr<Watch> m_watch;
};

/// What a recipe needs of an etcd. Every call may throw runtime Cancelled at an await.
///
/// Requests that got no answer are sent again, to the next member: each of these can run twice and be as if it had run
/// once, except that the second answer may tell of the first one's work (LeaseExists, LeaseNotFound,
/// TransactionResult::repeated, Removal::repeated).
class Port {
public:
    virtual ~Port() = default;

    /// Where it works.
    virtual Runtime& runtime() = 0;
    /// A lease of that number (> 0; the caller's choice, so that it can be asked for twice) and TTL (whole seconds,
    /// ≥ 1; the server may give more). LeaseExists after a lost answer counts as success.
    virtual Result<LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop = {}) = 0;
    /// A full TTL again; LeaseState::ttl = 0 when the lease has ended.
    virtual Result<LeaseState> keepAlive(std::int64_t id, std::stop_token stop = {}) = 0;
    /// Ends a lease and deletes its keys. False = there was none.
    virtual Result<bool> revokeLease(std::int64_t id, std::stop_token stop = {}) = 0;
    virtual Result<LeaseState> timeToLive(std::int64_t id, std::stop_token stop = {}) = 0;
    virtual Result<RangeResult> range(Range range, std::stop_token stop = {}) = 0;
    virtual Result<TransactionResult> run(Transaction transaction, std::stop_token stop = {}) = 0;
    /// Deletes one key. The server's quickest way: no comparison.
    virtual Result<Removal> remove(QByteArray key, std::stop_token stop = {}) = 0;
    /// How many keys were deleted.
    virtual Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop = {}) = 0;
    /// The store's revision afterwards.
    virtual Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease,
                                     std::stop_token stop = {}) = 0;
    /// Watches one key from the store's current revision on. Returns once the server has confirmed the watch: what
    /// happens from then on is seen. Never from a past revision: etcd serves those watches by a 100 ms tick.
    virtual Result<OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop = {}) = 0;
};

/// The end of the range of all keys that begin with `prefix`.
QByteArray endOfPrefix(const QByteArray& prefix);

} // namespace lockscope::etcd
