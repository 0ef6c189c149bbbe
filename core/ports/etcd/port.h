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

/// Why a call to an etcd failed. Kinds differ where a caller can react differently.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,    ///< no endpoint took the connection (refused, no route, host name unknown)
        ConnectTimeout, ///< no connection within the connect time-out
        TlsFailed,      ///< handshake or certificate refused
        AuthFailed,     ///< the login is wrong or missing
        Denied,         ///< logged in, but this user may not do that with this key
        RequestTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,   ///< the connection broke after sending: whether it ran is unknown
        Unavailable,    ///< the member has no leader or gave the request up: whether it ran is unknown
        Protocol,       ///< the reply is not from an etcd: `sent` says whether it answered a change
        LeaseNotFound,  ///< the lease has ended, or never was
        LeaseExists,    ///< a lease with that number exists
        Compacted,      ///< the revision asked for is no longer kept
        Refused,        ///< any other error that the server answered with
        WrongUrl,       ///< the URL's settings are invalid
    };
    Kind kind = Kind::Unreachable;
    int code = 0;    ///< gRPC's status number where the server sent one
    QString message; ///< one sentence: what, where, what to do; never a password
    /// For Kind::Protocol: a request that changes something was sent. A proxy, for example, may have passed it on and
    /// answered in its own words.
    bool sent = false;

    /// Whether the request may or may not have run on the server.
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

/// The keys to read, and their order.
struct Range {
    enum class Order : std::uint8_t { ByKey, OldestFirst, NewestFirst }; ///< Oldest, Newest: by creation revision
    QByteArray key;
    QByteArray end; ///< empty: only `key`; else all keys in [key, end)
    Order order = Order::ByKey;
    int limit = 0;                      ///< 0 = all
    std::int64_t maxCreateRevision = 0; ///< 0 = any
    bool keysOnly = false;              ///< values stay on the server, and are empty in the result
};
struct RangeResult {
    std::vector<KeyValue> keys;
    std::int64_t count = 0;    ///< the number of matching keys, ignoring the limit
    std::int64_t revision = 0; ///< the store's, when it was read
};

/// One step of a transaction.
struct Operation {
    enum class Kind : std::uint8_t { Read, Put, Delete };
    Kind kind = Kind::Read;
    Range range;            ///< for Read and Delete; for Put only its key
    QByteArray value;       ///< for Put
    std::int64_t lease = 0; ///< for Put: the key ends with this lease

    /// Make one of each kind. `lease` 0: the key stays until it is deleted.
    static Operation read(Range range) { return {Kind::Read, std::move(range), {}, 0}; }
    static Operation put(QByteArray key, QByteArray value, std::int64_t lease);
    static Operation remove(QByteArray key);
};
/// If all of `ifAll` hold, `then` runs, else `otherwise`; at one revision.
struct Transaction {
    /// Holds if the key was created at that revision; 0 = if it does not exist.
    struct Created {
        QByteArray key;
        std::int64_t revision = 0;
        QByteArray end = {}; ///< if not empty: for all keys in [key, end)
    };
    std::vector<Created> ifAll;
    std::vector<Operation> then, otherwise;
};
struct TransactionResult {
    bool succeeded = false;           ///< `then` ran
    std::int64_t revision = 0;        ///< the store's, afterwards
    std::vector<RangeResult> results; ///< one per operation that ran; for Put and Delete only `count` is set
    /// The request had been sent before without an answer, so it may have run twice; this is the result of the second
    /// run.
    bool repeated = false;
};

struct LeaseState {
    std::int64_t id = 0;
    Nanos ttl{};                  ///< time left; 0 = there is no such lease
    Nanos granted{};              ///< the full TTL
    std::vector<QByteArray> keys; ///< attached to it
};

/// A member of the cluster, as the member that was asked knows it.
struct Member {
    QByteArray name;
    std::vector<QByteArray> urls; ///< where clients reach it: "http://10.0.0.5:2379"
    bool leads = false;
    bool learns = false; ///< it copies, and does not vote yet
    /// Entries of the cluster's log that it has applied, by its own word; -1 = it was not asked, or did not answer.
    std::int64_t applied = -1;
    friend bool operator==(const Member&, const Member&) = default;
};
struct MemberList {
    std::vector<Member> members;
    QByteArray version;    ///< of the member that was asked: "3.4.23"
    std::int64_t term = 0; ///< … and the number of the election by which its leader leads; 0: it does not say
};

struct Removal {
    bool removed = false;  ///< the key existed
    bool repeated = false; ///< see TransactionResult::repeated
};

/// An event of a watch.
struct WatchEvent {
    enum class Kind : std::uint8_t {
        Put,
        Deleted,
        Gap, ///< the watch has ended (connection, member or compaction): look again, and watch anew
    };
    Kind kind = Kind::Gap;
    KeyValue key;
    std::optional<Error> error = std::nullopt; ///< with Gap: the cause
};

/// A watch; ends on the server when destroyed.
class Watch {
public:
    virtual ~Watch() = default;
    /// The store's revision from which it started. If somebody wrote between that and its set-up, its first event may
    /// come up to 100 ms late, because the server treats it as a watch of the past.
    virtual std::int64_t revision() const = 0;
    /// The next event; nullopt when none came within `timeout` (kNever: no bound). Throws Cancelled.
    virtual QCoro::Task<std::optional<WatchEvent>> next(Nanos timeout, std::stop_token stop = {}) = 0;
};

/// Owns a watch. Not a plain unique_ptr: GCC 12's std::expected of a type that a null pointer converts to breaks the
/// comparisons in QCoro's awaiter.
class OwnedWatch {
public:
    explicit OwnedWatch(std::unique_ptr<Watch> watch) : m_watch(std::move(watch)) {}
    /// The watch; it ends with this object.
    Watch* operator->() const { return m_watch.get(); }

private:
    std::unique_ptr<Watch> m_watch;
};

/// The part of an etcd that can be read: whoever has no more than this cannot change anything. Every call may throw
/// Cancelled at an await.
class Reader {
public:
    virtual ~Reader() = default;

    /// The runtime on whose thread it works.
    virtual Runtime& runtime() = 0;
    virtual Result<LeaseState> timeToLive(std::int64_t id, std::stop_token stop = {}) = 0;
    virtual Result<RangeResult> range(Range range, std::stop_token stop = {}) = 0;
    /// The answers to several reads, in their order: at one revision, in one request where a port can. Precondition:
    /// 1 to kMostTogether of them; a server that is set to allow fewer refuses.
    virtual Result<std::vector<RangeResult>> ranges(std::vector<Range> ranges, std::stop_token stop = {});
    static constexpr std::size_t kMostTogether = 128;
    /// Watches one key from the store's current revision on. Returns once the server has confirmed the watch; it sees
    /// all later changes. Never from a past revision: etcd serves such watches by a 100 ms tick.
    virtual Result<OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop = {}) = 0;
    /// As watch(), for all changes of the keys in [key, end). Refused where a port has no such watches.
    virtual Result<OwnedWatch> watchRange(QByteArray key, QByteArray end, std::stop_token stop = {});
    /// The members, who leads, and what each has applied. The leader is asked first, so that nobody seems to be further
    /// behind it than it is. Refused where a port has none.
    virtual Result<MemberList> members(std::stop_token stop = {});
};

/// The operations that a recipe needs of an etcd.
///
/// A request without an answer is sent again, to the next member. So each may run twice; the effect is that of one run,
/// but the second answer may report the first run's work (LeaseExists, LeaseNotFound, TransactionResult::repeated,
/// Removal::repeated).
class Port : public Reader {
public:
    /// Creates a lease with that number (> 0; chosen by the caller, so that a repeated request is recognised) and TTL
    /// (whole seconds, ≥ 1; the server may give more). LeaseExists after a lost answer counts as success.
    virtual Result<LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop = {}) = 0;
    /// Restarts the full TTL; LeaseState::ttl = 0 when the lease has ended.
    virtual Result<LeaseState> keepAlive(std::int64_t id, std::stop_token stop = {}) = 0;
    /// Ends a lease and deletes its keys. False = there was no such lease.
    virtual Result<bool> revokeLease(std::int64_t id, std::stop_token stop = {}) = 0;
    virtual Result<TransactionResult> run(Transaction transaction, std::stop_token stop = {}) = 0;
    /// Deletes one key without a comparison: the server's quickest way.
    virtual Result<Removal> remove(QByteArray key, std::stop_token stop = {}) = 0;
    /// Deletes the keys in [key, end), only `key` when `end` is empty; returns how many.
    virtual Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop = {}) = 0;
    /// Writes a key; returns the store's revision afterwards.
    virtual Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease,
                                     std::stop_token stop = {}) = 0;
};

/// The exclusive end of the range of all keys that begin with `prefix`.
QByteArray endOfPrefix(const QByteArray& prefix);

} // namespace lockscope::etcd
